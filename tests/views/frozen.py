"""A small ledger that has something for every question: its rows never change, so neither do the answers."""

from __future__ import annotations

from tests.views.conftest import Ledger

ONE_GPU = {"name": "sp_bs32", "gpus": 1, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 32}
EIGHT_GPUS = {"name": "mp_bs32", "gpus": 8, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 256}
ONE_GPU_64 = {"name": "sp_bs64", "gpus": 1, "nodes": 1, "batch_size_per_gpu": 64, "global_batch_size": 64}
H200 = {"gpu_model": "H200", "gpu_memory_mib": 143771, "framework_version": "2.1"}
OF_MXNET = {
    "name": "mxnet_bs32",
    "framework": "mxnet",
    "implementation": None,
    "model": "bert_base",
    "precision": "fp32",
    "gpus": 1,
    "nodes": 1,
    "batch_size_per_gpu": 32,
}


def fill(ledger: Ledger) -> None:
    """Two campaigns, three programs, and one of each thing that can be wrong."""
    _speeds(ledger)
    _failures(ledger)
    _profiles(ledger)
    _unread(ledger)
    _convergence(ledger)
    _unknown_modes(ledger)
    _mixed(ledger)
    _documents(ledger)


def _speeds(ledger: Ledger) -> None:
    for trial, speed in enumerate((100.0, 102.0, 98.0), start=1):
        ledger.run(ledger.summary(speed), campaigns=("h200",), case=ONE_GPU, environment=H200, trial=trial)
    wide = ledger.run(ledger.summary(760.0), campaigns=("h200",), case=EIGHT_GPUS, environment=H200)
    ledger.insert("fact", run_id=wide, name="gpus", value="8", source="log", used=True)
    ledger.insert("fact", run_id=wide, name="gpus", value="4", source="name", used=False)
    ledger.insert(
        "fact", run_id=wide, name="framework", value="pytorhc", value_logged="PyTorhc", source="log", used=True
    )
    monitor = ledger.log(ledger.memory(90000.0), ledger.memory(91000.0), format="smi", campaigns=("h200",))
    ledger.insert("kept.format", format="smi", version=1, role="telemetry")
    ledger.attach(wide, monitor, "telemetry")
    ledger.run(
        *[ledger.step(step, step, speed=50.0 + step) for step in range(1, 4)],
        format="paddle",
        campaigns=("old",),
        case=ONE_GPU,
    )
    ledger.insert("kept.format", format="dlperf-extract", version=1, default_rule="dlperf.median", role="train")
    ledger.run(ledger.summary(127.0501, name="speed"), format="dlperf-extract", campaigns=("old",), case=OF_MXNET)


def _unknown_modes(ledger: Ledger) -> None:
    ledger.run(ledger.summary(5.0, phase=None), campaigns=("forward",), case=ONE_GPU)


def _documents(ledger: Ledger) -> None:
    quoted = ledger.log(ledger.summary(127.1), campaigns=())
    ledger.sighting(quoted, None, status="document", reason="a page by its name", path="years/README.md")


def _mixed(ledger: Ledger) -> None:
    for driver, speed in (("535.1", 100.0), ("550.2", 101.0)):
        ledger.run(
            ledger.summary(speed), campaigns=("drivers",), case=ONE_GPU, environment={**H200, "driver_version": driver}
        )


def _failures(ledger: Ledger) -> None:
    log_id = ledger.log(campaigns=("h200",))
    run = ledger.run(
        log_id=log_id,
        case=ONE_GPU_64,
        environment=H200,
        status="oom",
        reason="out_of_memory: CUDA out of memory",
        status_log_id=log_id,
        status_line=7,
    )
    manifest = ledger.log(format="manifest", campaigns=())
    sighting = ledger.sighting(manifest, "h200")
    ledger.insert("kept.format", format="manifest", version=1, role="manifest")
    ledger.attach(run, manifest, "manifest")
    ledger.insert("kept.sighting_file", sighting_id=sighting, file="lost.log", place="nowhere")


def _profiles(ledger: Ledger) -> None:
    kernels = [ledger.kernel("gemm", 0.0, 2.0), ledger.kernel("relu", 1.0, 2.0), ledger.kernel("gemm", 5.0, 1.0)]
    profile = ledger.log(*kernels, format="timeline", campaigns=("h200",))
    ledger.insert("kept.format", format="timeline", version=1, role="profile")
    ledger.insert(
        "kept.segment",
        log_id=profile,
        segment=1,
        role="profile",
        first_line=1,
        last_line=3,
        first_record_line=1,
        last_record_line=3,
        records=3,
        step_records=0,
        expects_closing=False,
        final_loss_nan=False,
    )
    ledger.insert("reject", log_id=profile, line=3, byte_offset=9, reason="no template", text="step: x")
    ledger.insert("kept.unread", log_id=profile, line=2, lines=2, text="held-out: loss 0.5")
    ledger.write("update log set evidence = 'by majority: 9 of 10 lines' where log_id = ?", profile)


def _unread(ledger: Ledger) -> None:
    for number, line in enumerate((3, 7, 9)):
        ledger.sighting(
            None,
            "years",
            status="unrecognised",
            reason=f"nearest is ngc: line {line} holds 'DLL 20', but not ' - ' after it",
            path=f"years/2021/{number}.log",
        )
    ledger.sighting(
        None, "years", status="unreadable", reason="a damaged archive", path="years/b.gz", archive="years/b.gz"
    )
    ledger.sighting(None, "years", status="empty", reason="no text in it", path="years/c.log")


def _convergence(ledger: Ledger) -> None:
    """Twelve losses that fall from 9 to 3.5, and two evaluations in percent, of which the first is the better."""
    losses = [ledger.loss(9.5 - 0.5 * step, step, at=10.0 * step) for step in range(1, 13)]
    checks = [ledger.metric(value, step, at=10.0 * step, unit="%") for value, step in ((76.0, 6), (75.5, 12))]
    ledger.run(*losses, *checks, campaigns=("trained",), case=ONE_GPU)
