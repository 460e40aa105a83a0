"""Makes the logs that the benchmark reads: NGC PyTorch BERT with gradient accumulation, so mostly progress bars.

Deterministic, and every file different. Nothing in them was measured.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path

from data.print_layouts import progress_bar

VERSION = 1  # raise it when the text changes, so that kept inputs are made anew
MARK = "made by benchmarks/inputs.py, not measured"
START = datetime(2026, 1, 1, tzinfo=UTC)
# README 000 accumulates over 264 to 2,112 batches a step, each of which draws a bar; a small file has room for few.
BARS_PER_STEP = {"small": 40, "large": 264}
BAR_BYTES = 72
BATCHES_PER_EPOCH = 4_000_000  # more than any file has bars
CASES = [
    (precision, batch_size, gpus)
    for gpus in (1, 8)
    for precision, batch_size in (("fp32", 32), ("fp32", 48), ("fp16", 64), ("fp16", 96))
]
LOGS_PER_CAMPAIGN = 96  # twelve trials of eight cases


@dataclass(frozen=True)
class Sizes:
    """What is made: so many small files of so many KB, and so many large ones of so many MB."""

    small_files: int = 20_000
    small_kb: int = 16
    large_files: int = 4
    large_mb: int = 250


def make_inputs(folder: Path, sizes: Sizes) -> None:
    """Fills `folder` with small/ and large/, unless it already holds just these."""
    stamp = folder / "made-with.json"
    wanted = json.dumps({"version": VERSION, **asdict(sizes)})
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(sizes.small_files):
        write_log(folder / "small" / place(number), sizes.small_kb * 1000, number, "small")
    for number in range(sizes.large_files):
        write_log(folder / "large" / place(number), sizes.large_mb * 1_000_000, sizes.small_files + number, "large")
    stamp.write_text(wanted)


def place(number: int) -> str:
    """Campaign, trial and a name that tells the case, as README 000 has them."""
    campaign, within = divmod(number, LOGS_PER_CAMPAIGN)
    trial, case = divmod(within, len(CASES))
    precision, batch_size, gpus = CASES[case]
    stem = f"bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_{precision}_bs{batch_size}_gpu{gpus}"
    return f"campaign{campaign:04d}/run{trial + 1}/{stem}.log"


def write_log(path: Path, size: int, seed: int, kind: str) -> None:
    """One log of about `size` bytes: as many steps as fit, the last with the bars that are left, and a summary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    bars_per_step = BARS_PER_STEP[kind]
    steps = max(2, (size - 3000) // (bars_per_step * BAR_BYTES + 250))
    with path.open("wb") as out:
        out.write(head_text(seed, bars_per_step, steps).encode())
        bars = all_bars(seed)
        for step in range(1, steps):
            out.write("".join(islice(bars, bars_per_step)).encode())
            out.write(step_text(seed, step, bars_per_step).encode())
        left = max(1, (size - out.tell() - 500) // BAR_BYTES)
        out.write("".join(islice(bars, left)).encode())
        out.write(closing_text(seed, steps, bars_per_step).encode())


def all_bars(seed: int) -> Iterator[str]:
    """The states of one progress bar, endlessly."""
    for done in count(1):
        rate = pace(seed) + (done * 7919 + seed) % 37 / 100
        yield progress_bar(done, BATCHES_PER_EPOCH, done / rate)


def pace(seed: int) -> float:
    """Batches per second."""
    return 3.0 + seed % 89 / 100


def step_time(seed: int, step: int, bars_per_step: int) -> str:
    at = START + timedelta(seconds=seed + step * bars_per_step / pace(seed), microseconds=seed * 31 % 1000)
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")


def step_text(seed: int, step: int, bars_per_step: int) -> str:
    loss = 11.2 - (step + seed % 7) % 1000 / 997
    return (
        f"DLL {step_time(seed, step, bars_per_step)} - Training Epoch: 0 Training Iteration: {step}  "
        f"average_loss : {loss}  step_loss : {loss + 0.0625}  learning_rate : {0.006 * (step % 2000) / 2000} \n"
    )


def head_text(seed: int, accumulation: int, steps: int) -> str:
    """What run_pretraining.py prints before its first step."""
    precision, batch_size, gpus = CASES[seed % LOGS_PER_CAMPAIGN % len(CASES)]
    half = precision == "fp16"
    at = step_time(seed, 0, accumulation)
    devices = "".join(
        f"device: cuda:{gpu} n_gpu: 1, distributed training: True, 16-bits training: {half}\n" for gpu in range(gpus)
    )
    settings = (
        f"Namespace(bert_model='bert-base-uncased', config_file='bert_config_base.json', do_train=True, fp16={half}, "
        f"gradient_accumulation_steps={accumulation}, input_dir='/made/hdf5', learning_rate=0.006, local_rank=0, "
        f"log_freq=1.0, max_predictions_per_seq=20, max_seq_length=128, max_steps={float(steps)}, n_gpu=1, "
        f"phase2=False, seed={seed}, steps_this_run={float(steps)}, train_batch_size={batch_size}, "
        f"warmup_proportion=0.2843)"
    )
    return (
        f"{MARK}\n{devices}"
        f'DLL {at} - PARAMETER Config : ["{settings}"] \n'
        f"DLL {at} - PARAMETER SEED : {seed} \n"
        f"DLL {at} - PARAMETER train_start : True \n"
        f"DLL {at} - PARAMETER batch_size_per_gpu : {batch_size} \n"
        f"DLL {at} - PARAMETER learning_rate : 0.006 \n"
        f"\n{progress_bar(0, BATCHES_PER_EPOCH, 0.0)}"
    )


def closing_text(seed: int, steps: int, bars_per_step: int) -> str:
    """The last step and the summary."""
    _, batch_size, gpus = CASES[seed % LOGS_PER_CAMPAIGN % len(CASES)]
    at = step_time(seed, steps, bars_per_step)
    seconds = steps * bars_per_step / pace(seed)
    speed = batch_size * gpus * bars_per_step * steps / seconds
    return (
        f"DLL {at} - Training Epoch: 0 Training Iteration: {steps}  final_loss : 10.0345430374145 \n"
        f"DLL {at} - PARAMETER checkpoint_step : {steps} \n"
        f"DLL {at} -  e2e_train_time : {seconds + 9.5}  training_sequences_per_second : {speed}  "
        f"final_loss : 10.0345430374145  raw_train_time : {seconds} \n\nfinished pretraining\n"
    )
