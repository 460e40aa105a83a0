"""Rows as polars frames, and what is asked of those that hardly differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def framed(table: pa.Table | pa.RecordBatch) -> pl.DataFrame:
    """An Arrow table as a frame."""
    import polars as pl

    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame), "a table is a frame"
    return frame


def chosen(rows: pl.DataFrame, by: pl.Expr) -> pl.DataFrame:
    """The rows of which something is so: where it is of all, they are not copied."""
    is_chosen = rows.select(by).to_series()
    return rows if is_chosen.all(ignore_nulls=False) else rows.filter(is_chosen)


def are_alike(rows: pl.DataFrame, *columns: str) -> bool:
    """Whether there are rows, and all say the same in some columns of numbers: such need not be grouped by these."""
    given = [rows[name] for name in columns]
    return rows.height > 0 and all(one.min() == one.max() and not one.null_count() for one in given)


def repeated(row: pl.DataFrame, times: int) -> pl.DataFrame:
    """One row so many times."""
    import polars as pl

    return pl.DataFrame([column.new_from_index(0, times) for column in row])


def copied(rows: pl.DataFrame) -> pl.DataFrame:
    """The same few rows apart: a piece of a part, which is kept, would hold all of it in memory."""
    import polars as pl

    return rows[pl.int_range(rows.height, eager=True)]


def summed(rows: pl.DataFrame, of: str, **sums: pl.Expr) -> pl.DataFrame:
    """One row for each number in column `of`, as these come, with what its rows come to: each sum is one value."""
    import polars as pl

    if are_alike(rows, of):
        # The first of a column is a piece of it.
        return copied(rows.select(pl.col(of).first(), **sums))
    return rows.group_by(of, maintain_order=True).agg(**sums)


def stands(rows: pl.DataFrame, of: str, place: str) -> bool:
    """Whether the rows of each `of` stand together, in the order of their places."""
    import polars as pl

    follows = pl.col(of) == pl.col(of).shift()
    falls = follows & (pl.col(place) < pl.col(place).shift())
    return not rows.select(falls.any() | (1 + (~follows).sum() > pl.col(of).n_unique())).item()
