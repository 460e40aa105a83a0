"""`bench compare`: what changed between two sets of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import benchledger
from benchledger.cli.options import case_options, given, output_options, rule_option
from benchledger.cli.output import frame_table, print_frame, write_text
from benchledger.cli.reveal import headed, revealed
from benchledger.cli.settings import Settings
from benchledger.cli.terminal import wrapped
from benchledger.exports.safe_text import escaped

if TYPE_CHECKING:
    from benchledger.comparing.page import Page


# The columns that a narrow terminal shows first.
_FIRST = ("verdict", "state", "change", "run", "quantity", "from", "95 % interval")


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
    settings: Settings, /, sides: tuple[str, ...], strict: bool, form: str, output: Path | None, **words: Any
) -> None:
    """Compare two sets of runs case by case, with intervals and verdicts.

    A and B are folders of logs, ledger files, or campaigns (globs) of the ledger. Without them, --a and --b select two
    sets of the ledger. Exit 1 if any case got worse, else 0.
    """
    own = {name: words.pop(name) for name in ("a", "b", "quantity", "across")}
    done = benchledger.compare(*sides, db=settings.db, **own, **given(words))
    if form in ("table", "markdown"):
        from benchledger.comparing.page import MOST_CASES, page_of

        print_page(page_of(done, None if settings.verbosity > 0 else MOST_CASES), form, output)
    else:
        print_frame(done.cases, form, output)
    is_failed = done.is_worse or (strict and done.is_open)
    click.get_current_context().exit(int(is_failed))


def print_page(page: Page, form: str, output: Path | None, *, means: bool = True) -> None:
    """Prints a page as a table or as Markdown, with real names if they are asked for."""
    page = revealed(page, output)
    if form == "markdown":
        write_text(headed(_markdown(page, means), form, output), output)
        return
    frames = [*([page.means] if means else []), *([page.cases] if page.cases.height else [])]
    notes = ["\n".join(map(wrapped, map(escaped, page.notes)))] if page.notes else []
    parts = [
        "\n".join(map(wrapped, map(escaped, page.head))),
        *(frame_table(frame, _FIRST) for frame in frames),
        *notes,
    ]
    write_text(headed("\n\n".join(parts), form, output), output)


def _markdown(page: Page, means: bool) -> str:
    from benchledger.exports.markdown import markdown_of_frame, markdown_text

    lines = ["<br>".join(map(markdown_text, page.head))]
    for frame in [*([page.means] if means else []), *([page.cases] if page.cases.height else [])]:
        lines += ["", markdown_of_frame(frame)]
    return "\n".join([*lines, *(["", *(f"- {markdown_text(note)}" for note in page.notes)] if page.notes else [])])
