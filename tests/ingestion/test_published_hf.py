"""What is published of runs of Hugging Face's Trainer comes out of its log and its state. Needs the real logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask


@pytest.fixture(scope="module")
def ledger(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("hf") / "bench.duckdb"
    ingest(*corpus.glob("bigscience@*/experiments/gpt2-hf-ds"), *corpus.glob("P4P4N1CK*"), db=db)
    return db


def test_bigscience_published_the_whole_seconds_of_an_iteration(ledger: Path) -> None:
    rows = ask(
        ledger,
        """select gpus, batch_size_per_gpu, value, unit from run_speed join run using (run_id) join bench_case on bench_case.case_id = run.case_id
           where rule = 'hf.seconds' and value is not null order by gpus""",
    )
    default = ask(
        ledger, "select value, unit from run_speed where is_default and value > 0 and unit is not null order by value"
    )

    assert rows == [(16, 4, 58.0, "s"), (64, 8, 139.0, "s")]
    assert default == [(1.088, "samples/s"), (3.232, "samples/s"), (3.663, "samples/s")]


def test_a_log_of_three_attempts_is_three_runs_each_with_its_batch(ledger: Path) -> None:
    rows = ask(
        ledger,
        """select distinct run.status, batch_size_per_gpu, global_batch_size from sighting join run_log using (log_id)
           join run using (run_id) join bench_case using (case_id) where path like '%mbs8.out' order by all""",
    )

    assert rows == [("failed", 16, 1024), ("failed", 32, 2048), ("ok", 8, 512)]


def test_the_losses_and_word_errors_of_the_model_card_stand_in_the_state(ledger: Path) -> None:
    rows = ask(
        ledger,
        """select step, round(max(value) filter (where name = 'eval_loss'), 4), round(max(value) filter (where name = 'eval_wer'), 4)
           from measurement join log using (log_id) where log.format = 'hf-trainer-state' and phase = 'validation'
           group by step order by step""",
    )

    assert rows == [
        (1000, 0.3210, 0.7888),
        (2000, 0.3585, 0.7478),
        (3000, 0.3937, 0.7432),
        (4000, 0.4123, 0.7443),
        (5000, 0.4200, 0.7449),
    ]


def test_the_results_are_kept_and_make_no_run_of_their_own(ledger: Path) -> None:
    assert ask(ledger, "select count(*) from log where format = 'hf-results'") == [(2,)]
    # The last checkpoint of a run is no run beside it.
    assert ask(ledger, "select count(distinct run_id) from run") == [(5,)]
    assert ask(ledger, "select * from run_log join log using (log_id) where log.format = 'hf-results'") == []
    assert ask(ledger, "select * from reject") == []
