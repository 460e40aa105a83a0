"""Tables that others published, as printed, in the layouts of our own reports."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import Filters
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import NOT_RUN, fact_text
from benchledger.answers.tables.grid import BATCH_COLUMNS, SPLIT_COLUMNS, cell_order, lay_out
from benchledger.answers.tables.grouping import Row, facts_of, grouped, sort_key
from benchledger.answers.tables.presentation import Presentation
from benchledger.answers.tables.rules import rules_asked_for
from benchledger.answers.tables.table import Coverage, Report, Table, text_frame
from benchledger.answers.tables.table_selection import lines_of, read_selection, selected_columns, selected_gpus
from benchledger.errors import NothingFoundError, UsageError, known

# The facts that all numbers of one table share: a document may hold several tables of the same cases.
_FACTS = (
    *("source", "revision", "section", "framework", "implementation", "model", "task"),
    *("seq_len", "gpu_model", "rule"),
)
_COLUMNS = ("node_num", "gpu_num", "value", "speedup")
_QUANTITIES = {"value": "speed", "speedup": "speedup"}
_ABSENT = "not published"
# Columns of a series that a published number does not have.
_UNSTATED = (*SPLIT_COLUMNS, *BATCH_COLUMNS, "series_id")


def published_report(
    db: Path | str,
    presentation: Presentation,
    source: str,
    filters: Filters,
    *,
    rule: str | None = None,
    columns: object = None,
    rows: object = None,
) -> Report:
    """Returns published numbers whose source matches a glob, in the layout of the speed or speed-up table.

    Raises NothingFoundError if no published number meets the filters, UsageError for a filter by a fact that published
    numbers do not state, or an unknown rule.
    """
    wanted = filters.values
    if refused := sorted({"campaign", "case_id", "name", "options", "global_batch_size"} & wanted.keys()):
        raise UsageError(f"published numbers do not state {refused[0]}: remove that filter")
    asked = Filters({"source": (source,), **({"rule": (rule,)} if rule else {}), **wanted})
    with reading(db) as con:
        rules_asked_for(con, rule)
        published = con.view("published")
        found = rows_of(asked.apply(published))
        sources = [name for (name,) in published.select("source").distinct().fetchall()]
        if not found and Filters({"source": (source,)}).apply(published).limit(1).fetchone() is not None:
            raise asked.explain(published, "published number")
    shown = [row for row in found if presentation.report.name == "speedup" or row["quantity"] == "speed"]
    if not shown:
        raise NothingFoundError(f"no published numbers from source {source!r}; known sources: {known(sources, source)}")
    make = _speedup_tables if presentation.report.name == "speedup" else _speed_tables
    cells = sorted(
        shown, key=lambda row: (sort_key(row[name] for name in _FACTS), row["quantity"], cell_order(_as_series(row)))
    )
    return Report(presentation.report.name, tuple(make(shown, presentation, columns, rows)), frame_of(cells))


def refuse_beside(source: str, **given: object) -> None:
    """Raises UsageError for an option that published numbers do not support."""
    for name, value in given.items():
        if value:
            raise UsageError(f"published numbers of {source!r} are shown as printed: remove {name}")


def _speed_tables(found: list[Row], presentation: Presentation, columns: object, gpus: object) -> list[Table]:
    asked = read_selection(presentation, columns, gpus)
    return [
        lay_out(
            [_as_series(row) for row in rows],
            _facts(rows),
            presentation,
            asked,
            _notes(rows, presentation),
            rows[0]["unit"],
            _ABSENT,
        )
        for rows in grouped(found, (*_FACTS, "unit")).values()
    ]


def _speedup_tables(found: list[Row], presentation: Presentation, columns: object, gpus: object) -> list[Table]:
    shown = selected_columns(presentation, columns, _COLUMNS) if columns else _COLUMNS
    tables = []
    for rows in grouped(found, (*_FACTS, "precision", "batch_size_per_gpu")).values():
        lines = [
            {**same[0], **{row["quantity"]: row["printed"] for row in same}}
            for same in grouped(rows, ("nodes", "gpus", "gradient_accumulation")).values()
        ]
        lines.sort(key=lambda row: sort_key((row["nodes"], row["gpus"])))
        unit = next((row["unit"] for row in rows if row["quantity"] == "speed"), "speed")
        fixed = {"fixed_name": "batch_size", "fixed_batch": rows[0]["batch_size_per_gpu"]}
        facts = {**_facts(rows), **facts_of(rows[0], ("precision", "batch_size_per_gpu"))}
        missing = tuple(f"{fact_text(row['gpus'])}: {_ABSENT}" for row in lines if "speedup" not in row)
        table = Table(
            facts=facts,
            coverage=Coverage(len(lines) - len(missing), len(lines), missing),
            frame=text_frame(
                [presentation.heading(name, unit=unit) for name in shown],
                [[_text(line, name) for name in shown] for line in lines_of(lines, selected_gpus(presentation, gpus))],
            ),
            notes=_notes(rows, presentation),
            above=presentation.above({**rows[0], **fixed}),
            texts=presentation.texts(*shown),
        )
        tables.append(table)
    return tables


def _as_series(row: Row) -> Row:
    return {**dict.fromkeys(_UNSTATED), **row, "status": "ok", "shown": row["printed"], "missing": None}


def _text(row: Row | int, column: str) -> str:
    if column in _QUANTITIES:
        return NOT_RUN if isinstance(row, int) else row.get(_QUANTITIES[column], NOT_RUN)
    if isinstance(row, int):
        return str(row) if column == "gpu_num" else NOT_RUN
    return fact_text(row["nodes" if column == "node_num" else "gpus"])


def _facts(rows: list[Row]) -> dict[str, str | None]:
    return {"published": rows[0]["source"], **facts_of(rows[0], [name for name in _FACTS if name != "source"])}


def _notes(rows: list[Row], presentation: Presentation) -> tuple[str, ...]:
    said = dict.fromkeys(row["note"] for row in rows if row["note"])
    return (presentation.note("published"), *said)
