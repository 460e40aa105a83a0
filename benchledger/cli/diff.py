"""`bench diff`: what differs between two runs."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.options import output_options
from benchledger.cli.output import print_frame
from benchledger.cli.settings import Settings

SHOWN = 12


@click.command()
@click.argument("a", metavar="RUN")
@click.argument("b", metavar="RUN")
@output_options
@click.pass_obj
def diff(settings: Settings, a: str, b: str, form: str, output: Path | None) -> None:
    """List what differs between two runs, the likeliest cause first.

    RUN is a key, the beginning of one, or a cell of the speed table (bench report speed --cells) for all its trials.
    """
    found = benchledger.diff(a, b, db=settings.db)
    if form == "table" and settings.verbosity < 1 and found.height > SHOWN:
        settings.say(f"{found.height - SHOWN} more: bench -v diff")
        found = found.head(SHOWN)
    print_frame(found.drop("weight") if form == "table" else found, form, output)
