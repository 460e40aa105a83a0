"""README 001's dictionary comes out of the trials that it prints. Needs the reference READMEs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from benchledger import ingest, report_speed, report_speedup
from tests.ingestion.logs import ask, one


@pytest.fixture(scope="module")
def page(shared: Path) -> Path:
    (found,) = (shared / "seeds").glob("001_*.txt")
    return found


@pytest.fixture(scope="module")
def ledger(page: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("readme") / "bench.duckdb"
    ingest(page, db=db)
    return db


def printed(page: Path) -> dict[str, dict[str, float]]:
    """The dictionary as the README prints it, by case."""
    (text,) = re.findall(r"^\{'bert-base': \{.*?\}\}\}", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    cases: dict[str, dict[str, float]] = ast.literal_eval(text)["bert-base"]
    return cases


def of_case(nodes: int, gpus: int) -> str:
    return f"{nodes}n{gpus // nodes}g"


def test_the_twenty_eight_trials_are_runs(ledger: Path) -> None:
    assert one(ledger, "select count(*) from run") == 28
    assert ask(ledger, "select gpus, list(trial order by trial) from kept.series_run join run using (run_id, trial) "
               "join bench_case using (case_id) group by all order by gpus") == [
        (gpus, [1, 2, 3, 4, 5, 6, 7]) for gpus in (1, 8, 16, 32)
    ]  # fmt: skip


def test_the_dictionary_comes_out_of_its_trials(ledger: Path, page: Path) -> None:
    rows = ask(
        ledger,
        """select nodes, gpus, batch_size_per_gpu, max(value) filter (where rule = 'dlperf.average'),
             max(value) filter (where rule = 'dlperf.median'), max(speedup) filter (where rule = 'dlperf.median')
           from speedup_table where scaling = 'weak' group by all order by gpus""",
    )
    found = {
        of_case(nodes, gpus): {
            "average_speed": average, "batch_size_per_device": batch, "median_speed": median, "speedup": speedup,
        }
        for nodes, gpus, batch, average, median, speedup in rows
    }  # fmt: skip

    assert len(found) == 4
    assert found == printed(page)
    assert [case["speedup"] for case in found.values()] == [1.0, 7.3, 8.94, 14.92]


def test_oneflows_rounding_gives_the_same_speedups(ledger: Path, page: Path) -> None:
    rows = ask(
        ledger,
        "select nodes, gpus, speedup from speedup_table where rule = 'dlperf.oneflow_median' and scaling = 'weak'",
    )

    assert {of_case(nodes, gpus): speedup for nodes, gpus, speedup in rows} == {
        case: page_case["speedup"] for case, page_case in printed(page).items()
    }


def test_the_reports_show_them_without_being_asked_for_a_rule(ledger: Path) -> None:
    (speeds,) = report_speed(db=ledger).tables
    (speedups,) = report_speedup(db=ledger).tables

    assert speeds.facts["rule"] == "dlperf.median"
    assert speeds.frame.rows() == [("1", "127.05"), ("8", "928.03"), ("16", "1136.44"), ("32", "1895.50")]
    assert speedups.frame["speedup"].to_list() == ["1.00", "7.30", "8.94", "14.92"]
