"""Folders with all that ties logs together: twins, manifests, monitors, sidecars, copies, archives, roots of one name."""

from __future__ import annotations

import json
from pathlib import Path

from tests.ingestion.logs import put, run_text
from tests.ingestion.packing import tar
from tests.ingestion.test_twins_without_times import LOSSES, printed, state

SIDECAR = "GLOBAL_BATCH 768\nGPU 8\n"


def tied_logs(top: Path) -> list[Path]:
    """Makes the folders, and returns what is to be ingested."""
    folder = top / "logs"
    runs = [run_text(precision=("fp32", "fp16")[n % 2], batch=32 + n, at=1000.0 * n, seed=n) for n in range(10)]
    put(folder / "facts.toml", 'note = "all"\n[environment]\ncpu_model = "EPYC"\n')
    put(folder / "twins" / "run0.log", runs[0].log)
    put(folder / "twins" / "run0.json", runs[0].twin)
    put(folder / "twins" / "facts.toml", "[case]\nmodel = 7\n")
    # A stream in the output folder below its log.
    put(folder / "outputs" / "train.log", printed(LOSSES))
    put(folder / "outputs" / "out" / "trainer_state.json", state(LOSSES))
    # The ranks of one job.
    for rank in range(2):
        put(folder / "job" / f"rank_{rank}" / "train.log", run_text(gpus=2, batch=52, at=30_000.0, seed=20 + rank).log)
    # A manifest binds what lies in other folders.
    listed = ["logs/train1.log", "gpu/smi1.csv"]
    put(folder / "bound" / "run.json", json.dumps({"benchledger_manifest": 1, "files": listed, "trial": 3}))
    put(folder / "bound" / "logs" / "train1.log", runs[1].log)
    put(folder / "bound" / "gpu" / "smi1.csv", runs[1].telemetry)
    # By time: the one run of the campaign on the machine, in another folder.
    put(folder / "timed" / "facts.toml", 'campaign = "night"\n')
    put(folder / "timed" / "runs" / "train2.log", runs[2].log)
    put(folder / "timed" / "machine" / "watch.csv", runs[2].telemetry)
    put(folder / "sidecars" / "machine" / "benchmark.para", SIDECAR)
    put(folder / "sidecars" / "machine" / "below" / "train3.log", runs[3].log)
    # The same bytes in two folders, and in an archive with its own facts.toml.
    put(folder / "copies" / "a" / "train4.log", runs[4].log)
    put(folder / "copies" / "b" / "other.log", runs[4].log)
    packed = {
        "facts.toml": "[environment]\nos = 'CentOS'\n",
        "in/train4.log": runs[4].log,
        "in/train5.log": runs[5].log,
    }
    put(folder / "packed.tar", tar(packed))
    put(folder / "alone" / "train6.log", runs[6].log)
    put(folder / "alone" / "README.txt", "nothing of a log\n")
    put(folder / "alone" / "empty.log", "")
    put(folder / "alone" / "empty_too.log", "")
    # Two roots of one name, with a log in common: how their campaigns are called depends on both.
    again = [top / place / "night" for place in "xy"]
    for number, root in enumerate(again):
        put(root / "shared" / "train7.log", runs[7].log)
        put(root / "shared" / "own" / "train.log", runs[8 + number].log)
    # Earlier states of a run, in another folder than it.
    put(top / "y" / "night" / "backup" / "train.log.bak", runs[9].log[: len(runs[9].log) // 2])
    put(top / "y" / "night" / "backup" / "train.log.1", runs[9].log[: len(runs[9].log) // 3].replace("\n", "\r\n"))
    put(top / "apart" / "train.log", run_text(at=20_000.0, seed=10).log)
    put(top / "apart" / "alone.log", run_text(at=40_000.0, seed=11).log)
    return [folder, *again, top / "apart"]
