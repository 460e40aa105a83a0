"""`bench merge`: several ledgers as one."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.options import FILE, form_option, wait_option
from benchledger.cli.settings import Settings
from benchledger.errors import counted
from benchledger.exports.values import json_text


@click.command()
@click.argument("ledgers", nargs=-1, required=True, metavar="LEDGER...", type=click.Path(path_type=Path))
@click.option(
    "--into",
    "--out",
    "into",
    type=FILE,
    required=True,
    metavar="FILE",
    help="The new ledger.",
)
@wait_option
@form_option
@click.pass_obj
def merge(settings: Settings, /, ledgers: tuple[Path, ...], into: Path, wait_s: float, form: str) -> None:
    """Merge each LEDGER into a new one, as if one ingest had read all their logs.

    Exclusions, private files and the former keys of runs are merged too. All ledgers must have been made with one key:
    see bench ingest --key-file. The ledgers stay as they are.
    """
    merged = benchledger.merge(*ledgers, into=into, wait_s=wait_s)
    if form == "json":
        click.echo(json_text(merged))
    else:
        click.echo(f"{merged.path}: {counted(merged.logs, 'log')}, {counted(merged.runs, 'run')}")
        click.echo(f"in several ledgers: {counted(merged.shared_logs, 'log')}")
        click.echo(f"grown or changed between two ledgers: {counted(merged.superseded, 'log')}")
    if merged.stale:
        logs = counted(merged.stale, "log")
        settings.say(f"{logs} read with older definitions. Read again with: bench --db {merged.path} ingest --refresh")
    for ledger in merged.without_private:
        settings.say(f"{ledger}.private is missing: an ingest of its logs reads all of them again")
