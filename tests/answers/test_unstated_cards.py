"""A card that nobody stated is claimed by no table: speed and memory lay such series out alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import report_memory, report_speed
from benchledger.answers.tables.table import Report
from tests.ledger_rows import ledger_rows

UNSTATED = {"gpu_model": None}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("unstated") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.device_memory(ledger.run(100.0), ("0", 9000.0))
        ledger.device_memory(ledger.run(800.0, gpus=8, environment=UNSTATED), ("0", 9100.0))
        ledger.device_memory(ledger.run(gpus=16, status="oom", environment=UNSTATED), ("0", 16000.0))
    return db


def laid_out(report: Report) -> dict[str | None, list[tuple[str, ...]]]:
    return {table.facts["gpu_model"]: table.frame.rows() for table in report.tables}


def test_a_number_stands_under_no_card_that_nobody_stated(db: Path) -> None:
    assert laid_out(report_speed(db=db)) == {
        "V100-SXM2-16GB": [("1", "100.00"), ("16", "OOM")],
        None: [("8", "800.00")],
    }
    assert laid_out(report_memory(db=db)) == {
        "V100-SXM2-16GB": [("1", "9000.00"), ("16", "OOM")],
        None: [("8", "9100.00")],
    }


def test_a_failed_run_among_its_kin_is_named_and_its_row_states_no_card(db: Path) -> None:
    for report in (report_speed(db=db), report_memory(db=db)):
        assert report.tables[0].notes[-1] == (
            "failed before a GPU model was printed; listed with similar runs: bert_base_bs32_fp32_16"
        )
        assert "taken_in" not in report.cells.columns
    cells = report_speed(db=db).cells.select("gpus", "gpu_model").rows()
    assert dict(cells) == {1: "V100-SXM2-16GB", 8: None, 16: None}
