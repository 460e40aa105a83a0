"""Compiles the native scanner: hatchling runs it for each wheel and editable install, `make native` by hand.

One compiler call, without setuptools: the extension needs no library, and the stable ABI needs no build per Python
version. Where it fails (no compiler, no headers), the wheel is one of pure Python, which finds the same, slower.
"""

from __future__ import annotations

import os
import runpy
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, in an environment that only runs
    BuildHookInterface = object

TOP = Path(__file__).resolve().parent.parent
NAME = "_native.abi3.so"
PLACE = f"benchledger/scanning/{NAME}"
# A product and a sum stay two roundings everywhere: numbers have to be those of Python.
FLAGS = [
    "-std=c11",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-DPy_LIMITED_API=0x030B0000",
]
# Across files too, where compiler and linker agree on how: a tenth of the time.
SPEEDS = (["-O3", "-flto"], ["-O3"])


def platform() -> str:
    """The platform of a wheel, as its name has it."""
    return os.environ.get("BENCH_WHEEL_PLATFORM") or sysconfig.get_platform().replace("-", "_").replace(".", "_")


def stamps() -> list[str]:
    """What the extension says that it was compiled for and from: both sides compare it before they use it."""
    told = runpy.run_path(str(TOP / "benchledger" / "scanning" / "native_stamp.py"))
    return [f"python {told['python_stamp']()}", f"c {told['c_stamp']()}"]


def is_made(target: Path) -> bool:
    """Whether the file was compiled from just these sources."""
    made = target.read_bytes() if target.is_file() else b""
    return all(stamp.encode() in made for stamp in stamps())


def compile_to(target: Path, *more: str) -> str | None:
    """Compiles to a file; None, or why it did not work. `$CC`, `$CFLAGS` and `$BENCH_WHEEL_PLATFORM` are heeded."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    shared = ["-bundle" if sys.platform == "darwin" else "-shared"]
    if platform().startswith("macosx"):
        shared += ["-undefined", "dynamic_lookup"]
    include = sysconfig.get_path("include")
    sources = sorted(str(path) for path in (TOP / "native").glob("*.c"))
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.with_name(f"{target.name}.{os.getpid()}")
    own = shlex.split(os.environ.get("CFLAGS", ""))
    stamp = f'-DSTAMP="{"; ".join(stamps())}"'
    why = ""
    for speed in SPEEDS:
        command = [
            *shlex.split(compiler),
            *FLAGS,
            *speed,
            stamp,
            *own,
            *more,
            *shared,
            f"-I{include}",
            *sources,
            "-o",
            str(made),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            return f"{compiler}: {error.strerror}"
        if done.returncode == 0:
            break
        made.unlink(missing_ok=True)
        why = done.stderr or f"{compiler} ends with {done.returncode}"
    else:
        return why
    # A process that has the one before loaded keeps it.
    made.replace(target)
    return None


class NativeHook(BuildHookInterface):  # type: ignore[misc]
    """Adds the extension to a wheel if it can be compiled."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        target = TOP / PLACE if version == "editable" else TOP / "build" / NAME
        if (why := compile_to(target)) is not None:
            self.app.display_warning(f"without the native scanner, which could not be compiled: {why}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform()}"
        if version != "editable":
            build_data["force_include"][str(target)] = PLACE


def main() -> None:
    """Compiles it where it stands, unless it is made; with options of the compiler in any case."""
    target = TOP / PLACE
    if (sys.argv[1:] or not is_made(target)) and (why := compile_to(target, *sys.argv[1:])) is not None:
        target.unlink(missing_ok=True)
        sys.exit(f"the native scanner could not be compiled, so the reference reader reads the lines, slower: {why}")


if __name__ == "__main__":
    main()
