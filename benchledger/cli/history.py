"""`bench history`: where a number changed over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import benchledger
from benchledger.cli.options import case_options, given, output_options, rule_option, wait_option
from benchledger.cli.output import print_frame, print_page
from benchledger.cli.settings import Settings
from benchledger.cli.signals import end_if_unheard


@click.command()
@click.option("--over", metavar="ORDER", default="date", show_default=True, help="Order by date, version or commit.")
@click.option(
    "--quantity", multiple=True, metavar="NAME", help="Only speed, memory, time_to_target or final_loss (repeatable)."
)
@click.option("--target", metavar="NAME=VALUE", help="Follow the time to a target: loss=6.5, accuracy=75.9%, ...")
@click.option("--threshold", type=float, default=1.0, show_default=True, help="Smallest step that counts, in percent.")
@click.option("--since", metavar="DAY", help="Only changes from this day on (YYYY-MM-DD); earlier points still count.")
@click.option("--check", is_flag=True, help="Exit 1 on a regression that is not accepted.")
@click.option(
    "--accept",
    multiple=True,
    metavar="RUN",
    help="Accept the changes at RUN.",
)
@click.option("--reason", metavar="TEXT", help="With --accept: why.")
@click.option("--by", metavar="NAME", help="With --accept: who accepts; optional.")
@click.option("--undo", is_flag=True, help="With --accept: no longer accept the changes at RUN.")
@wait_option
@rule_option
@case_options
@output_options
@click.pass_obj
def history(
    settings: Settings,
    /,
    accept: tuple[str, ...],
    reason: str | None,
    by: str | None,
    undo: bool,
    wait_s: float,
    check: bool,
    form: str,
    output: Path | None,
    **words: Any,
) -> None:
    """Find where a number of a case changed over time, and which are regressions.

    Steps are told from noise over all cases together; a single far point is an outlier. --accept records that a
    change is known. --check is for CI: it exits with 1 on a regression that nobody accepted and that still lasts.
    """
    quantity = words.pop("quantity")
    options = {name: words.pop(name) for name in ("over", "target", "threshold", "since", "rule", "campaign")}
    asked = {**options, **given(words)}
    if not accept:
        end_if_unheard()
    if accept:
        _accept(settings, accept, quantity, asked, reason=reason, by=by, undo=undo, wait_s=wait_s)
        return
    if reason or by or undo:
        raise click.UsageError("--reason, --by and --undo need --accept RUN")
    done = benchledger.history(db=settings.db, wait_s=wait_s, quantity=quantity, **asked)
    if form in ("table", "markdown"):
        from benchledger.cli.compare import FIRST
        from benchledger.comparing.history_page import MOST_CHANGES, page_of

        is_long = settings.verbosity > 0
        page = page_of(done, None if is_long else MOST_CHANGES)
        frames = [page.means, page.cases] if is_long else [page.cases]
        print_page(page.head, frames, page.notes, form, output, FIRST)
    else:
        print_frame(done.changes, form, output)
    click.get_current_context().exit(int(check and done.is_worse))


def _accept(
    settings: Settings, runs: tuple[str, ...], quantities: tuple[str, ...], asked: dict[str, Any], **said: Any
) -> None:
    if len(quantities) > 1:
        raise click.UsageError("accept the changes of one --quantity, or without it of all")
    quantity = quantities[0] if quantities else None
    kept = benchledger.accept_changes(*runs, quantity=quantity, db=settings.db, **said, **asked)
    done = "no longer accepted" if said["undo"] else "accepted"
    settings.say(f"{done}: the changes at {', '.join(kept['run_key'].unique(maintain_order=True))}")
