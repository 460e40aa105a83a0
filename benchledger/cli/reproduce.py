"""`bench reproduce`: whether published tables come out of their logs."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.options import FILE, output_options
from benchledger.cli.output import print_frame, print_page
from benchledger.cli.reveal import revealed
from benchledger.cli.settings import Settings


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="TABLE...", type=FILE)
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
    from benchledger.reproducing.reproduce import counts_frame, sentences

    settings: Settings = ctx.obj
    if keep is None:
        keep = ctx.find_root().get_parameter_source("db") != click.core.ParameterSource.DEFAULT
    done = benchledger.reproduce(*pages, logs=logs, db=settings.db, keep=keep, tolerance=tolerance)
    said = sentences(done.pages, settings.verbosity < 1)
    if findings:
        print_frame(done.findings, form, output)
    elif form in ("table", "markdown"):
        print_page([], [counts_frame(done.pages)], said, form, output)
    else:
        print_frame(done.cells, form, output)
        for one in said:
            settings.say(revealed(one, output))
    ctx.exit(0 if done.all_equal else 1)
