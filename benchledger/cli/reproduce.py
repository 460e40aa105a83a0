"""`bench reproduce`: whether published tables come out of their logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import benchledger
from benchledger.cli.options import output_options
from benchledger.cli.output import frame_table, print_frame, write_text
from benchledger.cli.reveal import headed, revealed
from benchledger.cli.settings import Settings
from benchledger.cli.terminal import wrapped
from benchledger.exports.safe_text import escaped


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="TABLE...", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--logs",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Folder or archive of the logs (repeatable), read into a temporary ledger.",
)
@click.option(
    "--keep/--no-keep",
    default=None,
    help="Read --logs into the ledger and keep the verdicts there; default with --db. Else a temporary ledger is used.",
)
@click.option(
    "--tolerance", type=float, default=0.5, show_default=True, help="Largest difference of `within`, in percent."
)
@click.option("--findings", is_flag=True, help="Print findings and unread places, one row each, not cells.")
@output_options
@click.pass_context
def reproduce(
    ctx: click.Context,
    pages: tuple[Path, ...],
    logs: tuple[Path, ...],
    keep: bool | None,
    tolerance: float,
    findings: bool,
    form: str,
    output: Path | None,
) -> None:
    """Compare published tables with the numbers of their logs.

    TABLE is a page in Markdown, HTML or CSV. Each number is equal, other_rule, within, contradicted or no_log. Exit 0
    if all are equal, else 1. Verdicts are stored in table published of the ledger, unless it is temporary.
    """
    settings: Settings = ctx.obj
    if keep is None:
        keep = ctx.find_root().get_parameter_source("db") != click.core.ParameterSource.DEFAULT
    done = benchledger.reproduce(*pages, logs=logs, db=settings.db, keep=keep, tolerance=tolerance)
    if findings:
        print_frame(done.findings, form, output)
    elif form in ("table", "markdown"):
        _print(settings, done, form, output)
    else:
        print_frame(done.cells, form, output)
        for one in _said(settings, done, output):
            settings.say(one)
    ctx.exit(0 if done.all_equal else 1)


def _print(settings: Settings, done: Any, form: str, output: Path | None) -> None:
    from benchledger.exports.markdown import markdown_of_frame, markdown_text
    from benchledger.reproducing.summary import counts_frame

    said = _said(settings, done, output)
    counts = revealed(counts_frame(done.pages), output)
    if form == "markdown":
        text = "\n".join([markdown_of_frame(counts), "", *(f"- {markdown_text(one)}" for one in said)])
        write_text(headed(text, form, output), output)
    else:
        parts = [frame_table(counts)] if counts.height else []
        parts += ["\n".join(map(wrapped, map(escaped, said)))] if said else []
        write_text(headed("\n\n".join(parts), form, output), output)


def _said(settings: Settings, done: Any, output: Path | None) -> list[str]:
    from benchledger.reproducing.summary import sentences

    return [revealed(one, output) for one in sentences(done.pages, settings.verbosity < 1)]
