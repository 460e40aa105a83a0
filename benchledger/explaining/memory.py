"""Where a memory number comes from: its definition, the fullest device of each trial, the lines with its maximum."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import frame_asked, frame_of, rows_asked
from benchledger.answers.run_detail import conflicts_of, facts_stated, frames_by_run, logs_of
from benchledger.answers.tables.cells import status_text
from benchledger.answers.tables.grouping import Row, sort_key
from benchledger.definitions.layouts import LANGUAGES, load_page_texts
from benchledger.explaining.explained import Check, ExplainedCell
from benchledger.explaining.readings import placed, sql_of
from benchledger.explaining.speed_words import check_sentence, conflict_sentences, counted_sentence, digits, place_words
from benchledger.kept import records_of

if TYPE_CHECKING:
    import duckdb

_MEMBERS = """
select series_run.series_id, series_run.trial, run.run_key, run.run_id, run.status, run.reason
from kept.series_run
join run using (run_id)
where series_run.series_id in (select unnest($series))
order by series_run.trial, run.run_key
"""


def explained_memories(con: duckdb.DuckDBPyConnection, numbers: list[Row]) -> list[ExplainedCell]:
    """Rows of memory_table of one definition, explained; the values of all their runs are read at once."""
    series: dict[int, list[Row]] = {}
    for row in rows_asked(con, _MEMBERS, series=[number["series_id"] for number in numbers]):
        series.setdefault(row.pop("series_id"), []).append(row)
    keys = {member["run_id"]: member["run_key"] for members in series.values() for member in members}
    runs = list(keys)
    with records_of(con, runs):
        printed = frame_asked(con, sql_of("memory"), definition=numbers[0]["definition"], runs=runs)
    by_run = frames_by_run(printed.with_columns(run="run_id"), runs, "run")
    logs, conflicts, stated = logs_of(con, runs), conflicts_of(con, runs), facts_stated(con, runs)
    readings = placed(printed, keys, logs, "device")
    found = []
    for number in numbers:
        trials = [_trial(member, by_run[member["run_id"]]) for member in series[number["series_id"]]]
        own = [trial["run_key"] for trial in trials]
        frames = [frame.filter(pl.col("run_key").is_in(own)) for frame in (logs, readings, stated, conflicts)]
        found.append(_explained(number, trials, *frames))
    return found


def _explained(
    number: Row, trials: list[Row], logs: pl.DataFrame, readings: pl.DataFrame, stated: pl.DataFrame,
    conflicts: pl.DataFrame,
) -> ExplainedCell:  # fmt: skip
    counted = [trial["value"] for trial in trials if trial["counts"]]
    check = Check(number["value_mib"], float(median(counted)) if counted else None)
    meaning = load_page_texts("notes", "all", LANGUAGES[0])[number["definition"]]
    sentences = memory_sentences(number, meaning, trials, check, conflicts.to_dicts())
    return ExplainedCell(
        number["cell"], "memory", number, None, sentences, check, frame_of(trials, without=()), logs, readings, stated,
        conflicts,
    )  # fmt: skip


def _trial(member: Row, readings: pl.DataFrame) -> Row:
    devices = readings.filter(pl.col("highest").is_not_null()).select("device", "highest").unique().rows()
    most = max((highest for _, highest in devices), default=None)
    fullest = sorted((device for device, highest in devices if highest == most), key=lambda one: sort_key((one,)))
    counts = bool(devices) and member["status"] in ("ok", "unknown")
    status = ": ".join(str(part).replace("_", " ") for part in (member["status"], member["reason"]) if part)
    why = None if counts else status if devices else "its logs state no such memory"
    used = ~readings["use"].str.starts_with("not read") & (readings["use"] != "dropped: not finite")
    return {
        **member, "value": most, "unit": "MiB",
        "device": ", ".join(str(device or "unknown") for device in fullest) if devices else None,
        "devices": len(devices), "records_used": int(used.sum()), "counts": counts, "dropped_because": why,
    }  # fmt: skip


def memory_sentences(
    number: Row, meaning: str, trials: list[Row], check: Check, conflicts: list[Row]
) -> tuple[str, ...]:
    """Headline, definition, trials with their devices, contradictions and check of a memory number."""
    counted = [trial for trial in trials if trial["counts"]]
    of = f"{number['definition']} memory of {number['name']} {place_words(number)}"
    sentences = [
        f"{digits(number['value_mib'])} MiB: {of}."
        if counted
        else f"No number ({status_text(number['status'])}) for {of}.",
        f"{meaning[0].upper()}{meaning[1:]}.",
        "The highest value of any device of a run; over the trials of a series the median.",
        counted_sentence(trials),
    ]
    if len(counted) > 1:
        sentences.append(
            f"The median of {', '.join(digits(trial['value']) for trial in counted)} is {digits(number['value_mib'])}."
        )
        sentences.append(f"Lowest {digits(number['lowest_mib'])}, highest {digits(number['highest_mib'])}.")
    seen = _fewest_devices(number, counted)
    if seen is not None:
        sentences.append(f"The logs show {seen} of its {number['gpus']} GPUs: another one may have been fuller.")
    if number["gpu_memory_mib"] is not None and counted:
        of = "" if seen is None else ", as far as the logs show"
        sentences.append(f"The card has {number['gpu_memory_mib']} MiB: {_headroom(number)}{of}.")
    if number["mixed"]:
        sentences.append(f"The runs of this series differ in: {number['mixed']}.")
    return (*sentences, *conflict_sentences(conflicts), check_sentence(check, "MiB", parts_agree=True))


def _fewest_devices(number: Row, counted: list[Row]) -> int | None:
    """Of how many devices the trial with fewest of them has memory; None where that is every GPU of the run."""
    fewest = min((trial["devices"] for trial in counted), default=None)
    return fewest if fewest is not None and number["gpus"] is not None and fewest < number["gpus"] else None


def _headroom(number: Row) -> str:
    """States the memory left on the card: it was free if all memory in use on the device was measured."""
    if number["definition"] == "device":
        return f"{number['headroom_mib']} MiB of it were free"
    return (
        f"{number['headroom_mib']} MiB headroom against {number['definition']} memory; others may have held part of it"
    )
