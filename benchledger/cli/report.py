"""`bench report`: prints reports in the layouts of the reference READMEs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import benchledger
from benchledger.cli.commands import REVEAL, KnownGroup
from benchledger.cli.options import (
    FILE,
    Option,
    all_option,
    case_options,
    given,
    language_option,
    layout_option,
    layout_options,
    output_options,
    rule_option,
    together,
)
from benchledger.cli.output import print_report
from benchledger.cli.reveal import reveal_option
from benchledger.cli.settings import Settings

if TYPE_CHECKING:
    from benchledger.answers.tables.table import Report

# As in benchledger.answers.tables.numbers; importing that costs what polars costs.
QUANTITIES = ("speed", "memory", "speedup", "efficiency")

_CASES = "Columns in this order: precision:batch, or precision:max for the largest that ran."
_COLUMNS = "Columns in this order: node_num, gpu_num, value, base, speedup, efficiency."
_BATCH_COLUMNS = "Columns in this order: gpus, precision, largest_ok, smallest_oom; precision:max for paddle."


@click.group(cls=KnownGroup, invoke_without_command=True)
@click.option(
    "--write",
    "page",
    type=FILE,
    help="Fill this Markdown page: run the commands in its markers and write the answers between them.",
)
@click.option("--check", is_flag=True, help="With --write: write nothing, exit 1 if the page differs from the ledger.")
@reveal_option
@click.pass_context
def report(ctx: click.Context, /, page: Path | None, check: bool) -> None:
    """Print a report: speed, memory, failures, ..."""
    if ctx.invoked_subcommand is not None:
        if page is not None or check:
            raise click.UsageError("--write and --check take no report name: the page's markers name the reports")
        return
    if page is None:
        if check:
            raise click.UsageError("--check needs --write FILE")
        from benchledger.cli.overview import print_overview

        print_overview(ctx.obj)
        return
    if ctx.meta.get(REVEAL):
        raise click.UsageError("--write puts no real names into a page: remove --reveal")
    from benchledger.cli.page import print_page

    print_page(benchledger.write_page(page, db=ctx.obj.db, check=check), ctx.obj, check)


def _print(settings: Settings, report: Callable[..., Report], /, form: str, output: Path | None, **words: Any) -> None:
    print_report(report(db=settings.db, **given(words)), form, output)


def _command(*options: Option) -> Callable[[Callable[..., None]], click.Command]:
    """Makes a function the command of a report, with the filters of cases, its own options and those of the output."""

    def add(function: Callable[..., None]) -> click.Command:
        return report.command()(together(case_options, *options, all_option, output_options)(click.pass_obj(function)))

    return add


@report.command()
@all_option
@output_options
@click.pass_obj
def overview(settings: Settings, /, form: str, output: Path | None) -> None:
    """Overview of the ledger on one screen; the same as `bench` alone."""
    from benchledger.cli.overview import print_overview

    if form == "table" and output is None:
        print_overview(settings)
    else:
        _print(settings, benchledger.report_overview, form, output)


@_command(
    rule_option,
    click.option("--trials", is_flag=True, help="List each trial beside mean and median."),
    click.option("--mfu", is_flag=True, help="Show the share of the GPU's peak (MFU) in place of the speed."),
    layout_options(columns=_CASES, speeds=True),
)
def speed(settings: Settings, /, **words: Any) -> None:
    """Throughput: one row per GPU count, one column per precision and batch size."""
    _print(settings, benchledger.report_speed, **words)


@_command(layout_options(columns=_CASES))
def memory(settings: Settings, /, **words: Any) -> None:
    """Memory in MiB, laid out like speed; one table per kind of memory."""
    _print(settings, benchledger.report_memory, **words)


@_command(rule_option, layout_options(columns=_COLUMNS, speeds=True))
def speedup(settings: Settings, /, **words: Any) -> None:
    """Speed-up and efficiency relative to the fewest GPUs."""
    _print(settings, benchledger.report_speedup, **words)


@_command(
    click.option(
        "--points", default="*", metavar="GLOB", help="Use only reference points from files whose path matches."
    ),
    click.option("--apart", is_flag=True, help="Read samples from a separate key, such as BERT's train_samples."),
    click.option("--suite", metavar="NAME", help="Suite of queries/submissions/ to use."),
    click.option("--weak", is_flag=True, help="Score weak scaling: models trained in parallel."),
)
def submissions(settings: Settings, /, **words: Any) -> None:
    """MLPerf submissions: runs, score and check against reference convergence points."""
    _print(settings, benchledger.report_submissions, **words)


@_command(layout_options(columns=_BATCH_COLUMNS, cells=False))
def max_batch(settings: Settings, /, **words: Any) -> None:
    """Largest batch size that ran, and smallest that ran out of memory."""
    _print(settings, benchledger.report_max_batch, **words)


@_command(language_option)
def failures(settings: Settings, /, **words: Any) -> None:
    """Failed runs, each with the log line that shows why."""
    _print(settings, benchledger.report_failures, **words)


@_command(
    click.option("--target", metavar="NAME=NUMBER", help="Target: loss=6.5, accuracy=75.9%, or another metric."),
    click.option("--metric", metavar="GLOB", help="Show this metric instead of the default one."),
    click.option("--trials", is_flag=True, help="List each run with the log line of its number."),
    layout_option,
    language_option,
    click.option("--no-notes", is_flag=True, help="Print only title, unit and table."),
)
def convergence(settings: Settings, /, **words: Any) -> None:
    """Final loss, best metric, steps and minutes to a target, divergence."""
    _print(settings, benchledger.report_convergence, **words)


@_command(
    click.option("--layout", metavar="NAME", help="Print a README section: paddle or dlperf."),
    language_option,
    click.option("--link", metavar="URL", help="Print one line that links to a shared description at URL."),
    click.option("--link-text", metavar="TEXT", help="With --link: text of the link."),
)
def environment(settings: Settings, /, **words: Any) -> None:
    """GPU, driver, CUDA, image, CPU and memory; one column per environment."""
    _print(settings, benchledger.report_environment, **words)


@_command(
    click.option("--rule", metavar="RULE", help="tbd.coreutil: pipe utilisation as computed by TBD's script."),
    language_option,
)
def profile(settings: Settings, /, **words: Any) -> None:
    """GPU and pipe utilisation in %, by batch size and profile."""
    _print(settings, benchledger.report_profile, **words)


@_command(
    click.option("--layout", metavar="NAME", help="Print README links: paddle by machines, paddle_max by batch size."),
    language_option,
    click.option("--base", metavar="URL", help="Path or URL of the ingested folder, as seen from the page: ./logs."),
)
def logs(settings: Settings, /, **words: Any) -> None:
    """Logs behind the numbers, as a table or links."""
    _print(settings, benchledger.report_logs, **words)


@_command(
    rule_option,
    click.option(
        "--rows", multiple=True, metavar="LIST", help="Ledger columns whose values are rows; default: system."
    ),
    click.option(
        "--columns", multiple=True, metavar="LIST", help="The same for columns; default: model,task,precision."
    ),
    click.option(
        "--value", type=click.Choice(QUANTITIES), default="speed", show_default=True, help="What the cells show."
    ),
    click.option(
        "--best", is_flag=True, help="Show the best of several series in a cell instead of lowest and highest."
    ),
    click.option("--per-gpu", is_flag=True, help="Divide speeds by the number of GPUs."),
)
def pivot(settings: Settings, /, **words: Any) -> None:
    """Table with any rows and columns: machines by tests, frameworks, GPUs."""
    _print(settings, benchledger.report_pivot, **words)


@_command(rule_option, click.option("--per-gpu", is_flag=True, help="Divide speeds by the number of GPUs."))
def ranking(settings: Settings, /, **words: Any) -> None:
    """Rank GPU models and systems by their fastest series at equal work."""
    _print(settings, benchledger.report_ranking, **words)
