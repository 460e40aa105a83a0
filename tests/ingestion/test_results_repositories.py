"""Whole results repositories, in folders as people name them: one table of machines by tests from one command."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

from benchledger import ingest, report_pivot
from tests.ingestion.logs import put, run_text
from tests.ingestion.packing import tar, zipped
from tests.submissions.test_report import run_of

GPUS = ("3090", "A100_40GB_SXM4", "V100_16GB", "H100_80GB_PCIe5", "RTX_A6000")
MACHINES = [
    f"{count}x{gpu}_{release}" for gpu, count, release in itertools.product(GPUS, (1, 2, 4, 8), ("v1", "ngc21.05"))
]
# Six tests of a machine, as precision and batch size, and the folders that name them.
TESTS = {
    ("fp32", 32): "BERT_FP32_bs32",
    ("fp32", 48): "bert-base_fp32_48",
    ("fp16", 32): "logs/bert_base_AMP/bs32",
    ("fp16", 48): "PyTorch-BERT/fp16/48/raw",
    ("fp16", 64): "bert/train-logs/2022-10-25_00-08-17_fp16",
    ("fp16", 96): "run_3/output",
}


def printed(log: str) -> str:
    """The closing speed as it stands in a log, with the digits of a table."""
    return f"{float(re.findall(r'training_sequences_per_second : (.+?) ', log)[-1]):.2f}"


@pytest.fixture(scope="module")
def machines() -> dict[str, str]:
    """The logs of 40 machines by path."""
    return {
        f"results/{machine}/{folder}/train.log": run_text(
            precision=precision,
            batch=batch,
            speed=100.0 + 10 * row + column,
            seed=row * 10 + column,
            at=1000.0 * row + 10 * column,
        ).log
        for row, machine in enumerate(MACHINES)
        for column, ((precision, batch), folder) in enumerate(TESTS.items())
    }


def lay_out(top: Path, files: Mapping[str, str], wrapping: str) -> Path:
    """A repository as a folder, in one archive, or with an archive a machine."""
    if wrapping == "folder":
        for path, text in files.items():
            put(top / "repository" / path, text)
        return top / "repository"
    if wrapping == "an archive":
        return put(top / "repository.zip", zipped(files))
    for machine in MACHINES:
        begin = f"results/{machine}/"
        own = {path.removeprefix(begin): text for path, text in files.items() if path.startswith(begin)}
        put(top / "repository" / "results" / f"{machine}.tar", tar(own))
    return top / "repository"


@pytest.mark.parametrize("wrapping", ["folder", "an archive", "an archive a machine"])
def test_40_machines_of_six_tests_are_one_table_of_40_rows(
    db: Path, tmp_path: Path, machines: dict[str, str], wrapping: str
) -> None:
    ingest(lay_out(tmp_path, machines, wrapping), db=db)

    (table,) = report_pivot(db=db, rows="campaign", columns="precision,batch_size_per_gpu").tables
    assert table.frame.height == 40
    assert table.frame.width == 7
    assert set(table.frame["campaign"]) == {f"repository/{machine}" for machine in MACHINES}
    heads = {(precision, batch): f"{precision} batch_size_per_gpu {batch}" for precision, batch in TESTS}
    for machine in MACHINES:
        (cells,) = table.frame.filter(pl.col("campaign") == f"repository/{machine}").to_dicts()
        for test, folder in TESTS.items():
            assert cells[heads[test]] == printed(machines[f"results/{machine}/{folder}/train.log"])


def test_submissions_in_folders_of_systems_are_a_table_of_systems_by_benchmarks(db: Path, tmp_path: Path) -> None:
    minutes = {("Us", "R5500x8A100-SXM-80GB", "rnnt"): 5, ("Us", "R5500x8A100-SXM-80GB", "gnmt"): 9}
    minutes |= {("Them", "dgx_n2_ngc21.05", "rnnt"): 3, ("Them", "dgx_n2_ngc21.05", "gnmt"): 4}
    for start, ((submitter, system, benchmark), each) in enumerate(minutes.items()):
        for number in range(10):
            text = run_of(1000 * start + 20 * number, each, 60.0, submission_benchmark=benchmark)
            put(tmp_path / "r2.0" / submitter / "results" / system / benchmark / f"result_{number}.txt", text)

    ingest(tmp_path / "r2.0", db=db)

    (table,) = report_pivot(db=db, rows="system", columns="model", rule="mlperf.minutes").tables
    assert table.frame.rows() == [("R5500x8A100-SXM-80GB", "9.00", "5.00"), ("dgx_n2_ngc21.05", "4.00", "3.00")]


def test_a_comparison_of_frameworks_in_folders_of_cards_is_a_table_of_cards_by_cases(db: Path, tmp_path: Path) -> None:
    logs = {}
    for (card, speed), (precision, batch) in itertools.product(
        {"A100-LOG": 400.0, "V100_LOG": 100.0}.items(), [("fp32", 32), ("fp16", 64)]
    ):
        logs[card, precision] = run_text(precision=precision, batch=batch, speed=speed + batch, at=speed * batch).log
        folder = tmp_path / "Perf" / "Bert" / "OtherReports" / "PyTorch" / "logs" / card
        put(folder / f"bert_{precision}.log", logs[card, precision])

    ingest(tmp_path / "Perf", db=db)

    (table,) = report_pivot(db=db, rows="campaign", columns="precision").tables
    assert table.frame.to_dicts() == [
        {"campaign": f"Perf/{card}", **{precision: printed(logs[card, precision]) for precision in ("fp16", "fp32")}}
        for card in ("A100-LOG", "V100_LOG")
    ]
