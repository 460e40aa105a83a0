"""The failure table: every run that failed, with the log line that shows it."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.runs import place_of
from benchledger.answers.tables.cells import fact_text
from benchledger.answers.tables.grouping import Row
from benchledger.answers.tables.left_out import excluded_notes, included_runs
from benchledger.answers.tables.presentation import presentation_of
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.store.default_db import DEFAULT_DB

_FAILURES = """
select
    failure_table.*,
    run.started_at,
    run_log_place.place as path
from kept.failure_table
join run using (run_id)
left join kept.run_log_place using (run_id, log_id)
"""
_SHOWN = ("campaign", "run", "case", "system", "gpu_model", "status", "reason", "line", "text")
_HEADINGS = {"case": "trial_case"}


def report_failures(
    *, db: Path | str = DEFAULT_DB, campaign: str | None = None, lang: str | None = None, **case_columns: object
) -> Report:
    """Returns every run whose status is neither ok nor unknown: campaign, case, status, reason and deciding line.

    `lang` is the language of the headings. If no selected run failed, the report has no table and a note says so.
    Raises NothingFoundError if no run meets the filters.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    presentation = presentation_of("failures", lang=lang)
    with reading(db) as con:
        total = included_runs(con, db, filters).aggregate("count(distinct run_id)").fetchall()[0][0]
        excluded = excluded_notes(con, filters)
        found = filters.apply(con.sql(_FAILURES)).order("campaign nulls last, name, run_key")
        rows = rows_of(found)
        none = found.limit(0).pl()
    if not rows:
        return Report("failures", (), none, (f"none of the {total} runs asked for failed",)).noted(excluded)
    failed = len({row["run_id"] for row in rows})
    # Usually the reason is the text of the line, and no system is named.
    idle = {"text"} if all(row["text"] == row["reason"] for row in rows) else set()
    idle |= {"system"} if all(row["system"] is None for row in rows) else set()
    columns = [name for name in _SHOWN if name not in idle]
    lines = [[_shown(row, column) for column in columns] for row in rows]
    frame = text_frame([presentation.heading(_HEADINGS.get(name, name)) for name in columns], lines)
    table = Table(
        facts={},
        coverage=None,
        frame=frame,
        notes=(f"{failed} of {total} runs failed",),
        texts=frozenset(frame.columns),
    )
    return Report("failures", (table,), frame_of(rows)).noted(excluded)


def _shown(row: Row, column: str) -> str:
    values = {
        "run": row["run_key"],
        "case": row["name"],
        "line": place_of(row),
        "reason": row["reason"] or "",
        "text": row["text"] or "",
    }
    return str(values[column]) if column in values else fact_text(row[column])
