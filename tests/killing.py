"""Runs a command that is stopped just before one of the files that it moves or removes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# The signal comes before the call that the audit event tells of.
_CODE = """
import os, sys
number, sent, start, left = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], []
def before(event, told):
    if event in ("os.rename", "os.remove") and any(str(one).startswith(start) for one in told[:2]):
        left.append(event)
        if len(left) == number:
            os.kill(os.getpid(), sent)
sys.addaudithook(before)
del sys.argv[1:4]
from benchledger.cli.main import main
main()
"""


def stopped_runs(
    start: Path, *words: str | Path, sent: signal.Signals = signal.SIGKILL, most: int = 60
) -> Iterator[subprocess.CompletedProcess[str]]:
    """Yields after each run of a command: stopped at the first file that it moves or removes whose path begins with
    `start`, then at the second, and so on, until one is not stopped. That one is not yielded.
    """
    for number in range(1, most):
        command = [sys.executable, "-c", _CODE, str(number), str(int(sent)), str(start), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        yield done
    raise AssertionError(f"it was stopped {most} times")
