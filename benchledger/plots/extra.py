"""The libraries of the extra `plot`, or the line to type where they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchledger.errors import BenchledgerError, install_line


def need(module: str) -> Any:
    """Returns a module of the extra. Raises BenchledgerError with the line that installs it here."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise BenchledgerError(f"plots need {error.name or module}. Install it with: {install_line('plot')}") from error
