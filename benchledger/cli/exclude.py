"""`bench exclude`: leaves runs out of all tables, with a recorded reason."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.options import output_options, wait_option
from benchledger.cli.output import print_frame
from benchledger.cli.settings import Settings
from benchledger.errors import counted


@click.command()
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("--reason", metavar="TEXT", help="Reason, recorded with the run.")
@click.option("--by", metavar="NAME", help="Name of the person who excludes; optional.")
@click.option("--undo", is_flag=True, help="Include the runs again.")
@click.option("--list", "list_all", is_flag=True, help="List excluded runs.")
@wait_option
@output_options
@click.pass_obj
def exclude(
    settings: Settings,
    /,
    runs: tuple[str, ...],
    reason: str | None,
    by: str | None,
    undo: bool,
    list_all: bool,
    wait_s: float,
    form: str,
    output: Path | None,
) -> None:
    """Exclude each RUN from all tables; the reason is recorded.

    RUN is a key or the beginning of one. The runs stay in the ledger: bench runs and bench show say that they are
    excluded. An exclusion holds also when the log is read again, has grown, or comes back.
    """
    if list_all:
        if runs or reason or by or undo:
            raise click.UsageError("--list takes no other arguments")
        print_frame(benchledger.exclusions(db=settings.db), form, output)
        return
    found = benchledger.exclude(*runs, reason=reason, by=by, undo=undo, db=settings.db, wait_s=wait_s)
    print_frame(found, form, output)
    done = "in the tables again" if undo else "left out of every table"
    settings.say(f"{done}: {counted(found['run_key'].n_unique(), 'run')}")
