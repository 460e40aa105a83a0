"""`{pairs}` before the end of a template, keys that a list must have, means in brackets: by both readers alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchledger.definitions.log_format import LogFormat
from tests.scanning.reading import assert_conserved, line_format, read_by_reference, read_by_scanner, readers

DETECT = """pairs = { assign = ": ", between = ["  "], means = true }
[detect]
proof = [["step "]]
[[record]]
name = "step"
kind = "step"
"""
LIST_WITHIN = (
    DETECT + 'templates = ["step {step:int}  {pairs}eta: {eta:duration}  {pairs}", "step {step:int} only {pairs} end"]'
)
KEYED = (
    DETECT
    + """keys = ["total", "lr"]
templates = ["step {step:int}  {pairs}"]
[[record]]
name = "other"
kind = "event"
templates = ["step {step:int}  {pairs}"]
"""
)


def rows_by_all(log_format: LogFormat, log: bytes) -> list[dict[str, Any]]:
    """The rows of a log, which all readers find alike."""
    expected = read_by_reference(log_format, log)
    assert_conserved(expected)
    for reader in readers({"made": log_format}):
        for _ in range(2):
            found, _ = read_by_scanner(reader, log)
            assert found == expected
    return expected.rows


def named(row: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in zip(row["names"], row["values"], strict=True)}


def test_a_list_before_the_end_of_a_template_gives_its_values(tmp_path: Path) -> None:
    log = b"step 1  a: 1.5  b: 2  eta: 0:01:00  c: 3\nstep 2  a: 2.5  b: 3  eta: 0:01:30  c: 4\nstep 3 only x: 7 end\n"

    rows = rows_by_all(line_format(tmp_path, LIST_WITHIN), log)

    assert [named(row) for row in rows] == [
        {"eta": 60, "a": 1.5, "b": 2, "c": 3},
        {"eta": 90, "a": 2.5, "b": 3, "c": 4},
        {"x": 7},
    ]


def test_what_is_no_pair_in_a_list_is_a_note_and_an_empty_list_is_none(tmp_path: Path) -> None:
    log = b"step 1  a: 1.5 (warm) b  eta: 0:01:00  c: 3 behind\nstep 2    eta: 0:01:00  c: 4\n"

    rows = rows_by_all(line_format(tmp_path, LIST_WITHIN), log)

    assert [named(row) for row in rows] == [{"eta": 60, "a": 1.5, "c": 3}, {"eta": 60, "c": 4}]
    assert [row["note"] for row in rows] == ["(warm) b behind", None]


def test_a_cut_number_in_a_list_is_a_reject(tmp_path: Path) -> None:
    found = read_by_reference(line_format(tmp_path, LIST_WITHIN), b"step 1  a: 1'5  eta: 0:01:00  c: 3\n")

    assert not found.rows
    assert found.rejects[0].reason.startswith("cut number")


def test_a_keyed_record_has_its_keys_in_any_order_and_the_rest_as_pairs(tmp_path: Path) -> None:
    log = b"step 1  lr: 0.5  mask: 3  total: 4\nstep 2  total: 4  lr: 0.5\nstep 3  total: 4\n"

    rows = rows_by_all(line_format(tmp_path, KEYED), log)

    assert [named(row) for row in rows] == [{"lr": 0.5, "mask": 3, "total": 4}, {"total": 4, "lr": 0.5}, {"total": 4}]
    assert len({row["shape_id"] for row in rows}) == 3


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (b"loss: 0.5 (0.75)  acc: 3", {"loss": 0.5, "mean_loss": 0.75, "acc": 3}),
        (b"loss: 0.5 (0.75)", {"loss": 0.5, "mean_loss": 0.75}),
        (b"loss: nan (inf)  acc: 3", {"loss": float("nan"), "mean_loss": float("inf"), "acc": 3}),
        (b"time: 3 s (4)", {"time": 3, "mean_time": 4}),
        (b"loss: 0.5 (0.75", {"loss": 0.5}),
        (b"loss: 0.5 (7/9)", {"loss": 0.5}),
    ],
)
def test_a_number_in_brackets_behind_a_number_is_its_mean(
    tmp_path: Path, text: bytes, values: dict[str, float]
) -> None:
    log_format = line_format(tmp_path, DETECT + 'templates = ["step {step:int}  {pairs}"]')

    rows = rows_by_all(log_format, b"step 1  %b\nstep 2  %b\n" % (text, text))

    assert [str(named(row)) for row in rows] == 2 * [str({name: float(value) for name, value in values.items()})]


def test_a_number_with_thousands_separators_may_have_decimals(tmp_path: Path) -> None:
    log_format = line_format(tmp_path, DETECT + 'templates = ["step {step:int} tflops {tflops:float,}%"]')

    rows = rows_by_all(log_format, b"step 1 tflops 1,234.5%\nstep 2 tflops 12.25%\nstep 3 tflops -1,234%\n")

    assert [named(row)["tflops"] for row in rows] == [1234.5, 12.25, -1234]
