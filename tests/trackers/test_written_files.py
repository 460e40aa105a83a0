"""Files that the trackers themselves have written are read back with every value.

`make test-trackers` makes their environment; BENCH_TRACKERS_PYTHON names its Python.
"""

from __future__ import annotations

import math
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask, put, run_text

PYTHON = os.environ.get("BENCH_TRACKERS_PYTHON", sys.executable)
WRITER = Path(__file__).parent / "write_files.py"
LOSSES = [(step, 10.0 / (step + 1) + 0.1) for step in range(40)]
SPEEDS = [(step, 100.0 + step) for step in range(40)]
SETTINGS = "select name, coalesce(text, value::varchar) from measurement where kind = 'parameter' order by 1"

Write = Callable[..., Path]


def in_float32(values: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return [(step, struct.unpack("<f", struct.pack("<f", value))[0]) for step, value in values]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Lets a tracker write its files; returns their folder."""

    def written(tracker: str, *more: str) -> Path:
        found = subprocess.run([PYTHON, "-c", f"import {tracker}"], capture_output=True)
        if found.returncode:
            pytest.skip(f"{tracker} is not in {PYTHON}: make test-trackers makes an environment with it")
        folder = tmp_path / "logs" / "run"
        folder.mkdir(parents=True)
        # MLflow asks for consent to a file store; wandb and MLflow would ask the network.
        quiet = {"WANDB_SILENT": "true", "WANDB_MODE": "offline", "MLFLOW_ALLOW_FILE_STORE": "true"}
        subprocess.run(
            [PYTHON, str(WRITER), tracker, *more],
            cwd=folder,
            env={**os.environ, **quiet, "MLFLOW_DISABLE_TELEMETRY": "true"},
            check=True,
            capture_output=True,
            timeout=300,
        )
        return folder

    return written


def values_of(db: Path, name: str) -> list[tuple[int, float]]:
    return ask(db, "select step, value from measurement where name = $1 and run_id is not null order by line", name)


def test_tensorboardx(db: Path, write: Write) -> None:
    result = ingest(write("tensorboardX"), db=db)

    assert (result.files, result.rejects) == ({"loaded": 4}, 0)
    assert values_of(db, "train/loss") == in_float32(LOSSES)
    assert values_of(db, "train/samples_per_second") == SPEEDS
    assert values_of(db, "val/acc") == [(40, 0.75)]
    assert math.isnan(values_of(db, "odd")[0][1])
    assert sorted(values_of(db, "group")) == [(3, 1.5), (3, 2.5)]
    assert values_of(db, "hp/best") == [(0, 0.25)]
    assert ask(db, SETTINGS) == [
        ("amp", "True"), ("layers", "24.0"), ("lr", "0.5"), ("note/text_summary", "plain words"), ("optimizer", "lamb"),
    ]  # fmt: skip
    assert ask(db, "select reason from kept.ignored_piece where reason = 'histogram'") == [("histogram",)]
    assert ask(db, "select count(*) from run") == [(1,)]


def test_pytorchs_writer(db: Path, write: Write) -> None:
    result = ingest(write("torch"), db=db)

    assert (result.files, result.rejects) == ({"loaded": 2}, 0)
    assert values_of(db, "train/loss") == in_float32(LOSSES)
    assert values_of(db, "double") == [(7, 0.1)]
    assert ask(db, SETTINGS) == [("layers", "24.0"), ("lr", "0.5"), ("note/text_summary", "plain words")]
    assert ask(db, "select count(*) from run") == [(1,)]


def test_wandb(db: Path, write: Write) -> None:
    folder = write("wandb")
    result = ingest(folder, db=db)

    assert result.rejects == 0
    assert values_of(db, "train/loss") == LOSSES
    assert values_of(db, "train/samples_per_second") == SPEEDS
    assert values_of(db, "nested.norm") == [(step, step / 8) for step in range(40)]
    assert (values_of(db, "val/acc"), values_of(db, "count")) == ([(40, 0.75)], [(40, 3.0)])
    assert math.isnan(values_of(db, "odd")[0][1])
    assert ask(db, "select text from measurement where name = 'word'") == [("best",)]
    assert ask(db, "select length(text) from measurement where name = 'long'") == [(50_000,)]
    assert ask(db, "select kind, value from measurement where name = 'best_step'") == [("summary", 17.0)]
    settings = dict(ask(db, SETTINGS))
    assert {
        "lr": "0.5",
        "layers": "24.0",
        "optimizer": "lamb",
        "model.name": "bert",
        "model.heads": "[1, 2]",
    }.items() <= settings.items()
    assert ask(db, "select count(*), max(status) from run") == [(1, "ok")]
    (file,) = folder.glob("wandb/offline-run-*/run-*.wandb")
    assert ask(db, "select value from fact where name = 'tracker_run'") == [(file.stem.removeprefix("run-"),)]


def test_mlflow(db: Path, write: Write) -> None:
    folder = write("mlflow")
    result = ingest(folder, db=db)

    files = sum(path.is_file() for path in folder.rglob("*"))
    assert (sum(result.files.values()), result.files["loaded"], result.rejects) == (files, files, 0)
    assert values_of(db, "train/loss") == LOSSES
    assert values_of(db, "samples_per_second") == SPEEDS
    assert (values_of(db, "precision"), values_of(db, "recall")) == ([(1, 1.0)], [(1, 1.0)])
    settings = dict(ask(db, SETTINGS))
    assert {
        "lr": "0.5",
        "layers": "24.0",
        "same": "24.0",
        "optimizer": "lamb",
        "purpose": "test",
    }.items() <= settings.items()
    assert ask(db, "select count(*) from run") == [(1,)]


@pytest.mark.parametrize("logger", ["csv", "tensorboard"])
def test_lightning(db: Path, write: Write, logger: str) -> None:
    result = ingest(write("lightning", logger), db=db)

    assert (result.files, result.rejects) == ({"loaded": 2}, 0)
    assert values_of(db, "train_loss") == in_float32(LOSSES)
    assert values_of(db, "val_loss") == [(19, 2.25), (39, 2.25)]
    settings = "select name, coalesce(text, value::varchar) from measurement join log using (log_id) where format = 'lightning-hparams' order by 1"
    assert ask(db, settings) == [("layers", "24.0"), ("lr", "0.5"), ("optimizer", "sgd")]
    assert ask(db, "select count(*) from run") == [(1,)]


def test_a_text_log_tensorboard_and_wandb_are_one_run(db: Path, write: Write, tmp_path: Path) -> None:
    folder = write("tensorboardX")
    shutil.move(folder, tmp_path / "kept")
    folder = write("wandb")
    shutil.copytree(tmp_path / "kept", folder, dirs_exist_ok=True)
    put(folder / "train.log", run_text().log)

    ingest(folder, db=db)

    assert ask(db, "select count(*) from run") == [(1,)]
    roles = "select role, count(*) from run_log group by all order by all"
    assert ask(db, roles) == [("tracker", 5), ("train", 1)]
    assert ask(
        db,
        "select count(distinct log_id) from run_speed join run_log using (run_id) where value is not null and role = 'train'",
    ) == [(1,)]
