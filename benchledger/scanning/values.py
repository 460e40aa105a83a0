"""Converts the text of one value: numbers, times and text as it is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from benchledger.definitions.log_format import RecordDefinition
from benchledger.scanning.layout import Layouts
from benchledger.scanning.patterns import FLOAT, NUMBER_END, TIME, WORDS
from benchledger.scanning.rows import CUT_NUMBER, OUT_OF_RANGE, Pair, Refused, exact, fits_float

ANSI = re.compile(rb"\x1b(?:\[[0-9;?]{0,32}+[A-Za-z]|\][^\x07\x1b\r\n]{0,256}+\x07)")

# `9:01:42`, `2021-05-23` and `1,139.4` do not begin with a number: the comma may be of thousands, decimals or a list.
NUMBER_WORD = rb"(?:" + WORDS + rb"|" + FLOAT + rb")" + NUMBER_END + rb"(?![:,-]\.?[0-9])"
NUMBER = re.compile(NUMBER_WORD)
# In `{'loss': 15}1.4}` the first bracket stands within a number.
_GOES_ON = re.compile(rb"[.,_'+-]?[0-9]|[eE][+-]?[0-9]")
_BLANK = (b" ", b"\t")
_TIME = re.compile(rb"(" + TIME + rb")Z?\Z")
_LEAP_YEAR = 2000
# Steps and epochs are smaller, so that SQL can add and subtract any two: bigint holds up to 9.2e18.
LARGEST = 10**18


def decode(raw: bytes) -> str:
    """Returns text as it is stored: bytes that are not UTF-8, and NUL, become escapes."""
    text = raw.decode("utf-8", "backslashreplace")
    return text.replace("\x00", "\\x00") if "\x00" in text else text


def goes_on(rest: bytes) -> bool:
    """Tells by the text behind a closing bracket whether the bracket stands within a number, and so closes nothing."""
    return _GOES_ON.match(rest) is not None or rest.count(b"}") > rest.count(b"{")


def number_fault(text: str) -> str | None:
    """Returns why a text begins like a number and is none: `151abc`, `1e999`; None for another text."""
    match = NUMBER.match(raw := text.lstrip("'\"").encode())
    if match is None:
        return None
    if raw[match.end() : match.end() + 1] not in (b"", *_BLANK):
        return CUT_NUMBER
    return None if fits_float(match.group(0)) else OUT_OF_RANGE


def refuse_cut(layouts: Layouts, record: RecordDefinition, pairs: Sequence[Pair]) -> None:
    """Raises Refused if a measured value is a text that begins like a number."""
    for name, _, text, _ in pairs:
        if text and (fault := number_fault(text)) and layouts.is_measured(record, name):
            raise Refused(fault)


def to_number(raw: bytes) -> float | None:
    if raw[:1] in b"Nn" and raw in (b"None", b"null", b"NULL"):
        return None
    return exact(raw.replace(b",", b""))


def to_whole(raw: bytes) -> int | None:
    return None if raw in (b"None", b"null", b"NULL") else int(raw.replace(b",", b""))


def to_time(raw: bytes) -> datetime | None:
    """Returns an ISO date and time, with `-` or `/`, `T` or blank, `.` or `,`; a `Z` may follow.

    None for any other text, such as a date without a time or with an offset, and for a time that does not exist.
    """
    match = _TIME.match(raw)
    if match is None:
        return None
    text = match.group(1).decode("ascii").replace("/", "-").replace(",", ".")
    base, _, fraction = text.partition(".")
    try:
        return datetime.fromisoformat(f"{base}.{fraction[:6].ljust(6, '0')}" if fraction else base)
    except ValueError:
        return None


def to_seconds(raw: bytes) -> float | None:
    """Returns the seconds of a duration such as `1 day, 2:03:04.5` or `08:49`; None for 60 minutes or seconds."""
    before, day, after = raw.partition(b"day")
    seconds = 0.0
    for place, part in enumerate((after.lstrip(b"s, ") if day else raw).split(b":")):
        if place and float(part) >= 60:
            return None
        seconds = seconds * 60 + float(part)
    return seconds + 86400 * float(before) if day else seconds


def to_stamp(raw: bytes) -> float | None:
    """Returns the seconds of `0526 05:25:05.76` since the start of a leap year (the year is not stated).

    None if the day or the hour does not exist.
    """
    try:
        moment = datetime(_LEAP_YEAR, int(raw[:2]), int(raw[2:4]), tzinfo=UTC)
    except ValueError:
        return None
    days, clock = (moment - datetime(_LEAP_YEAR, 1, 1, tzinfo=UTC)).days, to_seconds(raw[5:])
    return None if clock is None or clock >= 86400 else days * 86400 + clock


def to_unix_time(raw: bytes) -> datetime:
    """Returns the time in UTC, to the microsecond, of seconds since 1970."""
    whole, _, fraction = raw.partition(b".")
    moment = datetime.fromtimestamp(int(whole), UTC).replace(tzinfo=None)
    return moment.replace(microsecond=int(fraction[:6].ljust(6, b"0")))


def hole_value(kind: str, raw: bytes) -> Any:
    """Returns the value of a hole of a template; None if it is absent, or a time that does not exist."""
    return _CONVERTERS.get(kind, decode)(raw)


_CONVERTERS: dict[str, Callable[[bytes], Any]] = {
    "float": to_number,
    "int": to_whole,
    "int,": to_whole,
    "float,": to_number,
    "time": to_time,
    "stamp": to_stamp,
    "unix": to_unix_time,
    "duration": to_seconds,
}
