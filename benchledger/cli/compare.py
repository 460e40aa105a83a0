"""`bench compare`: what changed between two sets of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import benchledger
from benchledger.cli.options import case_options, given, output_options, rule_option
from benchledger.cli.output import print_frame, print_page
from benchledger.cli.settings import Settings

# The columns that a narrow terminal shows first.
FIRST = ("verdict", "state", "change", "run", "quantity", "from", "95 % interval")


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
@click.option(
    "--strict",
    is_flag=True,
    help="Exit 1 also if a case is undecided or has a number on one side only, or a run diverged or missed its target.",
)
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

        page = page_of(done, None if settings.verbosity > 0 else MOST_CASES)
        print_page(page.head, [page.means, page.cases], page.notes, form, output, FIRST)
    else:
        print_frame(done.cases, form, output)
    is_failed = done.is_worse or (strict and done.is_open)
    click.get_current_context().exit(int(is_failed))
