"""`bench query`: a shipped question by its name."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.case_options import output_options
from benchledger.cli.settings import Settings


@click.command()
@click.argument("name", required=False)
@click.option("--list", "list_all", is_flag=True, help="List the questions with their parameters.")
@click.option("-p", "--parameter", "parameters", multiple=True, metavar="NAME=VALUE", help="A parameter; several.")
@output_options
@click.pass_obj
def query(
    settings: Settings, name: str | None, list_all: bool, parameters: tuple[str, ...], form: str, output: Path | None
) -> None:
    """Ask the shipped question NAME."""
    from benchledger.cli.output import print_frame

    if list_all:
        print_frame(benchledger.queries(), form, output)
    elif name is None:
        raise click.UsageError("give the NAME of a question, or --list")
    else:
        print_frame(benchledger.query(name, db=settings.db, **_pairs(parameters)), form, output)


def _pairs(parameters: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for parameter in parameters:
        name, equals, value = parameter.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-p {parameter!r} must read NAME=VALUE")
        pairs[name] = value
    return pairs
