"""Prints frames and reports as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import json
import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchledger.cli.render import table_text
from benchledger.cli.safe_text import escaped, escaped_lines, is_unsafe

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables import Report, Table


def print_frame(frame: pl.DataFrame, form: str, output: Path | None) -> None:
    """Prints a frame, or writes it to a file."""
    if form == "parquet":
        if output is None:
            raise click.UsageError("--format parquet is no text: say where it goes with --output FILE")
        frame.write_parquet(output)
    elif form == "csv":
        _write(_csv_text(frame), output)
    elif form == "json":
        _write(json_text(frame.to_dicts()), output)
    else:
        _write(frame_text(frame), output)


def print_report(report: Report, form: str, output: Path | None) -> None:
    """Prints a report: its tables as they are laid out, or all its numbers, unrounded, one row each."""
    if form == "table":
        notes = [escaped(note) for note in report.notes]
        _write("\n\n".join([*(_table_text(report.name, table, report) for table in report.tables), *notes]), output)
    elif form == "json":
        tables = [
            {
                "facts": table.facts,
                "rows_split_by": list(table.rows_split_by),
                "coverage": None if table.coverage is None else vars(table.coverage),
                "notes": list(table.notes),
                "rows": table.frame.to_dicts(),
                "trials": None if table.trials is None else table.trials.to_dicts(),
            }
            for table in report.tables
        ]
        numbers = {
            "report": report.name,
            "split_by": list(report.split_by),
            "tables": tables,
            "notes": list(report.notes),
        }
        _write(json_text({**numbers, "cells": report.cells.to_dicts()}), output)
    else:
        print_frame(report.cells, form, output)


def frame_text(frame: pl.DataFrame) -> str:
    """A frame as a plain table, every row and column of it."""
    return table_text(frame.columns, [[_cell(value) for value in row] for row in frame.iter_rows()])


TIME_SOURCES = {"member": "archive member"}


def time_text(when: datetime | None, source: str | None) -> str:
    """A run's time to the minute, and whose it is: log, manifest, archive member or file."""
    if when is None:
        return "unknown"
    return f"{when:%Y-%m-%d %H:%M} ({TIME_SOURCES.get(source or '', source)})"


def json_text(value: Any) -> str:
    """JSON of plain values; what a terminal would act on is a JSON escape, so that it reads back the same."""
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, indent=2)
    return "".join(json.dumps(char)[1:-1] if char != "\n" and is_unsafe(char) else char for char in text)


def _table_text(name: str, table: Table, report: Report) -> str:
    differing = set(report.split_by)
    facts = [f"{fact} {'unknown' if value is None else value}" for fact, value in table.facts.items()]
    lines = [f"{name}: {'; '.join(facts)}" if facts else name]
    if differing:
        lines.append(f"one of {len(report.tables)} tables, split by {', '.join(report.split_by)}")
    if table.rows_split_by:
        lines.append(f"rows split by {', '.join(table.rows_split_by)}")
    heading = [escaped(line) for line in lines]
    footing = [] if table.coverage is None else [escaped(str(table.coverage))]
    footing += [escaped(note) for note in table.notes]
    body = table_text(table.frame.columns, list(table.frame.iter_rows()))
    if table.trials is not None:
        footing += ["", table_text(table.trials.columns, list(table.trials.iter_rows()))]
        if any(
            cell.startswith("(")
            for name in table.trials.columns
            if name.startswith("trial ")
            for cell in table.trials[name]
        ):
            footing += ["in brackets: the number of a trial that does not count"]
    return "\n".join([*heading, "", body, "", *footing])


def _csv_text(frame: pl.DataFrame) -> str:
    import polars as pl

    nested = [name for name, kind in frame.schema.items() if kind.is_nested() or kind == pl.Object]
    flat = frame.with_columns(
        pl.Series(name, [None if value is None else json.dumps(_plain(value)) for value in frame[name].to_list()])
        for name in nested
    )
    text = flat.write_csv().rstrip("\n")
    # A file or a pipe gets the text as it is; a terminal would act on it.
    return escaped_lines(text) if sys.stdout.isatty() else text


def _write(text: str, output: Path | None) -> None:
    if output is None:
        # color=True: click would take the escapes out of what goes into a pipe.
        click.echo(text, color=True)
    else:
        output.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        return json.dumps(_plain(value), ensure_ascii=False)
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        # JSON has no such number, and null would say that there is none.
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)
