"""What is mutated: the samples of all formats, made logs, files of trackers, facts and manifests, and archives of them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import tarfile
import tempfile
import zipfile
from pathlib import Path

from backports import zstd

from benchledger.scanning.samples import known_formats
from tests.ingestion.logs import run_text
from tests.scanning.test_timelines import nsys
from tests.trackers.made import put_events, put_mlflow, put_wandb

FACTS = b"""campaign = "c"
note = "x"
[environment]
gpu = "H100-SXM5-80GB"
[[for]]
match = "*.log"
batch_size = 32
"""


def logs() -> dict[str, bytes]:
    """Small logs by name: those that tests make, and for each format its samples one below the other."""
    found: dict[str, bytes] = {}
    for number, ends in enumerate(("ok", "oom", "killed")):
        run = run_text(ends=ends, steps=40, seed=number)
        found |= {
            f"{ends}.log": run.log.encode(),
            f"{ends}.json": run.twin.encode(),
            f"{ends}.csv": run.telemetry.encode(),
        }
    for name, log_format in known_formats().items():
        texts = [sample.text for sample in (*log_format.base_samples, *log_format.samples)]
        if texts:
            found[f"{name}.txt"] = "\n".join(texts * 3).encode()
    # What describes itself is read only where nearly all lines do: no samples of several programs.
    steps = [{"step": 10 * number, "loss": 3.5 - number / 16, "lr": 0.001} for number in range(30)]
    rows = [",".join(map(str, step.values())) for step in steps]
    return found | {
        "steps.jsonl": "\n".join(map(json.dumps, steps)).encode() + b"\n",
        "steps.txt": "\n".join(map(str, steps)).encode() + b"\n",
        "metrics.csv": "\n".join(["step,loss,lr", *rows]).encode() + b"\n",
    }


def sidecars() -> dict[str, bytes]:
    """Files that speak of logs."""
    manifest = {"benchledger_manifest": 1, "files": ["ok.log"], "trial": 2, "exit_code": 0}
    return {"facts.toml": FACTS, "run.json": json.dumps(manifest).encode()}


def tracker_folders() -> list[dict[str, bytes]]:
    """Folders of trackers, and traces of profilers: the files of each, by their paths."""
    values = {"train/loss": [3.0, 2.5, 2.0], "samples_per_s": [100.0, 110.0, 120.0]}
    run = "0123456789abcdef0123456789abcdef"
    folders = [{"nsys.sqlite": nsys()}]
    makers = (
        lambda folder: put_events(folder, values),
        lambda folder: put_wandb(folder, "a1b2c3d4", values),
        lambda folder: put_mlflow(folder, run, values, {"batch_size": "32"}),
    )
    for make in makers:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder))
            files = (path for path in sorted(Path(folder).rglob("*")) if path.is_file())
            folders.append({str(path.relative_to(folder)): path.read_bytes() for path in files})
    return folders


def archive(members: dict[str, bytes], rng: random.Random) -> tuple[str, bytes]:
    """An archive of some kind, now and then within another one: its name and bytes."""
    data, name = _packed(members, rng)
    for _ in range(rng.choice((0, 0, 1, 2))):
        data, name = _packed({f"in/{name}": data, "beside.log": b"step 1\n"}, rng)
    return name, data


def _packed(members: dict[str, bytes], rng: random.Random) -> tuple[bytes, str]:
    kind = rng.choice(("tar", "tar.gz", "tar.xz", "tar.zst", "zip", "gz", "bz2", "xz", "zst"))
    if kind == "zip":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as packed:
            for name, data in members.items():
                packed.writestr(name, data)
        return buffer.getvalue(), "a.zip"
    content, suffix = next(iter(members.values())), kind
    if kind.startswith("tar"):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))) as tar:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        content, suffix = buffer.getvalue(), kind.partition(".")[2]
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd.compress, "": bytes}
    return pack[suffix if suffix != "tar" else ""](content), f"a.{kind}"
