"""A name may mean one thing in one record and another elsewhere; and a list may hold a key without a value."""

from __future__ import annotations

from pathlib import Path

from benchledger.definitions.format_file import read_formats
from benchledger.scanning.lines import LineReader

FORMAT = """
format = "made"
version = 1
pairs = { assign = " : ", between = ["  "] }
[[record]]
name = "epoch"
kind = "summary"
templates = ["epoch {epoch:int}  {pairs}"]
[[record]]
name = "end"
kind = "summary"
templates = ["end: {pairs}"]
[[field]]
name = "speed"
unit = "samples/s"
[[field]]
name = "speed"
record = "epoch"
quantity = "throughput"
unit = "samples/s"
scope = "global"
"""


def reader(folder: Path) -> LineReader:
    (folder / "made.toml").write_text(FORMAT, encoding="utf-8")
    return LineReader(read_formats([folder / "made.toml"])["made"])


def test_the_field_of_a_record_comes_before_that_of_all(tmp_path: Path) -> None:
    epoch, end = reader(tmp_path).read(b"epoch 1  speed : 5\nend: speed : 7\n").rows

    assert [(row.layout.values[0].quantity, row.layout.values[0].unit) for row in (epoch, end)] == [
        ("throughput", "samples/s"),
        (None, "samples/s"),
    ]


def test_a_key_without_a_value_does_not_swallow_the_next_pair(tmp_path: Path) -> None:
    (row,) = reader(tmp_path).read(b"end: weights :   half : True  last : 1\n").rows

    assert [value.name for value in row.layout.values] == ["weights", "half", "last"]
    assert row.texts == ["", "True", None]
