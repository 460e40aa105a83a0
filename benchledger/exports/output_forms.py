"""Writes a frame or report in the requested form, CSV among them. This is the only module that knows every form."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from benchledger.errors import UsageError
from benchledger.exports.values import escaped, is_formula, json_text, value_text

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables.table import Coverage, Report


# The text forms of an answer, besides a table on the terminal.
TEXT_FORMS = ("markdown", "csv", "json", "latex")


def frame_text(frame: pl.DataFrame, form: str) -> str:
    """Returns a frame as Markdown, CSV, JSON or LaTeX, without a line break at the end."""
    from benchledger.exports.latex import latex_of_frame
    from benchledger.exports.markdown import markdown_of_frame

    if form == "markdown":
        return markdown_of_frame(frame)
    if form == "csv":
        return csv_of_frame(frame)
    if form == "json":
        return json_text(frame.to_dicts())
    if form == "latex":
        return latex_of_frame(frame)
    raise UsageError(f"no text format {form!r}; known: {', '.join(TEXT_FORMS)}")


def parquet_bytes(frame: pl.DataFrame, has_real_names: bool = False) -> bytes:
    """Returns a frame as a Parquet file, whose metadata say if it holds real names."""
    from benchledger.exports.real_names import NOTE

    content = BytesIO()
    frame.write_parquet(content, metadata={"real_names": NOTE} if has_real_names else None)
    return content.getvalue()


def report_text(report: Report, form: str) -> str:
    """Returns a report as text: its tables in Markdown and LaTeX, its unrounded numbers in CSV, both in JSON."""
    from benchledger.exports.latex import latex_of_report
    from benchledger.exports.markdown import markdown_of_report

    if form == "markdown":
        return markdown_of_report(report)
    if form == "latex":
        return latex_of_report(report)
    if form == "json":
        return json_text(report_json(report))
    return frame_text(report.cells, form)


def report_json(report: Report) -> dict[str, object]:
    """Returns a report's tables as they are laid out, and all its numbers."""
    tables = [
        {
            "facts": table.facts,
            "rows_split_by": list(table.rows_split_by),
            "coverage": None if table.coverage is None else _coverage(table.coverage),
            "notes": list(table.notes),
            "remarks": list(table.remarks),
            "rows": table.frame.to_dicts(),
            "trials": None if table.trials is None else table.trials.to_dicts(),
        }
        for table in report.tables
    ]
    return {
        "report": report.name,
        "split_by": list(report.split_by),
        "tables": tables,
        "notes": list(report.notes),
        "cells": report.cells.to_dicts(),
    }


def _coverage(coverage: Coverage) -> dict[str, object]:
    return {"present": coverage.present, "total": coverage.total, "missing": coverage.missing}


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
