"""Calls Arrow's functions by name, without `pyarrow.compute`, whose import takes 40 ms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# A constant column is made as long as the next multiple of this, and reused for columns that are about as long.
_MANY = 1 << 16


def call(function: str, *values: Any) -> Any:
    return caller()(function, list(values))


@cache
def caller() -> Callable[[str, list[Any]], Any]:
    try:
        from pyarrow._compute import call_function
    except ImportError:
        from pyarrow.compute import call_function
    return call_function  # type: ignore[no-any-return]


def repeated(number: int | None, kind: pa.DataType, times: int) -> pa.Array:
    """Returns an array of one value."""
    return _many(number, kind, times + -times % _MANY).slice(0, times)


@lru_cache(maxsize=16)
def _many(number: int | None, kind: pa.DataType, times: int) -> pa.Array:
    # Made once for all parts of a log: new memory pages for each part cost more than everything else here.
    import pyarrow as pa

    return pa.nulls(times, kind) if number is None else pa.repeat(pa.scalar(number, kind), times)


def alike_in(column: pa.ChunkedArray) -> int | None:
    """The value of an integer column in which all rows are equal, else None."""
    import pyarrow as pa

    if not pa.types.is_integer(column.type) or column.null_count or not len(column) or column[0] != column[-1]:
        return None
    ends = call("min_max", column).as_py()
    number: int = ends["min"]
    return number if number == ends["max"] else None
