"""Evidence that could explain the speed of runs: statements, telemetry, steps, waits and log lines."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.comparing.sides import rates_of

if TYPE_CHECKING:
    import duckdb

_FOLDER = Path(__file__).with_name("sql")
# A step is slow from this many medians on.
_SLOW = 1.5
_LEAST_STEPS = 20
# Telemetry that no device of ours has: derived from two samples.
OTHER_MEMORY = "memory of other processes"


@dataclass
class Evidence:
    """The evidence for the runs of one side: values by name, each with one entry per run that has it."""

    runs: int
    facts: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[str, list[str]] = field(default_factory=dict)
    # By name: quantity, and the values.
    samples: dict[str, tuple[str | None, list[float]]] = field(default_factory=dict)
    steps: dict[str, list[float]] = field(default_factory=dict)
    texts: Counter[str] = field(default_factory=Counter)


def evidence_of(con: duckdb.DuckDBPyConnection, runs: list[int], *, of_records: bool = True) -> Evidence:
    found = Evidence(len(runs))
    for row in _asked(con, "statements", runs):
        of_kind = found.facts if row["kind"] == "fact" else found.settings
        of_kind.setdefault(row["name"], []).append(row["value"])
    if not of_records:
        return found
    highest: dict[tuple[int, str | None], float] = {}
    for row in _asked(con, "samples", runs):
        found.samples.setdefault(row["name"], (row["quantity"], []))[1].append(row["value"])
        highest[row["run_id"], row["quantity"]] = row["highest"]
    others = [
        max(highest[run, "memory_used"] - highest[run, "memory_process"], 0.0)
        for run in runs
        if (run, "memory_used") in highest and (run, "memory_process") in highest
    ]
    if others:
        found.samples[OTHER_MEMORY] = ("memory_other", others)
    _add_steps(con, runs, found)
    for row in _asked(con, "log_texts", runs):
        found.texts[row["text"]] += row["lines"]
    return found


def _add_steps(con: duckdb.DuckDBPyConnection, runs: list[int], found: Evidence) -> None:
    by_rule: dict[str, list[int]] = {}
    for row in _asked(con, "default_rules", runs):
        by_rule.setdefault(row["rule"], []).append(row["run_id"])
    for rule, of_rule in by_rule.items():
        for rates in rates_of(con, of_rule, rule).values():
            times = [1 / rate for rate in rates if rate > 0]
            if len(times) < _LEAST_STEPS:
                continue
            middle = statistics.median(times)
            slow = [time for time in times if time > _SLOW * middle]
            found.steps.setdefault("slow steps", []).append(len(slow) / len(times))
            spread = statistics.quantiles(times, n=20)
            found.steps.setdefault("spread of steps", []).append((spread[-1] - spread[0]) / middle)
    for row in _asked(con, "input_waits", runs):
        found.steps.setdefault("wait for input", []).append(row["value"])


def _asked(con: duckdb.DuckDBPyConnection, name: str, runs: list[int]) -> list[Row]:
    return rows_asked(con, (_FOLDER / f"{name}.sql").read_text(encoding="utf-8"), runs=runs)
