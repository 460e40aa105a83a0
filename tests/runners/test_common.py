"""What the programs of all frameworks but PyTorch share: their batches, learning rate and clock, without any framework."""

from __future__ import annotations

import argparse
import math
import sys
from itertools import islice
from pathlib import Path

import pytest

import benchledger
from tests.docs.pages import TOP

np = pytest.importorskip("numpy")
sys.path.append(str(TOP / "runners"))

from common.bert import Batch, batches, made  # noqa: E402
from common.options import Clock, checked, known, learning_rate, namespace, parser  # noqa: E402


def options(monkeypatch: pytest.MonkeyPatch, *words: str) -> argparse.Namespace:
    monkeypatch.setattr(sys, "argv", ["bert.py", "--model", "bert_tiny", "--seq-len", "32", "--masked", "5", *words])
    return checked(parser("about", ["bert_tiny"], seq_len=128, masked=20, dropout=0.1))


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    benchledger.data_make("npz", output=folder, rows=48, files=3, seq_len=32, masked=5, vocab_size=512)
    return folder


def first_ids(batch: Batch) -> set[tuple[int, ...]]:
    return {tuple(row) for row in batch.ids.tolist()}


def test_an_epoch_of_npz_parts_gives_each_row_once_to_one_reader(parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = options(monkeypatch, "--data", str(parts), "--batch-size", "8")
    readers = [list(islice(batches(args, reader, 3), 2)) for reader in range(3)]

    # Three parts of 16 rows for three readers: none of a reader's rows is another's.
    rows = [set().union(*map(first_ids, batches)) for batches in readers]
    assert [len(each) for each in rows] == [16, 16, 16]
    assert len(set().union(*rows)) == 48


def test_valid_lengths_are_a_mask_and_slots_that_hide_nothing_weigh_nothing(
    parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = next(batches(options(monkeypatch, "--data", str(parts)), rows=16))

    assert ((batch.ids > 0) <= (batch.mask == 1)).all()
    assert ((batch.weights == 1) == (batch.positions > 0)).all()
    assert [column.dtype.name for column in batch] == ["int32"] * 5 + ["float32", "int32"]


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("--seq-len", "16"), r"is no shard of \(16, 5\), but of \(32, 5\)\. Cure: --seq-len 32 --masked 5"),
        (("--batch-size", "17"), r"has 16 rows, no batch of 17\. Cure: a smaller --batch-size"),
    ],
)
def test_parts_that_are_not_what_was_asked_for_end_the_run(
    parts: Path, words: tuple[str, ...], cure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=cure):
        next(batches(options(monkeypatch, "--data", str(parts), *words)))


def test_a_part_that_is_none_and_a_folder_without_any_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=r"no \*\.hdf5 in .*, nor \*\.npz\. Cure: `bench data make`"):
        next(batches(options(monkeypatch, "--data", str(tmp_path))))
    (tmp_path / "part.npz").write_text("no npz")
    with pytest.raises(
        SystemExit, match=r"part\.npz is no shard of BERT's pre-training data: .*Cure: `bench data make`"
    ):
        next(batches(options(monkeypatch, "--data", str(tmp_path))))


def test_what_is_hidden_in_made_up_rows_is_told_by_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = made(options(monkeypatch), 64, np.random.default_rng(1))
    row, slot = np.nonzero(batch.positions > 1)
    before = batch.ids[row, batch.positions[row, slot] - 1]
    plain = (before >= 110) & (batch.labels[row, slot] > 110)

    # Rows count up by one: an unhidden word before says the hidden one.
    assert plain.sum() > 200
    assert (batch.labels[row, slot][plain] == before[plain] + 1).all()


def test_the_rate_rises_in_the_warm_up_and_falls_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    args = options(monkeypatch, "--max-iterations", "100", "--warmup", "0.1", "--learning-rate", "1.0")
    rates = [learning_rate(args, iteration) for iteration in range(1, 101)]

    assert rates.index(max(rates)) == 9
    assert rates[0] == pytest.approx(0.1)
    assert 0 < rates[-1] < 0.02


def test_a_line_is_due_each_interval_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(options(monkeypatch, "--max-iterations", "25", "--log-interval", "10"))
    lines = []
    for iteration, _ in clock.steps(iter(range(25))):
        if clock.due(iteration):
            clock.mark(iteration)
            lines.append((iteration, clock.steps_done))

    assert lines == [(10, 10), (20, 10), (25, 5)]


def test_the_settings_are_shown_without_paths_and_a_loss_that_is_no_number_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = namespace(options(monkeypatch, "--data", "/secret/x", "--log", "/secret/y"), implementation="benchledger")

    assert "implementation='benchledger'" in shown
    assert "secret" not in shown
    assert known(1.5, 1) == 1.5
    with pytest.raises(SystemExit, match="found NaN in the loss of iteration 3"):
        known(math.nan, 3)
