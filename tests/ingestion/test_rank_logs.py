"""Logs of the ranks of one job are one run, whose numbers are those of the lowest rank with steps. Trials stay apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchledger import forget, ingest
from tests.ingestion.logs import ask, put, run_text, stable_tables
from tests.ingestion.test_output_folders import detectron2, shifted

TITAN = """\
[titan] 2025-11-25 {hour}:44:58,100 - root - INFO - Building device mesh with parallelism: pp=1, dp_replicate=1, \
dp_shard={gpus}, cp=1, tp=1, ep=1
[titan] 2025-11-25 {hour}:44:58,400 - root - INFO - Trainer is initialized with local batch size 1, global batch size 8, \
gradient accumulation steps 1, sequence length 8192, total steps 30 (warmup 2)
"""
STEP = (
    "[titan] 2025-11-25 {hour}:45:{step:02d},{rank}00 - root - INFO - step: {step:2d}  loss:  {loss:.4f}  "
    "grad_norm:  4.4551  memory: 47.50GiB(60.00%)  tps: 6,26{rank}  tflops: 295.72  mfu: 29.90%\n"
)


def titan(rank: int, *, hour: int = 10, gpus: int = 4, loss: float = 8.0) -> str:
    steps = (STEP.format(hour=hour, step=step, rank=rank, loss=loss - step / 100) for step in range(1, 31))
    return TITAN.format(hour=hour, gpus=gpus) + "".join(steps)


def paddle(rank: int, loss: float = 11.0) -> str:
    settings = "batch_size=64, device='gpu', gradient_merge_steps=1, max_predictions_per_seq=20, max_steps=400"
    return f"Namespace({settings}, model_type='bert', use_amp=1)\n" + "".join(
        f"global step {step}0, epoch: 0, batch: {step}0, loss: {loss - step / 50 + rank / 10:.6f}, avg_reader_cost: 0.00009 sec, "
        f"avg_batch_cost: 0.21273 sec, avg_samples: 64.00000, ips: 300.{rank}{step} sequences/sec\n"
        for step in range(1, 41)
    )


def ngc(number: int, rank: int, hours: float = 0.0) -> str:
    return run_text(seed=10 * number + rank, at=1e6 * number + 3600 * hours, gpus=4).log


def ranks(name: str, text: Callable[[int], str], numbers: tuple[int, ...] = (0, 1, 2, 3)) -> dict[str, str]:
    return {name.format(number): text(number) for number in numbers}


# Without times.
HF = "{{'loss': {:.4f}, 'grad_norm': 1.25, 'learning_rate': 2e-05, 'epoch': 0.1}}\n"
HEAD = "[09/01 12:00:00 detectron2]: Rank of current process: 1. World size: 8\n  IMS_PER_BATCH: 16\n"
OVERALL = "[09/01 13:00:00 d2.engine.hooks]: Overall training speed: 39 iterations in 0:00:14 (0.3609 s / it)\n"
# Files, and how many runs they are.
CASES: dict[str, tuple[dict[str, str], int]] = {
    "torchrun": (ranks("attempt_0/{}/stdout.log", titan), 1),
    "restarted": (
        ranks("attempt_0/{}/stderr.log", lambda rank: titan(rank, hour=12))
        | ranks("attempt_1/{}/stderr.log", lambda rank: titan(rank, hour=13)),
        2,
    ),
    "paddle": (ranks("log/workerlog.{}", paddle), 1),
    "detectron2": ({"log.txt": detectron2(shifted(40))[0], "log.txt.rank1": HEAD}, 1),
    # A run on one GPU, and then one on eight.
    "appended": (
        {"log.txt": HEAD.replace("8", "1") + detectron2(shifted(60))[0] + HEAD + detectron2(shifted(80))[0], "log.txt.rank1": (HEAD + OVERALL) * 2},
        3,
    ),
    "folders": (ranks("rank_{}/train.log", lambda rank: ngc(1, rank)), 1),
    "names": (ranks("bert_rank{}.out", lambda rank: ngc(2, rank)), 1),
    "nemo": (ranks("nemo_log_globalrank-{0}_localrank-{0}.txt", lambda rank: ngc(3, rank)), 1),
    "settings of rank 0": ({"rank0.log": TITAN.format(hour=15, gpus=4), "rank1.log": titan(1, hour=15).removeprefix(TITAN.format(hour=15, gpus=4))}, 1),
    "with a copy": (ranks("rank_{}/train.log", lambda rank: ngc(10, rank)) | {"rank_2/old.log": ngc(10, 2)[:9000], "0.log": ngc(10, 0)[:9000]}, 1),
    "without times": (ranks("rank_{}.log", lambda rank: paddle(rank, 14)), 1),
    # Trials.
    "of other lengths": (ranks("rank_{}.log", lambda rank: "".join(HF.format(1 + (rank + 9 * step) / 100) for step in range(20 + 10 * rank)), (0, 1, 2)), 3),
    "of other batch sizes": (ranks("rank_{}.log", lambda rank: paddle(rank, 12).replace("=64", f"={8 << rank}")), 4),
    "of other settings": (ranks("rank_{}.log", lambda rank: paddle(rank, 13).replace("=20", f"={20 << rank}")), 4),
    "of other batch sizes, at one time": (ranks("rank_{}.log", lambda rank: run_text(seed=rank, at=2e7, gpus=4, batch=8 << rank).log), 4),
    "of LoRA": (ranks("rank_{}.log", lambda rank: ngc(4, rank), (4, 8, 16)), 3),
    "of adapters": (ranks("lora_rank_{}/train.log", lambda rank: HF.format(3 - rank / 9), (0, 4, 8)), 3),
    "with gaps, without times": (ranks("rank_{}.log", lambda rank: HF.format(2 - rank / 9), (0, 4, 8)), 3),
    "with gaps": (ranks("rank_{}.log", lambda rank: ngc(9, rank), (0, 2)), 1),
    "one after another": (ranks("rank_{}.log", lambda rank: ngc(5, rank, hours=rank)), 4),
    "on one GPU each": (ranks("rank_{}.log", lambda rank: titan(rank, hour=16, gpus=1)), 4),
    "in folders": (ranks("run{}/train.log", lambda rank: ngc(6, rank)), 4),
    "by name": (ranks("trial_{}.log", lambda rank: ngc(7, rank)), 4),
    "by GPU": (ranks("gpu{}/train.log", lambda rank: ngc(8, rank)), 4),
}  # fmt: skip
RUNS = """
select split_part(path, '/', 1), count(distinct run_id) from run_log join sighting using (sighting_id) group by all
"""


def test_the_logs_of_the_ranks_of_a_job_are_one_run_and_trials_stay_apart(db: Path, db2: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    late = {}
    for name, (files, _) in CASES.items():
        for number, (path, text) in enumerate(files.items()):
            put(logs / name / path, text)
            if number % 2 == 0:
                late[logs / name / path] = text
    ingest(logs, db=db)
    for path in late:
        path.unlink()
    ingest(logs, db=db2)
    for path, text in late.items():
        put(path, text)
    ingest(logs, db=db2)

    assert dict(ask(db, RUNS)) == {name: runs for name, (_, runs) in CASES.items()}
    assert stable_tables(db2) == stable_tables(db)
    # 4 GPUs at the 6,260 tokens/s of rank 0: neither a mean nor a sum over ranks.
    speed = "select value, trials from speed_table where is_default and campaign like '%/torchrun%'"
    assert ask(db, speed) == [(25040.0, 1)]
    # One rank printed the settings, another the steps.
    assert ask(
        db,
        "select value, path from fact join run_log using (run_id)"
        " join sighting on sighting.sighting_id = run_log.sighting_id"
        " where name = 'gpus' and used and path like 'settings%' and role = 'train'",
    ) == [("4", "settings of rank 0/rank1.log")]

    forget("paddle/log/workerlog.0", db=db)
    # Rank 0 is not there: nothing tells that these are ranks of one job.
    assert dict(ask(db, RUNS))["paddle"] == 3
