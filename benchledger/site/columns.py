"""Packs rows by columns: each different value once, so that 100,000 rows are some megabytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchledger.answers.tables.grouping import Row

if TYPE_CHECKING:
    import polars as pl


# A table in which no cell has a number still says why.
_ALWAYS = ("value",)


def packed(rows: Sequence[Row], columns: Sequence[str]) -> dict[str, Any]:
    """Returns rows as columns, without those that no row has a value of.

    A column of floats is `numbers`; any other has its different values in `values`, sorted, and in `codes` the place of
    each row's own there, -1 for none.
    """
    found = []
    for name in columns:
        values = [row[name] for row in rows]
        known = [value for value in values if value is not None]
        if not known and name not in _ALWAYS:
            continue
        if all(isinstance(value, float) for value in known):
            found.append({"name": name, "numbers": values})
        else:
            different = sorted(set(known))
            place = {value: number for number, value in enumerate(different)} | {None: -1}
            found.append({"name": name, "values": different, "codes": [place[value] for value in values]})
    return {"rows": len(rows), "columns": found}


def framed(frame: pl.DataFrame, *columns: str) -> dict[str, Any]:
    """Returns a small frame, or some columns of it, as the heads and rows of a table."""
    chosen = frame.select(columns) if columns else frame
    return {"columns": chosen.columns, "rows": [list(row) for row in chosen.iter_rows()]}
