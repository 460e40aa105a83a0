"""CSV whose cells no spreadsheet takes for a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.exports.values import value_text

if TYPE_CHECKING:
    import polars as pl

# With one of these at its beginning a cell is a formula to Excel, LibreOffice and Google Sheets, also within quotes.
_FORMULA = r"^[=+\-@\t\r]"


def csv_of_frame(frame: pl.DataFrame) -> str:
    """A frame as CSV with a line of column names.

    A text that a spreadsheet would run gets an apostrophe before it. A number is a number: -1.5 stays as it is.
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
