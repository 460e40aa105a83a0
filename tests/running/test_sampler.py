"""The sampler beside a run: in a process of its own, with or without a GPU, in nvidia-smi's layout."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from runners.common import sampler
from tests.docs.pages import TOP
from tests.running.conftest import Bench

SCRIPT = TOP / "runners" / "common" / "sampler.py"


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="the host is sampled from /proc")
def test_what_the_runner_and_its_children_use_is_in_the_ledger(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_ENDS", "slow")
    bench.run(sample_ms=50.0, timeout_s=3.0)
    (run,) = bench.staging.rglob("run.json")
    lines = (run.parent / "host.csv").read_text().splitlines()
    bench.ledger()

    assert lines[0] == sampler.HOST_HEADER
    assert len(lines) >= 4
    # The runner, and the process that it has started.
    assert {line.rpartition(", ")[2] for line in lines[2:]} == {"2"}
    assert all(int(line.split(", ")[5].removesuffix(" MiB")) > 5 for line in lines[2:])


def test_the_sampler_ends_with_what_it_watches(tmp_path: Path) -> None:
    watched = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    files = ["--gpus-csv", tmp_path / "g.csv", "--host-csv", tmp_path / "h.csv"]
    mine = subprocess.Popen([sys.executable, SCRIPT, "--pid", str(watched.pid), *files], stderr=subprocess.DEVNULL)
    time.sleep(1)
    assert mine.poll() is None
    watched.kill()
    watched.wait()

    assert mine.wait(timeout=20) == 0


class Card:
    """A card as NVML describes one, which will not say how warm it is."""

    total, used, gpu, memory = 150754820096, 12571705344, 97, 41
    pid, usedGpuMemory = 77, 12565086208  # noqa: N815 - NVML's name


class Nvml:
    """NVML's functions that the sampler may call; any other is an error."""

    nvmlMemory_v2, NVML_TEMPERATURE_GPU, NVML_CLOCK_SM = 2, 0, 1  # noqa: N815

    def __getattr__(self, name: str):
        answers = {
            "nvmlDeviceGetUtilizationRates": Card, "nvmlDeviceGetMemoryInfo": Card, "nvmlDeviceGetIndex": 3,
            "nvmlDeviceGetComputeRunningProcesses": [Card], "nvmlDeviceGetName": "NVIDIA H200",
            "nvmlSystemGetDriverVersion": "580.159", "nvmlDeviceGetPowerUsage": 621240, "nvmlDeviceGetClockInfo": 1980,
        }  # fmt: skip
        if name == "nvmlDeviceGetTemperature":
            raise RuntimeError("Not Supported")
        return lambda *_args, **_more: answers[name]


@pytest.mark.parametrize(("pids", "process"), [([77], "11983 MiB"), ([5], "[N/A]")])
def test_a_row_of_a_gpu_is_as_nvidia_smi_prints_it(
    monkeypatch: pytest.MonkeyPatch, pids: list[int], process: str
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", Nvml())
    row = sampler.gpu_row("2026/11/21 03:50:29.048", object(), pids)

    assert row == (
        "2026/11/21 03:50:29.048, 3, NVIDIA H200, 580.159, 143771 MiB, 11989 MiB, "
        f"{process}, 97 %, 41 %, 621.24 W, [N/A], 1980 MHz"
    )


def test_total_energy_is_never_asked_for() -> None:
    assert "TotalEnergy" not in SCRIPT.read_text(encoding="utf-8")
