"""`bench sql`: runs ad-hoc SQL, read-only."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import benchledger
from benchledger.cli.options import output_options
from benchledger.cli.output import print_frame
from benchledger.cli.settings import Settings


# A statement may begin with a comment, `-- ...`, which is not an option.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("statement")
@output_options
@click.pass_obj
def sql(settings: Settings, statement: str, form: str, output: Path | None) -> None:
    """Run one read-only SQL STATEMENT on the ledger.

    `-` reads the statement from standard input.
    """
    if statement == "-":
        statement = sys.stdin.buffer.read().decode(errors="surrogateescape")
    print_frame(benchledger.sql(statement, db=settings.db), form, output)
