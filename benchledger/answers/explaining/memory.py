"""Where a memory number comes from: its definition, the fullest device of each trial, the lines with its maximum."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from benchledger.answers.explaining.explained import Check, ExplainedCell
from benchledger.answers.explaining.memory_words import memory_sentences
from benchledger.answers.explaining.speed import READING_COLUMNS, frame_of_rows, reading_kinds
from benchledger.answers.grouping import Row, grouped
from benchledger.answers.run_evidence import conflicts_of, facts_stated, logs_of
from benchledger.answers.series import rows_asked
from benchledger.definitions.words import LANGUAGES, load_words

if TYPE_CHECKING:
    import duckdb
    import polars as pl

QUANTITIES = {
    "device": "memory_used",
    "allocated": "memory_allocated",
    "reserved": "memory_reserved",
    "process": "memory_process",
}
_MEMBERS = """
select series_run.trial, run.run_key, run.run_id, run.status, run.reason
from series_run
join run using (run_id)
where series_run.series_id = $series_id
order by series_run.trial, run.run_key
"""
_READINGS = """
select run_id, log_id, line, byte_offset, ordinal, step, rank, device, phase, kind, name, quantity, unit, unit_logged,
    value
from measurement
where run_id = $run_id and quantity = $quantity and value is not null
order by log_id, byte_offset, ordinal
"""


def explained_memory(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    """A row of memory_table, explained."""
    members = rows_asked(con, _MEMBERS, series_id=number["series_id"])
    readings: list[Row] = []
    trials: list[Row] = []
    for member in members:
        rows = rows_asked(con, _READINGS, run_id=member["run_id"], quantity=QUANTITIES[number["definition"]])
        own = [{**row, "run_key": member["run_key"], **_use(row)} for row in rows]
        trials.append(_trial(member, own))
        readings += own
    counted = [trial["value"] for trial in trials if trial["counts"]]
    check = Check(number["value_mib"], float(median(counted)) if counted else None)
    runs = [trial["run_id"] for trial in trials]
    logs, conflicts = logs_of(con, runs), conflicts_of(con, runs)
    meaning = load_words("notes", "all", LANGUAGES[0])[number["definition"]]
    sentences = memory_sentences(number, meaning, trials, check, conflicts.to_dicts())
    return ExplainedCell(
        number["cell"], "memory", number, None, sentences, check, frame_of_rows(trials), logs,
        _frame(readings, logs), facts_stated(con, runs), conflicts,
    )  # fmt: skip


def _use(row: Row) -> Row:
    """Whether a value can be a maximum at all, and of which device."""
    device = row["device"]
    if device is None and row["rank"] is not None:
        # A program that numbers its ranks and not its devices: one rank holds one device.
        device = f"rank {row['rank']}"
    use = "dropped: lower than the highest of its device"
    if row["unit"] != "MiB":
        use = f"not read: its unit is {row['unit'] or 'unknown'}"
    elif not math.isfinite(row["value"]):
        use = "dropped: not finite"
    elif row["quantity"] == "memory_used" and row["kind"] not in ("sample", "step"):
        use = f"not read: of a {row['kind']} record, neither of telemetry nor of a step"
    return {"device": device, "use": use, "rule": None, "rate": None, "from_line": None}


def _trial(member: Row, readings: list[Row]) -> Row:
    """One run of the series, and the use of its readings: those with its highest value are kept."""
    usable = [row for row in readings if row["use"].startswith("dropped: lower")]
    highest = {key[0]: max(row["value"] for row in rows) for key, rows in grouped(usable, ("device",)).items()}
    fullest = [device for device, value in highest.items() if value == max(highest.values())]
    for row in usable:
        if row["value"] == highest[row["device"]]:
            row["use"] = "kept" if row["device"] in fullest else "dropped: highest of a device that is not the fullest"
    counts = bool(highest) and member["status"] in ("ok", "unknown")
    why = None
    if not highest:
        why = "its logs state no such memory"
    elif not counts:
        why = ": ".join(str(part).replace("_", " ") for part in (member["status"], member["reason"]) if part)
    return {
        **member, "value": max(highest.values(), default=None), "unit": "MiB",
        "device": ", ".join(str(device or "unknown") for device in fullest) if highest else None,
        "devices": len(highest), "records_used": len(usable), "counts": counts, "dropped_because": why,
    }  # fmt: skip


def _frame(readings: list[Row], logs: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    places = {(row["run_key"], row["log_id"]): row["log"] for row in logs.iter_rows(named=True)}
    columns = (*READING_COLUMNS, "device")
    rows = [[{**row, "log": places.get((row["run_key"], row["log_id"]))}[name] for name in columns] for row in readings]
    return pl.DataFrame(rows, schema={**reading_kinds(), "device": pl.String}, orient="row")
