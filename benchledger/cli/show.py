"""`bench show`: shows one run with its logs, facts, speeds and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import benchledger
from benchledger.cli.options import form_option
from benchledger.cli.output import frame_table, time_text
from benchledger.cli.reveal import headed, reveal_option, revealed
from benchledger.cli.settings import Settings
from benchledger.cli.terminal import print_text, wrapped_lines
from benchledger.exports.values import escaped, json_text

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.run_detail import RunDetail

# A narrow terminal shows these columns rather than the others.
_FIRST = ("value", "unit", "used", "source", "status", "log", "role")


@click.command()
@click.argument("run")
@form_option
@reveal_option
@click.pass_obj
def show(settings: Settings, run: str, form: str) -> None:
    """Show one RUN, named by its key or the start of it."""
    detail = revealed(benchledger.show_run(run, db=settings.db))
    print_text(headed(json_text(detail) if form == "json" else wrapped_lines(_text(detail)), form))


def _text(detail: RunDetail) -> str:
    status = f"run {detail.run_key}: {detail.status['status']}"
    if detail.status["reason"]:
        status += f", {detail.status['reason']}"
    lines = [status]
    if detail.excluded is not None:
        who = f" by {detail.excluded['excluded_by']}" if detail.excluded["excluded_by"] else ""
        lines.append(
            f"excluded from every table{who} on {detail.excluded['excluded_at']:%Y-%m-%d}: {detail.excluded['reason']}"
        )
    if detail.status["place"]:
        lines.append(f"evidence: {detail.status['place']} {detail.status['text'] or ''}".rstrip())
    lines.append(f"campaign: {', '.join(detail.campaigns) or 'none'}")
    lines.append(f"case: {detail.run['name']}")
    steps = [detail.run[name] for name in ("steps_done", "steps_planned")]
    lines.append("steps: {} done, {} planned".format(*("unknown" if one is None else one for one in steps)))
    epochs = [detail.run[name] for name in ("epochs_done", "epochs_planned")]
    if epochs != [None, None]:
        lines.append("epochs: {} done, {} planned".format(*("unknown" if one is None else one for one in epochs)))
    lines.append(f"started: {time_text(detail.run['started_at'], detail.run['time_source'])}")
    if detail.run["ended_at"] is not None:
        # A log that dates few of its lines continues after the last dated one.
        what = "last dated line" if detail.run["time_source"] == "log" else "ended"
        lines.append(f"{what}: {time_text(detail.run['ended_at'], detail.run['time_source'])}")
    parts = {"logs": detail.logs, "facts": detail.facts, "speeds": detail.speeds}
    parts["memory"] = _by_definition(detail.memory)
    parts["convergence"] = detail.convergence
    parts["series"] = detail.series
    return "\n".join(
        [*map(escaped, lines), *(_part(name, frame, frame_table(frame, _FIRST)) for name, frame in parts.items())]
    )


def _by_definition(memory: pl.DataFrame) -> pl.DataFrame:
    """Returns memory with one row per definition, however many ranks or devices there are, to fit a terminal."""
    import polars as pl

    fullest = pl.col("device").sort_by("value_mib", descending=True).first()
    return memory.group_by("definition", maintain_order=True).agg(
        pl.len().alias("devices"),
        fullest.alias("fullest"),
        pl.col("value_mib").max().alias("highest_mib"),
        pl.col("value_mib").min().alias("lowest_mib"),
        pl.col("records_used").sum(),
    )


def _part(name: str, frame: pl.DataFrame, text: str) -> str:
    return f"\n{name}\n{text}" if frame.height else f"\n{name}: none"
