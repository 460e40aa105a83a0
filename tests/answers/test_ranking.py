"""The ranking: which GPU model or system is the fastest at equal work, with what differs beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchledger
from benchledger.answers.tables.table import Report
from benchledger.errors import NothingFoundError
from tests.answers.conftest import Own
from tests.cli.bench import run_bench
from tests.ledger_rows import LedgerRows, ledger_rows
from tests.views.conftest import given


def column(report: Report, *names: str) -> list[tuple[str, ...]]:
    return report.tables[0].frame.select(names).rows()


def gpu(name: str | None, **more: object) -> dict[str, object]:
    return {"gpu_model": name, **more}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def test_the_fastest_gpu_for_bert_base_in_fp16_is_one_command(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(800.0, gpus=8, precision="fp16", environment=gpu("A100", framework_version="1.13"))
        ledger.run(150.0, precision="fp16", batch_size_per_gpu=96, environment=gpu("H100", framework_version="2.1"))
        ledger.run(120.0, precision="fp16", environment=gpu("H100", framework_version="2.1"))
        ledger.run(900.0, precision="fp16", model="bert_large", environment=gpu("V100"))
        ledger.run(950.0, precision="fp32", environment=gpu("V100"))

    words = ("report", "ranking", "--model", "bert_base", "--precision", "fp16", "--per-gpu")

    assert run_bench(*words, db=db).stdout == (
        "ranking: model bert_base; task pretraining; precision fp16; seq_len 128; unit samples/s per GPU\n"
        "\n"
        "| rank | samples/s per GPU | gpu_model | gpus | batch_size_per_gpu | framework | framework_version |\n"
        "|------|-------------------|-----------|------|--------------------|-----------|-------------------|\n"
        "| 1    | 150.00            | H100      | 1    | 96                 | pytorch   | 2.1               |\n"
        "| 2    | 100.00            | A100      | 8    | 32                 | pytorch   | 1.13              |\n"
    )


@given(lambda ledger: [ledger.run(800.0, gpus=8, environment=gpu("A100")), ledger.run(150.0, environment=gpu("H100"))])
def test_whole_speeds_rank_other_than_those_of_one_gpu(own: Own) -> None:
    assert column(benchledger.report_ranking(**own), "rank", "gpu_model") == [("1", "A100"), ("2", "H100")]
    assert column(benchledger.report_ranking(**own, per_gpu=True), "rank", "gpu_model") == [
        ("1", "H100"),
        ("2", "A100"),
    ]


@given(
    lambda ledger: [
        ledger.run(speed, environment=gpu(name)) for name, speed in (("A", 9.0), ("B", 7.0), ("C", 7.0), ("D", 5.0))
    ]
)
def test_equal_speeds_share_a_rank(own: Own) -> None:
    assert column(benchledger.report_ranking(**own), "rank", "gpu_model") == [
        ("1", "A"),
        ("2-3", "B"),
        ("2-3", "C"),
        ("4", "D"),
    ]


@given(
    lambda ledger: [
        ledger.run(9.0, **case)
        for case in ({}, {"task": "squad"}, {"precision": "fp16"}, {"seq_len": 512}, {"model": "bert_large"})
    ]
)
def test_other_work_is_another_table(own: Own) -> None:
    assert len(benchledger.report_ranking(**own).tables) == 5


@given(
    lambda ledger: [
        ledger.run(9.0, environment=gpu("A100")),
        *(ledger.run(speed, environment=gpu(None), batch_size_per_gpu=int(speed)) for speed in (10.0, 11.0)),
    ]
)
def test_of_series_that_state_no_gpu_the_fastest_is_listed_without_a_rank(own: Own) -> None:
    report = benchledger.report_ranking(**own)

    ranks = report.tables[0].frame.select("rank", "samples/s", "gpu_model").rows()
    assert ranks == [("1", "9.00", "A100"), ("-", "11.00", "unknown")]
    assert report.tables[0].notes[0].startswith("2 series state no ")
    assert report.cells["rank"].to_list() == [1, None]


def times(ledger: LedgerRows) -> None:
    seconds = ledger.shape("summary", name="training_sequences_per_second", quantity="throughput", unit="s")
    for name, took in (("A100", 9.0), ("H100", 5.0)):
        ledger.run(took, shape_id=seconds, environment=gpu(name))


@given(times)
def test_of_times_the_shortest_is_the_fastest(own: Own) -> None:
    assert column(benchledger.report_ranking(**own), "rank", "s", "gpu_model") == [
        ("1", "5.00", "H100"),
        ("2", "9.00", "A100"),
    ]


@given(lambda ledger: ledger.run(status="oom"))
def test_nothing_to_rank_says_why(own: Own) -> None:
    with pytest.raises(NothingFoundError, match="none of the selected series has a speed"):
        benchledger.report_ranking(**own)
