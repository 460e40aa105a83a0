"""`bench` and `bench report` alone: one screen about the ledger, or what to type first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import NothingFoundError
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def test_the_screen_of_a_ledger(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ledger_rows(db) as ledger:
        for gpus, speed in ((1, 100.0), (8, 780.0)):
            ledger.run(speed, gpus=gpus)
        ledger.run(50.0, model="resnet50", task=None, campaign="images", environment={"system": "dgx1"})
        ledger.run(status="oom", batch_size_per_gpu=96)
    monkeypatch.chdir(db.parent)

    screen = run_bench().stdout

    assert screen == (
        "4 runs in 2 campaigns: bench.duckdb\n"
        "\n"
        "runs        ok 3, oom 1\n"
        "systems     1: dgx1 1\n"
        "GPU models  1: V100-SXM2-16GB 4\n"
        "models      2: bert_base 3, resnet50 1\n"
        "\n"
        "campaigns with most runs                                       runs      newest\n"
        "  ngc                                                             3  2021-03-01\n"
        "  images                                                          1  2021-03-01\n"
        "\n"
        "fastest series of the models with most runs\n"
        "  bert_base pretraining fp32          780.00 samples/s  8 GPUs, V100-SXM2-16GB\n"
        "  resnet50 fp32                        50.00 samples/s  1 GPU, dgx1\n"
        "\n"
        "needs attention\n"
        "     1 run that failed or stopped early      bench report failures\n"
        "\n"
        "next\n"
        "  bench report speed                speeds, by GPUs, precision and batch size\n"
        "  bench report ranking --per-gpu    which GPU is the fastest, at equal work\n"
        "  bench report pivot --rows system --columns model,task,precision --best\n"
        "  bench audit                       what looks wrong\n"
        "  bench --help                      all commands\n"
    )
    assert run_bench("report").stdout == screen
    assert run_bench("report", "overview").stdout == screen


def test_a_ledger_of_many_long_names_fits_eighty_columns_by_forty_lines(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for number in range(60):
            name = f"{number}/a_rather_long_name_of_a_folder/" * 4 + "\x1b[31m测试"
            machine = {"gpu_model": name, "system": name}
            ledger.run(1e9 + number, campaign=name, model=name, task=name, environment=machine, gpus=8)
            ledger.run(campaign=name, model=name, status="oom", environment={**machine, "gpu_model": None})

    lines = run_bench(db=db).stdout.splitlines()

    assert len(lines) <= 40
    assert max(map(len, lines[1:])) <= 80
    assert "\x1b" not in "".join(lines)


def test_without_a_ledger_it_says_what_to_type_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    for words in ((), ("report",)):
        result = run_bench(*words)
        assert result.exit_code == 0
        assert result.stdout.splitlines()[:3] == [
            "bench.duckdb: no ledger yet. Type:",
            "",
            "  bench ingest LOGS   read every log below the folder or archive LOGS",
        ]
    assert "  bench --db other.db ingest LOGS  read every" in run_bench("--db", "other.db").stdout


def test_a_ledger_without_runs_says_how_to_fill_it(db: Path) -> None:
    with ledger_rows(db):
        pass

    with pytest.raises(NothingFoundError, match="contains no runs yet"):
        benchledger.report_overview(db=db)


def test_the_overview_as_data_has_the_fastest_series_unrounded(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(100.126, batch_size_per_gpu=16)
        ledger.run(100.125)
        seconds = ledger.shape("summary", name="training_sequences_per_second", quantity="throughput", unit="s")
        ledger.run(0.5, shape_id=seconds, campaign="timed")

    said = json.loads(run_bench("report", "overview", "--format", "json", db=db).stdout)

    assert [table["facts"]["list"] for table in said["tables"]] == [
        "status",
        "gpu_model",
        "model",
        "campaign",
        "fastest",
        "attention",
        "next",
    ]
    assert [(row["model"], row["value"]) for row in said["cells"]] == [("bert_base", 100.126)]
