"""`bench export`: answers in the forms that people publish."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import benchledger
from benchledger.cli.case_options import case_options, given
from benchledger.cli.settings import Settings

if TYPE_CHECKING:
    from benchledger.answers.tables import Report

FORMS = ("markdown", "csv", "json", "latex", "parquet", "xlsx")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _export_options(function: _Function) -> _Function:
    """Adds --format and --output, whose suffix tells the form."""
    function = click.option(
        "--output", type=click.Path(path_type=Path), help="Write to this file or folder instead of stdout."
    )(function)
    return click.option(
        "--format", "form", type=click.Choice(FORMS), help="Form; else by the suffix of --output, else markdown."
    )(function)


@click.group()
def export() -> None:
    """Write answers as Markdown, CSV, Excel, JSON, ..."""


@export.command()
@click.argument("names", metavar="TABLES...", nargs=-1, required=True)
@case_options
@click.option("--rule", metavar="RULE", help="By this rule, as bench report takes it; only speed and speedup.")
@_export_options
@click.pass_obj
def tables(
    settings: Settings,
    /,
    names: tuple[str, ...],
    campaign: str | None,
    rule: str | None,
    form: str | None,
    output: Path | None,
    **filters: Any,
) -> None:
    """Write reports: speed, memory, speedup, failures, environment, leaderboard.

    Excel holds them all, a sheet a table; CSV and Parquet of several are a folder with a file each.
    """
    asked = {"db": settings.db, "campaign": campaign, "rule": rule, **given(filters)}
    reports = benchledger.export_tables(*names, output=output, form=form, **asked)
    _print(settings, reports, form, output)


@export.command()
@case_options
@_export_options
@click.pass_obj
def leaderboard(
    settings: Settings, /, campaign: str | None, form: str | None, output: Path | None, **filters: Any
) -> None:
    """Rank the series that meet the filters by speed, on equal cards and equal work."""
    asked = {"db": settings.db, "campaign": campaign, **given(filters)}
    reports = benchledger.export_tables("leaderboard", output=output, form=form, **asked)
    _print(settings, reports, form, output)


def _print(settings: Settings, reports: tuple[Report, ...], form: str | None, output: Path | None) -> None:
    from benchledger.cli.output import write_form
    from benchledger.exports.tables import form_of, reports_text

    if output is None:
        chosen = form_of(form, None)
        write_form(reports_text(reports, chosen), chosen, None)
    else:
        for report in reports:
            if not report.tables:
                for note in report.notes:
                    settings.say(note)
