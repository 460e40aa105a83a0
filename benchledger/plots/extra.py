"""The libraries of the extra `plot`, or the line to type where they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchledger.errors import missing_extra


def need(module: str) -> Any:
    """Returns a module of the extra. Raises UsageError with the line that installs it here."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise missing_extra(f"plots need {error.name or module}", error, "plot") from error
