"""`bench report`: the tables in the layouts of the reference READMEs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import benchledger
from benchledger.cli.case_options import (
    case_options,
    given,
    language_option,
    layout_option,
    layout_options,
    output_options,
    page_layout_option,
    rule_option,
)
from benchledger.cli.commands import KnownGroup
from benchledger.cli.settings import Settings

_CASES = "Only these, in this order, known or not: precision:batch, or precision:max for the largest that ran."
_COLUMNS = "Only these, in this order: node_num, gpu_num, value, base, speedup, efficiency."
_BATCH_COLUMNS = "Only these, in this order: gpus, precision, largest_ok, smallest_oom; or precision:max for paddle."


@click.group(cls=KnownGroup, invoke_without_command=True)
@click.option(
    "--write",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Instead of printing: run the commands in the markers of this Markdown file, and put their answers between.",
)
@click.option("--check", is_flag=True, help="With --write: write nothing; exit 1 if an answer differs from the page.")
@click.pass_context
def report(ctx: click.Context, /, page: Path | None, check: bool) -> None:
    """Print a table: speed, memory, failures, ..."""
    if ctx.invoked_subcommand is not None:
        if page is not None or check:
            raise click.UsageError("--write FILE and --check stand alone: the tables are named in the file's markers")
        return
    if page is None:
        if check:
            raise click.UsageError("--check needs --write FILE, the page to check")
        raise click.exceptions.NoArgsIsHelpError(ctx)
    from benchledger.cli.page import print_page

    print_page(benchledger.write_page(page, db=ctx.obj.db, check=check), ctx.obj, check)


@report.command()
@case_options
@rule_option
@click.option("--trials", is_flag=True, help="List each trial beside mean and median.")
@layout_options(columns=_CASES, speeds=True)
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
    **words: Any,
) -> None:
    """Speed: cards by precision and batch size."""
    from benchledger.cli.output import print_report

    answer = benchledger.report_speed(db=settings.db, campaign=campaign, rule=rule, trials=trials, **given(words))
    print_report(answer, form, output)


@report.command()
@case_options
@layout_options(columns=_CASES)
@output_options
@click.pass_obj
def memory(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **words: Any) -> None:
    """Memory in MiB: cards by precision and batch size, one table per definition of memory."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_memory(db=settings.db, campaign=campaign, **given(words)), form, output)


@report.command()
@case_options
@rule_option
@layout_options(columns=_COLUMNS, speeds=True)
@output_options
@click.pass_obj
def speedup(
    settings: Settings, /, campaign: str | None, rule: str | None, form: str, output: Path | None, **words: Any
) -> None:
    """Speed-up over the base with the fewest GPUs, and efficiency."""
    from benchledger.cli.output import print_report

    answer = benchledger.report_speedup(db=settings.db, campaign=campaign, rule=rule, **given(words))
    print_report(answer, form, output)


@report.command()
@case_options
@click.option("--points", default="*", metavar="GLOB", help="Only the reference points of files at such places.")
@click.option(
    "--all-points", is_flag=True, help="Also the reference points that are slower than others show to be needed."
)
@click.option("--apart", is_flag=True, help="Samples by a key beside the evaluations: BERT's train_samples.")
@click.option("--suite", metavar="NAME", help="Which of queries/submissions/, where there are several.")
@click.option("--weak", is_flag=True, help="Weak scaling: models trained side by side, and the minutes of all.")
@output_options
@click.pass_obj
def submissions(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **words: Any) -> None:
    """Submissions to MLPerf and its like: runs, score, and whether they converged no faster than the reference."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_submissions(db=settings.db, campaign=campaign, **given(words)), form, output)


@report.command()
@case_options
@layout_options(columns=_BATCH_COLUMNS, cells=False)
@output_options
@click.pass_obj
def max_batch(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **words: Any) -> None:
    """The largest batch size that ran, and the smallest that ran out of memory."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_max_batch(db=settings.db, campaign=campaign, **given(words)), form, output)


@report.command()
@case_options
@language_option
@output_options
@click.pass_obj
def failures(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **words: Any) -> None:
    """Runs that did not end well, with the line that says so."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_failures(db=settings.db, campaign=campaign, **given(words)), form, output)


@report.command()
@case_options
@click.option("--target", metavar="NAME=NUMBER", help="What is to be reached: loss=6.5, accuracy=75.9%, or a metric.")
@click.option("--metric", metavar="GLOB", help="Show this metric instead of the one that tells each run.")
@click.option("--trials", is_flag=True, help="List each run, with the log line that its number leads to.")
@layout_option
@language_option
@click.option("--no-notes", is_flag=True, help="Print nothing but title, unit and table.")
@output_options
@click.pass_obj
def convergence(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **words: Any) -> None:
    """Final loss, best metric, steps and minutes, and those to a target; whether runs diverged."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_convergence(db=settings.db, campaign=campaign, **given(words)), form, output)


@report.command()
@case_options
@page_layout_option("environment", "The section of a README: paddle or dlperf.")
@language_option
@click.option("--link", metavar="URL", help="One line that leads to a shared environment, described at this place.")
@click.option("--link-text", metavar="TEXT", help="With --link: what the link says.")
@output_options
@click.pass_obj
def environment(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **words: Any) -> None:
    """What runs ran on: GPU, driver, CUDA, image, CPU, memory; one column an environment."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_environment(db=settings.db, campaign=campaign, **given(words)), form, output)


@report.command()
@case_options
@click.option("--rule", metavar="RULE", help="tbd.coreutil: the pipes as TBD's own script computes them.")
@language_option
@output_options
@click.pass_obj
def profile(
    settings: Settings,
    /,
    campaign: str | None,
    rule: str | None,
    form: str,
    output: Path | None,
    **words: Any,
) -> None:
    """Utilisation of GPU and pipes in %, by batch size and file: what profilers saw."""
    from benchledger.cli.output import print_report

    answer = benchledger.report_profile(db=settings.db, campaign=campaign, rule=rule, **given(words))
    print_report(answer, form, output)


@report.command()
@case_options
@page_layout_option("logs", "Links as a README has them: paddle by machines, paddle_max by batch size.")
@language_option
@click.option("--base", metavar="URL", help="The folder that was ingested, as seen from the page: ./logs, or a URL.")
@output_options
@click.pass_obj
def logs(settings: Settings, /, campaign: str | None, form: str, output: Path | None, **words: Any) -> None:
    """The logs behind the numbers, as a table or as links."""
    from benchledger.cli.output import print_report

    print_report(benchledger.report_logs(db=settings.db, campaign=campaign, **given(words)), form, output)
