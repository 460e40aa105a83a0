"""Makes environments of frameworks: each its own Python, with the packages pinned in runners/environments/NAME.txt."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.errors import BenchledgerError, unknown_name
from benchledger.running.launch import shell_text

FOLDER = Path(".bench/environments")
_PYTHON = re.compile(r"^# python (3\.\d+)", re.MULTILINE)


def environment_python(name: str) -> Path | None:
    python = (FOLDER / name / "bin" / "python").absolute()
    return python if python.exists() else None


def environment_commands(name: str) -> list[list[str]]:
    """Returns the commands that make an environment. Raises UsageError for an unknown name."""
    files = {path.stem: path for path in definition_files("runners/environments", ".txt")}
    if name not in files:
        raise unknown_name("environment", name, files)
    asked = _PYTHON.search(files[name].read_text(encoding="utf-8"))
    python = f"python{asked[1]}" if asked else "python3"
    folder = FOLDER / name
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "-r", str(files[name])]
    return [[python, "-m", "venv", "--clear", str(folder)], install]


def make_environment(name: str, *, dry_run: bool = False, progress: Callable[[str], None] | None = None) -> list[str]:
    """Makes a framework's environment in .bench/environments/ and returns the commands; `dry_run` only returns them.

    Raises BenchledgerError if one of them fails.
    """
    commands = environment_commands(name)
    if not dry_run:
        if not _starts(commands[0][0]):
            cure = "Install it, and try again; pyenv's own must be chosen, too: pyenv shell 3.11 3.10 3.8"
            raise BenchledgerError(f"{name} needs {commands[0][0]}, which is not installed. {cure}")
        for words in commands:
            if progress is not None:
                progress(shell_text(words))
            done = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                # Half an environment would count as a complete one.
                shutil.rmtree(FOLDER / name, ignore_errors=True)
                last = (done.stdout.strip().splitlines() or ["it said nothing"])[-1]
                raise BenchledgerError(f"{shell_text(words)}: exit code {done.returncode}: {last}")
    return [shell_text(words) for words in commands]


def _starts(python: str) -> bool:
    """Tells whether this Python starts: pyenv has a command for each version that it knows, selected or not."""
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "--version"], check=False, capture_output=True).returncode == 0
