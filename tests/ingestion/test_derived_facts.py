"""GPUs and batch sizes follow from one another only where it is known over how many GPUs one model is split."""

from __future__ import annotations

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask, put

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


# What a person says of a log, the fact that may follow from it, and its value.
SPLIT: list[tuple[str, str, str | None]] = [
    ("[run]\nmodel_parallel = 1\n", "gpus", "8"),
    ("[run]\nmodel_parallel = 2\n", "gpus", "16"),
    ("[run]\nmodel_parallel = 2\n[options]\ntensor_parallel = 2\n", "gpus", "16"),
    ("[run]\nmodel_parallel = 1\n[options]\ntensor_parallel = 2\n", "gpus", None),
    (f"[run]\nmodel_parallel = {2**61}\n", "gpus", None),
]
BATCHES: list[tuple[str, str, str | None]] = [
    ("gpus = 16\nbatch_size_per_gpu = 3\n", "global_batch_size", "24"),
    ("gpus = 16\nglobal_batch_size = 24\n", "batch_size_per_gpu", "3"),
    ("gpus = 16\nglobal_batch_size = 25\n", "batch_size_per_gpu", None),
    (f"gpus = {2**61}\nbatch_size_per_gpu = {2**61}\n", "global_batch_size", None),
    ("gpus = 16\n", "global_batch_size", None),
]
LOGS = {
    "cut": (TRAINER + STEPS, ""),
    "mesh": (MESH + TRAINER + STEPS, ""),
    **{f"split {number}": (TRAINER + STEPS, declared) for number, (declared, _, _) in enumerate(SPLIT)},
    **{
        f"batch {number}": (STEPS, f"[case]\ngradient_accumulation = 1\n{declared}[run]\nmodel_parallel = 2\n")
        for number, (declared, _, _) in enumerate(BATCHES)
    },
}
Facts = dict[str, dict[str, tuple[str, str]]]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """The values that count with their sources, by the folder in which a log of its own lies."""
    home = tmp_path_factory.mktemp("derived")
    for day, (name, (text, declared)) in enumerate(LOGS.items(), start=1):
        # Not the same run as another.
        put(home / "logs" / name / "train.log", text.replace("2025-11-25", f"2025-11-{day:02}"))
        put(home / "logs" / name / "facts.toml", declared)
    db = home / "bench.duckdb"
    ingest(home / "logs", db=db)
    found: Facts = {name: {} for name in LOGS}
    for folder, name, value, source in ask(
        db,
        """select folder_path, name, value, source from fact
           join (select run_id, folder_path from kept.run_source join sighting using (log_id)) using (run_id)
           where used""",
    ):
        found[folder.removeprefix("logs/")][name] = (value, source)
    return found


def test_no_gpus_follow_where_the_log_is_cut_before_it_says_how_the_model_is_split(facts: Facts) -> None:
    assert facts["cut"]["global_batch_size"] == ("8", "log")
    assert "gpus" not in facts["cut"]


def test_a_mesh_that_is_stated_gives_the_gpus_and_how_the_model_is_split(facts: Facts) -> None:
    assert (facts["mesh"]["gpus"], facts["mesh"]["model_parallel"]) == (("16", "log"), ("2", "log"))


@pytest.mark.parametrize("number", range(len(SPLIT)))
def test_a_person_may_say_how_the_model_is_split(facts: Facts, number: int) -> None:
    _, name, value = SPLIT[number]

    assert facts[f"split {number}"].get(name) == (value and (value, "derived"))


@pytest.mark.parametrize("number", range(len(BATCHES)))
def test_gpus_that_share_a_model_share_a_batch(facts: Facts, number: int) -> None:
    _, name, value = BATCHES[number]

    assert facts[f"batch {number}"].get(name) == (value and (value, "derived"))
