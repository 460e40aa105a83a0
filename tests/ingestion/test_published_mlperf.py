"""MLPerf's scores as mlcommons/logging's summariser makes them of a submission's runs. Needs the real logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask


@pytest.fixture(scope="module")
def ledger(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    ingest(*sorted(corpus.glob("mlcommons+training_results*")), db=db)
    return db


def scores(ledger: Path) -> dict[str, float | None]:
    """The score of each run's submission, by the run's path."""
    rows = ask(
        ledger,
        """select sighting.path, speed_table.value
           from speed_table
           join series_run using (series_id)
           join run_log using (run_id)
           join sighting using (log_id)
           where speed_table.is_default and speed_table.rule = 'mlperf.score'""",
    )
    return {path.partition("/results/")[2]: value for path, value in rows}


def test_scores_without_a_right_table_are_those_of_their_own_logs(ledger: Path) -> None:
    by_folder = {path.partition("/")[0]: value for path, value in scores(ledger).items()}

    # NVIDIA's of v1.0 stands in no table; of one run there is no score; Inspur's table is of other logs.
    assert by_folder["dgxa100_ngc21.05_pytorch"] == pytest.approx(21.692583333333335, abs=1e-9)
    assert by_folder["XE8545x4A100-SXM-80GB"] is None
    assert by_folder["nf5488a5_pytorch"] == pytest.approx(16.182620833333335, abs=1e-9)


def test_an_aborted_run_is_a_failed_one_and_every_piece_is_a_record(ledger: Path) -> None:
    assert ask(ledger, "select status, count(*) from run group by all order by all") == [("failed", 1), ("ok", 70)]
    assert ask(ledger, "select count(*) from reject") == [(0,)]
    assert ask(ledger, "select distinct gpus from bench_case where model = 'bert_large' order by all") == [
        (1,),
        (4,),
        (8,),
    ]
