"""`bench export`: writes answers in the forms that people publish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import benchledger
from benchledger.cli.commands import KnownGroup
from benchledger.cli.options import (
    FOLDER,
    all_option,
    case_options,
    given,
    language_option,
    layout_option,
    rule_option,
    together,
)
from benchledger.cli.output import listed_if_long, write_text
from benchledger.cli.reveal import asked_names, headed, reveal_option
from benchledger.cli.settings import Settings
from benchledger.cli.site import site
from benchledger.errors import counted
from benchledger.exports.tables import FORMS, form_of, reports_text
from benchledger.exports.values import json_text

if TYPE_CHECKING:
    from benchledger.exports.answer_files import JsonFiles

_FOLDER = click.option("--output", type=FOLDER, help="Write the files below this folder, not stdout.")
# The suffix of --output determines the form.
_export_options = together(
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMS),
        help="Output format. Default: by the suffix of --output, else markdown.",
    ),
    click.option("--output", type=click.Path(path_type=Path), help="Write to this file or folder instead of stdout."),
    reveal_option,
    all_option,
)


@click.group(cls=KnownGroup)
def export() -> None:
    """Export reports to Markdown, CSV, Excel, JSON, ..."""


@export.command()
@click.argument("names", metavar="TABLES...", nargs=-1, required=True)
@case_options
@rule_option
@layout_option
@language_option
@_export_options
@click.pass_obj
def tables(settings: Settings, /, names: tuple[str, ...], form: str | None, output: Path | None, **words: Any) -> None:
    """Export several reports in one file or folder.

    TABLES are speed, memory, speedup, max-batch, convergence, failures, environment, logs, profile, leaderboard,
    ranking, pivot.

    Excel has one sheet per table. Several tables in CSV or Parquet are a folder with one file per table.
    """
    _print(settings, names, form, output, words)


@export.command()
@case_options
@_export_options
@click.pass_obj
def leaderboard(settings: Settings, /, form: str | None, output: Path | None, **words: Any) -> None:
    """Rank series by throughput, on equal GPUs and equal work."""
    _print(settings, ("leaderboard",), form, output, words)


def _print(
    settings: Settings, names: tuple[str, ...], form: str | None, output: Path | None, words: dict[str, Any]
) -> None:
    asked = {"db": settings.db, **given(words)}
    reports = benchledger.export_tables(*names, output=output, form=form, reveal=asked_names(output), **asked)
    if output is None:
        chosen = form_of(form, None)
        shown = [listed_if_long(report, chosen, None) for report in reports]
        write_text(headed(reports_text(shown, chosen), chosen), None)
    else:
        settings.say(f"written: {output}")
        for report in reports:
            if not report.tables:
                for note in report.notes:
                    settings.say(note)


@export.command()
@case_options
@rule_option
@_FOLDER
@click.pass_obj
def index(settings: Settings, /, output: Path | None, **words: Any) -> None:
    """Export PaddlePaddle's index JSON: speed, memory, profile and largest batch per case."""
    _print_files(settings, benchledger.export_index(output=output, db=settings.db, **given(words)), output)


@export.command()
@case_options
@rule_option
@_FOLDER
@click.pass_obj
def dlperf(settings: Settings, /, output: Path | None, **words: Any) -> None:
    """Export DLPerf's result JSON: average, median and speed-up per case, one file per batch size."""
    _print_files(settings, benchledger.export_dlperf(output=output, db=settings.db, **given(words)), output)


export.add_command(site)


def _print_files(settings: Settings, result: JsonFiles, output: Path | None) -> None:
    if output is None:
        # One file as it would be written; several files by name.
        alone = next(iter(result.files.values())) if len(result.files) == 1 else result.files
        write_text(json_text(alone), None)
    else:
        settings.say(f"{output}: {counted(len(result.files), 'file')}")
    for note in result.notes:
        settings.say(note)
