"""How NGC PyTorch BERT, its JSON log and nvidia-smi print a run: their fixed layouts, filled with invented numbers."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta

MARK = "made by data/make_logs.py, not measured"
MARK_COLUMN = "made_by_data_make_logs.py_not_measured"  # a CSV has no room for words before its header
STEPS = 120
SEQUENCE_LENGTH = 128
WARM_UP_STEPS = 34  # of the learning rate, as NGC's warmup_proportion 0.2843 makes them of 120
OVERFLOW_STEPS = 5  # with which NGC's dynamic loss scaler starts in fp16
GPU_NAME = "NVIDIA MADE-40GB"
GPU_MEMORY_MIB = 40960


@dataclass(frozen=True)
class Made:
    """One invented run: `speed` in samples/s over all GPUs, once warm; `ends` is ok, oom, killed or terminated."""

    folder: str
    stem: str
    precision: str
    batch_size: int
    gpus: int
    speed: float
    memory_mib: int
    ends: str = "ok"
    steps: int = STEPS
    twin: bool = False
    telemetry: bool = False

    @property
    def text_log(self) -> str:
        return f"{self.folder}/{self.stem}.log"


@dataclass(frozen=True)
class Event:
    """One DLLogger record, from which the text log and its JSON twin are both printed."""

    at: datetime
    step: str | list[int]
    data: dict[str, object]


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")


def settings(made: Made) -> str:
    """The argparse namespace that run_pretraining.py prints, without the arguments that tell nothing here."""
    values: dict[str, object] = {
        "input_dir": "/made/hdf5",
        "config_file": "bert_config_base.json",
        "bert_model": "bert-base-uncased",
        "output_dir": "/made/results",
        "init_checkpoint": None,
        "max_seq_length": SEQUENCE_LENGTH,
        "max_predictions_per_seq": 20,
        "train_batch_size": made.batch_size,
        "learning_rate": 0.006,
        "num_train_epochs": 3.0,
        "max_steps": float(STEPS),
        "warmup_proportion": 0.2843,
        "local_rank": -1 if made.gpus == 1 else 0,
        "seed": 12439,
        "gradient_accumulation_steps": 1,
        "fp16": made.precision == "fp16",
        "amp": False,
        "loss_scale": 0.0,
        "log_freq": 1.0,
        "phase2": False,
        "disable_progress_bar": False,
        "steps_this_run": float(STEPS),
        "n_gpu": 1,
    }
    return "Namespace(" + ", ".join(f"{name}={value!r}" for name, value in values.items()) + ")"


def learning_rate(update: int) -> float:
    """Rises linearly, then falls linearly to zero."""
    if update <= WARM_UP_STEPS:
        return 0.006 * update / WARM_UP_STEPS
    return 0.006 * (STEPS - update) / (STEPS - WARM_UP_STEPS)


def events(made: Made, start: datetime, noise: random.Random) -> list[Event]:
    """Every DLLogger record of a run, in time order; steps carry their loss, the last a closing summary."""
    head: list[tuple[str, object]] = [
        ("SEED", 12439),
        ("train_start", True),
        ("batch_size_per_gpu", made.batch_size),
        ("learning_rate", 0.006),
    ]
    found = [Event(start, "PARAMETER", {"Config": [settings(made)]})]
    at = start + timedelta(seconds=3 + noise.random())
    for number, (name, value) in enumerate(head):
        found.append(Event(at + timedelta(microseconds=17 * number), "PARAMETER", {name: value}))
    training_from = at
    for step in range(1, made.steps + 1):
        seconds = made.batch_size * made.gpus / made.speed * (0.99 + 0.02 * noise.random())
        at += timedelta(seconds=seconds + (0.35 if step == 1 else 0.0))
        overflows = OVERFLOW_STEPS if made.precision == "fp16" else 0
        loss = round(11.2 - 0.001 * step + 0.06 * noise.random(), 9)
        if step == made.steps and made.ends != "killed":
            found.append(Event(at, [0, step], {"final_loss": loss}))
        else:
            rate = learning_rate(max(1, step - overflows))
            found.append(Event(at, [0, step], {"average_loss": loss, "step_loss": loss, "learning_rate": rate}))
    if made.ends in ("ok", "terminated"):
        raw = (at - training_from).total_seconds()
        summary: dict[str, object] = {
            "e2e_train_time": round((at - start).total_seconds() + 0.2, 6),
            "training_sequences_per_second": made.batch_size * made.gpus * made.steps / raw,
            "final_loss": found[-1].data["final_loss"],
            "raw_train_time": raw,
        }
        found.append(Event(at + timedelta(milliseconds=15), [], summary))
    return found


def progress_bar(done: int, total: int, seconds: float) -> str:
    """The state of a progress bar as tqdm draws it: ten cells of eight parts."""
    cells, part = divmod(done * 80 // total, 8)
    bar = ("█" * cells + (" ▏▎▍▌▋▊▉"[part] if part else "")).ljust(10)
    if not done:
        return f"\rIteration: {0:3d}%|{bar}| 0/{total} [00:00<?, ?it/s]"
    rate = done / seconds
    pace = f"{rate:5.2f}it/s" if rate >= 1 else f"{1 / rate:5.2f}s/it"
    left = int((total - done) / rate)
    times = f"{clock(int(seconds))}<{clock(left)}"
    return f"\rIteration: {done * 100 // total:3d}%|{bar}| {done}/{total} [{times}, {pace}]"


def clock(seconds: int) -> str:
    """Minutes and seconds, with hours only where there are any."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"


