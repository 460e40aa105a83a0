"""`bench compare`: what changed between two sets of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import benchledger
from benchledger.cli.case_options import case_options, given, output_options, rule_option
from benchledger.cli.settings import Settings
from benchledger.exports.safe_text import escaped

if TYPE_CHECKING:
    from benchledger.comparing.page import Page


@click.command()
@click.argument("sides", nargs=-1, metavar="[A B]")
@click.option("--a", multiple=True, metavar="COLUMN=VALUE", help="Filter of side A only (repeatable).")
@click.option("--b", multiple=True, metavar="COLUMN=VALUE", help="Filter of side B only (repeatable).")
@click.option(
    "--quantity", multiple=True, metavar="NAME", help="Only speed, memory, time_to_target or final_loss (repeatable)."
)
@click.option("--target", metavar="NAME=VALUE", help="Compare the time to a target: loss=6.5, accuracy=75.9%, ...")
@click.option(
    "--threshold", type=float, default=1.0, show_default=True, help="Smallest change that counts, in percent."
)
@click.option(
    "--across",
    multiple=True,
    metavar="COLUMN",
    help="Also pair cases that differ in rule, gpu_model or a case column (repeatable); marked in the table.",
)
@click.option("--strict", is_flag=True, help="Exit 1 also if a case is undecided or has a number on one side only.")
@rule_option
@case_options
@output_options
@click.pass_obj
def compare(
    settings: Settings,
    /,
    sides: tuple[str, ...],
    a: tuple[str, ...],
    b: tuple[str, ...],
    quantity: tuple[str, ...],
    target: str | None,
    threshold: float,
    across: tuple[str, ...],
    strict: bool,
    rule: str | None,
    campaign: str | None,
    form: str,
    output: Path | None,
    **filters: Any,
) -> None:
    """Compare two sets of runs case by case, with intervals and verdicts.

    A and B are folders of logs, ledger files, or campaigns (globs) of the ledger. Without them, --a and --b select two
    sets of the ledger. Exit 0 if nothing is slower or needs more, 1 if something does.
    """
    from benchledger.cli.output import print_frame

    done = benchledger.compare(
        *sides,
        a=a,
        b=b,
        db=settings.db,
        quantity=quantity,
        rule=rule,
        target=target,
        threshold=threshold,
        across=across,
        campaign=campaign,
        **given(filters),
    )
    if form in ("table", "markdown"):
        _print_page(settings, done, form, output)
    else:
        print_frame(done.cases, form, output)
    is_failed = done.is_worse or (strict and done.is_open)
    click.get_current_context().exit(int(is_failed))


def _print_page(settings: Settings, done: Any, form: str, output: Path | None) -> None:
    from benchledger.cli.output import frame_table, write_form, write_text
    from benchledger.cli.reveal import headed, revealed
    from benchledger.comparing.page import MOST_CASES, page_of

    page = revealed(page_of(done, None if settings.verbosity > 0 else MOST_CASES), output)
    if form == "markdown":
        write_form(headed(_markdown(page), form, output), form, output)
        return
    parts = ["\n".join(map(escaped, page.head)), frame_table(page.means)]
    parts += [frame_table(page.cases)] if page.cases.height else []
    write_text(
        headed("\n\n".join([*parts, *(["\n".join(map(escaped, page.notes))] if page.notes else [])]), form, output),
        output,
    )


def _markdown(page: Page) -> str:
    from benchledger.exports.markdown import markdown_of_frame
    from benchledger.exports.markdown_text import markdown_text

    lines = ["<br>".join(map(markdown_text, page.head)), "", markdown_of_frame(page.means)]
    lines += ["", markdown_of_frame(page.cases)] if page.cases.height else []
    return "\n".join([*lines, *(["", *(f"- {markdown_text(note)}" for note in page.notes)] if page.notes else [])])
