"""`bench sql`: ad-hoc SQL, read-only."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.case_options import output_options
from benchledger.cli.settings import Settings


@click.command()
@click.argument("statement")
@output_options
@click.pass_obj
def sql(settings: Settings, statement: str, form: str, output: Path | None) -> None:
    """Run one SQL STATEMENT over the ledger, read-only."""
    from benchledger.cli.output import print_frame

    print_frame(benchledger.sql(statement, db=settings.db), form, output)
