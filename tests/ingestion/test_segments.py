"""What the records of a segment say together, however they come."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from benchledger.definitions.log_format import RecordDefinition
from benchledger.ingestion.record_frames import RecordKeys, in_order
from benchledger.ingestion.segments import Segments
from benchledger.scanning.columns import record_schema
from benchledger.scanning.layout import Layout, ShapeValue

LOG, STEP, VALIDATION, SUMMARY = 7, 1, 2, 3
LARGEST = 2**63 - 1


def layout(shape_id: int, kind: str, *values: tuple[str, str | None, str]) -> Layout:
    told = tuple(ShapeValue(name, quantity, None, None, None, phase, 1.0) for name, quantity, phase in values)
    return Layout("some", RecordDefinition("line", kind, ()), told, (), shape_id, (), False)


LAYOUTS = [
    layout(STEP, "step", ("time", None, "train"), ("mlm_loss", "loss", "train"), ("nsp_loss", "loss", "train")),
    layout(VALIDATION, "step", ("loss", "loss", "validation")),
    layout(SUMMARY, "summary", ("speed", "throughput", "train")),
]


def record(line: int, shape: int = STEP, step: int | None = None, values: list[float | None] | None = None) -> Any:
    return {"log_id": LOG, "line": line, "byte_offset": 10 * line, "shape_id": shape, "step": step, "values": values}


def said_of(*parts: list[Any], lines: tuple[tuple[int, int], ...] = ((1, 1000),)) -> list[dict[str, Any]]:
    told = pa.table({
        "log_id": [LOG] * len(lines), "segment": pa.array(range(1, len(lines) + 1), pa.int32()),
        "closing": ["speed"] * len(lines), "first_line": [first for first, _ in lines], "last_line": [last for _, last in lines],
    })  # fmt: skip
    segments = Segments(told, LAYOUTS)
    for part in parts:
        rows, frame = in_order(pa.Table.from_pylist(part, record_schema()))
        segments.add(frame, rows)
    return segments.rows().sort("segment").to_dicts()


def test_rows_that_come_by_layout_are_put_in_the_order_of_their_places() -> None:
    rows, frame = in_order(pa.Table.from_pylist([record(3), record(5), record(1, SUMMARY)], record_schema()))

    assert rows.column("line").to_pylist() == frame["line"].to_list() == [1, 3, 5]


@pytest.mark.parametrize("cut", range(1, 6))
def test_steps_begin_again_on_the_same_line_however_the_records_come(cut: int) -> None:
    again = [record(line, step=step) for line, step in enumerate([10, 20, 30, 10, 20, 5], start=1)]
    resumed = [record(line, step=step) for line, step in enumerate([10, 20, 30, 20, 30, 40], start=1)]

    assert [whole["restart_line"] for whole in said_of(again[:cut], again[cut:])] == [4]
    assert [whole["restart_line"] for whole in said_of(resumed[:cut], resumed[cut:])] == [None]


@pytest.mark.parametrize("cut", range(1, 6))
def test_two_ends_are_rivals_however_the_records_come(cut: int) -> None:
    steps = [record(line, step=line) for line in (1, 2, 5)]
    slow, fast = record(3, SUMMARY, values=[2.0]), record(6, SUMMARY, values=[3.0])
    later = [*steps, slow, record(4, step=4), fast]
    again = [*steps[:2], slow, record(4, step=1), record(5, step=2), fast]

    for rows, lines in ((sorted(later, key=lambda row: row["line"]), None), (again, [3, 6])):
        assert [whole["rival_lines"] for whole in said_of(rows[:cut], rows[cut:])] == [lines]


def test_each_segment_and_each_rank_begins_at_its_own_step() -> None:
    steps = [10, 20, 30, 10, 20, 30]
    apart = [record(line, step=step) for line, step in enumerate(steps, start=1)]
    ranks = [{**row, "rank": row["line"] // 4} for row in apart]

    assert [one["restart_line"] for one in said_of(apart[:2], apart[2:], lines=((1, 3), (4, 9)))] == [None, None]
    assert [one["restart_line"] for one in said_of(ranks[:5], ranks[5:])] == [None]


def test_the_gap_between_parts_counts_as_one_within() -> None:
    steps = [record(line, step=step) for line, step in enumerate([10, 20, 50, 60], start=1)]

    (whole,) = said_of(steps)
    assert (whole["steps_done"], whole["step_gap"]) == (60, 30)
    assert said_of(steps[:2], steps[2:]) == [whole]


def test_of_several_losses_on_a_line_the_first_that_is_there_is_kept_and_any_nan_is_seen() -> None:
    nan = float("nan")
    (found,) = said_of([record(1, values=[0.1, 7.5, 0.7]), record(2, values=[0.1, None, 0.6]), record(3, values=[0.1])])
    (broken,) = said_of([record(1, values=[0.1, 7.5, 0.7]), record(2, values=[0.1, 7.25, nan])])

    assert (found["losses"], found["final_loss_nan"]) == ([7.5, 0.6], False)
    assert (broken["losses"], broken["final_loss_nan"]) == ([7.5, 7.25], True)


def test_steps_of_a_validation_are_no_steps_of_the_run() -> None:
    (found,) = said_of([record(1, step=1), record(2, VALIDATION, step=9000, values=[1.5])])

    assert (found["records"], found["step_records"], found["steps_done"], found["losses"]) == (2, 1, 1, None)


def test_the_last_closing_line_counts_for_its_own_segment() -> None:
    first, second = said_of(
        [record(1, step=1), record(2, SUMMARY, values=[5.0]), record(3, SUMMARY, values=[6.0]), record(10, step=1)],
        lines=((1, 9), (10, 99)),
    )

    assert (first["closing_line"], first["closing_speed"]) == (3, 6.0)
    assert (second["records"], second["closing_line"]) == (1, None)


def test_steps_of_any_size_stop_nothing() -> None:
    (found,) = said_of([record(1, step=-LARGEST), record(2, step=LARGEST)])

    assert found["steps_done"] == LARGEST


@pytest.mark.parametrize(
    ("rows", "counted", "why"),
    [
        ([record(1), record(1)], 2, "more than one record at one place"),
        ([record(1), record(2)], 3, "log.records is not how many it has"),
        ([], 1, "log.records is not how many it has"),
        ([record(1, shape=99)], 1, "a record of an unknown shape"),
        ([record(1), record(2)], 2, None),
    ],
)
def test_records_that_break_a_key_are_told(rows: list[Any], counted: int, why: str | None) -> None:
    keys = RecordKeys([STEP])
    keys.add(in_order(pa.Table.from_pylist(rows, record_schema()))[1])
    broken = keys.broken(pl.DataFrame({"log_id": [LOG], "counted": [counted]}))

    assert broken == (why and (LOG, why))
