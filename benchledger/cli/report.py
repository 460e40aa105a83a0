"""`bench report`: the tables in the layouts of the reference READMEs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import benchledger
from benchledger.cli.case_options import case_options, given, output_options
from benchledger.cli.settings import Settings

_RULE = click.option(
    "--rule", metavar="RULE", help="By this rule, or by each of a glob such as 'paddle.*', instead of the default."
)


@click.group()
def report() -> None:
    """Print a table: speed, memory, failures, ..."""


@report.command()
@case_options
@_RULE
@click.option("--trials", is_flag=True, help="List each trial beside mean and median.")
@output_options
@click.pass_obj
def speed(
    settings: Settings,
    /,
    campaign: str | None,
    rule: str | None,
    trials: bool,
    form: str,
    output: Path | None,
    **filters: Any,
) -> None:
    """Speed: cards by precision and batch size."""
    from benchledger.cli.output import print_report

    answer = benchledger.report_speed(db=settings.db, campaign=campaign, rule=rule, trials=trials, **given(filters))
    print_report(answer, form, output)


@report.command()
@case_options
@output_options
@click.pass_obj
def memory(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **filters: Any) -> None:
    """Memory in MiB: cards by precision and batch size, one table per definition of memory."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_memory(db=settings.db, campaign=campaign, **given(filters)), form, output)


@report.command()
@case_options
@_RULE
@output_options
@click.pass_obj
def speedup(
    settings: Settings, /, campaign: str | None, rule: str | None, form: str, output: Path | None, **filters: Any
) -> None:
    """Speed-up over the base with the fewest GPUs, and efficiency."""
    from benchledger.cli.output import print_report

    answer = benchledger.report_speedup(db=settings.db, campaign=campaign, rule=rule, **given(filters))
    print_report(answer, form, output)


@report.command()
@case_options
@output_options
@click.pass_obj
def failures(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **filters: Any) -> None:
    """Runs that did not end well, with the line that says so."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_failures(db=settings.db, campaign=campaign, **given(filters)), form, output)


@report.command()
@case_options
@output_options
@click.pass_obj
def environment(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **filters: Any) -> None:
    """What runs ran on: GPU, driver, CUDA, image, CPU, memory; one column an environment."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_environment(db=settings.db, campaign=campaign, **given(filters)), form, output)
