"""Reads the values and columns of a JSON object that a format's JsonMap names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from benchledger.definitions.file_maps import JsonMap
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning import rows
from benchledger.scanning.rows import Pair, Refused, exact
from benchledger.scanning.values import LARGEST, decode, to_time

_LARGEST = {"step": LARGEST, "epoch": LARGEST, "rank": 2**31}
# As deep as a JSON value may be nested: each level is a part of its name.
_DEEPEST = 32
# A step is less than 10**18.
_STEP_DIGITS = 18
# So long an integer may be that is a float, too.
_FLOAT_DIGITS = 308

MISSING = object()


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns the members of a JSON object. Raises Refused for a key with two values: one of them is wrong."""
    found = dict(pairs)
    if len(found) != len(pairs):
        # Only values of such keys are compared: all, level by level, would take time quadratic in the document.
        times = Counter(key for key, _ in pairs)
        if any(times[key] > 1 and repr(found[key]) != repr(value) for key, value in pairs):
            raise Refused(rows.TWO_KEYS)
    return found


def whole(text: str) -> int:
    value = int(text)
    if len(text) > _FLOAT_DIGITS:
        exact(text)
    return value


# Texts, such as names of kernels, may contain control characters.
DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_float=exact, parse_int=whole, strict=False)


def at(data: Any, path: str) -> Any:
    """Returns the value at a dotted path, or MISSING; `.` is the whole, `*` the first member with the rest of it."""
    if path == ".":
        return data
    before, star, behind = path.partition("*")
    if star and (not before or before.endswith(".")) and behind[:1] in ("", "."):
        members = at(data, before[:-1]) if before else data
        found = (at(member, behind[1:] or ".") for member in members.values()) if isinstance(members, dict) else ()
        return next((value for value in found if value is not MISSING), MISSING)
    for key in path.split("."):
        if isinstance(data, dict) and key in data:
            data = data[key]
        elif isinstance(data, list) and key.isdecimal() and int(key) < len(data):
            data = data[int(key)]
        else:
            return MISSING
    return data


def selects(definition: JsonMap, data: Any) -> bool:
    """Tells whether an object is a record by the map's `where`, `unless` and `has`."""
    return (
        all(_is(at(data, path), expected) for path, expected in definition.where.items())
        and not any(_is(at(data, path), expected) for path, expected in definition.unless.items())
        and all(at(data, path) is not MISSING for path in definition.has)
    )


def pairs_of(definition: JsonMap, data: Any, columns: dict[str, Any]) -> list[Pair] | None:
    """Returns the values of an object, and puts its columns into `columns`; None if a required part is missing."""
    if isinstance(definition.values, str):
        values = at(data, definition.values)
        if not isinstance(values, dict):
            return None
    else:
        found = {name: at(data, path) for name, path in definition.values.items()}
        values = {name: value for name, value in found.items() if value is not MISSING}
    if definition.named is not None:
        name, value = (at(data, path) for path in definition.named)
        if not isinstance(name, str) or value is MISSING:
            return None
        values = {name: value, **values}
    for column, path in definition.columns.items():
        value = at(data, path)
        if value is MISSING and column == "logged_at":
            continue
        if value is MISSING or isinstance(value, dict | list):
            return None
        if column == "logged_at" and definition.time_unit and _is_number(value):
            # Programs write 0 if they did not read a clock.
            unit = vocabulary().spellings[definition.time_unit][1]
            columns[column] = _since_1970(value, unit) if value else None
        else:
            columns[column] = _json_column(column, value)
    return list(flat_pairs(values))


def values_by_step(definition: JsonMap, data: Any) -> list[tuple[int, list[Pair]]]:
    """Returns the values of each step, in order, of a document with objects of values by step number."""
    found: dict[int, list[Pair]] = {}
    for name, path in definition.steps.items():
        values = at(data, path)
        for key, value in values.items() if isinstance(values, dict) else ():
            # A text such as "nan" is no measurement.
            if key.isdecimal() and len(key) <= _STEP_DIGITS:
                number = _to_float(value) if _is_number(value) else None
                found.setdefault(int(key), []).append((name, number, None, None))
    return sorted(found.items())


def column_value(name: str, value: Any) -> Any:
    """Returns a number or text as a value of a record's column. Raises Refused if it does not fit."""
    if value is None or name in ("logged_at", "clock_s"):
        return value
    if (limit := _LARGEST.get(name)) is not None:
        if not -limit < value < limit or value != int(value):
            raise Refused(rows.BAD_NUMBER)
        return int(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is(value: Any, expected: Any) -> bool:
    # In Python, 0 equals False and 1 equals True.
    alternatives = expected if isinstance(expected, list) and not isinstance(value, list) else [expected]
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in alternatives)


def flat_pairs(values: dict[str, Any], prefix: str = "", depth: int = 1) -> Iterator[Pair]:
    """Yields each value of an object; those of nested objects get dotted names."""
    if depth > _DEEPEST:
        raise Refused(rows.BAD_JSON)
    for key, value in values.items():
        name = prefix + storable(key)
        if isinstance(value, dict):
            yield from flat_pairs(value, name + ".", depth + 1)
        elif value is None:
            yield name, None, None, None
        elif isinstance(value, bool | str):
            yield name, None, storable(str(value)), None
        elif isinstance(value, int | float):
            yield name, _to_float(value), None, None
        else:
            yield name, None, storable(json.dumps(value, ensure_ascii=False)), None


def storable(text: str) -> str:
    """Returns a text as a column can hold it: JSON can contain NUL and halves of surrogate pairs."""
    return decode(text.encode("utf-8", "backslashreplace"))


def _to_float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise Refused(rows.OUT_OF_RANGE) from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _since_1970(value: int | float, scale: float) -> datetime:
    """Returns a time in UTC, to the microsecond."""
    # Integer milliseconds are not converted to a float, which would round them.
    try:
        microseconds = value * round(scale * 1_000_000) if scale >= 1e-6 else round(value * scale * 1_000_000)
        return datetime(1970, 1, 1) + timedelta(microseconds=microseconds)
    except (OverflowError, ValueError):
        raise Refused(rows.BAD_TIME) from None


def _json_column(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "logged_at":
        time = to_time(str(value).encode("ascii", "replace")) if isinstance(value, str) else None
        if time is None:
            raise Refused(rows.BAD_TIME)
        return time
    if name == "clock_s" or name in _LARGEST:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refused(rows.BAD_NUMBER)
        return _to_float(value) if name == "clock_s" else column_value(name, value)
    return storable(str(value))
