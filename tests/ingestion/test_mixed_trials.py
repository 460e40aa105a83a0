"""Runs whose names differ in what no fact explains are no trials of one case where their speeds lie apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger import explain, ingest, report_pivot
from benchledger.explaining.explained import ExplainedCell
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, put, run_text

CELL = "select value, lowest, highest, trials, status, mixed from speed_table where is_default and campaign = ?"

# Two paths of one case by what their logs say, and the words in which they differ; "" where nothing tells them apart.
DIFFERENCES = {
    "a precision that the log contradicts": ("bert_fp16/x.log", "bert_fp32/x.log", "fp16"),
    "an option of the file's name": ("logs/bert_xla.log", "logs/bert.log", "xla"),
    "a stage of the same name": ("logs/bert_warm.log", "logs/bert_cold.log", "cold, warm"),
    "a batch size of the name": ("bs_64/x.log", "bs_32/x.log", "bs64"),
    "numbers of trials": ("run1/x_1.log", "run2/x_2.log", ""),
    "moments": ("2022-10-25_00-08-17/x.log", "2022-10-26_10-08-17/x.log", ""),
    "hashes and processes": ("logs/7f02e558ab_pid123.log", "logs/81edfc59cd_pid7.log", ""),
    "what names nothing": ("raw/logs/x.log", "processed/x.log", ""),
}


# A setting of two runs, as two values, and what the table says of it.
SETTINGS = {
    "another case": ("seed=12439", "opt_level='O1', seed=12439", "opt_level='O2', seed=12439", "opt_level"),
    "any other": ("loss_scale=0.0", "loss_scale=0.0", "loss_scale=128.0", "settings (loss_scale)"),
    "one that says yes or no": ("phase2=False", "phase2=False", "phase2=True", "settings (phase2)"),
    "a seed": ("seed=12439", "seed=12439", "seed=99", None),
    "a folder": ("output_dir='/made/results'", "output_dir='/made/1'", "output_dir='/made/2'", None),
}


# How much faster the first run is than the second.
FASTER = {"apart": 1.5, "near": 1.0}


@pytest.fixture(scope="module")
def ledger(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two runs of each difference and of each setting, apart and near: each pair under a root of its own."""
    home = tmp_path_factory.mktemp("pairs")
    for how, faster in FASTER.items():
        speeds = 200.0 * faster, 200.0
        for number, (*paths, _) in enumerate(DIFFERENCES.values()):
            for trial, (path, speed) in enumerate(zip(paths, speeds, strict=True)):
                log = run_text(seed=2 * number + trial, at=300.0 * trial, speed=speed).log
                put(home / "roots" / f"named{number}{how}" / path, log)
        for number, (printed, *values, _) in enumerate(SETTINGS.values()):
            for trial, (value, speed) in enumerate(zip(values, speeds, strict=True)):
                log = run_text(seed=100 + number, at=300.0 * trial, speed=speed).log
                assert printed in log
                put(home / "roots" / f"set{number}{how}" / f"x_{trial}.log", log.replace(printed, value, 1))
    db = made(defined_ledger, home / "ledger")
    ingest(*(home / "roots").iterdir(), db=db)
    return db


@pytest.mark.parametrize("kind", DIFFERENCES)
@pytest.mark.parametrize("how", FASTER)
def test_trials_that_differ_and_lie_apart_have_no_mean(ledger: Path, kind: str, how: str) -> None:
    campaign, words = f"named{list(DIFFERENCES).index(kind)}{how}", DIFFERENCES[kind][-1]

    ((value, lowest, highest, trials, status, mixed),) = ask(ledger, CELL, campaign)

    assert trials == 2
    assert highest / lowest == pytest.approx(FASTER[how], abs=0.05)
    assert mixed == (f"names ({words})" if words else None)
    if words and how == "apart":
        assert (value, status) == (None, "mixed")
        listed = run_bench("query", "mixed", "-p", f"campaign={campaign}", "--format", "csv", db=ledger).stdout
        assert f"names ({words})" in listed
        report = run_bench("report", "speed", "--campaign", campaign, db=ledger).stdout
        assert "names (" in report
        cell = explain(db=ledger, campaign=campaign)
        assert isinstance(cell, ExplainedCell)
        assert (cell.check.recomputed, cell.check.agrees) == (None, True)
    else:
        assert status == "ok"
        assert value == pytest.approx((lowest + highest) / 2)


@pytest.mark.parametrize("kind", SETTINGS)
@pytest.mark.parametrize("how", FASTER)
def test_trials_whose_settings_differ_are_named_or_apart(ledger: Path, kind: str, how: str) -> None:
    campaign, said = f"set{list(SETTINGS).index(kind)}{how}", SETTINGS[kind][-1]

    found = ask(ledger, f"{CELL} order by all", campaign)

    if said == "opt_level":
        assert [(trials, status) for _, _, _, trials, status, _ in found] == [(1, "ok"), (1, "ok")]
        variants = ask(ledger, "select variant from series where campaign = ? order by 1", campaign)
        assert variants == [("opt_level=O1",), ("opt_level=O2",)]
        assert "opt_level" in run_bench("report", "speed", "--campaign", campaign, db=ledger).stdout
    else:
        ((value, _, _, trials, status, mixed),) = found
        assert (trials, mixed) == (2, said)
        assert (value is None, status) == ((True, "mixed") if said and how == "apart" else (False, "ok"))


def test_folders_that_say_another_precision_than_their_logs_are_series_and_columns_of_their_own(
    db: Path, tmp_path: Path
) -> None:
    for number, precision in enumerate(["FP16", "FP32"]):
        log = run_text(seed=number, at=300.0 * number, speed=200.0 + number).log
        put(tmp_path / "r" / f"PyTorch_bert_base_squad_{precision}" / "25-10-2022_00-08-17.txt", log)

    run_bench("ingest", tmp_path / "r", db=db)

    assert ask(db, "select variant, status from speed_table where is_default order by 1 nulls last") == [
        ("named precision=fp16, task=squad", "ok"),
        ("named task=squad", "ok"),
    ]
    (table,) = report_pivot(db=db, rows="campaign", columns="model,precision").tables
    assert table.frame.columns == ["campaign", "named precision=fp16, task=squad", "named task=squad"]
    assert len(set(table.frame.drop("campaign").row(0))) == 2


@pytest.mark.parametrize(
    ("change", "trials"),
    [
        (lambda log: log.replace("\n", "\r\n"), 1),
        (lambda log: log.replace("\n", "  \n"), 1),
        (lambda log: log.replace("step_loss : 1", "step_loss : 2", 1), 2),
    ],
    ids=["line ends", "trailing blanks", "one loss"],
)
def test_copies_that_differ_in_line_ends_or_trailing_blanks_are_one_trial(
    db: Path, tmp_path: Path, change: Callable[[str], str], trials: int
) -> None:
    log = run_text(seed=1, speed=200.0).log
    put(tmp_path / "r" / "x_1.log", log)
    put(tmp_path / "r" / "x_2.log", change(log))

    run_bench("ingest", tmp_path / "r", db=db)

    assert ask(db, "select count(*) from run") == [(trials,)]
    assert ask(db, "select trials, status from speed_table where is_default") == [(trials, "ok")]
