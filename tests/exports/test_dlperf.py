"""DLPerf's result JSON as README 001 prints it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import UsageError
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows


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


def test_average_and_median_are_over_the_same_trials(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for speed in (100.0, 101.0, 105.0):
            ledger.run(speed)
        ledger.run(500.0, status="timeout")
        ledger.run(404.0, gpus=4)

    assert benchledger.export_dlperf(db=db).files == {
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


def test_two_series_of_one_place_are_refused_with_the_filter_that_tells_them_apart(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(1.0)
        ledger.run(2.0, precision="fp16")

    with pytest.raises(
        UsageError, match=r"2 series stand for bert_base 1n1g of bz32: precision fp16, fp32.*--precision"
    ):
        benchledger.export_dlperf(db=db)


def test_series_that_do_not_state_their_place_are_counted(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(1.0)
        ledger.run(2.0, nodes=None, gpus=8)

    result = benchledger.export_dlperf(db=db)

    assert list(result.files["bz32_result.json"]["bert-base"]) == ["1n1g"]
    assert result.notes == ("series left out: 1; they do not state model, batch size, nodes or gpus",)
