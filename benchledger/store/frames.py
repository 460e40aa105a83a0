"""Rows that DuckDB returns, as a polars frame that Python can read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_CURE = "bench db check finds such values in tables; in SQL of your own, cast the column to varchar"


def frame_of(answer: duckdb.DuckDBPyRelation | duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Returns all rows. Raises DatabaseError, with the column, for a time that Python cannot hold.

    polars holds it, but panics with a trace of its own when it makes text or a Python value of it.
    """
    import polars as pl

    try:
        frame = answer.pl()
    except pl.exceptions.PolarsError as error:
        raise DatabaseError(f"polars cannot hold the rows: {error}. {_CURE}") from error
    for column in frame:
        for times in _times(column):
            ends = [date.min, date.max] if times.dtype == pl.Date else [datetime.min, datetime.max]
            # Nanoseconds hold neither end, and no year that Python does not.
            low, high = pl.Series(ends).cast(times.dtype, strict=False).to_physical().to_list()
            if low is not None and not times.to_physical().is_between(low, high).all():
                raise DatabaseError(f"column {column.name} has a time outside of the years 1 to 9999. {_CURE}")
    return frame


def _times(column: pl.Series) -> Iterator[pl.Series]:
    """Yields the dates and times of a column, those in lists, structs and maps too."""
    import polars as pl

    if isinstance(column.dtype, (pl.List, pl.Array)):
        yield from _times(column.explode())
    elif isinstance(column.dtype, pl.Struct):
        for part in column.struct.unnest():
            yield from _times(part)
    elif isinstance(column.dtype, pl.Map):
        yield from _times(column.map.keys())
        yield from _times(column.map.values())
    elif isinstance(column.dtype, (pl.Date, pl.Datetime)):
        yield column
