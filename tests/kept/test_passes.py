"""The batch that a step stands for: that of one pass where the program calls each pass a step, or a scaled one."""

from __future__ import annotations

import pytest

from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put

ENGINE = """\
2025/03/01 10:00:00 - mmengine - INFO -
System environment:
    GPU 0,1: NVIDIA A100-SXM4-80GB
Runtime environment:
    GPU number: 2
2025/03/01 10:00:01 - mmengine - INFO - Config:
optim_wrapper = dict({counts}optimizer=dict(lr=0.0002, type='AdamW'), type='AmpOptimWrapper')
train_dataloader = dict(
    batch_size=4,
    num_workers=4)
"""
ENGINE_STEP = (
    "2025/03/01 10:01:{:02d} - mmengine - INFO - Iter(train) [{:4d}/2000]  lr: 2.0000e-04  eta: 0:16:00"
    "  time: 0.5000  data_time: 0.0100  memory: 12345  loss: 2.{:04d}\n"
)
MAE = "Namespace(accum_iter=4, batch_size=4, epochs=1, model='mae_vit_large_patch16', world_size=2)\n"
MAE_STEP = "Epoch: [0]  [{:4d}/401]  eta: 0:03:20  lr: 0.000001  loss: 1.{:04d} (1.0)  time: 0.5000  data: 0.0002\n"
SCALED = """\
[11/20 10:00:00 detectron2]: Rank of current process: 0. World size: 1
  IMS_PER_BATCH: 16
  MAX_ITER: 1000
[11/20 10:00:02 d2.engine.defaults]: Auto-scaling the config to batch_size=2, learning_rate=0.0025, max_iter=8000, warmup=8000.
[11/20 10:00:12 d2.utils.events]:  eta: 1:05:12  iter: 19  total_loss: 1.025  loss_cls: 0.512  time: 0.1  data_time: 0.0072  lr: 0.02  max_mem: 3402M
[11/20 10:13:25 d2.engine.hooks]: Overall training speed: 7998 iterations in 0:13:19 (0.1000 s / it)
[11/20 10:13:25 d2.engine.hooks]: Total training time: 0:13:20 (0:00:01 on hooks)
"""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("passes")
    for name, counts in (("whole", ""), ("four", "accumulative_counts=4, ")):
        steps = "".join(ENGINE_STEP.format(step, 50 * step, 9000 - step) for step in range(1, 31))
        put(folder / f"logs/{name}/train.log", ENGINE.format(counts=counts) + steps)
    put(folder / "logs/mae/train.log", MAE + "".join(MAE_STEP.format(20 * n, 9000 - n) for n in range(21)))
    put(folder / "logs/scaled/train.log", SCALED)
    put(folder / "logs/mae/facts.toml", "[case]\nglobal_batch_size = 32\n")
    assert run_bench("ingest", folder / "logs", db=folder / "bench.duckdb").exit_code == 0
    return folder / "bench.duckdb"


@pytest.mark.parametrize("folder", ["whole", "four", "mae"])
def test_the_speed_is_that_of_the_batches_of_a_pass(ledger, folder: str) -> None:
    question = (
        "select value, unit from run_speed where phase = 'train' and rule = 'steps.mean_skip1'"
        " and run_id in (select run_id from run_log join sighting using (log_id) where path = ?)"
    )

    assert ask(ledger, question, f"{folder}/train.log") == [(16.0, "samples/s")]


@pytest.mark.parametrize("folder", ["whole", "four"])
def test_the_samples_of_a_loss_are_those_of_its_passes(ledger, folder: str) -> None:
    of_run = "run_id in (select run_id from run_log join sighting using (log_id) where path = ?)"
    path = f"{folder}/train.log"

    # 8 samples a pass.
    assert ask(ledger, f"select last_step, samples from run_convergence where {of_run}", path) == [(1500, 12000)]
    assert ask(ledger, f"select samples from kept.loss_curve where step = 50 and {of_run}", path) == [(400,)]
    reached = "select target_step, target_samples from run_convergence_of('', 'loss', 2.9)"
    assert ask(ledger, f"{reached} where {of_run}", path) == [(350, 2800)]


def test_a_batch_that_the_program_scaled_counts_instead_of_its_configuration(ledger) -> None:
    assert ask(ledger, "select value from run_speed where phase = 'train' and rule = 'detectron2.overall'") == [(20.0,)]


def test_one_pass_per_step_is_assumed_and_contradicts_no_setting(ledger) -> None:
    assert ask(ledger, "select count(*) from conflict where name = 'gradient_accumulation'") == [(0,)]
    assert ask(ledger, "select gradient_accumulation from run join bench_case using (case_id) order by 1") == [
        (1,), (1,), (4,), (4,)
    ]  # fmt: skip


def test_explain_divides_by_the_accumulation(ledger) -> None:
    text = run_bench("explain", "--campaign", "logs/four", "--format", "json", db=ledger).output
    assert "times global_batch_size 32, over gradient_accumulation 4 (each step is one pass)" in text
