"""Says where a runner runs, as the JSON that a run's manifest takes: machine, GPUs, driver and libraries.

    python runners/common/environment.py pytorch

No name or address of the machine is in it, and nothing that was not found out.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from contextlib import suppress
from importlib import metadata
from typing import Any

_PACKAGES = {
    "pytorch": "torch",
    "paddlepaddle": "paddle",
    "tensorflow": "tensorflow",
    "mxnet": "mxnet",
    "oneflow": "oneflow",
    "jax": "jax",
}
_LIBRARIES = (
    "apex",
    "transformer_engine",
    "transformers",
    "megatron-core",
    "gluonnlp",
    "horovod",
    "h5py",
    "numpy",
    "triton",
    "jaxlib",
    "optax",
)


def environment(framework: str) -> dict[str, Any]:
    """All that is known, by the names of the ledger's environment columns."""
    found = {**_host(), **_gpus(), **_framework(framework)}
    found["libraries"] = ", ".join(f"{name} {version}" for name in _LIBRARIES if (version := _version(name))) or None
    return {name: value for name, value in found.items() if value is not None}


def _host() -> dict[str, Any]:
    memory = re.search(r"MemTotal:\s+(\d+) kB", _text("/proc/meminfo"))
    cpu = re.search(r"model name\s*:\s*(.+)", _text("/proc/cpuinfo"))
    system = re.search(r'^PRETTY_NAME="?([^"\n]+)', _text("/etc/os-release"), re.MULTILINE)
    return {
        "os": system[1] if system else f"{platform.system()} {platform.release()}",
        "cpu_model": cpu[1].strip() if cpu else platform.processor() or None,
        "cpu_count": os.cpu_count(),
        "memory_mib": int(memory[1]) // 1024 if memory else None,
        "python_version": platform.python_version(),
        "mpi_version": _first(r"(\d+\.\d+[\w.]*)", _said("mpirun", "--version")),
    }


def _gpus() -> dict[str, Any]:
    query = _said("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")
    rows = [[cell.strip() for cell in line.split(",")] for line in query.splitlines() if line.count(",") == 2]
    if not rows:
        return {}
    links = re.findall(r"\b(NV\d+|PIX|PXB|PHB|NODE|SYS)\b", _between_gpus(_said("nvidia-smi", "topo", "-m")))
    # Two kinds of cards in one machine: which one it was, nobody here knows.
    same = len({row[0] for row in rows}) == 1
    return {
        "gpu_model": rows[0][0] if same else None,
        "gpu_memory_mib": float(rows[0][1]) if same and rows[0][1].isdigit() else None,
        "gpus_per_node": len(rows),
        "driver_version": rows[0][2],
        "topology": ", ".join(sorted(set(links))) or None,
    }


def _between_gpus(matrix: str) -> str:
    """The cells of the matrix that are between two GPUs: network cards stand in the columns behind."""
    rows = [line.split() for line in matrix.splitlines() if re.match(r"GPU\d+\b", line)]
    return " ".join(cell for row in rows for cell in row[1 : len(rows) + 1])


def _framework(framework: str) -> dict[str, Any]:
    name = _PACKAGES.get(framework, framework)
    try:
        module = __import__(name)
    except ImportError:
        return {}
    found: dict[str, Any] = {"framework_version": str(getattr(module, "__version__", "")) or None}
    with suppress(Exception):
        if name == "torch":
            cudnn = module.backends.cudnn.version() if module.version.cuda else None
            found |= {"cuda_version": module.version.cuda, "cudnn_version": str(cudnn) if cudnn else None}
            if module.cuda.is_available():
                found["nccl_version"] = ".".join(map(str, module.cuda.nccl.version()))
        elif name == "paddle" and module.version.cuda() != "False":
            found |= {"cuda_version": module.version.cuda(), "cudnn_version": module.version.cudnn()}
        elif name == "tensorflow":
            built = module.sysconfig.get_build_info()
            found |= {"cuda_version": built.get("cuda_version"), "cudnn_version": built.get("cudnn_version")}
    return found


def _version(package: str) -> str | None:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return None


def _said(*words: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(words, capture_output=True, text=True, timeout=20, check=False).stdout
    return ""


def _first(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    return match[1] if match else None


def _text(path: str) -> str:
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


if __name__ == "__main__":
    print(json.dumps(environment(sys.argv[1] if len(sys.argv) > 1 else "pytorch")))
