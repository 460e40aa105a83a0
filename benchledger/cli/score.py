"""`bench score`: what an owner makes of the speeds of many runs."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli import complete
from benchledger.cli.case_options import output_options
from benchledger.cli.settings import Settings


@click.command()
@click.argument("name", required=False)
@click.option("--campaign", metavar="GLOB", help="Only campaigns that match.", shell_complete=complete.campaigns)
@output_options
@click.pass_obj
def score(settings: Settings, name: str | None, campaign: str | None, form: str, output: Path | None) -> None:
    """Print the score NAME over cases or runs; without one, list them."""
    from benchledger.cli.output import print_frame

    if name is None:
        if campaign is not None:
            raise click.UsageError("give the NAME of the score that this is for; bench score lists them")
        print_frame(benchledger.scores(), form, output)
    else:
        print_frame(benchledger.score(name, db=settings.db, campaign=campaign), form, output)
