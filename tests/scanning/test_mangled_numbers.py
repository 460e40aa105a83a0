"""A number ends where a number ends: of a mangled one nothing is read, or what a careful reader reads.

The oracle knows nothing of templates, pairs or units but a list of the commonest units, and shares no code with the readers.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.lines import LineReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.readers import reader_of
from benchledger.scanning.rows import CUT_NUMBER, Pieces, Row
from benchledger.scanning.samples import load_formats
from benchmarks.format_inputs import by_format, logs_of
from tests.scanning.reading import SCANNERS, one_record, read_by_reference, read_by_scanner

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# A number that no word and no duration is glued to.
UNIT = re.compile(rb"(?<=[0-9]) ?[A-Za-z%][A-Za-z%/ ]{0,14}")
ALONE = re.compile(rb"(?<![\w.:])" + NUMBER.pattern + rb"(?![\w:])")
THOUSANDS = re.compile(rb"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
UNITS = (b"K", b"M", b"G", b"%", b"s", b"h", b"m", b"d", b"B", b"W", b"C", b"x", b"ms", b"us", b"ns")
JUNK = [
    b"'", b'"', b"_", b"\0", b"\xc2\xa0", b"\xe2\x80\x8b", b"\xff", b"\x0b", b"abc", b"e2", b"x", b"0x", b"K", b"s", b",", b";", b":",
    b"|", b"/", b"-", b"+", b".", b"..", b"=", b"(", b")", b"]", b"}", b"%", b"~", b"1'", b"1,", b"9:", b"tensor(", b"\x1b[0m", b"DLL",
]  # fmt: skip
# They end a number wherever they stand.
ENDS = b" \t\r\n"
# Over the formats of lines the long test mangles 200,000 numbers.
SUITE, LONG = 12, 2_480


@cache
def format_of(name: str) -> LogFormat:
    return replace(load_formats()[name], alone=False)


def formats(kind: str) -> list[str]:
    return sorted(name for name, known in load_formats().items() if known.kind == kind and known.detectable)


@cache
def corpus_logs(archive: Path) -> dict[str, dict[str, bytes]]:
    return by_format(logs_of(archive))


def sample_lines(name: str) -> list[bytes]:
    known = load_formats()[name]
    texts = [sample.text for sample in (*known.samples, *known.base_samples)]
    return [line.encode() for text in texts for line in text.split("\n") if line.strip()]


def careful(text: bytes) -> float | None:
    """The number that a text states; None where it states none. Colours are none of it, closing brackets and marks end it."""
    text = re.sub(rb"[)\]}'\"]*[.,;|]?\Z", b"", re.sub(rb"\x1b\[[0-9]*m", b"", text))
    if NUMBER.fullmatch(text):
        return float(text)
    if THOUSANDS.fullmatch(text):
        return float(text.replace(b",", b""))
    unit = next((unit for unit in UNITS if text.endswith(unit) and NUMBER.fullmatch(text[: -len(unit)])), None)
    return None if unit is None else float(text[: -len(unit)])


def parts_of(text: bytes) -> set[float]:
    """Every number that a part of a text is."""
    found = (text[start:end] for start in range(len(text)) for end in range(start + 1, len(text) + 1))
    return {float(part) for part in found if NUMBER.fullmatch(part)}


def numbers_of(row: Row) -> list[tuple[str, float]]:
    """The numbers of a row by name, as logged."""
    stated = zip(row.layout.values, row.values, row.layout.scales, strict=False)
    found = [(value.name, number / scale) for value, number, scale in stated if number is not None]
    columns = (name for name in ("step", "epoch", "rank", "clock_s") if isinstance(row.columns.get(name), int | float))
    return found + [(name, float(row.columns[name])) for name in columns]  # type: ignore[arg-type]


def mangled(drawn: random.Random, line: bytes, start: int, end: int) -> tuple[bytes, bytes, bytes]:
    """The line with something in or beside a number or in place of a byte of it, what the number is now, and the rest."""
    junk = drawn.choice(JUNK) if drawn.random() < 0.8 else bytes(drawn.choices(range(256), k=drawn.randint(1, 3)))
    junk = junk.translate(None, ENDS) or b"'"
    at = drawn.randint(start, end)
    cut = drawn.choice((0, 0, 1)) if at < end else 0
    now = line[start:at] + junk + line[at + cut : end]
    return line[:start] + now + line[end:], now, line[:start] + b" " + line[end:]


def same(one: float, other: float) -> bool:
    return repr(one) == repr(other) or abs(one - other) <= 1e-12 * abs(other)


def invented(
    before: list[tuple[str, float]], after: list[tuple[str, float]], rest: bytes, now: bytes, was: float
) -> Any:
    """What was read of a mangled line and stands nowhere in it; None where there is nothing of the kind."""
    stated = careful(now)
    names = {name for name, number in before if same(number, was)}
    for name, number in after:
        if stated is not None and same(number, stated):
            continue
        others = [one for known, one in before if known == name and not same(one, was)]
        if (
            name in names
            and not any(same(number, one) for one in others)
            and any(same(number, part) for part in parts_of(now))
        ):
            return name, number
        if not any(same(number, other) for _, other in before) and not any(
            same(number, float(text)) for text in NUMBER.findall(rest)
        ):
            return name, number
    return None


Known = list[tuple[bytes, int, int, float, Any]]


def known_numbers(lines: list[bytes], read: Any) -> Known:
    """Each number of sound lines that is read once: its line, its place in it, the number, and what was read of the line."""
    known = []
    for line in lines:
        before = read(line)
        for match in NUMBER.finditer(line):
            number = float(match.group())
            stated = [float(text) for text in NUMBER.findall(line)]
            # Of a range (`Batch [380-399]`) one more dash is a sign.
            if b"-" in line[match.start() - 1 : match.start()] + line[match.end() : match.end() + 1]:
                continue
            if len(match.group()) > 2 and sum(same(one, number) for _, one in before) == stated.count(number) == 1:
                known.append((line, *match.span(), number, before))
    return known


def cases(drawn: random.Random, known: Known, count: int) -> Iterator[tuple[bytes, bytes, bytes, float, Any]]:
    """Mangled lines, with what stands in the place of the number, the number, and what was read of the sound line."""
    for _ in range(count if known else 0):
        line, start, end, number, before = drawn.choice(known)
        changed = mangled(drawn, line, start, end)
        # In a list (`"step": [1, 121]`) a comma makes of one number two, and where a program writes a range (`[1-20]`)
        # or two means (`3.5/3.6`) in place of a number, so does their mark.
        if b"," in changed[1] and re.search(rb"\[[0-9., ]*\Z", line[:start]):
            continue
        if re.fullmatch(rb"[0-9.]+[-/][0-9.]+", changed[1]) and re.search(rb"Batch \[\Z|\(ms\): *\Z", line[:start]):
            continue
        yield *changed, number, before


def check_lines(name: str, lines: list[bytes], count: int, seeds: Iterable[int]) -> int:
    log_format = format_of(name)
    reader = LineReader(log_format)

    def read(line: bytes) -> list[tuple[str, float]]:
        return [number for row in reader.read(line).rows for number in numbers_of(row)]

    known = known_numbers(lines, read)
    tried = [case for seed in seeds for case in cases(random.Random(f"{name} {seed}"), known, count)]
    for line, now, rest, was, before in tried:
        assert invented(before, read(line), rest, now, was) is None, line
    together = b"\n".join([*lines, *(line for line, *_ in tried)])
    expected = read_by_reference(log_format, together)
    for native in SCANNERS:
        found, _ = read_by_scanner(LogReader({name: log_format}, native=native), together)
        assert found == expected
    return len(tried)


@pytest.mark.parametrize("name", formats("lines"))
def test_of_a_mangled_number_in_a_line_nothing_is_read_or_what_it_says(name: str) -> None:
    check_lines(name, sample_lines(name), SUITE, [1])


@pytest.mark.long
@pytest.mark.parametrize("name", formats("lines"))
def test_of_many_mangled_numbers_of_real_lines_nothing_is_read_or_what_they_say(name: str, shared: Path) -> None:
    archives = [archive for folder in ("corpus", "fresh") if (archive := shared / folder / "logs.tar.xz").exists()]
    logs = [log for archive in archives for log in corpus_logs(archive).get(name, {}).values()]
    real = [line for log in logs for line in re.split(rb"[\r\n]", log) if 0 < len(line) < 2_000]
    lines = [*sample_lines(name), *random.Random(1).sample(real, min(len(real), 300))]
    check_lines(name, lines, LONG // 4, range(4))


@pytest.mark.parametrize("name", [name for kind in ("csv", "columns", "table") for name in formats(kind)])
def test_of_a_mangled_number_in_a_cell_nothing_is_read_or_what_it_says(name: str) -> None:
    log_format, drawn = format_of(name), random.Random(name)
    reader = reader_of(log_format)
    assert reader is not None
    for sample in log_format.samples:
        text = sample.text.strip("\n").encode() + b"\n"
        lines = text.split(b"\n")

        def read(line: bytes, at: int, lines: list[bytes] = lines) -> list[tuple[str, float]]:
            pieces = Pieces()
            reader.begin(b"\n".join(lines))
            reader.read(b"\n".join([*lines[:at], line, *lines[at + 1 :]]), 0, 1, pieces)
            return [number for row in pieces.rows if row.line == at + 1 for number in numbers_of(row)]

        for at, one in enumerate(lines):
            known = known_numbers([one], lambda line, at=at: read(line, at))  # type: ignore[misc]
            for line, now, rest, was, before in cases(drawn, known, SUITE):
                assert invented(before, read(line, at), rest, now, was) is None, line


FORMS = [
    "1'151.4", "1_151.4", "151\0.404", "151\u00a0.4", "151\u200b.4", "151\udcff.4", "151abc", "1.5e2e2", "0x97", "151.4)5", "151.4'5",
    "'151'.4", "151.4]x", "151.4;5", "151.4ms2", "1:151.4.2", "151K.4",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("native", SCANNERS)
def test_what_ends_no_number_makes_the_line_a_reject_that_says_so(tmp_path: Path, form: str, native: bool) -> None:
    top = 'pairs = { assign = ": ", between = [", "] }\n[detect]\nproof = [["made step"]]\n'
    made = one_record(tmp_path, "made step {step:int}, {pairs}", top + FIELD)
    lines = ["made step 1, ips: 5.5 images/s", f"made step 2, ips: {form} images/s, loss: 2.5", "made step 3, ips: 6.5"]
    log = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")

    found, _ = read_by_scanner(LogReader({"made": made}, native=native), log)

    assert [row["values"] for row in found.rows] == [["5.5"], ["6.5"]] or ":" in form
    assert [(reject.line, reject.reason) for reject in found.rejects] == [(2, CUT_NUMBER)] or ":" in form


FIELD = '[[field]]\nname = "ips"\nquantity = "throughput"\nunits = { "images/s" = "samples/s" }\n'


@pytest.mark.parametrize(
    ("form", "number"),
    [
        ("151.4", 151.4), ("151.4 images/s", 151.4), ("151.4images/s", 151.4), ("151.4K images/s", 151400.0), ("151.4)", 151.4),
        ("151.4]'", 151.4), ("151.4.", 151.4), ("151.4;", 151.4), ("'151.4'", 151.4), ("151. ", 151.0), ("1e3", 1000.0),
        ("-3.5", -3.5), ("151.4 img/s/opt/conda", 151.4), ("nan", float("nan")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("native", SCANNERS)
def test_what_ends_a_number(tmp_path: Path, form: str, number: float, native: bool) -> None:
    top = 'pairs = { assign = ": ", between = [", "] }\n[detect]\nproof = [["made step"]]\n'
    made = one_record(tmp_path, "made step {step:int}, {pairs}", top + FIELD)

    found, _ = read_by_scanner(LogReader({"made": made}, native=native), f"made step 1, ips: {form}\n".encode())

    assert [row["values"] for row in found.rows] == [[repr(number)]]


def test_a_name_may_begin_with_digits_where_nothing_is_measured(tmp_path: Path) -> None:
    top = 'pairs = { assign = ": ", between = [", "] }\n[detect]\nproof = [["made step"]]\n'
    made = one_record(tmp_path, "made step {step:int}, {pairs}", top + FIELD)

    found, _ = read_by_scanner(LogReader({"made": made}), b"made step 1, model: 3dunet, tag: 21.05-py3, ips: 5.5\n")

    assert [row["texts"] for row in found.rows] == [["3dunet", "21.05-py3", None]]


@pytest.mark.parametrize("cut", ["6", "637", "6370.", "6370.75", "5.5e", "6370.7 ", "6370.7 K", "1,", "1e", "nan"])
@pytest.mark.parametrize("native", SCANNERS)
def test_a_last_number_without_a_line_end_may_go_on_and_is_not_read(tmp_path: Path, cut: str, native: bool) -> None:
    top = 'pairs = { assign = ": ", between = [", "] }\n[detect]\nproof = [["made step"]]\n'
    reader = LogReader({"made": one_record(tmp_path, "made step {step:int}, {pairs}", top + FIELD)}, native=native)
    log = f"made step 1, ips: 5.5\nmade step 2, ips: {cut}".encode()

    begun, _ = read_by_scanner(reader, log)
    ended, _ = read_by_scanner(reader, log + b"\n")

    assert [row["values"] for row in begun.rows] == [["5.5"]]
    assert (begun.rejects, begun.ignored) == ([], {"unfinished last line": 1})
    assert len(ended.rows) == 2 or cut in ("1,", "1e", "5.5e")


@pytest.mark.parametrize(
    ("before", "last", "is_read"),
    [
        ("5.5", "6370.7", True), ("5.25", "6370.7", False), ("5.5", "27876.7720204647", True), ("5.5 ms", "6.5", False),
        ("640", "640", True), ("640", "639", False), ("6400", "640", False), ("1.5e-05", "1.5e-0", False),
        ("5.5 images/s", "251.0 images/s", True), ("5.5 images/s", "251.0 images/", False), ("5.5 ms", "251.0 ms", True),
        ("5.5 samples/s", "3.2 s", False), ("5.5 samples/s", "3.2 samples", False), ("5.5", "251.0 ms", True),
        ("5.5", "6370.7 ", False), ("5.5 ", "6370.75 ", True), ("5.5 ms ", "6370.7 ", False), ("nan", "nan", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("native", SCANNERS)
def test_a_last_number_is_read_if_the_lines_before_show_that_it_is_whole(
    tmp_path: Path, native: bool, before: str, last: str, is_read: bool
) -> None:
    top = 'pairs = { assign = ": ", between = [", "] }\n[detect]\nproof = [["made step"]]\n'
    reader = LogReader({"made": one_record(tmp_path, "made step {step:int}, {pairs}", top + FIELD)}, native=native)
    log = f"made step 1, ips: {before}\nmade step 20, ips: {before}\nmade step 3, ips: {last}".encode()

    assert len(read_by_scanner(reader, log)[0].rows) == 2 + is_read


@pytest.mark.long
def test_a_line_cut_within_a_number_or_its_unit_gives_no_number_that_the_whole_line_does_not_state() -> None:
    drawn = random.Random(28)
    invented = []
    for name in formats("lines"):
        known = format_of(name)
        for line in dict.fromkeys(line.encode() for sample in known.samples for line in sample.text.split("\n")):
            whole = read_by_reference(known, line + b"\n").rows
            stated = {one for row in whole for one in row["values"]} | {str(float(one)) for one in NUMBER.findall(line)}
            cuts = [
                at
                for pattern in (ALONE, UNIT)
                for found in pattern.finditer(line)
                for at in range(found.start() + 1, found.end())
            ]
            for cut in drawn.sample(cuts, min(SUITE // 3, len(cuts))) if whole else ():
                rows = read_by_reference(known, line[:cut]).rows
                # Another record of the line may read `eta: 1 day, 0:00:24` as days; no rule asks for an eta.
                values = ((of, one) for row in rows for of, one in zip(row["names"], row["values"], strict=True))
                read = {one for of, one in values if of != "eta"}
                # A double that is cut behind 15 digits is the same number.
                others = {one for one in read - stated - {"None", "nan"} if not any(nearly(one, two) for two in stated)}
                invented += [(name, line[:cut], number) for number in others]

    assert invented == [], "\n".join(map(str, invented))


def nearly(one: str, two: str) -> bool:
    return two not in ("None", "nan") and math.isclose(float(one), float(two), rel_tol=1e-12)
