"""The memory table in MiB: one row per GPU count, one column per precision and batch size, one table per definition."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import NOT_RUN, cell_text, named
from benchledger.answers.tables.grid import cell_order, lay_out
from benchledger.answers.tables.grouping import (
    TABLE_COLUMNS,
    Row,
    adopt_gpu_model,
    by_column,
    facts_of,
    grouped,
)
from benchledger.answers.tables.left_out import excluded_notes, excluded_of, excluded_runs, need_series
from benchledger.answers.tables.presentation import presentation_of, unstated_note
from benchledger.answers.tables.remarks import remarks, runs_of
from benchledger.answers.tables.table import Report, Table
from benchledger.answers.tables.table_selection import read_selection
from benchledger.errors import NothingFoundError
from benchledger.store.default_db import DEFAULT_DB

# A series failed if none of its runs is ok or unknown. It then has the most frequent status, of several the first by
# name.
_STATUS = """
with ending as (
    select series_run.series_id, run.status, count(*) as runs
    from kept.series_run
    join run using (run_id)
    group by all
)
select series_id, case when bool_or(status in ('ok', 'unknown')) then 'ok' else
    min({'fewer': -runs, 'status': status}).status end as status
from ending
group by series_id
"""
_MEMORY = "select series_id, definition, value_mib, headroom_mib, cell from memory_table"
# Series with a run of fewer GPUs than devices in use: a monitor of the whole machine also sees other programs.
_MORE_DEVICES = """
select distinct series_id
from kept.series_run
semi join (
    select run_id
    from run_memory
    join bench_case using (case_id)
    where definition = 'device' and value_mib >= 1024
    group by run_id, gpus
    having count(*) > gpus
) using (run_id)
"""
NOT_MEASURED = "none"
# Definitions that have a note with their meaning. Two definitions never share a table.
MEANINGS = ("device", "allocated", "reserved", "process", NOT_MEASURED)


def report_memory(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    layout: str | None = None,
    lang: str | None = None,
    columns: object = None,
    rows: object = None,
    cells: bool = False,
    no_notes: bool = False,
    **case_columns: object,
) -> Report:
    """Returns the memory of every series in MiB: the median over trials of the fullest device, a table per definition.

    `layout`, `lang`, `columns`, `rows` and `cells` as in `report_speed`. Raises NothingFoundError if no selected series
    has any memory, UsageError for an unknown column.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    presentation = presentation_of("memory", layout, lang)
    asked = read_selection(presentation, columns, rows)
    with reading(db) as con:
        found = rows_of(need_series(con, db, filters))
        status = dict(con.execute(_STATUS).fetchall())
        measured = rows_of(con.sql(_MEMORY))
        doubtful = {series_id for (series_id,) in con.execute(_MORE_DEVICES).fetchall()}
        excluded = excluded_runs(con, filters)
        noted = excluded_notes(con, filters, presentation)
        runs = runs_of(con, found, presentation)
    by_series = by_column(measured, "series_id")
    tables: list[Table] = []
    numbers: list[Row] = []
    found = adopt_gpu_model([{**row, "status": status.get(row["series_id"], "ok")} for row in found])
    # A layout prints its empty table even if nothing was measured, as README 000 does.
    set_out = [] if presentation.is_plain or any(row["series_id"] in by_series for row in found) else [NOT_MEASURED]
    for kin in grouped(found, TABLE_COLUMNS).values():
        definitions = {memory["definition"] for row in kin for memory in by_series.get(row["series_id"], [])}
        for definition in sorted(definitions) or set_out:
            placed = [_place(row, definition, by_series, cells) for row in kin]
            shown = list(filter(asked.shows, placed))
            numbers.extend(sorted((row for row in shown if row["value_mib"] is not None), key=cell_order))
            facts = {**facts_of(kin[0], TABLE_COLUMNS), "unit": "MiB", "definition": definition}
            meaning = presentation.note(definition) if definition in MEANINGS else definition
            notes = (meaning, *unstated_note(shown, presentation))
            names = sorted(str(row["name"]) for row in shown if row["series_id"] in doubtful)
            if names and definition == "device":
                notes += (presentation.note("more_devices", names=", ".join(names)),)
            left_out = excluded_of(excluded, kin[0])
            table = lay_out(placed, facts, presentation, asked, notes, "MiB", excluded=left_out)
            if definition == NOT_MEASURED and table.coverage is not None:
                # The note already says that nothing was measured.
                table = replace(table, coverage=replace(table.coverage, said=""))
            quoted = remarks(shown, runs, presentation, filter(asked.shows, left_out))
            tables.append(replace(table, remarks=quoted, usual=frozenset({meaning})))
    if not tables:
        raise NothingFoundError(
            f"none of the {len(found)} selected series has a memory sample. Memory comes from telemetry logs "
            "(nvidia-smi CSV) beside the training log, or from lines of the log itself; see: bench runs"
        )
    return Report("memory", tuple(tables), frame_of(numbers)).noted(noted).without_notes(no_notes)


def _place(row: Row, definition: str, by_series: dict[int, list[Row]], cells: bool) -> Row:
    rows = [memory for memory in by_series.get(row["series_id"], []) if memory["definition"] == definition]
    memory: Row = rows[0] if rows else {"definition": definition, "value_mib": None, "headroom_mib": None, "cell": None}
    ended = row["status"]
    if ended != "ok":
        # The memory of a failed run is not the memory that the case needs. memory_table keeps the number.
        text, missing = cell_text(None, ended), ended.replace("_", " ")
    elif memory["value_mib"] is None:
        text, missing = NOT_RUN, f"no {definition} memory" if definition != NOT_MEASURED else "no memory"
    else:
        text, missing = cell_text(memory["value_mib"], ended), None
    return {**row, **memory, "shown": named(text, memory, cells), "missing": missing}
