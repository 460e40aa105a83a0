"""Prints frames and reports: as a table for a terminal, or in the forms of benchledger.exports."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchledger.cli.options import ALL_TABLES
from benchledger.cli.render import table_text
from benchledger.cli.reveal import asked_names, headed, revealed
from benchledger.cli.terminal import is_terminal, print_text, wrapped
from benchledger.exports.values import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from benchledger.answers.tables.table import Report, Table
    from benchledger.cli.settings import Settings

# The columns of a report that a narrow terminal shows rather than the others.
_FIRST = {
    "failures": ("run", "status", "reason", "case", "campaign"),
    "convergence": ("case", "final loss", "best metric", "minutes"),
    "mlperf": ("system", "verdict", "benchmark", "score", "runs", "campaign"),
}
# For any other table.
_USUAL = ("speedup", "value", "value_mib", "unit", "loss")
# In a column with numbers below this two decimals hide digits.
_SMALL = 0.1


def print_frame(frame: pl.DataFrame, form: str, output: Path | None, first: Sequence[str] = ()) -> None:
    """Prints a frame, or writes it to a file. A narrow terminal shows the columns `first` rather than others."""
    from benchledger.exports.output_forms import frame_text

    frame = revealed(frame, output)
    if form == "parquet":
        if output is None:
            raise click.UsageError("--format parquet is binary: name a file with --output FILE")
        from benchledger.exports.output_forms import parquet_bytes

        _write(output, parquet_bytes(frame, asked_names(output) is not None))
    elif form == "table":
        write_text(headed(frame_table(frame, first), form, output), output)
    else:
        write_text(headed(frame_text(frame, form), form, output), output)
    if frame.is_empty() and output is None and (settings := _settings()) is not None:
        settings.say("no rows")


def print_report(report: Report, form: str, output: Path | None) -> None:
    """Prints a report: its tables as they are laid out, or all its numbers, unrounded, one row each.

    Of more tables than fit a screen it prints the list, unless --all was given.
    """
    from benchledger.exports.captions import is_long, words_at_end
    from benchledger.exports.output_forms import report_text

    report = revealed(listed_if_long(report, form, output), output)
    if form == "parquet":
        print_frame(report.cells, form, output)
    elif form == "table" and report.prose:
        write_text(headed(report_text(report, "markdown"), form, output), output)
    elif form == "table":
        settings = _settings()
        brief = settings is None or settings.verbosity < 1
        tables = [_report_table(report, table, brief) for table in report.tables]
        text = "\n\n".join([*tables, *map(wrapped, map(escaped, words_at_end(report)))])
        write_text(headed(text, form, output), output, paged=is_long(report))
    else:
        write_text(headed(report_text(report, form), form, output), output)


def print_page(
    head: Sequence[str], frames: Sequence[pl.DataFrame], notes: Sequence[str], form: str, output: Path | None,
    first: Sequence[str] = (),
) -> None:  # fmt: skip
    """Prints sentences, the tables that have rows, and notes: for a terminal, with columns `first`, or as Markdown."""
    head, notes = (revealed(list(one), output) for one in (head, notes))
    frames = revealed(list(frames), output)
    if form == "markdown":
        from benchledger.exports.markdown import markdown_of_frame, markdown_text

        blocks = ["<br>".join(map(markdown_text, head)), "\n".join(f"- {markdown_text(note)}" for note in notes)]
        tables = [markdown_of_frame(frame) for frame in frames if frame.height]
    else:
        blocks = ["\n".join(map(wrapped, map(escaped, said))) for said in (head, notes)]
        tables = [frame_table(frame, first) for frame in frames if frame.height]
    write_text(headed("\n\n".join(filter(None, [blocks[0], *tables, blocks[1]])), form, output), output)


def listed_if_long(report: Report, form: str, output: Path | None) -> Report:
    """Returns a report as it is printed: the list of its tables if they are many, and --all was not given."""
    from benchledger.exports.captions import is_long, table_list

    context = click.get_current_context(silent=True)
    is_whole = context is not None and bool(context.meta.get(ALL_TABLES))
    is_printed = output is None and form in ("table", "markdown")
    return table_list(report) if is_printed and not is_whole and is_long(report) else report


def frame_table(frame: pl.DataFrame, first: Sequence[str] = ()) -> str:
    from benchledger.exports.values import text_rows

    return table_text(frame.columns, text_rows(_shortened(frame) if is_terminal() else frame), first or _USUAL)


def _shortened(frame: pl.DataFrame) -> pl.DataFrame:
    """Returns numbers with decimals as text: two decimals, or four digits in a column of small numbers."""
    import polars as pl

    short = {}
    for name in (name for name, kind in frame.schema.items() if kind.is_float()):
        sizes = [abs(value) for value in frame[name].drop_nulls() if value]
        decimals = "{:.2f}" if not sizes or min(sizes) >= _SMALL else "{:.4g}"
        texts = [None if value is None else decimals.format(value) for value in frame[name]]
        short[name] = pl.Series(name, texts, pl.String)
    return frame.with_columns(**short)


TIME_SOURCES = {"member": "archive member"}


def time_text(when: datetime | None, source: str | None) -> str:
    """Returns a run's time to the minute, and its source: log, manifest, archive member or file.

    A terminal names only the sources that are not those of the run: archive member and file.
    """
    if when is None:
        return "unknown"
    if is_terminal() and source in ("log", "manifest"):
        return f"{when:%Y-%m-%d %H:%M}"
    return f"{when:%Y-%m-%d %H:%M} ({TIME_SOURCES.get(source or '', source)})"


def _report_table(report: Report, table: Table, brief: bool) -> str:
    from benchledger.exports.captions import words_above, words_below, words_below_trials

    body = table_text(table.frame.columns, list(table.frame.iter_rows()), _FIRST.get(report.name, ()))
    below = words_below(report, table, brief=brief)
    above, below = (list(map(wrapped, map(escaped, words))) for words in (words_above(report, table), below))
    lines = [*above, "", body, *([""] if below else []), *below]
    if table.trials is not None:
        trials = table_text(table.trials.columns, list(table.trials.iter_rows()), ("mean", "median"))
        lines += ["", trials, *words_below_trials(table)]
    return "\n".join(lines)


def write_text(text: str, output: Path | None, paged: bool = False) -> None:
    """Prints text, in a pager if it is `paged` or longer than the terminal's screen, or writes it to a file."""
    if output is None:
        print_text(text, paged=paged)
    else:
        write_file(output, text + "\n")


def write_file(output: Path, text: str) -> None:
    """Writes text to a file that is new or holds an earlier answer."""
    _write(output, text.encode(errors="backslashreplace"))


def _write(output: Path, content: bytes) -> None:
    from benchledger.exports.answer_files import refuse_overwrite, write_whole

    settings = _settings()
    refuse_overwrite(output, db=settings.db if settings is not None else None)
    write_whole(output, content)
    if settings is not None:
        settings.say(f"written: {output}")


def _settings() -> Settings | None:
    from benchledger.cli.settings import Settings

    context = click.get_current_context(silent=True)
    return context.find_object(Settings) if context is not None else None
