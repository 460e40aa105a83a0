"""Bytes as trackers write them, made without their libraries: events of TensorBoard, transactions of Weights & Biases."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

from benchledger.scanning.trackers.frames import masked

START = 1_767_322_800.0
WANDB_HEAD = b":W&B\xe1\xbe\x00"
_BLOCK = 32_768


def varint(number: int) -> bytes:
    number &= 0xFFFFFFFFFFFFFFFF
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def part(number: int, value: bytes | str | int | float) -> bytes:
    """One field: bytes and texts with their length, an int as a varint, a float as a double."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def tf_record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    return size + struct.pack("<I", masked(size)) + data + struct.pack("<I", masked(data))


def scalar(tag: str, value: float) -> bytes:
    return part(1, part(1, tag) + varint(2 << 3 | 5) + struct.pack("<f", value))


def event(summary: bytes, step: int = 0, at: float = START) -> bytes:
    return tf_record(part(1, at) + part(2, step) + part(5, summary))


def event_file(*events: bytes) -> bytes:
    return tf_record(part(1, START) + part(3, "brain.Event:2")) + b"".join(events)


def scalars(values: dict[str, list[float]], start: float = START) -> bytes:
    """An event file with a value per tag and step, ten seconds apart."""
    steps = max(map(len, values.values()), default=0)
    return event_file(
        *(
            event(scalar(tag, found[step]), step, start + 10 * step)
            for step in range(steps)
            for tag, found in values.items()
        )
    )


def wandb_file(*records: bytes) -> bytes:
    found = bytearray(WANDB_HEAD)
    for number, record in enumerate(records, start=1):
        data, kind = part(1, number) + record, 0
        while data or not kind:
            room = _BLOCK - len(found) % _BLOCK
            if room < 7:
                found += bytes(room)
                continue
            piece, data = data[: room - 7], data[room - 7 :]
            kind = (1 if not kind else 4) if not data else (2 if not kind else 3)
            found += struct.pack("<IHB", zlib.crc32(bytes([kind]) + piece), len(piece), kind) + piece
    return bytes(found)


def wandb_run(run_id: str, config: dict[str, Any] | None = None) -> bytes:
    items = b"".join(part(1, part(1, name) + part(16, json.dumps(value))) for name, value in (config or {}).items())
    return part(17, part(1, run_id) + part(2, "somebody") + part(3, "benchmarks") + part(4, items) + part(13, "node7"))


def wandb_history(values: dict[str, Any], step: int, at: float = START) -> bytes:
    known = {**values, "_step": step, "_timestamp": at, "_runtime": at - START}
    items = b"".join(part(1, part(2, name) + part(16, json.dumps(value))) for name, value in known.items())
    return part(2, items + part(2, part(1, step)))


def wandb_logs(run_id: str, values: dict[str, list[float]]) -> bytes:
    """A transaction log with a value per name and step, ten seconds apart."""
    steps = range(max(map(len, values.values()), default=0))
    history = (
        wandb_history({n: found[step] for n, found in values.items()}, step, START + 10 * step) for step in steps
    )
    return wandb_file(wandb_run(run_id, {"layers": 24}), *history, part(18, part(1, 0)))


def put_wandb(folder: Path, run_id: str, values: dict[str, list[float]]) -> Path:
    """A run's folder with its transaction log; returns it."""
    run = folder / "wandb" / f"offline-run-20260102_030000-{run_id}"
    (run / "files").mkdir(parents=True)
    (run / f"run-{run_id}.wandb").write_bytes(wandb_logs(run_id, values))
    return run


def put_events(folder: Path, values: dict[str, list[float]], start: float = START, number: int = 0) -> Path:
    """An event file in a folder; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"events.out.tfevents.{int(start)}.node7.4242.{number}"
    file.write_bytes(scalars(values, start))
    return file


def put_mlflow(folder: Path, run_id: str, metrics: dict[str, list[float]], params: dict[str, str]) -> Path:
    """A run of a file store; returns its folder."""
    experiment = folder / "mlruns" / "1"
    run = experiment / run_id
    (run / "params").mkdir(parents=True)
    meta = "artifact_location: file:///home/somebody/mlruns/1\nexperiment_id: '1'\nlifecycle_stage: active\nname: b\n"
    (experiment / "meta.yaml").write_text(meta)
    text = (
        f"artifact_uri: file:///a\nexperiment_id: '1'\nlifecycle_stage: active\nrun_id: {run_id}\nuser_id: somebody\n"
    )
    (run / "meta.yaml").write_text(text)
    for name, values in metrics.items():
        file = run / "metrics" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = (f"{int(START + 10 * step) * 1000} {value} {step}\n" for step, value in enumerate(values))
        file.write_text("".join(lines))
    for name, value in params.items():
        (run / "params" / name).write_text(value)
    return run
