"""`bench formats`: which logs are recognised, and whether a definition is sound."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli import complete
from benchledger.cli.case_options import output_options


@click.group()
def formats() -> None:
    """List, show or check the log formats."""


@formats.command("list")
@output_options
def list_(form: str, output: Path | None) -> None:
    """List every format: what it is of, and how many records and samples it has."""
    from benchledger.cli.output import print_frame

    print_frame(benchledger.formats(), form, output)


@formats.command()
@click.argument("name", shell_complete=complete.formats)
def show(name: str) -> None:
    """Show the definition of the format NAME, and by what its logs are recognised."""
    from benchledger.exports.safe_text import escaped_lines

    click.echo(escaped_lines(benchledger.show_format(name)))


@formats.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_context
def check(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Check the formats in FILES, or all known ones; exit 1 if one is not sound."""
    from benchledger.exports.safe_text import escaped_lines

    problems = benchledger.check_formats(*files)
    for problem in problems:
        click.echo(escaped_lines(problem))
    if not problems:
        click.echo(f"sound: {', '.join(map(str, files)) if files else 'every known format'}")
    ctx.exit(int(bool(problems)))
