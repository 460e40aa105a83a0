"""The pivot table: any columns as rows and columns, one unit a table, and nothing averaged that is not alike."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

import benchledger
from benchledger.answers.tables.table import Report
from benchledger.errors import NothingFoundError, UsageError
from benchledger.store.database import open_for_writing
from tests.answers.conftest import Own
from tests.cli.bench import run_bench
from tests.ledger_rows import LedgerRows, ledger_rows
from tests.views.conftest import given

TESTS = (
    ("bert_base", "pretraining", "fp32"),
    ("bert_base", "pretraining", "fp16"),
    ("bert_base", "squad", "fp16"),
    ("bert_large", "squad", "fp16"),
    ("resnet50", None, "fp32"),
    ("resnet50", None, "fp16"),
)


def rows(report: Report, table: int = 0) -> list[tuple[str, ...]]:
    return report.tables[table].frame.rows()


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def test_forty_machines_by_six_tests_are_one_table(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for machine in range(40):
            for test, (model, task, precision) in enumerate(TESTS, start=1):
                speed = 100.0 * machine + test
                ledger.run(speed, campaign=f"machine{machine:02}", model=model, task=task, precision=precision)

    words = ("report", "pivot", "--rows", "campaign", "--columns", "model,task,precision", "--format", "json")
    report = json.loads(run_bench(*words, db=db).stdout)

    (table,) = report["tables"]
    assert table["facts"] == {"value": "speed", "unit": "samples/s"}
    assert list(table["rows"][0]) == [
        "campaign",
        "bert_base pretraining fp16",
        "bert_base pretraining fp32",
        "bert_base squad fp16",
        "bert_large squad fp16",
        "resnet50 fp16",
        "resnet50 fp32",
    ]
    assert [list(row.values()) for row in table["rows"]] == [
        [f"machine{machine:02}", *(f"{100.0 * machine + test:.2f}" for test in (2, 1, 3, 4, 6, 5))]
        for machine in range(40)
    ]
    assert len(report["cells"]) == 240


def test_the_screen_of_a_pivot(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for framework, one, eight in (("pytorch", 100.0, 780.0), ("mxnet", 90.5, 700.25)):
            ledger.run(one, framework=framework)
            ledger.run(eight, framework=framework, gpus=8)
        ledger.run(framework="oneflow", gpus=8, status="oom")
        ledger.run(80.0, framework="oneflow")

    words = ("report", "pivot", "--rows", "framework", "--columns", "gpus,precision", "--model", "bert*")

    assert run_bench(*words, db=db).stdout == (
        "pivot: value speed; unit samples/s; model bert_base; precision fp32\n"
        "\n"
        "| framework | gpus 1 | gpus 8 |\n"
        "|-----------|--------|--------|\n"
        "| mxnet     | 90.50  | 700.25 |\n"
        "| oneflow   | 80.00  | OOM    |\n"
        "| pytorch   | 100.00 | 780.00 |\n"
    )


@given(
    lambda ledger: [
        *(ledger.run(speed, batch_size_per_gpu=batch) for batch, speed in ((32, 100.0), (64, 140.0), (96, 120.0))),
        ledger.run(50.0, model="bert_large"),
    ]
)
def test_several_series_in_a_cell_are_shown_by_their_lowest_and_highest_and_never_averaged(own: Own) -> None:
    report = benchledger.report_pivot(**own, rows="campaign", columns="model")

    assert rows(report) == [(own["campaign"], "100.00-140.00*", "50.00")]
    note, _ = report.tables[0].notes
    assert note.startswith("* 1 cell with several series: lowest and highest, no average; they differ in batch_size_")
    assert note.endswith("Add one of these to --rows or --columns, filter, or show the best with --best")


@given(lambda ledger: [ledger.run(100.0), ledger.run(40.0, task="squad")])
@pytest.mark.parametrize("best", [False, True])
def test_a_cell_of_several_tasks_says_so(own: Own, best: bool) -> None:
    shown = {
        columns: benchledger.report_pivot(**own, rows="campaign", columns=columns, best=best).tables[0].notes
        for columns in ("model", "model,task")
    }

    told = "1 cell of several tasks (pretraining, squad), not comparable: add task to --rows or --columns, or filter"
    assert told in shown["model"]
    assert not any("unlike" in note for note in shown["model,task"])


def test_best_takes_the_fastest_of_a_cell_and_of_times_the_shortest(db: Path) -> None:
    with ledger_rows(db) as ledger:
        seconds = ledger.shape("summary", name="training_sequences_per_second", quantity="throughput", unit="s")
        for batch, speed in ((32, 100.0), (64, 140.0)):
            ledger.run(speed, batch_size_per_gpu=batch)
            ledger.run(speed, batch_size_per_gpu=batch, campaign="timed", shape_id=seconds)

    report = benchledger.report_pivot(db=db, rows="campaign", columns="model", best=True)

    assert {table.facts["unit"]: table.frame["bert_base"].to_list() for table in report.tables} == {
        "s": ["100.00"],
        "samples/s": ["140.00"],
    }
    assert report.tables[0].notes[0] == "1 cell with the best of several series; they differ in batch_size_per_gpu"
    assert report.tables[0].notes[1:] == ("rules: ngc.summary",)
    assert report.tables[0].usual == {"rules: ngc.summary"}
    assert report.cells["batch_size_per_gpu"].to_list() == [32, 64]


def test_a_run_in_two_campaigns_counts_once_where_they_stand_together(db: Path) -> None:
    with ledger_rows(db) as ledger:
        run = ledger.run(100.0, campaign="a")
        log = ledger.con.execute("select log_id from run_log where run_id = $run", {"run": run}).fetchall()[0][0]
        seen = {"folder": "logs", "stem": "x", "campaign": "b", "ingested_at": "2021-03-01", "status": "duplicate"}
        ledger.insert("sighting", sighting_id=999, log_id=log, path="b/x.log", definitions_hash="d", **seen)

    assert rows(benchledger.report_pivot(db=db, rows="model", columns="gpus")) == [("bert_base", "100.00")]
    assert rows(benchledger.report_pivot(db=db, rows="campaign", columns="gpus")) == [("a", "100.00"), ("b", "100.00")]


def test_per_gpu_divides_what_is_a_sum_over_gpus_and_says_what_is_not(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(800.0, gpus=8)
        ledger.run(100.0, gpus=None)
        seconds = ledger.shape("summary", name="training_sequences_per_second", quantity="throughput", unit="s")
        ledger.run(5.0, gpus=8, campaign="timed", shape_id=seconds)

    report = benchledger.report_pivot(db=db, rows="gpu_model", columns="model,gpus", per_gpu=True)

    assert report.tables[0].facts["unit"] == "samples/s per GPU"
    assert rows(report) == [("V100-SXM2-16GB", "100.00")]
    assert report.cells.select("value", "lowest", "highest").rows() == [(100.0, 100.0, 100.0)]
    assert report.notes == (
        "1 number is left out: a number in s is not the sum over the GPUs",
        "1 number is left out: the number of GPUs is unknown",
    )


def test_the_speed_of_one_gpu_stands_in_no_table_of_all(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(100.0, gpus=8)
        ledger.con.execute("update kept.rule set per = 'gpu'")

    with pytest.raises(NothingFoundError, match="gives the speed of one GPU: see it with --per-gpu"):
        benchledger.report_pivot(db=db, rows="gpu_model", columns="model")
    assert rows(benchledger.report_pivot(db=db, rows="gpu_model", columns="model", per_gpu=True)) == [
        ("V100-SXM2-16GB", "12.50")
    ]


def samples_and_tokens(ledger: LedgerRows) -> None:
    tokens = ledger.shape("summary", name="training_sequences_per_second", quantity="throughput", unit="tokens/s")
    ledger.run(100.0)
    ledger.run(9000.0, model="gpt2_345m", shape_id=tokens)


@given(samples_and_tokens)
def test_a_unit_that_is_a_column_splits_no_table(own: Own) -> None:
    apart = benchledger.report_pivot(**own, rows="campaign", columns="model")
    beside = benchledger.report_pivot(**own, rows="campaign", columns=["model", "unit"])

    assert [table.facts["unit"] for table in apart.tables] == ["samples/s", "tokens/s"]
    assert [table.frame.columns for table in beside.tables] == [
        ["campaign", "bert_base samples/s", "gpt2_345m tokens/s"]
    ]


@pytest.mark.parametrize(
    ("value", "cells"),
    [("speedup", ["1.00", "4.00"]), ("efficiency", ["1.00", "0.50"]), ("memory", ["9000.00", "9500.00"])],
)
@given(
    lambda ledger: [
        ledger.device_memory(ledger.run(100.0), ("0", 9000.0)),
        ledger.device_memory(ledger.run(400.0, gpus=8), ("0", 9500.0)),
    ]
)
def test_other_values_stand_in_the_cells(own: Own, value: str, cells: list[str]) -> None:
    report = benchledger.report_pivot(**own, rows="model", columns="gpus", value=value)

    assert rows(report) == [("bert_base", *cells)]


def test_columns_of_the_environment_can_be_rows(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for driver in ("450.80", "535.54"):
            ledger.run(100.0, environment={"driver_version": driver}, campaign=driver)
        for driver in ("470.1", "470.2"):
            ledger.run(100.0, environment={"driver_version": driver}, campaign="both")

    report = benchledger.report_pivot(db=db, rows="driver_version", columns="model")

    assert [row[0] for row in rows(report)] == ["450.80", "470.1 | 470.2", "535.54"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"rows": "gpu_mdel"}, "no column 'gpu_mdel' for rows; did you mean 'gpu_model'?; known: gpu_model, "),
        ({"columns": "modl,task"}, "no column 'modl' for columns; did you mean 'model'?; known: model, "),
        ({"rows": "model", "columns": "model"}, "model: a column stands in --rows or in --columns, not in both"),
        ({"value": "sped"}, "no value 'sped'; known: speed, "),
        ({"value": "memory", "per_gpu": True}, "--per-gpu divides speeds: leave it out with --value memory"),
        ({"value": "memory", "rule": "ngc.*"}, "memory has no rule: remove --rule"),
    ],
)
def test_what_cannot_be_a_table_is_refused_with_what_can(
    one_run_ledger: Path, words: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError) as error:
        benchledger.report_pivot(db=one_run_ledger, **{"rows": "campaign", **words})  # type: ignore[arg-type]
    assert message in str(error.value)


def test_trials_that_are_not_alike_and_lie_apart_are_a_range_and_no_number(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for speed in (80.0, 100.0):
            ledger.run(speed, gpus=8)
        ledger.run(50.0, model="bert_large", gpus=8)
    with closing(open_for_writing(db)) as con:
        con.execute("update kept.cell set value = null, status = 'mixed' where trials = 2")

    pivot = benchledger.report_pivot(db=db, rows="campaign", columns="model")
    share = benchledger.report_pivot(db=db, rows="model", columns="gpu_model", per_gpu=True, model="bert_*")

    assert rows(pivot) == [("ngc", "MIXED 80.00-100.00", "50.00")]
    assert rows(share) == [("bert_base", "MIXED 10.00-12.50"), ("bert_large", "6.25")]
    assert "MIXED 80.00-100.00" in run_bench("report", "speed", "--model", "bert_base", db=db).stdout
