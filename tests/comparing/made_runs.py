"""Makes a run of our PyTorch program with its telemetry and manifest: invented numbers, and one cause changed."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

STEPS = 120


@dataclass(frozen=True)
class MadeRun:
    """What is known of a run, and how fast it is: `stalls` is the share of steps that take four times as long."""

    name: str
    batch_size: int = 96
    precision: str = "bf16"
    seq_len: int = 128
    driver: str = "550.54.15"
    framework: str = "2.4.0+cu124"
    data_workers: int = 4
    compiled: bool = True
    commit: str = "a1b2c3d"
    seed: int = 42
    step_ms: float = 31.0
    stalls: float = 0.0
    clock: int = 1980
    power: int = 640
    temperature: int = 52
    utilization: int = 99
    memory: int = 9000
    other_memory: int = 0
    host_cpu: int = 12


def write_run(folder: Path, run: MadeRun) -> None:
    """Writes log, telemetry and manifest of a run into a folder of its own."""
    home = folder / run.name
    home.mkdir(parents=True)
    drawn = random.Random(run.name)
    began = datetime(2026, 11, 20, 12, 0, 0)
    (home / "train.log").write_text(_log(run, began, drawn))
    (home / "gpus.csv").write_text(_gpus(run, began, drawn))
    (home / "host.csv").write_text(_host(run, began, drawn))
    (home / "run.json").write_text(json.dumps(_manifest(run, began), indent=2))


def _log(run: MadeRun, began: datetime, drawn: random.Random) -> str:
    now = began + timedelta(seconds=4)
    parameters = [
        "implementation : benchledger  program : bert.py  framework : pytorch ",
        "processes : 1  nodes : 1 ",
        (
            f"task : pretraining  model : bert_base  batch_size : {run.batch_size}  precision : {run.precision}  "
            f"max_iterations : {STEPS}  seq_len : {run.seq_len}  optimizer : adamw  seed : {run.seed}  "
            f"compile : {run.compiled}  data_workers : {run.data_workers} "
        ),
        f"framework_version : {run.framework}  device : cuda  gpu_model : NVIDIA H200  gpus : 1 ",
        "train_start : True  startup_s : 4.0 ",
    ]
    lines = [f"DLL {now:%Y-%m-%d %H:%M:%S.%f} - PARAMETER {one}" for one in parameters]
    for step in range(1, STEPS + 1):
        took = run.step_ms * drawn.uniform(0.99, 1.01) * (4 if drawn.random() < run.stalls else 1)
        now += timedelta(milliseconds=took)
        lines.append(
            f"DLL {now:%Y-%m-%d %H:%M:%S.%f} - Epoch: 0 Iteration: {step}  step_loss : {10 - step / 100}  "
            f"step_ms : {took:.4f}  samples_per_s : {run.batch_size / took * 1000:.2f} "
        )
    lines.append(f"DLL {now:%Y-%m-%d %H:%M:%S.%f} -  train_s : 4.0  final_loss : 8.8 ")
    return "\n".join(lines) + "\n"


def _gpus(run: MadeRun, began: datetime, drawn: random.Random) -> str:
    lines = [
        (
            "timestamp, index, name, driver_version, memory.total [MiB], memory.used [MiB], used_gpu_memory [MiB], "
            "utilization.gpu [%], utilization.memory [%], power.draw [W], temperature.gpu, clocks.current.sm [MHz]"
        )
    ]
    for sample in range(80):
        at = began + timedelta(seconds=2, milliseconds=100 * sample)
        used = run.memory + 10 + run.other_memory
        power, warm = run.power + drawn.uniform(-4, 4), run.temperature + drawn.choice((0, 1))
        lines.append(
            f"{at:%Y/%m/%d %H:%M:%S.%f}"[:-3] + f", 0, NVIDIA H200, {run.driver}, 143771 MiB, {used} MiB, "
            f"{run.memory} MiB, {run.utilization} %, 40 %, {power:.2f} W, {warm}, {run.clock} MHz"
        )
    return "\n".join(lines) + "\n"


def _host(run: MadeRun, began: datetime, drawn: random.Random) -> str:
    lines = [
        (
            "timestamp, host.cpu [%], host.memory.used [MiB], host.memory.total [MiB], runner.cpu [%], "
            "runner.memory [MiB], runner.processes"
        )
    ]
    for sample in range(16):
        at = f"{began + timedelta(seconds=2, milliseconds=500 * sample):%Y/%m/%d %H:%M:%S.%f}"[:-3]
        cpu = run.host_cpu + drawn.uniform(-1, 1)
        lines.append(f"{at}, {cpu:.1f} %, 2400 MiB, 128887 MiB, 100.0 %, 1900 MiB, 5")
    return "\n".join(lines) + "\n"


def _manifest(run: MadeRun, began: datetime) -> dict[str, object]:
    options = {"optimizer": "adamw", **({"compile": "true"} if run.compiled else {})}
    return {
        "benchledger_manifest": 1,
        "run": run.name,
        "campaign": "made",
        "implementation": "benchledger",
        "implementation_version": run.commit,
        "case": {
            "framework": "pytorch",
            "model": "bert_base",
            "task": "pretraining",
            "seq_len": run.seq_len,
            "precision": run.precision,
            "batch_size_per_gpu": run.batch_size,
            "gpus": 1,
            "nodes": 1,
            "options": options,
        },
        "environment": {
            "gpu_model": "NVIDIA H200",
            "driver_version": run.driver,
            "framework_version": run.framework,
            "cpu_count": 16,
        },
        "started_at": began.isoformat(),
        "ended_at": (began + timedelta(seconds=10)).isoformat(),
        "exit_code": 0,
        "files": ["gpus.csv", "host.csv", "train.log"],
    }
