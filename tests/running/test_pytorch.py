"""The real runner, a toy BERT on the CPU: what it prints is in the ledger, and its failures have their cures."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchledger
from tests.runners.conftest import python_with_torch
from tests.running.conftest import CASE, Bench

TINY = (
    CASE.replace('"toy.py"', '"pytorch/bert.py"')
    .replace('implementation = "toy"\n', 'data = "tiny"\n')
    .replace('"bert_base"', '"bert_tiny"')
    .replace("[settings]", "[settings]\nseq_len = 32\nmasked = 5")
)


@pytest.fixture
def tiny(bench: Bench) -> Bench:
    (bench.folder / "own" / "runners" / "cases" / "tiny.toml").write_text(TINY)
    bench.python = python_with_torch()
    data = bench.folder / "training" / "tiny"
    benchledger.data_make("hdf5", output=data, rows=64, files=2, seq_len=32, vocab_size=512)
    return bench


def test_a_toy_bert_trains_on_made_data_alone_and_as_two_processes(tiny: Bench) -> None:
    frame = tiny.run("tiny", sweep=["gpus=1,2"])

    assert frame["status"].to_list() == ["ok", "ok"], frame["why"].to_list()
    assert [status for _, status, _ in tiny.ledger()] == ["ok", "ok"]


def test_a_shard_that_is_none_is_told_with_the_cure(tiny: Bench) -> None:
    (tiny.folder / "training" / "tiny" / "part_0000.hdf5").write_text("no HDF5")
    frame = tiny.run("tiny")

    assert frame["status"].to_list() == ["data"]
    assert "bench data make" in frame["why"][0]
    ((_, status, reason),) = tiny.ledger()
    assert (status, "cannot be read" in reason) == ("failed", True)


def test_a_missing_gpu_is_told_with_the_cure(tiny: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    frame = tiny.run("tiny", sweep=["device=cuda"])

    assert frame["status"].to_list() == ["gpu"]
    assert "--sweep device=cpu" in frame["why"][0]
    assert [status for _, status, _ in tiny.ledger()] == ["failed"]


def test_a_run_over_its_time_is_timed_out_and_its_log_is_read(tiny: Bench) -> None:
    frame = tiny.run("tiny", sweep=["max_iterations=100000"], timeout_s=20.0)

    assert frame["status"].to_list() == ["timeout"]
    assert [status for _, status, _ in tiny.ledger()] == ["timeout"]
    assert Path(frame["folder"][0]).is_dir()
