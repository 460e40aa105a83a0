"""`bench formats`: lists, shows, checks and drafts formats."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.commands import KnownGroup
from benchledger.cli.options import FILE, output_options
from benchledger.cli.output import print_frame
from benchledger.errors import counted
from benchledger.exports.values import escaped_lines


@click.group(cls=KnownGroup)
def formats() -> None:
    """List, show, check or draft log formats."""


@formats.command("list")
@output_options
def list_(form: str, output: Path | None) -> None:
    """List all formats with their program, records and samples."""
    print_frame(benchledger.formats(), form, output)


@formats.command()
@click.argument("name")
def show(name: str) -> None:
    """Show the definition of format NAME and how its logs are recognised."""
    click.echo(escaped_lines(benchledger.show_format(name)))


@formats.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--fill",
    is_flag=True,
    help="Write `expect` into the samples in FILES that have none; compare it with the log lines.",
)
@click.pass_context
def check(ctx: click.Context, files: tuple[Path, ...], fill: bool) -> None:
    """Check the formats in FILES, or all known formats; exit 1 on an error.

    Every sample must give the values of its `expect`, and a sample must match each template.
    """
    problems = benchledger.check_formats(*files, fill=fill)
    for problem in problems:
        click.echo(escaped_lines(problem))
    if not problems:
        click.echo(f"sound: {', '.join(map(str, files)) if files else 'every known format'}")
    ctx.exit(int(bool(problems)))


@formats.command()
@click.argument(
    "logs", metavar="LOG...", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--name", default="draft", show_default=True, help="Name of the new format.")
@click.option("--output", type=FILE, help="Write to this new file instead of stdout.")
@click.option("--force", is_flag=True, help="Draft even if a known format reads the log.")
def new(logs: tuple[Path, ...], name: str, output: Path | None, force: bool) -> None:
    """Draft a format, with samples, from LOGs of one program.

    Several logs make a better draft. Each guess has a comment `# ?` with a question. See docs/new-format.md.
    """
    draft = benchledger.draft_format(*logs, name=name, force=force)
    if output is None:
        click.echo(escaped_lines(draft.text), nl=False)
    else:
        _write_new(output, draft.text)
    click.echo(
        f"{counted(draft.steps, 'step')} in {counted(draft.records, 'record')}, {draft.ignored} ignored, "
        f"{counted(draft.rejects, 'reject')}; {counted(draft.questions, 'question')} to answer, each marked `# ?`",
        err=True,
    )
    for line in draft.rejected:
        click.echo(f"  reject: {escaped_lines(line)}", err=True)


def _write_new(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise click.ClickException(f"{path} exists: a draft never replaces a file; choose another --output") from None
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from error
