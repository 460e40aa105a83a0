"""`bench db`: describes, migrates, copies, compacts and checks the ledger file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import benchledger
from benchledger.cli.commands import KnownGroup
from benchledger.cli.options import FILE, form_option, output_options, wait_option
from benchledger.cli.output import frame_table, print_frame
from benchledger.cli.settings import Settings
from benchledger.cli.signals import end_if_unheard
from benchledger.errors import counted
from benchledger.exports.values import escaped, escaped_lines, json_text

if TYPE_CHECKING:
    from benchledger.upkeep.info import LedgerInfo

_FRAMES = ("counts", "formats", "tables")


@click.group(cls=KnownGroup)
@click.pass_context
def db(ctx: click.Context) -> None:
    """Inspect, migrate, copy, compact or check the ledger file."""
    if ctx.invoked_subcommand in ("check", "info"):
        end_if_unheard()


@db.command()
@form_option
@click.pass_obj
def info(settings: Settings, form: str) -> None:
    """Show the ledger's version, size and contents."""
    found = benchledger.db_info(db=settings.db)
    click.echo(json_text(found) if form == "json" else escaped_lines(_info_text(found)))


@db.command()
@wait_option
@output_options
@click.pass_obj
def migrate(settings: Settings, wait_s: float, form: str, output: Path | None) -> None:
    """Migrate an older ledger to the current version."""
    steps = benchledger.db_migrate(db=settings.db, wait_s=wait_s)
    print_frame(steps, form, output)
    now = steps.filter("now").height
    settings.say(f"{counted(now, 'step')} taken" if now else "nothing to do: the ledger has the current version")


@db.command()
@click.argument("file", type=FILE)
@click.option("--public", is_flag=True, help="Make a copy for others, without the private files and private details.")
@click.option("--force", is_flag=True, help="Overwrite an existing copy.")
@wait_option
@click.pass_obj
def backup(settings: Settings, file: Path, public: bool, force: bool, wait_s: float) -> None:
    """Copy the ledger to FILE, and its private files to FILE.private and FILE.key."""
    made = benchledger.db_backup(file, public=public, force=force, db=settings.db, wait_s=wait_s)
    click.echo(f"{escaped(made.path)}: {_megabytes(made.bytes)}")
    if made.private:
        settings.say(f"keep the private files with the copy and do not share them: {', '.join(made.private)}")


@db.command()
@wait_option
@click.pass_obj
def compact(settings: Settings, wait_s: float) -> None:
    """Rewrite the ledger without unused space."""
    made = benchledger.db_compact(db=settings.db, wait_s=wait_s)
    click.echo(f"{escaped(made.path)}: {_megabytes(made.bytes_before)} before, {_megabytes(made.bytes_after)} now")


@db.command()
@wait_option
@output_options
@click.pass_obj
def check(settings: Settings, wait_s: float, form: str, output: Path | None) -> None:
    """Check the ledger's invariants; exit 1 and print the cure if one is violated."""
    found = benchledger.db_check(db=settings.db, wait_s=wait_s)
    print_frame(found, form, output)
    for what, why, cure in found.filter(~found["ok"]).select("what", "found", "cure").rows():
        settings.say(f"violated: {what}: {why}. {cure}", at=-1)
    click.get_current_context().exit(int(not found["ok"].all()))


def _info_text(found: LedgerInfo) -> str:
    lines = [
        f"{found.path}: {_megabytes(found.bytes)}, {_megabytes(found.free_bytes)} of it free (bench db compact)",
        f"schema version {found.schema_version} (this program: {found.needs_version}), DuckDB {found.duckdb_version}",
        f"private file: {'there' if found.private else 'missing'}",
    ]
    if found.first_ingest is not None and found.last_ingest is not None:
        lines.append(
            f"first ingest {found.first_ingest:%Y-%m-%d %H:%M} UTC, last {found.last_ingest:%Y-%m-%d %H:%M} UTC"
        )
    if found.problem is not None:
        lines.append(f"not usable: {found.problem}")
    frames = {name: getattr(found, name) for name in _FRAMES}
    return "\n".join(
        [*map(escaped, lines), *(f"\n{name}\n{frame_table(one)}" for name, one in frames.items() if one.height)]
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
