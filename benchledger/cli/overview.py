"""`bench` and `bench report` alone: the overview of the ledger on one screen, or what to type first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import benchledger
from benchledger.answers.tables.cells import UNKNOWN
from benchledger.cli.output import write_text
from benchledger.cli.render import cell_width, cut
from benchledger.cli.reveal import headed, revealed
from benchledger.cli.settings import Settings
from benchledger.errors import counted
from benchledger.exports.values import escaped

if TYPE_CHECKING:
    from benchledger.answers.tables.table import Report, Table

WIDTH = 80
_LABEL = 12
_CASE, _SPEED = 32, 20
_NUMBER, _WHAT = 6, 37
_NAME = 22
_FIRST = (
    ("bench{option} ingest LOGS", "read every log below the folder or archive LOGS"),
    ("bench{option}", "what is in the ledger, and what to type next"),
    ("bench formats list", "what logs are read"),
    ("bench --help", "all commands"),
)


def print_overview(settings: Settings) -> None:
    """Prints the overview of the ledger; if there is none, what to type first."""
    if not settings.db.exists():
        from benchledger.store.default_db import DEFAULT_DB

        option = "" if str(settings.db) == DEFAULT_DB else f" --db {settings.db}"
        first = [(escaped(command.format(option=option)), what) for command, what in _FIRST]
        width = max(cell_width(command) for command, _ in first)
        lines = [f"  {command:<{width}}  {what}" for command, what in first]
        write_text("\n".join([f"{escaped(str(settings.db))}: no ledger yet. Type:", "", *lines]), None)
        return
    found = revealed(benchledger.report_overview(db=settings.db))
    write_text(headed(overview_text(found, str(settings.db)), "table"), None)


def overview_text(report: Report, db: str) -> str:
    """Returns the overview as at most 40 lines of 80 columns."""
    tables = {table.facts["list"]: table for table in report.tables}
    runs = sum(map(int, tables["status"].frame["runs"]))
    campaigns = tables["campaign"]
    lines = [
        cut(f"{counted(runs, 'run')} in {counted(int(campaigns.facts['all'] or 0), 'campaign')}: {escaped(db)}", WIDTH),
        "",
        _listed("runs", tables["status"], with_number=False),
        *([_listed("systems", tables["system"])] if "system" in tables else []),
        _listed("GPU models", tables["gpu_model"]),
        _listed("models", tables["model"]),
        "",
        _line("campaigns with most runs", "runs", "newest"),
        *(_line(f"  {_end(name, 56)}", count, newest) for name, count, newest in _rows(campaigns)),
        "",
        *(["fastest series of the models with most runs"] if tables["fastest"].frame.height else []),
        *(_fast(row) for row in _rows(tables["fastest"])),
        *([""] if tables["fastest"].frame.height else []),
        *(["needs attention"] if tables["attention"].frame.height else []),
        *(f"{number:>{_NUMBER}} {what:<{_WHAT}} {command}" for what, number, command in _rows(tables["attention"])),
        *([""] if tables["attention"].frame.height else []),
        "next",
        *(f"  {command:<32}  {what}".rstrip() for command, what in _rows(tables["next"])),
    ]
    return "\n".join(lines)


def _rows(table: Table) -> list[tuple[str, ...]]:
    return [tuple(map(escaped, row)) for row in table.frame.iter_rows()]


def _listed(label: str, table: Table, with_number: bool = True) -> str:
    """Returns names with their runs on one line, as many as fit, and the number of the others."""
    total = int(table.facts["all"] or 0)
    text = f"{label:<{_LABEL}}" + (f"{total}: " if with_number else "")
    parts: list[str] = []
    for name, runs in _rows(table):
        shown = f"{cut(name, _NAME)} {runs}"
        more = f" and {total - len(parts) - 1} more" if total > len(parts) + 1 else ""
        if cell_width(", ".join([text, *parts, shown])) + len(more) > WIDTH:
            break
        parts.append(shown)
    left = total - len(parts)
    return text + ", ".join(parts) + (f" and {left} more" if left > 0 and parts else "")


def _line(name: str, runs: str, newest: str) -> str:
    return f"{name}{' ' * (60 - cell_width(name))}{runs:>7}  {newest:>10}".rstrip()


def _fast(row: Sequence[str]) -> str:
    model, task, precision, speed, unit, gpus, machine, _ = row
    case = cut(" ".join(part for part in (model, task, precision) if part != "-"), _CASE)
    place = f"{gpus} {'GPU' if gpus == '1' else 'GPUs'}" + ("" if machine == UNKNOWN else f", {machine}")
    place = cut(place, WIDTH - _CASE - _SPEED - 4)
    return f"  {case}{' ' * (_CASE - cell_width(case))}{cut(f'{speed} {unit}', _SPEED):>{_SPEED}}  {place}"


def _end(name: str, width: int) -> str:
    """Returns a text that fits a width, cut at its start: the end of a path tells more."""
    return name if cell_width(name) <= width else f"…{name[-(width - 1) :]}"
