"""Programs that count their steps in each epoch anew: what a cut log says of steps done, and how its run ended."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, put


@dataclass(frozen=True)
class Program:
    """What it prints before its first step, at a step, and at its end; the number of its first epoch."""

    begins: str
    step: str
    ends: str
    first: int
    tells_steps: bool = True


PROGRAMS = {
    "torchvision": Program(
        "Namespace(batch_size=32, dist_url='env://', distributed=True, epochs={epochs}, model='resnet50', world_size=8)",
        "Epoch: [{epoch}]  [{step:4}/{steps}]  eta: 1:02:03  lr: 0.1  img/s: 712.5  loss: 6.9 (7.0)  acc1: 0.1 (0.2)  "
        "acc5: 0.6 (0.8)  time: 0.3625  data: 0.0125  max mem: 6700",
        "Training time 1:02:03",
        0,
    ),
    "timm": Program(
        "Scheduled epochs: {epochs}. LR stepped per epoch.",
        "Train: {epoch} [{step:4}/{steps} (  4%)]  Loss: 6.93 (6.94)  Time: 0.412s, 2485.44/s  (0.503s, 2035.79/s)  "
        "LR: 1.000e-06  Data: 0.010 (0.073)",
        "*** Best metric: 74.25 (epoch 9)",
        0,
    ),
    "mmdet": Program(
        "runner = dict(type='EpochBasedRunner', max_epochs={epochs})",
        "2021-05-31 00:15:15,967 - mmdet - INFO - Epoch [{epoch}][{step}/{steps}]\tlr: 1.978e-03, eta: 20:55:38, "
        "time: 0.857, data_time: 0.053, memory: 3767, loss_cls: 1.4321, acc: 80.4688, loss: 2.7500",
        "",
        1,
    ),
    "paddle-clas": Program(
        "",
        "[2022/11/30 20:14:22] ppcls INFO: [Train][Epoch {epoch}/{epochs}][Iter: {step}/{steps}]lr: 0.1, CELoss: 7.0, "
        "loss: 7.0, batch_cost: 0.4s, reader_cost: 0.01, ips: 640.5 samples/sec, eta: 1:02:03",
        "",
        1,
    ),
    "gluon-cv": Program(
        "INFO:root:Namespace(batch_size=256, dtype='float32', lr=0.4, model='x', num_epochs={epochs}, num_gpus=4, use_se=False)",
        "INFO:root:Epoch[{epoch}] Batch [{step}]\tSpeed: 2770.466083 samples/sec\ttop1-err=0.999141\tlr=0.003133",
        "",
        0,
        tells_steps=False,
    ),
}  # fmt: skip
FOUND = """
select path, steps_done, epochs_done, epochs_planned, run.status
from run join run_log using (run_id) join sighting using (sighting_id) where role = 'train'
"""


def written(program: Program, until: tuple[int, int], epochs: int, steps: int) -> list[str]:
    """A log up to an epoch, counted from 0, and a step of it; it prints every tenth."""
    lines = [program.begins.format(epochs=epochs)]
    for epoch in range(until[0] + 1):
        last = until[1] if epoch == until[0] else steps
        lines += [
            program.step.format(epoch=epoch + program.first, step=step, steps=steps, epochs=epochs)
            for step in range(10, last + 1, 10)
        ]
    return lines


# Each run of the suite draws other logs. Hypothesis takes longer to draw them than an ingest takes to read them.
@pytest.mark.parametrize("seed", [random.randrange(2**32)], ids=["drawn"])
def test_a_log_that_is_cut_in_any_epoch_is_truncated_and_its_steps_are_right_or_unknown(
    db: Path, tmp_path: Path, seed: int
) -> None:
    noise, truth = random.Random(seed), {}
    for number in range(90):
        name = noise.choice(sorted(PROGRAMS))
        epochs, steps = noise.randrange(3, 60), 10 * noise.randrange(2, 12)
        epoch, step = noise.randrange(epochs - 1), 10 * noise.randrange(1, steps // 10 + 1)
        lines = written(PROGRAMS[name], (epoch, step), epochs, steps)
        put(tmp_path / "logs" / f"{name}-{number}.log", "\n".join([f"log {number}", *lines, ""]))
        truth[f"{name}-{number}.log"] = (PROGRAMS[name], epoch * steps + step, epoch, step == steps, epochs)

    ingest(tmp_path / "logs", db=db)
    found = {path: rest for path, *rest in ask(db, FOUND)}

    assert found.keys() == truth.keys(), seed
    for path, (program, done, epoch, is_whole, epochs) in truth.items():
        known = program.tells_steps or epoch == 0
        whole = epoch + is_whole if program.tells_steps else None
        assert (path, *found[path]) == (path, done if known else None, whole, epochs, "truncated"), seed


STOPPED = ("Early Stop at epoch 32", "Early stopping: no improvement for 5 epochs", "Stopping early.")
COUNTED = ("EarlyStopping counter: 3 out of 5", "Early stopping counter: 3 of 5", "early_stop=True")


@pytest.fixture(scope="module")
def statuses(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """How a run of each program ended after each of these words, by the name of its log."""
    home = tmp_path_factory.mktemp("early")
    for name, program in PROGRAMS.items():
        begins, *steps = written(program, (31, 50), 50, 50)
        logs = {words: [begins, "Early stopping patience: 5", *steps, words, program.ends] for words in STOPPED}
        logs |= {words: [begins, "Early Stop after 5 epochs is on", *steps, words] for words in COUNTED}
        for words, lines in logs.items():
            put(home / "logs" / log_of(name, words), "\n".join([*lines, ""]))
    db = made(defined_ledger, home / "ledger")
    ingest(home / "logs", db=db)
    return {path: status for path, *_, status in ask(db, FOUND)}


def log_of(name: str, words: str) -> str:
    return f"{name}-{(STOPPED + COUNTED).index(words)}.log"


@pytest.mark.parametrize("name", sorted(PROGRAMS))
@pytest.mark.parametrize("words", STOPPED)
def test_a_run_that_stops_early_and_finishes_is_ok(statuses: dict[str, str], name: str, words: str) -> None:
    assert statuses[log_of(name, words)] == "ok"


@pytest.mark.parametrize("name", sorted(PROGRAMS))
@pytest.mark.parametrize("words", COUNTED)
def test_a_counter_towards_an_early_stop_is_none(statuses: dict[str, str], name: str, words: str) -> None:
    assert statuses[log_of(name, words)] == "truncated"


def test_steps_that_begin_anew_are_seen_where_no_format_says_so(db: Path, tmp_path: Path) -> None:
    line = "[Epoch {epoch} Batch {step}/100] loss=0.5, lr=0.1, metrics:accuracy:0.5\n"
    for name, epochs in (("one", 1), ("two", 2)):
        lines = [line.format(epoch=epoch, step=step) for epoch in range(epochs) for step in (10, 20, 30)]
        put(tmp_path / "logs" / f"{name}.log", f"{name}\n{''.join(lines)}")

    ingest(tmp_path / "logs", db=db)

    assert sorted(row[:2] for row in ask(db, FOUND)) == [("one.log", 30), ("two.log", None)]
