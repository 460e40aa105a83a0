"""Of every shipped line format: the scanner equals the reference on its own samples, repeated, cut, glued and changed.

It also reads every value of its bases' samples, on the same line.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.samples import load_formats
from tests.scanning.reading import (
    assert_conserved,
    read_by_reference,
    read_by_scanner,
    readers,
    reference_of,
    units_of,
    values_of,
)

FORMATS = sorted(
    name for name, log_format in load_formats().items() if log_format.kind == "lines" and log_format.detectable
)
NUMBERS = ["0", "7", "-7.5", "1e-05", "nan", "None", "12345678901234567890", "0.25", "1e400", "", "7/8", "1.2.3", "x"]
LEADS = ["", "", "", "[1,3]<stdout>:", "12: ", "INFO:tensorflow:", "I0526 05:25:05.762720 1397 run.py:650] ", "I0230 ",
         "[2026-11-21 03:47:06] ", "[Rank 7] ", "noise ", "\x1b[32m", "_", "a"]  # fmt: skip
# What a format reads otherwise on purpose, by its name and that of the base.
OTHERWISE = {
    "benchledger-pytorch-json": {"benchledger-pytorch", "dllogger"},  # its records are those of a JSON file
    "ngc-pytorch-bert-json": {"ngc-pytorch-bert", "dllogger"},
    "gluon-cv-action": {"gluon-cv-classification"},  # its accuracies are in percent
    "paddle-fleetx": {"paddle-gpt"},  # its step is the batch of an epoch, not the global step
}
ENDS = ["\n", "\n", "\n", "\n", "\r", "\r\n", "", " "]


@cache
def format_of(name: str) -> LogFormat:
    # A format that stands alone in its logs takes no changed line, and is read like the others where it is told.
    return replace(load_formats()[name], alone=False)


def lines_of(name: str) -> list[str]:
    log_format = load_formats()[name]
    texts = [sample.text for sample in (*log_format.samples, *log_format.base_samples)]
    return [line for text in texts for line in text.strip("\n").split("\n")]


@st.composite
def changed(draw: st.DrawFn, lines: list[str]) -> str:
    line = draw(st.sampled_from(lines))
    places = [match.span() for match in re.finditer(r"\d+(?:\.\d+)?", line)]
    if places and draw(st.booleans()):
        start, end = draw(st.sampled_from(places))
        line = line[:start] + draw(st.sampled_from(NUMBERS)) + line[end:]
    if draw(st.integers(0, 9)) == 0:
        line = line[: draw(st.integers(0, len(line)))]
    return draw(st.sampled_from(LEADS)) + line + draw(st.sampled_from(ENDS))


# Each example makes both readers anew, which takes longer than to read: two examples, of which hypothesis makes the first
# as simple as it can, have many lines each. There are ninety formats: every run of the suite draws other lines.
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_both_readers_find_the_same(name: str, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(changed(lines_of(name)), min_size=24, max_size=56))
    # Thrice, so that layouts that were met are met again; the samples behind prove the format.
    log = "\n".join(["".join(drawn * 3), *lines_of(name)]).encode()
    log_format = format_of(name)
    expected = read_by_reference(log_format, log)
    for reader in readers({name: log_format}):
        found, read = read_by_scanner(reader, log)

        assert read.format == name
        assert_conserved(found)
        assert found == expected


def bases_of(log_format: LogFormat) -> list[LogFormat]:
    base = load_formats().get(log_format.file.data.get("base", ""))
    return [format_of(base.name), *bases_of(base)] if base else []


def stated(log_format: LogFormat, text: str) -> Counter[tuple[object, ...]]:
    """Every value, unit and column of a sample, with its line and name."""
    found: Counter[tuple[object, ...]] = Counter()
    for row in reference_of(log_format).read(text.strip("\n").encode()).rows:
        for name, value in [*values_of(row).items(), *row.columns.items(), *units_of(row).items()]:
            found[row.line, name, repr(value)] += value is not None
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_reads_every_value_of_its_bases_samples(name: str) -> None:
    own = format_of(name)
    lost = {
        base.name: missing
        for base in bases_of(own)
        if any(missing := [stated(base, one.text) - stated(own, one.text) for one in base.samples])
    }

    assert set(lost) == OTHERWISE.get(name, set()), lost
