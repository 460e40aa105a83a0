"""Writes CSV with no cell that a spreadsheet takes for a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.exports.values import value_text

if TYPE_CHECKING:
    import polars as pl

# Excel, LibreOffice and Google Sheets read a cell with one of these first characters as a formula, even in quotes.
_FORMULA = r"^[=+\-@\t\r]"


def csv_of_frame(frame: pl.DataFrame) -> str:
    """Returns a frame as CSV, with a line of column names and no line break at the end.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. Numbers stay as they are, -1.5 too.
    """
    import polars as pl

    flat = frame.with_columns(
        pl.Series(name, [None if value is None else value_text(value) for value in frame[name].to_list()], pl.String)
        for name, kind in frame.schema.items()
        if not (kind.is_numeric() or kind in (pl.Boolean, pl.Date, pl.Datetime, pl.Null, pl.String, pl.Time))
    )
    texts = pl.col(pl.String)
    tame = flat.with_columns(pl.when(texts.str.contains(_FORMULA)).then("'" + texts).otherwise(texts).name.keep())
    return tame.rename(_tame_names(tame.columns)).write_csv().rstrip("\n")


def _tame_names(columns: list[str]) -> dict[str, str]:
    return {column: f"'{column}" for column in columns if column[:1] in tuple("=+-@\t\r") and column}