def text_line(event: Event) -> str:
    pairs = "  ".join(f"{name} : {json_free(value)}" for name, value in event.data.items())
    if event.step == "PARAMETER":
        return f"DLL {stamp(event.at)} - PARAMETER {pairs} \n"
    if event.step == []:
        return f"DLL {stamp(event.at)} -  {pairs} \n"
    return f"DLL {stamp(event.at)} - Training Epoch: {event.step[0]} Training Iteration: {event.step[1]}  {pairs} \n"


def json_free(value: object) -> str:
    """A value as DLLogger's text backend prints it: the settings in a list with double quotes."""
    return f'["{value[0]}"]' if isinstance(value, list) else str(value)


def text_log(made: Made, found: list[Event]) -> str:
    """The standard output of the run: launcher lines, parameters, steps glued to progress bars, and how it ended."""
    total = 120_000 // (made.batch_size * made.gpus)
    half = made.precision == "fp16"
    parts = [f"{MARK}\n"]
    for gpu in range(made.gpus):
        place = f"cuda:{gpu}" if made.gpus > 1 else "cuda"
        parts.append(f"device: {place} n_gpu: 1, distributed training: {made.gpus > 1}, 16-bits training: {half}\n")
    training = next((event.at for event in found if event.data.get("learning_rate") == 0.006), found[0].at)
    drawn_at = training
    for event in found:
        if isinstance(event.step, list) and event.step:
            step = event.step[1]
            if step == 1:
                parts.append(progress_bar(0, total, 0.0))
            elif (event.at - drawn_at).total_seconds() > 0.1:
                parts.append(progress_bar(step - 1, total, (event.at - training).total_seconds()))
                drawn_at = event.at
            if half and step <= OVERFLOW_STEPS:
                scale = float(2 ** (20 - step))
                parts.append(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale}\n")
        elif event.step == []:
            parts.append(progress_bar(made.steps - 1, total, (event.at - training).total_seconds()) + "\n")
        parts.append(text_line(event))
    if made.ends == "oom":
        parts.append(progress_bar(0, total, 0.0) + "\nTraceback (most recent call last):\n")
        parts.append(
            "RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 40.00 GiB total capacity; "
            "38.10 GiB already allocated; 0.90 GiB free; 38.60 GiB reserved in total by PyTorch)\n"
        )
    if made.ends == "killed":
        parts.append(progress_bar(made.steps, total, (found[-1].at - training).total_seconds()))
    return "".join(parts)


def json_twin(found: list[Event]) -> str:
    """The same records as dllogger.json holds them."""
    lines = [f"{MARK}\n"]
    for event in found:
        seconds = (event.at - found[0].at).total_seconds()
        row = {
            "timestamp": f"{event.at.timestamp():.6f}",
            "datetime": stamp(event.at),
            "elapsedtime": f"{seconds:.6f}",
            "type": "LOG",
            "step": event.step,
            "data": event.data,
        }
        lines.append(f"DLLL {json.dumps(row)}\n")
    return "".join(lines)


def telemetry(made: Made, found: list[Event], noise: random.Random) -> str:
    """What `nvidia-smi --query-gpu=... --format=csv -l 1` prints, from just before the run to just after it."""
    columns = (
        "timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.total [MiB], memory.used [MiB], "
        f"temperature.gpu, power.draw [W], {MARK_COLUMN}"
    )
    lines = [columns + "\n"]
    first, last = found[0].at, found[-1].at
    at = first - timedelta(milliseconds=740)
    while at < last + timedelta(seconds=1):
        busy = found[4].at < at < last
        for gpu in range(made.gpus):
            used = made.memory_mib + 16 * gpu if busy else 4
            work, bus, heat = (97 + int(3 * noise.random()), 60, 58) if busy else (0, 0, 32)
            power = (330 if busy else 55) + int(100 * noise.random()) / 10
            time = at.strftime("%Y/%m/%d %H:%M:%S.") + f"{at.microsecond // 1000:03d}"
            memory = f"{GPU_MEMORY_MIB} MiB, {used} MiB"
            lines.append(f"{time}, {gpu}, {GPU_NAME}, {work} %, {bus} %, {memory}, {heat}, {power:.2f} W, [N/A]\n")
        at += timedelta(seconds=1, milliseconds=1)
    return "".join(lines)
