"""`bench score`: combines the speeds of many runs as their owner does."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.options import campaign_option, output_options
from benchledger.cli.output import print_frame
from benchledger.cli.settings import Settings


@click.command()
@click.argument("name", required=False)
@campaign_option
@output_options
@click.pass_obj
def score(settings: Settings, name: str | None, campaign: str | None, form: str, output: Path | None) -> None:
    """Print the score NAME of cases or runs; without NAME, list all scores."""
    if name is None:
        if campaign is not None:
            raise click.UsageError("name the score that these options belong to; list scores with: bench score")
        print_frame(benchledger.scores(), form, output)
    else:
        found = benchledger.score(name, db=settings.db, campaign=campaign)
        first = [column for column, kind in found.schema.items() if kind.is_float()]
        print_frame(found, form, output, ("name", *first))
