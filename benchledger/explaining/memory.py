"""Where a memory number comes from: its definition, the fullest device of each trial, the lines with its maximum."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchledger.answers.run_evidence import conflicts_of, facts_stated, logs_of
from benchledger.answers.series import frame_asked, rows_asked
from benchledger.answers.tables.grouping import Row, sort_key
from benchledger.definitions.page_texts import LANGUAGES, load_page_texts
from benchledger.explaining.explained import Check, ExplainedCell
from benchledger.explaining.memory_words import memory_sentences
from benchledger.explaining.readings import placed, sql_of
from benchledger.explaining.speed import frame_of_rows
from benchledger.kept import records_of

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


def explained_memory(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    """A row of memory_table, explained."""
    import polars as pl

    members = rows_asked(con, _MEMBERS, series_id=number["series_id"])
    runs = [member["run_id"] for member in members]
    with records_of(con, runs):
        printed = frame_asked(con, sql_of("memory"), quantity=QUANTITIES[number["definition"]], runs=runs)
    trials = [_trial(member, printed.filter(run_id=member["run_id"])) for member in members]
    counted = [trial["value"] for trial in trials if trial["counts"]]
    check = Check(number["value_mib"], float(median(counted)) if counted else None)
    logs, conflicts = logs_of(con, runs), conflicts_of(con, runs)
    meaning = load_page_texts("notes", "all", LANGUAGES[0])[number["definition"]]
    keys = {member["run_id"]: member["run_key"] for member in members}
    sentences = memory_sentences(number, meaning, trials, check, conflicts.to_dicts())
    return ExplainedCell(
        number["cell"], "memory", number, None, sentences, check, frame_of_rows(trials), logs,
        placed(printed, keys, logs, device=pl.String()), facts_stated(con, runs), conflicts,
    )  # fmt: skip


def _trial(member: Row, readings: pl.DataFrame) -> Row:
    """One run of the series: its highest value, and the devices that have it."""
    import polars as pl

    devices = readings.filter(pl.col("highest").is_not_null()).select("device", "highest").unique().rows()
    most = max((highest for _, highest in devices), default=None)
    fullest = sorted((device for device, highest in devices if highest == most), key=lambda one: sort_key((one,)))
    counts = bool(devices) and member["status"] in ("ok", "unknown")
    why = None
    if not devices:
        why = "its logs state no such memory"
    elif not counts:
        why = ": ".join(str(part).replace("_", " ") for part in (member["status"], member["reason"]) if part)
    used = ~readings["use"].str.starts_with("not read") & (readings["use"] != "dropped: not finite")
    return {
        **member, "value": most, "unit": "MiB",
        "device": ", ".join(str(device or "unknown") for device in fullest) if devices else None,
        "devices": len(devices), "records_used": int(used.sum()), "counts": counts, "dropped_because": why,
    }  # fmt: skip
