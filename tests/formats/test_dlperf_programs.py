"""Logs in DLPerf's folders, of programs that print neither batch nor GPUs: its rules read what the formats make of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask, put

# 130 steps, of which the first ones are slow; each of eight processes prints.
SECONDS = [8.0, 2.0, 1.0, *(0.5 for _ in range(150))]
IMAGENET = "".join(
    f"Epoch: [0][{step:4}/5005]\tTime {SECONDS[step]:6.3f} ( 0.912)\tData  0.001 ( 0.310)\tLoss 6.9125e+00 (7.0125e+00)\t"
    "Acc@1   0.39 (  0.20)\tAcc@5   1.56 (  0.78)\n"
    for step in range(140)
    for process in range(8)
)
CLOCKS = [datetime(2020, 8, 17, 21) + timedelta(seconds=sum(SECONDS[: step + 1])) for step in range(141)]
BERT = "".join(
    f"I1124 {CLOCKS[step]:%H:%M:%S.%f} 140 model_training_utils.py:436] Train Step: {step}/140  / loss = 9.125  masked_lm_accuracy = 0.015625\n"
    for step in range(1, 141)
)
PADDLE = "".join(
    f"{CLOCKS[step].isoformat(' ', 'milliseconds').replace('.', ',')}-INFO: [Pass 0, train batch {step}] \tloss 7.08125, "
    f"acc1 0.00125, acc5 0.00625, lr 0.10000, elapse {SECONDS[step]:.4f} sec\n"
    for step in range(140)
)
MINDSPORE = (
    "epoch time: 4000.000 ms, per step time: 4000.000 ms\n" + "epoch time: 500.000 ms, per step time: 500.000 ms\n" * 9
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dlperf")
    put(folder / "logs/pytorch/resnet50/1n8g/rn50_b128_fp32_1.log", IMAGENET)
    put(folder / "logs/tensorflow/bert/bz64/1n8g/bert_b64_fp32_1.log", BERT)
    put(folder / "logs/paddle/resnet50/1n8g/rn50_b128_fp32_1.log", PADDLE)
    put(folder / "runs/1n8g/rn50_b32_fp32_1.log", MINDSPORE)
    ingest(folder, db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


@pytest.mark.parametrize(
    ("log_format", "rule", "is_default", "speed"),
    [
        ("pytorch-imagenet", "dlperf.pt_rn50", False, 8 * 128 / 0.5),
        ("pytorch-imagenet", "steps.median_skip20", True, 8 * 128 / 0.5),
        ("tf2-bert", "dlperf.tf2_bert", False, 8 * 64 / 0.5),
        ("paddle-models", "dlperf.paddle_rn50", False, 8 * 128 / 0.5),
        ("paddle-models", "dlperf.paddle_rn50_time", False, 8 * 128 / 0.5),
        ("paddle-models", "steps.mean_skip1", True, 8 * 128 * (1 / 2 + 1 / 1 + 137 / 0.5) / 139),
        ("mindspore-monitor", "mindspore.epochs", True, 8 * 32 / 0.5),
    ],
)
def test_what_the_path_tells_makes_a_speed_of_printed_times(
    ledger: Path, log_format: str, rule: str, is_default: bool, speed: float
) -> None:
    found = ask(
        ledger,
        "select value, unit, is_default from run_speed join kept.run_format using (run_id) where format = ? and rule = ?",
        log_format,
        rule,
    )

    assert found == [(pytest.approx(speed), "samples/s", is_default)]
