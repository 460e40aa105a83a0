"""Samples GPUs, CPU and memory while a runner runs, in a process of its own.

    python runners/common/sampler.py --pid PID --gpus-csv gpus.csv --host-csv host.csv --every-ms 100

GPUs in the layout of `nvidia-smi --query-gpu --format=csv`, by nvidia-ml-py; the host from /proc. Ends with SIGTERM, or
with the process PID. Never asks for total energy: that call alone takes 2.4 ms, at times 15.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, TextIO

MIB = 1024 * 1024
GPU_HEADER = (
    "timestamp, index, name, driver_version, memory.total [MiB], memory.used [MiB], used_gpu_memory [MiB], "
    "utilization.gpu [%], utilization.memory [%], power.draw [W], temperature.gpu, clocks.current.sm [MHz]"
)
HOST_HEADER = (
    "timestamp, host.cpu [%], host.memory.used [MiB], host.memory.total [MiB], "
    "runner.cpu [%], runner.memory [MiB], runner.processes"
)
HOST_EVERY_S = 0.5
ABSENT = "[N/A]"


def main() -> None:
    """Writes a row a GPU at each tick, and a row of the host twice a second, until told to stop."""
    arguments = _arguments()
    stopping: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _frame: stopping.append(got))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    gpus = open_gpus(os.environ.get("CUDA_VISIBLE_DEVICES"))
    host = Host(arguments.pid)
    # A line at a time, so that a sampler that is killed leaves no half of one but the last.
    gpu_file = open(arguments.gpus_csv, "w", buffering=1, encoding="utf-8") if gpus else None  # noqa: SIM115 - to the end
    host_file = open(arguments.host_csv, "w", buffering=1, encoding="utf-8") if host.is_known else None  # noqa: SIM115
    _line(gpu_file, GPU_HEADER)
    _line(host_file, HOST_HEADER)
    every, due, host_due = arguments.every_ms / 1000, time.monotonic(), 0.0
    while not stopping and _is_there(arguments.pid):
        pids = host.pids()
        now = f"{datetime.now():%Y/%m/%d %H:%M:%S.%f}"[:-3]
        for gpu in gpus:
            _line(gpu_file, gpu_row(now, gpu, pids))
        if time.monotonic() >= host_due:
            host_due = time.monotonic() + HOST_EVERY_S
            _line(host_file, host.row(now, pids))
        due = max(due + every, time.monotonic())
        time.sleep(max(0.0, min(due - time.monotonic(), every)) if gpus else HOST_EVERY_S)


def open_gpus(visible: str | None) -> list[Any]:
    """Handles of the GPUs that the runner sees, as CUDA_VISIBLE_DEVICES names them; none where there is no NVML."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except (ImportError, OSError) as error:
        print(f"sampler: no GPU is sampled: {error}", file=sys.stderr)
        return []
    except Exception as error:  # noqa: BLE001 - pynvml.NVMLError, which is only there once the import went well
        print(f"sampler: no GPU is sampled: {error}", file=sys.stderr)
        return []
    if visible is None:
        return [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
    names = [name.strip() for name in visible.split(",") if name.strip()]
    return [
        pynvml.nvmlDeviceGetHandleByIndex(int(name)) if name.isdigit() else pynvml.nvmlDeviceGetHandleByUUID(name)
        for name in names
    ]


def gpu_row(now: str, gpu: Any, pids: Iterable[int]) -> str:
    """One row; what a GPU does not tell is [N/A], as nvidia-smi prints it."""
    import pynvml

    used = _told(lambda: pynvml.nvmlDeviceGetUtilizationRates(gpu))
    # Version 2 leaves out what the driver keeps for itself, as nvidia-smi does.
    memory = _told(lambda: pynvml.nvmlDeviceGetMemoryInfo(gpu, version=pynvml.nvmlMemory_v2))
    own = set(pids)
    processes = _told(lambda: pynvml.nvmlDeviceGetComputeRunningProcesses(gpu)) or []
    # In a container NVML may show the ids of the host's processes, or none: then nobody knows which is ours.
    mine = [process.usedGpuMemory for process in processes if process.pid in own and process.usedGpuMemory]
    cells = [
        now,
        _told(lambda: pynvml.nvmlDeviceGetIndex(gpu)),
        _told(lambda: pynvml.nvmlDeviceGetName(gpu)),
        _told(pynvml.nvmlSystemGetDriverVersion),
        memory and f"{memory.total // MIB} MiB",
        memory and f"{memory.used // MIB} MiB",
        f"{sum(mine) // MIB} MiB" if mine else None,
        used and f"{used.gpu} %",
        used and f"{used.memory} %",
        _told(lambda: f"{pynvml.nvmlDeviceGetPowerUsage(gpu) / 1000:.2f} W"),
        _told(lambda: pynvml.nvmlDeviceGetTemperature(gpu, pynvml.NVML_TEMPERATURE_GPU)),
        _told(lambda: f"{pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM)} MHz"),
    ]
    return ", ".join(ABSENT if cell is None else str(cell) for cell in cells)


class Host:
    """What /proc says of the machine and of the runner with all its children."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.is_known = os.path.exists("/proc/stat")
        self._machine, self._at = (0.0, 0.0), time.monotonic()
        self._runner: dict[int, float] = {}
        self._tick, self._page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")

    def pids(self) -> list[int]:
        """The runner and its children, theirs and so on, in no more than a few small reads."""
        found, unread = [], [self.pid]
        while unread:
            pid = unread.pop()
            found.append(pid)
            unread += map(int, _text(f"/proc/{pid}/task/{pid}/children").split())
        return found

    def row(self, now: str, pids: list[int]) -> str:
        """One row; percentages of the time since the last, 100 a core for the runner, 100 at most for the machine."""
        at, machine = time.monotonic(), self._machine_times()
        runner = {pid: self._cpu_s(pid) for pid in pids}
        whole, busy = machine[0] - self._machine[0], machine[1] - self._machine[1]
        # A process that was not there before began since then: all its time is new.
        used = sum(seconds - self._runner.get(pid, 0.0) for pid, seconds in runner.items())
        first, elapsed = not self._runner, at - self._at
        self._machine, self._runner, self._at = machine, runner, at
        info = {name: int(rest.split()[0]) for name, _, rest in map(_parted, _text("/proc/meminfo").splitlines())}
        total = info.get("MemTotal", 0)
        cells = [
            now,
            ABSENT if first or whole <= 0 else f"{100 * busy / whole:.1f} %",
            f"{(total - info.get('MemAvailable', 0)) // 1024} MiB",
            f"{total // 1024} MiB",
            ABSENT if first or elapsed <= 0 else f"{100 * max(used, 0.0) / elapsed:.1f} %",
            f"{sum(map(self._resident, pids)) // MIB} MiB",
            str(len(pids)),
        ]
        return ", ".join(cells)

    def _machine_times(self) -> tuple[float, float]:
        times = [int(word) for word in _text("/proc/stat").partition("\n")[0].split()[1:9]]
        return float(sum(times)), float(sum(times) - sum(times[3:5]))

    def _cpu_s(self, pid: int) -> float:
        words = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / self._tick if len(words) > 12 else 0.0

    def _resident(self, pid: int) -> int:
        words = _text(f"/proc/{pid}/statm").split()
        return int(words[1]) * self._page if len(words) > 1 else 0


def _parted(line: str) -> tuple[str, str, str]:
    return line.partition(":")


def _told(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception:  # noqa: BLE001 - NVML says "not supported" in as many ways as there are cards
        return None


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _line(file: TextIO | None, text: str) -> None:
    if file is not None:
        file.write(f"{text}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Sample GPUs, CPU and memory while a runner runs.")
    parser.add_argument("--pid", type=int, required=True, help="the runner, whose end is also this one's")
    parser.add_argument("--gpus-csv", required=True)
    parser.add_argument("--host-csv", required=True)
    parser.add_argument("--every-ms", type=float, default=100.0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
