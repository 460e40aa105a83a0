"""Writes the small logs in data/made: runs of NGC PyTorch BERT, with invented numbers of an invented machine.

    python -m data.make_logs [FOLDER]

Nothing here was measured. The logs stand in for real ones until the runners produce some, and every one says so in its
first line. Same bytes on every machine: one fixed seed per run, no clock, no mathematical library.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from data.print_layouts import GPU_MEMORY_MIB, MARK, Made, events, json_twin, telemetry, text_log

FIRST_START = datetime(2026, 11, 20, 9, 0, 0, tzinfo=UTC)

FACTS = f"""\
# {MARK}.
# What no log says: where the logs of this folder were made, and what they belong to.
campaign = "made-2026-11"
note = "{MARK}: an invented machine, to show what the reports look like"

[case]
framework = "pytorch"
implementation = "ngc"

[environment]
gpu_model = "MADE-40GB"
gpus_per_node = 8
gpu_memory_mib = {GPU_MEMORY_MIB}
driver_version = "000.00"
framework_version = "0.0.0+made"
interconnect = "made"
"""


def phase1(folder: str, precision: str, batch_size: int, gpus: int, speed: float, memory_mib: int) -> Made:
    """A run whose file is named as README 000 names them."""
    stem = f"bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_{precision}_bs{batch_size}_gpu{gpus}"
    return Made(folder, stem, precision, batch_size, gpus, speed, memory_mib)


def trial(number: int, speed: float) -> Made:
    """One of three trials of a case, each in a folder of its own beside its JSON twin."""
    stem = "ngc_bert_base_sp_bs96_fp16" + (f"_run{number}" if number > 1 else "")
    return Made(stem, stem, "fp16", 96, 1, speed, 22870, twin=True, telemetry=number == 1)


CAMPAIGN = [
    replace(phase1("run1", "fp32", 32, 1, 212.4, 14330), telemetry=True),
    phase1("run1", "fp32", 48, 1, 216.9, 20410),
    replace(phase1("run1", "fp32", 64, 1, 219.0, 40960), ends="oom", steps=0),
    phase1("run1", "fp16", 64, 1, 903.7, 16120),
    trial(1, 961.3),
    trial(2, 968.8),
    trial(3, 964.1),
    replace(phase1("run1", "fp32", 32, 8, 1597.2, 14890), telemetry=True),
    phase1("run2", "fp32", 32, 8, 1609.5, 14890),
    phase1("run3", "fp32", 32, 8, 1602.8, 14890),
    phase1("run1", "fp32", 48, 8, 1651.0, 20950),
    replace(phase1("run2", "fp32", 48, 8, 1648.3, 20950), ends="killed", steps=53),
    phase1("run1", "fp16", 64, 8, 6610.6, 16700),
    replace(phase1("run2", "fp16", 64, 8, 6587.9, 16700), ends="terminated", steps=66),
    phase1("run1", "fp16", 96, 8, 7104.2, 23420),
]


def files() -> Iterator[tuple[str, str]]:
    """Path below the folder, and text, of every made file."""
    yield "facts.toml", FACTS
    start = FIRST_START
    for made in CAMPAIGN:
        noise = random.Random(made.text_log)
        found = events(made, start, noise)
        yield made.text_log, text_log(made, found)
        if made.twin:
            yield f"{made.folder}/dllogger.json", json_twin(found)
        if made.telemetry:
            yield f"{made.folder}/{made.stem}.csv", telemetry(made, found, noise)
        start += timedelta(minutes=2)


def main(folder: Path) -> None:
    """Writes every file below `folder`."""
    for name, text in files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "made")
