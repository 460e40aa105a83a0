"""The libraries of the extra `plot`, or the line to type where they are not installed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from benchledger.errors import BenchledgerError

EXTRA = "benchledger[plot]"


def need(module: str) -> Any:
    """Returns a module of the extra. Raises BenchledgerError with the line that installs it here."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise BenchledgerError(f"plots need {error.name}, which is not installed. Type: {install_line()}") from error


def install_line() -> str:
    """Returns the line that installs the extra, for the way in which benchledger was installed: pipx, uv or pip."""
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return f"pipx install --force '{EXTRA}'"
    if "uv" in parts and "tools" in parts:
        return f"uv tool install '{EXTRA}'"
    return f"{sys.executable} -m pip install '{EXTRA}'"
