"""Writes CSV with no cell that a spreadsheet takes for a formula, and no control character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchledger.exports.safe_text import escaped, is_formula
from benchledger.exports.values import value_text

if TYPE_CHECKING:
    import polars as pl


def csv_of_frame(frame: pl.DataFrame) -> str:
    """Returns a frame as CSV, with a line of column names and no line break at the end.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. Numbers stay as they are, -1.5 too.
    """
    import polars as pl

    tame = frame.with_columns(
        pl.Series(name, [_cell(value) for value in frame[name].to_list()], pl.String)
        for name, kind in frame.schema.items()
        if not (kind.is_numeric() or kind in (pl.Boolean, pl.Date, pl.Datetime, pl.Null, pl.Time))
    )
    return tame.rename({name: str(_cell(name)) for name in tame.columns}).write_csv().rstrip("\n")


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    text = escaped(value_text(value))
    return f"'{text}" if is_formula(text) else text
