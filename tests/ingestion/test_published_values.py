"""The published values of NGC PyTorch BERT come out of their logs, to the last printed digit. Needs the real logs."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from benchledger import report_speed
from tests.ingestion.logs import ask, kept_paths, one

FAMILY = "dllogger-text-tqdm(ngc-pytorch-bert)"
MODELS = {"bert-base": "bert_base", "bert_base_squad": "bert_base", "bert_large_squad": "bert_large"}


@pytest.fixture
def ledger(corpus_ledger: Path) -> Path:
    return corpus_ledger


@pytest.fixture(scope="module")
def manifest(shared: Path) -> list[dict[str, str]]:
    with open(shared / "corpus" / "manifest.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_readme_000_is_printed_cell_by_cell(ledger: Path) -> None:
    report = report_speed(db=ledger, campaign="*58c854be", framework="pytorch")

    (table,) = report.tables
    assert table.frame.rows() == [
        ("1", "127.09", "126.48", "511.13", "532.24"),
        ("8", "1018.40", "1012.80", "4063.19", "4207.36"),
    ]
    assert table.frame.columns == ["gpus", "FP32(BS=32)", "FP32(BS=48)", "FP16(BS=64)", "FP16(BS=96)"]


def test_the_five_32_gpu_values_of_readme_000_are_there_with_and_without_accumulation(ledger: Path) -> None:
    rows = ask(
        ledger,
        """select precision, batch_size_per_gpu, gradient_accumulation, value from speed_table
           where is_default and framework = 'pytorch' and gpus = 32 and (campaign like '%aaa5ab17%' or campaign like '%89037820%') order by value""",
    )

    assert [(*row[:3], f"{row[3]:.2f}") for row in rows] == [
        ("fp32", 48, 1, "3179.96"),
        ("fp32", 48, None, "3973.97"),
        ("fp16", 96, 1, "12061.62"),
        ("fp16", 64, 132, "15941.15"),
        ("fp16", 96, 88, "16311.64"),
    ]


def test_every_case_of_the_family_is_what_its_owner_says(ledger: Path, manifest: list[dict[str, str]]) -> None:
    rows = [row for row in manifest if row["format_family"] == FAMILY and row["verified"].startswith("yes")]

    # Asked once: to open the ledger for each of them takes longer than all else.
    told: dict[str, list[tuple[object, ...]]] = {}
    for path, *case in ask(
        ledger,
        """select distinct path, model, precision, gpus, batch_size_per_gpu, framework, implementation, run.status from sighting
           join run_log using (log_id) join run on run.run_id = run_log.run_id join bench_case using (case_id)""",
    ):
        told.setdefault(path, []).append(tuple(case))
    kept = kept_paths(ledger, [row["path"] for row in rows])

    expected = {
        row["path"]: [(MODELS[row["model"]], row["precision"], int(row["gpus"]), int(row["batch_size_per_gpu"]), "pytorch", "ngc", "ok")]
        for row in rows
    }  # fmt: skip
    assert len(expected) == 82
    assert {path: told[kept[path]] for path in expected} == expected


def test_no_line_of_the_corpus_that_should_be_a_record_is_none(ledger: Path) -> None:
    # PaddlePaddle's index JSON is published as a template with comments in it.
    assert ask(ledger, "select format, record from reject join log using (log_id)") == [("paddle-index", None)]
    assert one(ledger, "select sum(pieces - records - ignored - rejects - unread) from log") == 0


def test_ngcs_own_identity_holds_for_every_run_that_prints_its_time(ledger: Path) -> None:
    # Global batch x optimizer steps / raw_train_time is the speed that it states; a step that the loss scaler skipped
    # is printed, and counts.
    rows = ask(
        ledger,
        """select s.value, c.global_batch_size * g.step_records / m.value from run r join bench_case c using (case_id)
           join run_log l on l.run_id = r.run_id and l.role = 'train' join kept.segment g using (log_id, segment)
           join run_speed s on s.run_id = r.run_id and s.is_default
           join measurement m on m.run_id = r.run_id and m.name = 'raw_train_time'
           where c.global_batch_size is not null and g.step_records >= r.steps_done""",
    )

    # Later releases round the batch of a step up: 0.2 % at most.
    assert sum(math.isclose(*row, rel_tol=1e-9) for row in rows) >= 18
    assert [row for row in rows if not math.isclose(*row, rel_tol=2e-3)] == []
