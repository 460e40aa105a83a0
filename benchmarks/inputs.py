"""Makes the logs that the benchmark reads: small ones of seven programs, large ones sparse and dense, and archives.

Deterministic, and every file different. Nothing in them was measured. Sparse logs are those of NGC PyTorch BERT with
gradient accumulation, so mostly progress bars; every line of a dense one is a step.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from typing import BinaryIO

from benchmarks.mixed_logs import PROGRAMS
from data.print_layouts import progress_bar

VERSION = 2  # raise it when the text changes, so that kept inputs are made anew
MARK = "made by benchmarks/inputs.py, not measured"
START = datetime(2026, 1, 1, tzinfo=UTC)
# README 000 accumulates over 264 to 2,112 batches a step, each of which draws a bar; a small file has room for few.
BARS_PER_STEP = {"small": 40, "sparse": 264, "dense": 0}
BAR_BYTES = {"small": 72, "sparse": 80, "dense": 0}
BATCHES_PER_EPOCH = 4_000_000  # more than any file has bars
CASES = [
    (precision, batch_size, gpus)
    for gpus in (1, 8)
    for precision, batch_size in (("fp32", 32), ("fp32", 48), ("fp16", 64), ("fp16", 96))
]
LOGS_PER_CAMPAIGN = 96  # twelve trials of eight cases
LONGER = 8  # times as long is the file beside which the peak memory of a short one is measured
ARCHIVES = ("logs.tar.gz", "logs.tar.zst")


@dataclass(frozen=True)
class Sizes:
    """So many small files of so many KB; so many large ones of so many MB, half of them dense, and archives of them.

    Also one dense and one sparse file of `peak_mb`, and of eight times as much.
    """

    small_files: int = 20_000
    small_kb: int = 16
    large_files: int = 8
    large_mb: int = 250
    peak_mb: int = 60
    archives: bool = True


def make_inputs(folder: Path, sizes: Sizes) -> None:
    """Fills `folder` with small/, sparse/, dense/, long/ and packed/, unless it already holds just these."""
    stamp = folder / "made-with.json"
    wanted = json.dumps({"version": VERSION, **asdict(sizes)})
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(sizes.small_files):
        write_small(folder / "small", sizes.small_kb * 1000, number)
    with ProcessPoolExecutor() as pool:
        list(pool.map(write_log, *zip(*_long_logs(folder, sizes), strict=True)))
    if sizes.large_files and sizes.archives:
        pack(folder, folder / "packed")
    folder.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)


def _long_logs(folder: Path, sizes: Sizes) -> Iterator[tuple[Path, int, int, str]]:
    # The arguments of write_log, the longest first.
    for times in (LONGER, 1) if sizes.peak_mb else ():
        for kind in ("dense", "sparse"):
            path = folder / "long" / f"{kind}-{times * sizes.peak_mb}.log"
            yield path, times * sizes.peak_mb * 1_000_000, sizes.small_files + sizes.large_files + times, kind
    for number in range(sizes.large_files):
        kind = "sparse" if number % 2 else "dense"
        yield folder / kind / place(number), sizes.large_mb * 1_000_000, sizes.small_files + number, kind


def pack(folder: Path, target: Path) -> None:
    """The large logs, dense and sparse, as .tar.gz and as .tar.zst."""
    from backports import zstd
    from isal import igzip

    target.mkdir(parents=True)
    for name, opened in zip(ARCHIVES, (igzip.IGzipFile, zstd.ZstdFile), strict=True):
        with opened(target / name, "wb") as packed:
            _pack(folder, packed)


def _pack(folder: Path, packed: BinaryIO) -> None:
    with tarfile.open(fileobj=packed, mode="w|") as tar:
        for path in sorted([*(folder / "dense").rglob("*.log"), *(folder / "sparse").rglob("*.log")]):
            tar.add(path, path.relative_to(folder).as_posix(), filter=_dated)


def _dated(member: tarfile.TarInfo) -> tarfile.TarInfo:
    # Whoever makes it whenever, the same bytes.
    member.mtime, member.uid, member.gid, member.uname, member.gname = int(START.timestamp()), 0, 0, "", ""
    return member


def place(number: int) -> str:
    """Campaign, trial and a name that tells the case, as README 000 has them."""
    precision, batch_size, gpus = CASES[number % LOGS_PER_CAMPAIGN % len(CASES)]
    stem = f"bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_{precision}_bs{batch_size}_gpu{gpus}"
    return f"{trial(number)}/{stem}.log"


def trial(number: int) -> str:
    campaign, within = divmod(number, LOGS_PER_CAMPAIGN)
    return f"campaign{campaign:04d}/run{within // len(CASES) + 1}"


def write_small(folder: Path, size: int, seed: int) -> None:
    """A quarter of the small logs is NGC's BERT, the others are of six programs in turn."""
    number = seed % len(CASES)
    if number >= len(PROGRAMS):
        write_log(folder / place(seed), size, seed, "small")
        return
    program = PROGRAMS[number]
    path = folder / trial(seed) / f"{program.stem(seed)}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(program.log(size, seed), encoding="utf-8")


def write_log(path: Path, size: int, seed: int, kind: str) -> None:
    """One log of about `size` bytes: as many steps as fit, the last with the bars that are left, and a summary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    bars_per_step = BARS_PER_STEP[kind]
    step_bytes = bars_per_step * BAR_BYTES[kind] + len(step_text(seed, 1_000_000, bars_per_step))
    steps = max(2, (size - 3000) // step_bytes)
    with path.open("wb") as out:
        out.write(head_text(seed, bars_per_step, steps).encode())
        bars = all_bars(seed)
        for step in range(1, steps):
            out.write("".join(islice(bars, bars_per_step)).encode())
            out.write(step_text(seed, step, bars_per_step).encode())
        if bars_per_step:
            left = max(1, (size - out.tell() - 500) // BAR_BYTES[kind])
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


def step_s(seed: int, accumulation: int) -> float:
    """Seconds of a step, which takes one batch at least."""
    return max(1, accumulation) / pace(seed)


def step_time(seed: int, step: int, bars_per_step: int) -> str:
    at = START + timedelta(seconds=seed + step * step_s(seed, bars_per_step), microseconds=seed * 31 % 1000)
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
        f"gradient_accumulation_steps={max(1, accumulation)}, input_dir='/made/hdf5', learning_rate=0.006, "
        f"local_rank=0, log_freq=1.0, max_predictions_per_seq=20, max_seq_length=128, max_steps={float(steps)}, "
        f"n_gpu=1, phase2=False, seed={seed}, steps_this_run={float(steps)}, train_batch_size={batch_size}, "
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
    seconds = steps * step_s(seed, bars_per_step)
    speed = batch_size * gpus * max(1, bars_per_step) * steps / seconds
    return (
        f"DLL {at} - Training Epoch: 0 Training Iteration: {steps}  final_loss : 10.0345430374145 \n"
        f"DLL {at} - PARAMETER checkpoint_step : {steps} \n"
        f"DLL {at} -  e2e_train_time : {seconds + 9.5}  training_sequences_per_second : {speed}  "
        f"final_loss : 10.0345430374145  raw_train_time : {seconds} \n\nfinished pretraining\n"
    )
