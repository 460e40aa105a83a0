"""Calls Arrow's functions by name, without `pyarrow.compute`, whose import takes 40 ms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


def call(function: str, *values: Any) -> Any:
    return caller()(function, list(values))


@cache
def caller() -> Callable[[str, list[Any]], Any]:
    try:
        from pyarrow._compute import call_function
    except ImportError:
        from pyarrow.compute import call_function
    return call_function  # type: ignore[no-any-return]
