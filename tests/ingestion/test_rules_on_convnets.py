"""DLPerf's rules for NVIDIA's ConvNets on logs with times that are known: which lines they begin and end with."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from benchledger import ingest
from tests.ingestion.logs import ask

START = datetime(2026, 1, 2, 3, 0, 0)


def seconds(step: int) -> float:
    """A step takes 1 s, but 3 s before the 26th: outside of every window that leaves the beginning out."""
    return 3.0 * min(step, 25) + max(step - 25, 0)


def stamp(step: int) -> str:
    return str(START + timedelta(seconds=seconds(step), microseconds=1))


def speeds(db: Path) -> dict[str, float]:
    return dict(ask(db, "select rule, value from run_speed where rule like 'dlperf.ngc%rn50%' and value is not null"))


def test_pytorch_is_timed_from_its_20th_line_above_iteration_5(tmp_path: Path, db: Path) -> None:
    settings = f"DLL {stamp(0)} - PARAMETER data : /d  data_backend : dali-cpu  arch : resnet50  batch_size : 128"
    steps = [
        f"DLL {stamp(n)} - Epoch: 0 Iteration: {n}  train.loss : 7.0  train.total_ips : 9.0 img/s"
        for n in range(1, 131)
    ]
    (tmp_path / "run.log").write_text(
        "\n".join([f"{settings}  optimizer_batch_size : -1  world_size : 8 ", *steps, ""]), encoding="utf-8"
    )
    ingest(tmp_path, db=db)

    # Iterations 6 to 130 are its lines: the 20th is iteration 25, the 120th 125.
    assert speeds(db) == {"dlperf.ngc_pt_rn50": 8 * 128 * 1.0}


def test_tensorflow_is_read_and_timed_from_its_first_line(tmp_path: Path, db: Path) -> None:
    head = ["Num GPUs 8", "Per-GPU Batch Size 128"]
    steps = [f"DLL {stamp(n)} - (0, {n}) total_ips : {n}.0 " for n in range(20, 125)]
    (tmp_path / "run.log").write_text("\n".join([*head, *steps, ""]), encoding="utf-8")
    ingest(tmp_path, db=db)

    took = seconds(119) - seconds(20)
    assert speeds(db) == {
        "dlperf.ngc_tf_rn50": sum(range(20, 120)) / 100,
        "dlperf.ngc_tf_rn50_time": round(8 * 128 * 99 / took, 2),
    }
