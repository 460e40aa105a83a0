"""The trials behind each number: how many count, the records that they use, and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.cells import NOT_RUN, cell_text, fact_text, number_text
from benchledger.answers.tables.grid import cell_order
from benchledger.answers.tables.grouping import Row, grouped
from benchledger.answers.tables.presentation import Presentation
from benchledger.answers.tables.table import text_frame

if TYPE_CHECKING:
    import duckdb

# Mean and median are taken over a sorted list, so that they do not depend on the order of rows.
_TRIALS = """
with trial as (
    select series_run.series_id, series_run.trial, run.run_key, run_speed.rule, run_speed.unit, run_speed.value,
        run_speed.status, run_speed.is_trial, run_speed.records_used, run_speed.records_skipped
    from kept.series_run
    join run_speed using (run_id)
    join run using (run_id)
    semi join (select unnest($series) as series_id) as asked using (series_id)
    where run_speed.phase = 'train' and list_contains($rules, run_speed.rule)
),
cell as (
    select series_id, rule, unit, list_sort(list(value) filter (where is_trial)) as speeds
    from trial
    group by all
)
select trial.*, list_avg(cell.speeds) as mean, list_median(cell.speeds) as median
from trial
join cell
    on cell.series_id = trial.series_id
    and cell.rule = trial.rule
    and cell.unit is not distinct from trial.unit
order by trial.series_id, trial.rule, trial.trial, trial.unit
"""

# By series and rule.
Trials = dict[tuple[object, object], list[Row]]


def trials_of(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> Trials:
    """Returns every trial by the rules of the rows of speed_table; adds the number of used records to each row."""
    series = list({row["series_id"] for row in rows})
    found = rows_asked(con, _TRIALS, series=series, rules=list({row["rule"] for row in rows}))
    trials: Trials = {(key[0], key[1]): group for key, group in grouped(found, ("series_id", "rule")).items()}
    for row in rows:
        counted = [trial for trial in _own(row, trials) if trial["is_trial"]]
        row["records_used"] = sum(trial["records_used"] for trial in counted)
        row["records_skipped"] = sum(trial["records_skipped"] for trial in counted)
    return trials


def trial_counts(rows: list[Row], presentation: Presentation) -> str:
    """Returns a table's note on how many trials and records are behind its numbers."""
    with_value = [row for row in rows if row["value"] is not None]
    trials, used, skipped = (
        _range([row[name] for row in with_value]) for name in ("trials", "records_used", "records_skipped")
    )
    left_out = sum(row["trials_dropped"] for row in rows)
    return presentation.note("trials", trials=trials, left_out=left_out, used=used, skipped=skipped)


def trial_notes(rows: list[Row], presentation: Presentation) -> tuple[str, ...]:
    """Returns a table's notes on the trials behind its numbers: how many, and what is not as expected of them."""
    with_value = [row for row in rows if row["value"] is not None]
    notes = [trial_counts(rows, presentation)]
    dropped = [cell_of(row, presentation) for row in with_value if row["trials_dropped"]]
    if dropped:
        notes.append(presentation.note("dropped", cases=presentation.notes()["comma"].join(dropped)))
    if any(
        row["trials"] > 1 and None in (row["precision"], row["batch_size_per_gpu"], row["gpus"]) for row in with_value
    ):
        notes.append(presentation.note("facts_unknown"))
    if conflicts := sum(row["conflicts"] for row in rows):
        notes.append(presentation.note("conflicts", n=conflicts))
    if mixed := sorted({row["mixed"] for row in rows if row["mixed"]}):
        notes.append(presentation.note("mixed", facts=", ".join(mixed)))
    return tuple(notes)


def cell_of(row: Row, presentation: Presentation) -> str:
    """Returns the name of a cell in notes: 8 x FP16(BS=96)."""
    return f"{fact_text(row['gpus'])} x {_case(row, presentation)}"


def trial_frame(rows: list[Row], split_by: tuple[str, ...], trials: Trials, presentation: Presentation) -> pl.DataFrame:
    """Returns the trials of a table, one row per cell, with mean and median of those that count.

    The number of a trial that does not count, because it failed or stopped early, is in brackets.
    """
    by_cell = [(row, _own(row, trials)) for row in rows]
    numbers = sorted({trial["trial"] for _, own in by_cell for trial in own})
    lines = []
    for row, own in sorted(by_cell, key=lambda pair: cell_order(pair[0])):
        said = {trial["trial"]: _trial_text(trial) for trial in own}
        averages = next(((trial["mean"], trial["median"]) for trial in own if trial["is_trial"]), (None, None))
        facts = [fact_text(row["gpus"]), *(fact_text(row[name]) for name in split_by), _case(row, presentation)]
        ends = [NOT_RUN if value is None else number_text(value) for value in averages]
        lines.append([*facts, *(said.get(number, NOT_RUN) for number in numbers), *ends])
    heads = presentation.headings("gpus", *split_by, "trial_case")
    columns = [*heads, *(f"trial {number}" for number in numbers), *presentation.headings("mean", "median")]
    return text_frame(columns, lines)


def trial_rows(rows: list[Row], trials: Trials) -> list[Row]:
    """Returns one row per trial: facts of its series, its run, its number, mean and median of those that count."""
    left_out = ("value", "status", "records_used", "records_skipped", "rule", "unit")
    listed: list[Row] = []
    for row in rows:
        facts = {name: value for name, value in row.items() if name not in left_out}
        listed.extend({**facts, **trial} for trial in _own(row, trials))
    return listed


def any_number(rows: list[Row], trials: Trials) -> bool:
    """Tells whether a trial has a number by its row's rule, even if it does not count."""
    return any(trial["value"] is not None for row in rows for trial in trials.get((row["series_id"], row["rule"]), []))


def _case(row: Row, presentation: Presentation) -> str:
    return presentation.case(row["precision"], row["batch_size_per_gpu"])


def _own(row: Row, trials: Trials) -> list[Row]:
    """Returns the trials of a row's series, rule and unit, and each run without a number in any unit once."""
    listed = trials.get((row["series_id"], row["rule"]), [])
    said = {trial["run_key"] for trial in listed if trial["unit"] == row["unit"]}
    own = []
    for trial in listed:
        if trial["unit"] == row["unit"]:
            own.append(trial)
        elif trial["value"] is None and trial["run_key"] not in said:
            said.add(trial["run_key"])
            own.append(trial)
    return own


def _trial_text(trial: Row) -> str:
    text = cell_text(trial["value"], trial["status"])
    return text if trial["is_trial"] or trial["value"] is None else f"({text})"


def _range(counts: list[int]) -> str:
    if not counts:
        return "0"
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"
