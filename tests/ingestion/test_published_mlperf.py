"""MLPerf's scores as mlcommons/logging's summariser makes them of a submission's runs. Needs the real logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchledger import report_submissions
from tests.ingestion.logs import ask

# Of each submission, in minutes: what its summary.csv says, and what its own logs give where that is another number.
PUBLISHED = {
    "H3C/R4900G5x1A100-PCIE-80GB": 255.29033541666666,
    "H3C/R5300G5x4A100-PCIE-80GB": 50.628714583333334,
    "H3C/R5300G5x4A100-SXM-80GB": 39.67684375,
    "H3C/R5500G5-AMDx8A100-SXM-80GB": 17.623814583333335,
    "Nettrix/X640G40_8xA30_hugectr": 5.468133333333333,
    "SUPERMICRO/SYS-420GH-TNGR_N1": 57.10678888888888,
}
# Inspur's summary has 18.837; the other two are v1.0's, of which there is no summary, and of one run no score.
NOT_PUBLISHED = {
    "Inspur/nf5488a5_pytorch": 16.182620833333335,
    "NVIDIA/dgxa100_ngc21.05_pytorch": 21.692583333333335,
    "Dell/XE8545x4A100-SXM-80GB": None,
}


@pytest.fixture(scope="module")
def submissions(corpus_ledger: Path) -> dict[str, dict[str, Any]]:
    """What the report says of each, by its campaign."""
    rows = report_submissions(db=corpus_ledger, implementation="mlperf").cells.to_dicts()
    return {row["campaign"].split("/", 2)[2]: row for row in rows}


def test_every_published_score_comes_out_to_a_billionth(submissions: dict[str, dict[str, Any]]) -> None:
    assert {name: row["score"] for name, row in submissions.items()} == {
        **{name: pytest.approx(minutes, abs=1e-9) for name, minutes in PUBLISHED.items()},
        **{name: minutes and pytest.approx(minutes, abs=1e-9) for name, minutes in NOT_PUBLISHED.items()},
    }


def test_each_submission_has_the_runs_that_it_needs(submissions: dict[str, dict[str, Any]]) -> None:
    short = {name: row["runs"] for name, row in submissions.items() if row["runs"] != row["runs_demanded"]}
    failed = {name: row["runs"] - row["converged"] for name, row in submissions.items()}

    assert short == {"Dell/XE8545x4A100-SXM-80GB": 1}
    assert {name: count for name, count in failed.items() if count} == {"H3C/R5500G5-AMDx8A100-SXM-80GB": 1}
    assert sum(row["runs"] for row in submissions.values()) == 71


def test_one_of_h3cs_submissions_calls_itself_nvidias(submissions: dict[str, dict[str, Any]]) -> None:
    other = {
        name: row["submitter"] for name, row in submissions.items() if row["submitter"].upper() not in name.upper()
    }

    assert other == {"H3C/R5300G5x4A100-PCIE-80GB": "NVIDIA"}


def test_an_aborted_run_is_a_failed_one_and_every_piece_is_a_record(corpus_ledger: Path) -> None:
    runs = "select status, count(*) from run join kept.run_format using (run_id) where format = 'mlperf-mllog' group by all"
    rejects = "select count(*) from reject join log using (log_id) where format = 'mlperf-mllog'"
    gpus = "select distinct gpus from bench_case where implementation = 'mlperf' and model = 'bert_large' order by all"

    assert sorted(ask(corpus_ledger, runs)) == [("failed", 1), ("ok", 70)]
    assert ask(corpus_ledger, rejects) == [(0,)]
    assert ask(corpus_ledger, gpus) == [(1,), (4,), (8,)]
