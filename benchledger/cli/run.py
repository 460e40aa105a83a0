"""`bench run`: runs training cases and stages their logs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import benchledger
from benchledger.cli.options import FOLDER, FiniteRange, output_options
from benchledger.cli.output import print_frame
from benchledger.cli.render import table_text
from benchledger.cli.settings import Settings
from benchledger.exports.values import value_text

if TYPE_CHECKING:
    from benchledger.running.one_run import Outcome

_FAILED, _FINE = 1, ("ok", "there", "planned")


@click.command()
@click.argument("cases", nargs=-1, metavar="CASE...")
@click.option(
    "--sweep",
    multiple=True,
    metavar="NAME=VALUE,...",
    help="Values of a setting, such as batch_size=32,48,max (repeatable).",
)
@click.option("--gpus", metavar="N,...", help="Short for --sweep gpus=N,...")
@click.option(
    "--trials", type=click.IntRange(min=1), default=1, show_default=True, help="Number of trials of each case."
)
@click.option("--campaign", metavar="NAME", help="Campaign name; default: today's date.")
@click.option(
    "--staging", type=FOLDER, default=Path("data/staging"), show_default=True,
    help="Staging folder for finished logs.",
)  # fmt: skip
@click.option(
    "--data", type=FOLDER, default=Path("data/training"), show_default=True,
    help="Folder with training data.",
)  # fmt: skip
@click.option("--python", metavar="PATH", help="Python of the framework's environment.")
@click.option(
    "--launcher", type=click.Choice(["local", "mpirun", "slurm"]), default="local", show_default=True,
    help="Launcher of the processes.",
)  # fmt: skip
@click.option("--image", metavar="NAME", help="Run in a docker container of this image.")
@click.option(
    "--timeout",
    "timeout_s",
    type=FiniteRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time limit of one run.",
)
@click.option("--resume", is_flag=True, help="Skip trials that the campaign already has.")
@click.option("--keep-going", is_flag=True, help="Continue with the next run after a failure.")
@click.option(
    "--sample-ms",
    type=FiniteRange(min=0),
    default=100.0,
    show_default=True,
    help="Sampling interval of the GPUs; 0 disables sampling.",
)
@click.option(
    "--profile",
    metavar="torch|ncu|ncu:KERNELS",
    help="Profile a few iterations or kernels, in a separate campaign.",
)
@click.option(
    "--make-environment",
    metavar="NAME",
    help="Create the framework's Python environment in .bench/environments; run nothing.",
)
@click.option("--dry-run", is_flag=True, help="Print all commands; run nothing.")
@click.option("--list", "list_all", is_flag=True, help="List the cases.")
@output_options
@click.pass_obj
def run(
    settings: Settings,
    /,
    cases: tuple[str, ...],
    sweep: tuple[str, ...],
    gpus: str | None,
    staging: Path,
    make_environment: str | None,
    dry_run: bool,
    list_all: bool,
    form: str,
    output: Path | None,
    **words: Any,
) -> None:
    """Run training cases and stage their logs for ingest.

    CASE is a file of runners/cases/ without its suffix. Each run is a fresh process with a manifest. Its folder appears
    in the staging folder when the run has ended. If the run failed, the folder's name ends with the reason.
    """
    from benchledger.running.run import run_all

    if list_all:
        print_frame(benchledger.cases(), form, output)
        return
    if make_environment is not None:
        commands = benchledger.make_environment(make_environment, dry_run=dry_run, progress=settings.say)
        if dry_run:
            click.echo("\n".join(commands))
        return
    sweeps = (*sweep, *([f"gpus={gpus}"] if gpus else []))
    outcomes = run_all(*cases, sweep=sweeps, staging=staging, dry_run=dry_run, progress=settings.say, **words)
    if dry_run and form == "table" and output is None:
        click.echo("\n".join(outcome.command or "" for outcome in outcomes))
        return
    _print(outcomes, form, output)
    if not {outcome.status for outcome in outcomes} <= set(_FINE):
        raise click.exceptions.Exit(_FAILED)
    if not dry_run:
        settings.say(f"next: bench ingest {staging}")


def _print(outcomes: list[Outcome], form: str, output: Path | None) -> None:
    from benchledger.running.one_run import COLUMNS, frame_of, row_of

    if form == "table" and output is None:
        # polars need not be installed where runs are made.
        rows = [[value_text(value) for value in row_of(outcome)[:-1]] for outcome in outcomes]
        click.echo(table_text(COLUMNS[:-1], rows))
    else:
        print_frame(frame_of(outcomes).drop("command"), form, output)
