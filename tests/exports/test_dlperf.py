"""DLPerf's result JSON as README 001 prints it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import UsageError
from tests.answers.conftest import Own
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows
from tests.views.conftest import given


def test_readme_001s_dictionary_comes_out_of_the_trials_that_it_prints(shared: Path, tmp_path: Path) -> None:
    (page,) = (shared / "seeds").glob("001_*.txt")
    benchledger.ingest(page, db=tmp_path / "bench.duckdb")
    run_bench("export", "dlperf", "--output", tmp_path / "result", db=tmp_path / "bench.duckdb")
    (text,) = re.findall(r"^\{'bert-base': \{.*?\}\}\}", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)

    assert [path.name for path in (tmp_path / "result").iterdir()] == ["bz32_result.json"]
    written = json.loads((tmp_path / "result" / "bz32_result.json").read_text())
    assert written == ast.literal_eval(text)
    assert list(written["bert-base"]) == ["1n1g", "1n8g", "2n8g", "4n8g"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


@given(
    lambda ledger: [
        *(ledger.run(speed) for speed in (100.0, 101.0, 105.0)),
        ledger.run(500.0, status="timeout"),
        ledger.run(404.0, gpus=4),
    ]
)
def test_average_and_median_are_over_the_same_trials(own: Own) -> None:
    assert benchledger.export_dlperf(**own).files == {
        "bz32_result.json": {
            "bert-base": {
                "1n1g": {"average_speed": 102.0, "batch_size_per_device": 32, "median_speed": 101.0, "speedup": 1.0},
                "1n4g": {"average_speed": 404.0, "batch_size_per_device": 32, "median_speed": 404.0, "speedup": 4.0},
            }
        }
    }


def test_a_batch_size_is_a_file(db: Path, tmp_path: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(1.0)
        ledger.run(2.0, batch_size_per_gpu=48)

    benchledger.export_dlperf(db=db, output=tmp_path / "result")

    assert sorted(path.name for path in (tmp_path / "result").iterdir()) == ["bz32_result.json", "bz48_result.json"]


@given(lambda ledger: [ledger.run(1.0), ledger.run(2.0, precision="fp16", framework="mxnet")])
def test_two_series_of_one_place_are_refused_with_the_filter_that_tells_them_apart(own: Own) -> None:
    with pytest.raises(
        UsageError,
        match=r"2 series stand for bert-base 1n1g of bz32: precision fp16, fp32.*--precision; they differ also in framework",
    ):
        benchledger.export_dlperf(**own)


@given(lambda ledger: [ledger.run(1.0), ledger.run(2.0, nodes=None, gpus=8)])
def test_series_that_do_not_state_their_place_are_counted(own: Own) -> None:
    result = benchledger.export_dlperf(**own)

    assert list(result.files["bz32_result.json"]["bert-base"]) == ["1n1g"]
    assert result.notes == ("series left out: 1; they do not state model, batch size, nodes or gpus",)


@given(
    lambda ledger: [
        ledger.rule("summary.mean", kind="summary", statistic="last", trial_statistic="mean"),
        *(ledger.run(speed) for speed in (100.0, 101.0, 105.0)),
    ]
)
def test_by_a_rule_that_takes_the_mean_of_trials_median_speed_is_still_the_median(own: Own) -> None:
    (case,) = benchledger.export_dlperf(**own, rule="summary.mean").files["bz32_result.json"]["bert-base"].values()

    assert (case["average_speed"], case["median_speed"]) == (102.0, 101.0)


@given(lambda ledger: [ledger.run(6.0, nodes=2, gpus=6), ledger.run(7.0, nodes=2, gpus=7)])
def test_gpus_that_do_not_divide_by_their_nodes_are_left_out_with_a_note(own: Own) -> None:
    result = benchledger.export_dlperf(**own)

    assert {case: row["median_speed"] for case, row in result.files["bz32_result.json"]["bert-base"].items()} == {
        "2n3g": 6.0
    }
    assert result.notes == ("series left out: 1; not the same number of GPUs on each node: 7 GPUs on 2 nodes",)


@given(lambda ledger: [ledger.run(1.0), ledger.run(2.0, model="bert-base")])
def test_two_models_that_dlperf_writes_alike_are_refused(own: Own) -> None:
    with pytest.raises(UsageError, match=r"2 series stand for bert-base 1n1g of bz32: model bert-base, bert_base"):
        benchledger.export_dlperf(**own)


def test_several_rules_of_a_glob_are_refused_by_their_names(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.rule("summary.mean", kind="summary", statistic="last", trial_statistic="mean")
        ledger.run(1.0)

    with pytest.raises(UsageError, match=r"2 rules give .*bert-base 1n1g.*: ngc.summary, summary.mean.*--rule"):
        benchledger.export_dlperf(db=db, rule="*.*m*")
