"""`bench forget`: removes a log and everything derived from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import benchledger
from benchledger.cli.options import form_option, wait_option
from benchledger.cli.output import frame_table
from benchledger.cli.settings import Settings
from benchledger.exports.values import escaped_lines, json_text

if TYPE_CHECKING:
    from benchledger.ingestion.forget import Forgotten


@click.command()
@click.argument("logs", nargs=-1, metavar="LOG...")
@click.option("--dry-run", is_flag=True, help="Show what would be removed; remove nothing.")
@wait_option
@form_option
@click.pass_obj
def forget(settings: Settings, /, logs: tuple[str, ...], dry_run: bool, wait_s: float, form: str) -> None:
    """Remove each LOG and everything derived from it.

    LOG is a place as bench show prints it, a log_id, the first digits (at least 6) of the content's hash, or the path
    of the file. The file itself is not deleted, and the next ingest of its place reads it again.
    """
    found = benchledger.forget(*logs, dry_run=dry_run, db=settings.db, wait_s=wait_s)
    click.echo(json_text(found) if form == "json" else escaped_lines(_text(found)))
    if dry_run:
        settings.say("dry run: nothing was removed")
    else:
        settings.say(
            "The next ingest of the same places reads these logs again: take the files away, or leave their runs out "
            "with bench exclude. Freed space stays in the file until bench db compact"
        )


def _text(found: Forgotten) -> str:
    runs = f"\n\nruns that had them\n{frame_table(found.runs)}" if found.runs.height else "\n\nno run had them"
    return f"logs\n{frame_table(found.logs)}{runs}"
