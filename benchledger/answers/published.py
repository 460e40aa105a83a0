"""Tables of what others published, as they printed it, in the layouts of our own."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.asked import asked_gpus, asked_names, lines_of, read_asked
from benchledger.answers.cells import NOT_RUN, fact_text
from benchledger.answers.filters import Filters
from benchledger.answers.grid import BATCH_COLUMNS, SPLIT_COLUMNS, cell_order, lay_out
from benchledger.answers.grouping import Row, facts_of, grouped, sort_key
from benchledger.answers.look import Look
from benchledger.answers.reading import reading
from benchledger.answers.rules import rules_asked_for
from benchledger.answers.series import frame_of, rows_of
from benchledger.answers.tables import Coverage, Report, Table, text_frame
from benchledger.errors import NothingFoundError, UsageError, known

# What the numbers of one table share: a document may hold several tables of the same cases.
_FACTS = (
    *("source", "revision", "section", "framework", "implementation", "model", "task"),
    *("seq_len", "gpu_model", "rule"),
)
_COLUMNS = ("node_num", "gpu_num", "value", "speedup")
_QUANTITIES = {"value": "speed", "speedup": "speedup"}
_ABSENT = "not published"
# These a series has, and a published number has not.
_UNSTATED = (*SPLIT_COLUMNS, *BATCH_COLUMNS, "series_id")


def published_report(
    db: Path | str,
    look: Look,
    source: str,
    filters: Filters,
    *,
    rule: str | None = None,
    columns: object = None,
    rows: object = None,
) -> Report:
    """The published numbers whose source matches a glob, in the layout of the speed or speed-up table.

    Raises NothingFoundError if nobody published one that meets the filters, UsageError for a filter by what published
    numbers do not state, or an unknown rule.
    """
    wanted = filters.values
    if refused := sorted({"campaign", "case_id", "name", "options", "global_batch_size"} & wanted.keys()):
        raise UsageError(f"published numbers do not state {refused[0]}: take out that filter")
    asked = Filters({"source": (source,), **({"rule": (rule,)} if rule else {}), **wanted})
    with reading(db) as con:
        rules_asked_for(con, rule)
        published = con.view("published")
        found = rows_of(asked.apply(published))
        sources = [name for (name,) in published.select("source").distinct().fetchall()]
        if not found and Filters({"source": (source,)}).apply(published).limit(1).fetchone() is not None:
            raise asked.explain(published, "published number")
    shown = [row for row in found if look.report.name == "speedup" or row["quantity"] == "speed"]
    if not shown:
        raise NothingFoundError(
            f"nobody published such a number as {source!r}; known sources: {known(sources, source)}"
        )
    make = _speedup_tables if look.report.name == "speedup" else _speed_tables
    cells = sorted(
        shown, key=lambda row: (sort_key(row[name] for name in _FACTS), row["quantity"], cell_order(_as_series(row)))
    )
    return Report(look.report.name, tuple(make(shown, look, columns, rows)), frame_of(cells))


def refuse_beside(source: str, **given: object) -> None:
    """Raises UsageError for what a published number can't be shown with."""
    for name, value in given.items():
        if value:
            raise UsageError(f"what {source!r} published is shown as it was printed: take out {name}")


def _speed_tables(found: list[Row], look: Look, columns: object, gpus: object) -> list[Table]:
    asked = read_asked(look, columns, gpus)
    return [
        lay_out(
            [_as_series(row) for row in rows], _facts(rows), look, asked, _notes(rows, look), rows[0]["unit"], _ABSENT
        )
        for rows in grouped(found, (*_FACTS, "unit")).values()
    ]


def _speedup_tables(found: list[Row], look: Look, columns: object, gpus: object) -> list[Table]:
    shown = asked_names(look, columns, _COLUMNS) if columns else _COLUMNS
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
                [look.heading(name, unit=unit) for name in shown],
                [[_text(line, name) for name in shown] for line in lines_of(lines, asked_gpus(look, gpus))],
            ),
            notes=_notes(rows, look),
            above=look.above({**rows[0], **fixed}),
            texts=look.texts(*shown),
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


def _notes(rows: list[Row], look: Look) -> tuple[str, ...]:
    said = dict.fromkeys(row["note"] for row in rows if row["note"])
    return (look.note("published"), *said)
