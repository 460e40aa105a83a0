"""Builds the wheels with the native scanner for each platform: `make wheels`. Zig compiles for all of them.

The module uses the stable ABI, so that one wheel serves Python 3.11 to 3.13. `abi3audit` and `auditwheel` check it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
OUT = TOP / "dist"
# What zig compiles for, and what pip calls it. glibc 2.17 is that of manylinux2014; zig's musl is 1.2.
TARGETS = {
    "x86_64-linux-gnu.2.17": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "aarch64-linux-gnu.2.17": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "x86_64-linux-musl": "musllinux_1_2_x86_64",
    "aarch64-linux-musl": "musllinux_1_2_aarch64",
    "x86_64-macos.11.0": "macosx_11_0_x86_64",
    "aarch64-macos.11.0": "macosx_11_0_arm64",
}


def main() -> None:
    """Builds and checks each wheel; ends with 1 if one of them fails. With `cc TARGET ...` it is the compiler."""
    if sys.argv[1:2] == ["cc"]:
        compile_for(sys.argv[2], sys.argv[3:])
        return
    build_all()


def build_all() -> list[Path]:
    """Builds and checks each wheel; ends the program with 1 if one of them fails."""
    wheels = {platform: build(target, platform) for target, platform in TARGETS.items()}
    failed = [platform for platform, wheel in wheels.items() if not is_sound(wheel, platform)]
    if failed:
        sys.exit(f"these wheels could not be built, or a check of them failed: {', '.join(failed)}")
    return [*wheels.values()]


def compile_for(target: str, arguments: list[str]) -> None:
    """Compiles with zig, and names musl's C library as Alpine does: zig calls it `libc.so`."""
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", target, "-fno-sanitize=undefined", "-s", *arguments]
    done = subprocess.run(zig, check=False)
    if done.returncode == 0 and "musl" in target:
        needed = f"libc.musl-{target.partition('-')[0]}.so.1"
        made = arguments[arguments.index("-o") + 1]
        done = subprocess.run(["patchelf", "--replace-needed", "libc.so", needed, made], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def build(target: str, platform: str) -> Path:
    """Builds the wheel of one platform."""
    wheel = OUT / f"benchledger-{version()}-cp311-abi3-{platform}.whl"
    wheel.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "CC": f"{sys.executable} {Path(__file__)} cc {target}",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "BENCH_WHEEL_PLATFORM": platform,
    }
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(OUT)],
        cwd=TOP, env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return wheel


def version() -> str:
    """The version in benchledger/__init__.py."""
    source = (TOP / "benchledger" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    assert found is not None
    return found.group(1)


def is_sound(wheel: Path, platform: str) -> bool:
    """Whether a wheel is there, keeps to the stable ABI, and asks for no newer C library than its name says."""
    if not wheel.is_file():
        return False
    sys.stdout.write(f"{wheel.name}, {wheel.stat().st_size:,} bytes\n")
    sys.stdout.flush()
    done = subprocess.run([sys.executable, "-m", "abi3audit", "--strict", "--summary", str(wheel)], check=False)
    if done.returncode or "linux" not in platform:
        return done.returncode == 0
    # The libraries of this machine say nothing of those of another one.
    show = [sys.executable, "-m", "auditwheel", "show", "--ldpaths", str(OUT), str(wheel)]
    told = subprocess.run(show, capture_output=True, text=True, check=False)
    sys.stdout.write(told.stdout or told.stderr)
    found = re.search(r'platform tag:\s+"((?:many|musl)linux)_(\d+)_(\d+)_(\w+)"', told.stdout)
    named = re.match(r"((?:many|musl)linux)_(\d+)_(\d+)_(\w+)", platform)
    if found is None or named is None or (found[1], found[4]) != (named[1], named[4]):
        return False
    return (int(found[2]), int(found[3])) <= (int(named[2]), int(named[3]))


if __name__ == "__main__":
    main()
