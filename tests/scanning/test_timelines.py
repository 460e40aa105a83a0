"""Timelines: torch.profiler's trace, and the SQLite files of nvvp and nsys, which may be hostile."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchledger.scanning import sqlite_rows
from benchledger.scanning.sqlite_rows import made_file
from tests.scanning.found import find

KERNELS = [["start", "end", "deviceId", "streamId", "demangledName"], [1_000, 3_000, 0, 7, 1], [2_000, 5_000, 1, 7, 2]]
NAMES = [["id", "value"], [1, "gemm"], [2, "softmax"]]


def nsys(**more: list[list[object]]) -> bytes:
    return made_file({"StringIds": NAMES, "CUPTI_ACTIVITY_KIND_KERNEL": KERNELS, **more})


def made_by(*statements: str, kernels: list[list[object]] | None = KERNELS) -> bytes:
    with closing(sqlite3.connect(":memory:")) as file:
        file.deserialize(
            made_file({"StringIds": NAMES, **({"CUPTI_ACTIVITY_KIND_KERNEL": kernels} if kernels else {})})
        )
        for statement in statements:
            file.execute(statement)
        file.commit()
        return file.serialize()


def test_bytes_are_no_text_and_a_long_name_is_kept_whole() -> None:
    kernels = [KERNELS[0], [1_000, 3_000, b"gpu", 7, 1], [2_000, 5_000, 1, 7, 2]]
    found = find(
        made_file({"StringIds": [NAMES[0], NAMES[1], [2, "k" * 5_000]], "CUPTI_ACTIVITY_KIND_KERNEL": kernels})
    )

    assert [row["label"] for row in found.rows if row["record"] == "kernel"] == ["k" * 5_000]
    assert [reason[:8] for reason in found.rejects] == ["bad cell"]


def test_a_kernel_has_a_name_a_device_a_start_and_a_duration() -> None:
    found = find(nsys())

    assert (found.log.format, found.log.evidence) == (
        "nsys-sqlite",
        "an SQLite file with CUPTI_ACTIVITY_KIND_KERNEL, StringIds",
    )
    assert [(row["record"], row["label"], row["device"], row["clock_s"]) for row in found.rows] == [
        ("span", None, None, 0.0), ("kernel", "gemm", "0", 0.0), ("kernel", "softmax", "1", 1e-6),
    ]  # fmt: skip
    assert [row["stated"] for row in found.rows] == [
        {"span": 4e-6}, {"duration": 2e-6, "stream": 7}, {"duration": 3e-6, "stream": 7},
    ]  # fmt: skip


def test_the_profiled_time_is_from_the_first_call_to_the_last_end() -> None:
    found = find(nsys(CUPTI_ACTIVITY_KIND_RUNTIME=[["start", "end"], [0, 9_000]]))

    assert found.rows[0]["stated"] == {"span": 9e-6}
    assert found.rows[1]["clock_s"] == 1e-6


def test_nanoseconds_since_1970_keep_their_last_digit() -> None:
    start = 1_790_857_026_000_000_000
    kernels = [KERNELS[0], [start + 1, start + 3, 0, 7, 1], [start + 4, start + 5, 0, 7, 1]]
    found = find(made_file({"StringIds": NAMES, "CUPTI_ACTIVITY_KIND_KERNEL": kernels}))

    assert [(row["clock_s"], row["stated"].get("duration")) for row in found.rows[1:]] == [(0, 2e-9), (3e-9, 1e-9)]


def test_a_name_that_stands_twice_makes_no_second_record() -> None:
    found = find(made_file({"StringIds": [*NAMES, [1, "other"]], "CUPTI_ACTIVITY_KIND_KERNEL": KERNELS}))

    assert len(found.rows) == 3


@pytest.mark.parametrize(
    "times", [[3_000, 1_000], [None, 1_000], ["noon", "night"], [b"\x00", 5], [1_000, float("inf")]]
)
def test_times_that_are_none_are_refused(times: list[object]) -> None:
    found = find(made_file({"StringIds": NAMES, "CUPTI_ACTIVITY_KIND_KERNEL": [*KERNELS, [*times, 0, 7, 1]]}))

    assert [row["label"] for row in found.rows if row["record"] == "kernel"][:2] == ["gemm", "softmax"]
    assert found.rejects == ["bad cell"]


def test_a_corrupt_file_is_one_reject_and_no_crash() -> None:
    whole = nsys(CUPTI_ACTIVITY_KIND_RUNTIME=[["start", "end"], *([number, number + 1] for number in range(5_000))])
    for at in range(100, len(whole), 997):
        broken = whole[:at] + b"\xff" * 300 + whole[at + 300 :]
        found = find(broken)
        assert set(found.rejects) <= {"bad sqlite", "bad cell"}
    assert find(whole[: len(whole) // 2]).rejects == ["bad sqlite"]


def test_a_view_in_place_of_a_table_is_not_asked() -> None:
    found = find(made_by(
        "create table CUPTI_ACTIVITY_KIND_KERNEL_ (start, end)",
        "create view CUPTI_ACTIVITY_KIND_RUNTIME as with recursive n(start) as (select 1 union all select start + 1 from n) select start, start as end from n",
    ))  # fmt: skip

    assert (len(found.rows), found.rejects) == (3, [])


def test_a_computed_column_does_not_run() -> None:
    kernels = "create table CUPTI_ACTIVITY_KIND_KERNEL (start, end as (start + 1), deviceId, demangledName)"
    found = find(made_by(kernels, "insert into CUPTI_ACTIVITY_KIND_KERNEL (start) values (1)", kernels=None))

    assert (found.rows, found.rejects) == ([], ["bad sqlite"])


def test_a_virtual_table_is_not_opened() -> None:
    virtual = "create virtual table CUPTI_ACTIVITY_KIND_RUNTIME using fts5(start, end)"
    found = find(made_by(virtual))

    assert (len(found.rows), found.rejects) == (3, [])


def test_work_without_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_rows, "_CALLS", 1)
    monkeypatch.setattr(sqlite_rows, "_STEPS", 1_000)
    kernels = [KERNELS[0], *([number, number + 1, 0, 7, 1] for number in range(5_000))]
    found = find(made_file({"StringIds": NAMES, "CUPTI_ACTIVITY_KIND_KERNEL": kernels}))

    assert found.rejects == ["bad sqlite"]


def test_another_sqlite_file_is_none_of_ours() -> None:
    assert find(made_file({"users": [["id"], [1]]})).log.status == "unrecognised"


def test_nothing_is_written_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    find(nsys())

    assert list(tmp_path.iterdir()) == []


def test_the_real_trace_holds_the_kernels_of_its_step(h200: Path) -> None:
    trace = gzip.decompress((h200 / "torch_profiler" / "chrome_trace.json.gz").read_bytes())
    events = json.loads(trace)["traceEvents"]
    kernels = [event for event in events if event.get("cat") == "kernel"]
    found = find(trace)
    rows = [row for row in found.rows if row["record"] == "kernel"]

    assert (len(rows), found.rejects) == (1085, [])
    assert [row["label"] for row in rows] == [event["name"] for event in kernels]
    assert sum(row["stated"]["dur"] for row in rows) == pytest.approx(sum(event["dur"] for event in kernels) * 1e-6)
    assert [row["stated"]["span"] for row in found.rows if row["record"] == "span"] == [pytest.approx(0.117103682)]
