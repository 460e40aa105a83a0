"""Where a run is excluded a table says so and why, in the cell's place; readers of a page are not sent to the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import exclude, explain, report_environment, report_logs, report_memory, report_speed, report_speedup
from benchledger.errors import NothingFoundError
from tests.ledger_rows import ledger_rows

REASON = "the fan: [case] of node 3 stood {still}"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    with ledger_rows(place) as ledger:
        ledger.run(127.0, batch_size_per_gpu=32, key="aaaaaaaaaaaa-1")
        ledger.run(1018.0, batch_size_per_gpu=32, gpus=8)
        ledger.device_memory(ledger.run(126.0, batch_size_per_gpu=48), ("0", 100.0))
        ledger.run(1012.0, batch_size_per_gpu=48, gpus=8)
        ledger.run(1.0, batch_size_per_gpu=96, key="bbbbbbbbbbbb-1", environment={"gpu_model": None})
        ledger.run(1.0, batch_size_per_gpu=32, key="cccccccccccc-1", framework="mxnet")
        ledger.run(2.0, batch_size_per_gpu=48, framework="mxnet")
    exclude("aaaaaaaaaaaa-1", reason=REASON, db=place)
    exclude("bbbbbbbbbbbb-1", "cccccccccccc-1", reason="another", db=place)
    return place


def test_the_coverage_says_that_a_cell_is_excluded_and_why(db: Path) -> None:
    (table,) = report_speed(db=db, framework="pytorch").tables

    assert table.coverage is not None
    assert table.coverage.missing == (f"1 x fp32 BS=32: excluded: {REASON}",)


def test_a_cell_that_is_to_be_explained_is_excluded_and_why(db: Path) -> None:
    for table in ("speed", "memory"):
        with pytest.raises(NothingFoundError) as error:
            explain(db=db, table=table, framework="pytorch", gpus=1, batch_size_per_gpu=32)

        assert str(error.value) == (
            f"no cell matches these filters: the run that would be in it is excluded: {REASON}; see bench exclude --list"
        )
    with pytest.raises(NothingFoundError, match=r"no cell with batch_size_per_gpu .96.; known: 32, 48"):
        explain(db=db, framework="pytorch", gpus=8, batch_size_per_gpu=96)


def test_a_cell_that_is_asked_for_is_excluded_or_was_not_run(db: Path) -> None:
    (table,) = report_speed(db=db, framework="pytorch", columns="fp32:32,fp32:96", rows="1,32").tables

    assert table.coverage is not None
    assert table.coverage.missing == (
        f"1 x fp32 BS=32: excluded: {REASON}", "1 x fp32 BS=96: excluded: another",
        "32 x fp32 BS=32: not run", "32 x fp32 BS=96: not run",
    )  # fmt: skip


@pytest.mark.parametrize("report", [report_speed, report_memory])
def test_a_layout_remarks_every_case_that_is_excluded(db: Path, report: object) -> None:
    assert callable(report)
    (table,) = report(db=db, framework="pytorch", layout="paddle", lang="zh").tables

    assert table.remarks[1:] == (f"单卡 FP32(BS=32)：已排除（{REASON}）", "单卡 FP32(BS=96)：已排除（another）")


def test_a_speedup_remarks_those_of_its_own_batch_size(db: Path) -> None:
    tables = report_speedup(db=db, framework="pytorch", layout="dlperf", batch_size_per_gpu=32).tables

    assert [table.remarks[1:] for table in tables] == [(f"1 GPU FP32(BS=32): excluded ({REASON})",)]


@pytest.mark.parametrize("report", [report_speed, report_memory, report_speedup, report_logs, report_environment])
def test_a_page_does_not_send_its_readers_to_the_ledger(db: Path, report: object) -> None:
    assert callable(report)
    note = "2 runs are excluded; see bench exclude --list"
    layout = "dlperf" if report is report_speedup else "paddle"

    assert note in report(db=db, framework="pytorch").notes
    assert note not in report(db=db, framework="pytorch", layout=layout).notes
