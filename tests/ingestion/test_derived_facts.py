"""GPUs and batch sizes follow from one another only where it is known over how many GPUs one model is split."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask

HEAD = "[rank0]:[titan] 2025-11-25 19:44:58,"
MESH = f"{HEAD}100 - root - INFO - Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=2, ep=1\n"
TRAINER = (
    f"{HEAD}400 - root - INFO - Trainer is initialized with local batch size 1, global batch size 8, "
    "gradient accumulation steps 1, sequence length 8192, total steps 20 (warmup 2)\n"
)
STEPS = "".join(
    f"{HEAD}5{step:02d} - root - INFO - step: {step:2d}  loss:  6.1384  memory: 49.66GiB(52.28%)  tps: 5,856  "
    "tflops: 339.16  mfu: 34.29%\n"
    for step in range(1, 21)
)


def facts_of(tmp_path: Path, text: str, declared: str = "") -> dict[str, tuple[str, str]]:
    """The values that count, with their sources."""
    (tmp_path / "train.log").write_text(text)
    (tmp_path / "facts.toml").write_text(declared)
    db = tmp_path / "bench.duckdb"
    ingest(tmp_path, db=db)
    return {name: (value, source) for name, value, source in ask(db, "select name, value, source from fact where used")}


def test_no_gpus_follow_where_the_log_is_cut_before_it_says_how_the_model_is_split(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, TRAINER + STEPS)

    assert facts["global_batch_size"] == ("8", "log")
    assert "gpus" not in facts


def test_a_mesh_that_is_stated_gives_the_gpus_and_how_the_model_is_split(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, MESH + TRAINER + STEPS)

    assert (facts["gpus"], facts["model_parallel"]) == (("16", "log"), ("2", "log"))


@pytest.mark.parametrize(
    ("declared", "name", "value"),
    [
        ("[run]\nmodel_parallel = 1\n", "gpus", "8"),
        ("[run]\nmodel_parallel = 2\n", "gpus", "16"),
        ("[run]\nmodel_parallel = 2\n[options]\ntensor_parallel = 2\n", "gpus", "16"),
        ("[run]\nmodel_parallel = 1\n[options]\ntensor_parallel = 2\n", "gpus", None),
        (f"[run]\nmodel_parallel = {2**61}\n", "gpus", None),
    ],
)
def test_a_person_may_say_how_the_model_is_split(tmp_path: Path, declared: str, name: str, value: str | None) -> None:
    assert facts_of(tmp_path, TRAINER + STEPS, declared).get(name) == (value and (value, "derived"))


@pytest.mark.parametrize(
    ("declared", "name", "value"),
    [
        ("gpus = 16\nbatch_size_per_gpu = 3\n", "global_batch_size", "24"),
        ("gpus = 16\nglobal_batch_size = 24\n", "batch_size_per_gpu", "3"),
        ("gpus = 16\nglobal_batch_size = 25\n", "batch_size_per_gpu", None),
        (f"gpus = {2**61}\nbatch_size_per_gpu = {2**61}\n", "global_batch_size", None),
        ("gpus = 16\n", "global_batch_size", None),
    ],
)
def test_gpus_that_share_a_model_share_a_batch(tmp_path: Path, declared: str, name: str, value: str | None) -> None:
    facts = facts_of(tmp_path, STEPS, f"[case]\ngradient_accumulation = 1\n{declared}[run]\nmodel_parallel = 2\n")

    assert facts.get(name) == (value and (value, "derived"))
