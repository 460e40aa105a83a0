"""`bench runs`: lists the runs of the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import benchledger
from benchledger.cli.options import case_options, given, output_options
from benchledger.cli.output import print_frame, time_text
from benchledger.cli.settings import Settings

# The columns of a table; the other forms have all.
SHOWN = ["run_key", "started_at", "status", "framework", "implementation", "name", "task", "gpu_model", "campaign"]

# A narrow terminal shows these rather than the others.
FIRST = ("run_key", "status", "name")


@click.command()
@case_options
@click.option(
    "--status",
    multiple=True,
    metavar="STATUS",
    help="Filter by status: ok, oom, failed, ...",
)
@click.option("--limit", type=click.IntRange(min=1), help="Print at most this many rows.")
@output_options
@click.pass_obj
def runs(
    settings: Settings,
    /,
    campaign: str | None,
    status: tuple[str, ...],
    limit: int | None,
    form: str,
    output: Path | None,
    **filters: Any,
) -> None:
    """List runs, newest first.

    Runs dated only by the time of a file or archive member are listed last.
    """
    import polars as pl

    wanted = {**given(filters), "status": list(status) or None}
    found: pl.DataFrame = benchledger.runs(db=settings.db, campaign=campaign, limit=limit, **wanted)
    if form == "table":
        shown = found.select(
            [*SHOWN, *(name for name in ("system", "excluded") if found[name].null_count() < found.height)]
        )
        times = zip(found["started_at"], found["time_source"], strict=True)
        found = shown.with_columns(pl.Series("started_at", [time_text(*time) for time in times], pl.String))
    print_frame(found, form, output, FIRST)
