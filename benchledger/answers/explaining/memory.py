"""Where a memory number comes from: its definition, the fullest device of each trial, the lines with its maximum."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchledger.answers.explaining.explained import Check, ExplainedCell
from benchledger.answers.explaining.memory_words import memory_sentences
from benchledger.answers.explaining.speed import frame_of_rows, placed, reading_kinds
from benchledger.answers.run_evidence import conflicts_of, facts_stated, logs_of
from benchledger.answers.series import frame_asked, rows_asked
from benchledger.answers.tables.grouping import Row, sort_key
from benchledger.definitions.page_texts import LANGUAGES, load_page_texts

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
where list_contains($runs, run_id) and quantity = $quantity and value is not null
order by log_id, byte_offset, ordinal
"""


def explained_memory(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    """A row of memory_table, explained."""
    import polars as pl

    members = rows_asked(con, _MEMBERS, series_id=number["series_id"])
    runs = [member["run_id"] for member in members]
    asked = {"runs": runs, "quantity": QUANTITIES[number["definition"]]}
    printed = with_uses(frame_asked(con, _READINGS, **asked))
    frames, trials = [], []
    for member in members:
        own = printed.filter(pl.col("run_id") == member["run_id"])
        frames.append(own.with_columns(run_key=pl.lit(member["run_key"])))
        trials.append(_trial(member, own))
    counted = [trial["value"] for trial in trials if trial["counts"]]
    check = Check(number["value_mib"], float(median(counted)) if counted else None)
    logs, conflicts = logs_of(con, runs), conflicts_of(con, runs)
    meaning = load_page_texts("notes", "all", LANGUAGES[0])[number["definition"]]
    sentences = memory_sentences(number, meaning, trials, check, conflicts.to_dicts())
    return ExplainedCell(
        number["cell"], "memory", number, None, sentences, check, frame_of_rows(trials), logs,
        placed(frames, {**reading_kinds(), "device": pl.String()}, logs), facts_stated(con, runs), conflicts,
    )  # fmt: skip


def with_uses(printed: pl.DataFrame) -> pl.DataFrame:
    """Each value with its device, and whether it is the highest of the fullest device of its run, or why it is not."""
    import polars as pl

    value, highest = pl.col("value"), pl.col("highest")
    use = (
        pl.when(pl.col("unit").ne_missing("MiB"))
        .then(pl.format("not read: its unit is {}", pl.col("unit").fill_null("unknown")))
        .when(~value.is_finite()).then(pl.lit("dropped: not finite"))
        .when((pl.col("quantity") == "memory_used") & ~pl.col("kind").is_in(["sample", "step"]))
        .then(pl.format("not read: of a {} record, neither of telemetry nor of a step", "kind"))
    )  # fmt: skip
    # A program that numbers its ranks and not its devices: one rank holds one device.
    device = pl.coalesce("device", pl.format("rank {}", "rank"))
    found = printed.with_columns(device=device, use=use.otherwise(None))
    usable = pl.when(pl.col("use").is_null()).then(value)
    found = found.with_columns(highest=usable.max().over("run_id", "device"))
    own = (
        pl.when(value < highest).then(pl.lit("dropped: lower than the highest of its device"))
        .when(highest < highest.max().over("run_id"))
        .then(pl.lit("dropped: highest of a device that is not the fullest"))
        .otherwise(pl.lit("kept"))
    )  # fmt: skip
    return found.with_columns(
        use=pl.coalesce("use", own), rule=pl.lit(None, pl.String), rate=pl.lit(None, pl.Float64),
        from_line=pl.lit(None, pl.Int64),
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
