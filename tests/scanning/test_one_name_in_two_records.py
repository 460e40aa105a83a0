"""A name may mean one thing in one record or phase and another elsewhere; and a list may hold a key without a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.format_file import read_formats
from benchledger.scanning.lines import LineReader
from benchledger.scanning.statements import SegmentCollector

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


SETTINGS = """
format = "made"
version = 1
[[record]]
name = "training"
kind = "parameter"
begins_phase = "train"
templates = ["Train:"]
[[record]]
name = "evaluation"
kind = "parameter"
begins_phase = "validation"
templates = ["Eval:"]
[[record]]
name = "batch"
kind = "parameter"
phase = "current"
templates = ["batch_size: {batch_size:int}"]
[[fact]]
name = "batch_size_per_gpu"
from = "batch_size"
phase = "train"
"""


@pytest.mark.parametrize(
    "order", [b"Eval:\n batch_size: 8\nTrain:\n batch_size: 32\n", b"Train:\n batch_size: 32\nEval:\n batch_size: 8\n"]
)
def test_a_fact_of_a_phase_is_told_by_the_settings_of_that_phase_only(tmp_path: Path, order: bytes) -> None:
    (tmp_path / "made.toml").write_text(SETTINGS, encoding="utf-8")
    made = read_formats([tmp_path / "made.toml"])["made"]
    notes = SegmentCollector()
    for row in LineReader(made).read(order).rows:
        notes.add(row, made)
    notes.close()

    assert [(said.name, said.value) for said in notes.segments[0].statements] == [("batch_size_per_gpu", "32")]
