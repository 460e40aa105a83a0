"""Prints frames and reports: as a table for a terminal, or in the forms of benchledger.exports."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchledger.cli.render import table_text
from benchledger.exports.safe_text import escaped, escaped_lines

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables.table import Report, Table


def print_frame(frame: pl.DataFrame, form: str, output: Path | None) -> None:
    """Prints a frame, or writes it to a file."""
    from benchledger.exports.output_forms import frame_text

    if form == "parquet":
        if output is None:
            raise click.UsageError("--format parquet is binary: name a file with --output FILE")
        from benchledger.exports.atomic_write import write_whole
        from benchledger.exports.output_forms import parquet_bytes

        _need_free(output)
        write_whole(output, parquet_bytes(frame))
    elif form == "table":
        write_text(frame_table(frame), output)
    else:
        write_form(frame_text(frame, form), form, output)


def print_report(report: Report, form: str, output: Path | None) -> None:
    """Prints a report: its tables as they are laid out, or all its numbers, unrounded, one row each."""
    from benchledger.exports.captions import words_at_end
    from benchledger.exports.output_forms import report_text

    if form == "parquet":
        print_frame(report.cells, form, output)
    elif form == "table" and report.prose:
        write_text(report_text(report, "markdown"), output)
    elif form == "table":
        tables = [_report_table(report, table) for table in report.tables]
        write_text("\n\n".join([*tables, *map(escaped, words_at_end(report))]), output)
    else:
        write_form(report_text(report, form), form, output)


def frame_table(frame: pl.DataFrame) -> str:
    """Returns a frame as a plain table, with every row and column."""
    from benchledger.exports.values import text_rows

    return table_text(frame.columns, text_rows(frame))


TIME_SOURCES = {"member": "archive member"}


def time_text(when: datetime | None, source: str | None) -> str:
    """Returns a run's time to the minute, and its source: log, manifest, archive member or file."""
    if when is None:
        return "unknown"
    return f"{when:%Y-%m-%d %H:%M} ({TIME_SOURCES.get(source or '', source)})"


def _report_table(report: Report, table: Table) -> str:
    from benchledger.exports.captions import words_above, words_below, words_below_trials

    body = table_text(table.frame.columns, list(table.frame.iter_rows()))
    lines = [*map(escaped, words_above(report, table)), "", body, "", *map(escaped, words_below(report, table))]
    if table.trials is not None:
        lines += ["", table_text(table.trials.columns, list(table.trials.iter_rows())), *words_below_trials(table)]
    return "\n".join(lines)


def write_form(text: str, form: str, output: Path | None) -> None:
    """Prints or writes text in a form of benchledger.exports."""
    # A terminal would act on control characters in CSV; a file or pipe gets CSV unchanged.
    raw = form == "csv" and output is None and sys.stdout.isatty()
    write_text(escaped_lines(text) if raw else text, output)


def write_text(text: str, output: Path | None) -> None:
    """Prints text, or writes it to a file."""
    if output is None:
        # color=True: click would strip escape codes from the output to a pipe.
        click.echo(text, color=True)
    else:
        write_file(output, text + "\n")


def write_file(output: Path, text: str) -> None:
    """Writes text to a file that is new or holds an earlier answer."""
    from benchledger.exports.atomic_write import write_whole

    _need_free(output)
    write_whole(output, text.encode(errors="backslashreplace"))


def _need_free(output: Path) -> None:
    from benchledger.cli.settings import Settings
    from benchledger.exports.overwrite_guard import refuse_overwrite

    context = click.get_current_context(silent=True)
    settings = context.find_object(Settings) if context is not None else None
    refuse_overwrite(output, db=settings.db if settings is not None else None)
