"""Commands in an environment and a folder far from this checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent


def done(*command: str | Path, where: Path, **variables: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a command with these environment variables, and none of Python or bench."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "BENCH_"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=where,
        env={**environment, **{name: str(value) for name, value in variables.items()}},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def ran(*command: str | Path, where: Path, **variables: str | Path) -> str:
    """Standard output; fails the test with all that was printed if the command fails."""
    process = done(*command, where=where, **variables)
    assert process.returncode == 0, f"{' '.join(map(str, command))}\n{process.stdout}{process.stderr}"
    return process.stdout
