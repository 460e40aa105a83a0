"""`bench explain`: shows where a number comes from, line by line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

import benchledger
from benchledger.cli.options import case_options, form_option, given
from benchledger.cli.output import frame_table
from benchledger.cli.reveal import headed, reveal_option, revealed
from benchledger.cli.settings import Settings
from benchledger.cli.terminal import print_text, wrapped_lines
from benchledger.exports.values import escaped, json_text

if TYPE_CHECKING:
    import polars as pl

    from benchledger.explaining.explain import Explained
    from benchledger.explaining.explained import ExplainedCell

# The number of used lines that are shown from the start and the end of each run.
_ENDS = 3
_REJECTS = 10
_TRIALS = ("trial", "run_key", "counts", "value", "recomputed", "records_used", "records_skipped", "device")
_SHOWN = ("log", "line", "step", "name", "value", "unit", "from_line")
_LOGS = ("run_key", "role", "log", "first_line", "last_line", "format", "paired_by")


@click.command()
@click.argument("what", required=False)
@click.option(
    "--table", type=click.Choice(["speed", "memory", "speedup"]), default="speed", show_default=True,
    help="Table of the cell that the filters select.",
)  # fmt: skip
@click.option("--rule", help="Explain the number by this rule instead of the default rule.")
@click.option("--definition", help="With --table memory: device, allocated, reserved or process.")
@click.option("--lines", is_flag=True, help="Show the printed lines too; needs logs that ingest --keep-logs kept.")
@click.option("--scaling", help="With --table speedup: weak or strong.")
@case_options
@form_option
@reveal_option
@click.pass_obj
def explain(
    settings: Settings, /, what: str | None, table: str, lines: bool, campaign: str | None, form: str, **filters: Any
) -> None:
    """Explain where a number, a run or a file comes from.

    WHAT is the name of a cell, the key of a run, or the path of a file. Without WHAT, filters select one cell.
    """
    if "polars" not in sys.modules:
        # Rules are applied run by run, to columns so short that sharing the work among threads takes longer than the
        # work.
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    own = {name: value for name in ("rule", "definition", "scaling") if (value := filters.pop(name)) is not None}
    answer = revealed(
        benchledger.explain(what, db=settings.db, table=table, lines=lines, campaign=campaign, **own, **given(filters))
    )
    print_text(headed(json_text(answer.to_dict()) if form == "json" else wrapped_lines(_text(answer)), form))


def _text(answer: Explained) -> str:
    from benchledger.explaining.explained import ExplainedCell, ExplainedRun

    if isinstance(answer, ExplainedCell):
        return _cell_text(answer)
    if isinstance(answer, ExplainedRun):
        frames = {"cells": answer.cells, "default rules in their order": answer.chain, "logs": answer.detail.logs}
        frames |= {"facts": answer.detail.facts}
    else:
        frames = {"sightings": answer.sightings, "runs": answer.runs, "rejects": answer.rejects.head(_REJECTS)}
        frames |= {"nearest formats": answer.nearest}
    return "\n\n".join([_escaped(answer.sentences), *(_part(name, one) for name, one in frames.items() if one.height)])


def _escaped(lines: Iterable[str]) -> str:
    return "\n".join(map(escaped, lines))


def _cell_text(cell: ExplainedCell) -> str:
    lines = [f"cell {cell.cell}", *cell.sentences]
    if cell.rule is not None:
        recipe = [f"  {number}. {step}" for number, step in enumerate(cell.rule["recipe"], start=1)]
        lines += [
            "",
            f"rule {cell.rule['rule']}: {cell.rule['description']}",
            f"  source: {cell.rule['source']}",
            *recipe,
        ]
    parts = [_escaped(lines)]
    if cell.bases is not None:
        parts.append(_part("speeds with the fewest GPUs", cell.bases))
    if cell.sides:
        return "\n\n".join([*parts, *(_cell_text(side) for side in cell.sides)])
    parts.append(_part("trials", cell.trials.select(name for name in _TRIALS if name in cell.trials.columns)))
    parts += [_escaped([f"run {row['run_key']} is dropped: {row['dropped_because']}"]) for row in _dropped(cell)]
    parts += [_part("logs", cell.logs.select(_LOGS)), _lines(cell), _part("facts in use", _facts(cell))]
    return "\n\n".join(part for part in parts if part)


def _part(name: str, frame: pl.DataFrame) -> str:
    return f"{name}\n{frame_table(frame)}" if frame.height else f"{name}: none"


def _dropped(cell: ExplainedCell) -> list[dict[str, Any]]:
    return [row for row in cell.trials.to_dicts() if not row["counts"]]


def _lines(cell: ExplainedCell) -> str:
    """Returns the first and last used lines of each run, and counts of the others by reason."""
    lines = []
    counts = cell.readings.group_by("run_key", "use", maintain_order=True).len()
    texts = ["text"] if "text" in cell.readings.columns else []
    used = cell.readings.select(*_SHOWN, *texts, "run_key", "use").filter(use="kept")
    for key in counts["run_key"].unique(maintain_order=True):
        kept, uses = used.filter(run_key=key), counts.filter(run_key=key)
        values = f"{kept.height} value{'s' * (kept.height != 1)} used"
        lines.append(f"lines of run {key}: {values}, {uses['len'].sum() - kept.height} left out")
        ends = [kept] if kept.height <= 2 * _ENDS else [kept.head(_ENDS), kept.tail(_ENDS)]
        shown = [[f"  {part}" for row in end.to_dicts() for part in _line(row)] for end in ends]
        lines += shown[0] if len(shown) == 1 else [*shown[0], "  ...", *shown[1]]
        lines += [f"  {count} {use}" for _, use, count in uses.iter_rows() if use != "kept"]
    return _escaped(lines)


def _line(row: dict[str, Any]) -> list[str]:
    from_line = "" if row["from_line"] is None else f" since line {row['from_line']}"
    step = "" if row["step"] is None else f" step {row['step']}"
    value = f"{row['name'] or 'time'} {row['value']} {row['unit'] or ''}".rstrip()
    text = [] if row.get("text") is None else [f"  | {row['text']}"]
    return [f"{row['log']}:{row['line']}{step} {value}{from_line}", *text]


def _facts(cell: ExplainedCell) -> pl.DataFrame:
    import polars as pl

    used = cell.facts.filter(pl.col("used") & pl.col("value").is_not_null())
    same = used.group_by(["name", "value", "source"], maintain_order=True)
    return same.agg(pl.len().alias("runs"), pl.col("place").first().alias("place of the first")).sort("name", "value")
