"""The largest batch size that ran and the smallest that ran out of memory, as READMEs 001 and 004 list them."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import NOT_RUN, fact_text
from benchledger.answers.tables.grid import BATCH_COLUMNS, SPLIT_COLUMNS, column_order, lay_out
from benchledger.answers.tables.grouping import TABLE_COLUMNS, Row, SortKey, facts_of, grouped, sort_key
from benchledger.answers.tables.left_out import excluded_notes, need_series
from benchledger.answers.tables.presentation import Presentation, coverage_of, presentation_of
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.answers.tables.table_selection import MAX, lines_of, read_selection, selected_columns, selected_gpus
from benchledger.errors import NothingFoundError, UsageError
from benchledger.store.default_db import DEFAULT_DB

_SIZES = ("largest_ok", "smallest_oom")
_COLUMNS = ("gpus", "node_num", "gpu_num", "precision", *_SIZES)
_FACTS = {"node_num": "nodes", "gpu_num": "gpus"}
_NOT_OF_THE_TABLE = ("batch_size_per_gpu", "global_batch_size", "gradient_accumulation", "case_id", "name")


def report_max_batch(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    layout: str | None = None,
    lang: str | None = None,
    columns: object = None,
    rows: object = None,
    no_notes: bool = False,
    **case_columns: object,
) -> Report:
    """Returns the largest batch size per GPU that ran and the smallest out of memory, by GPU count and precision.

    `layout`, `lang`, `columns` and `rows` as in `report_speed`. Raises NothingFoundError if no selected run states its
    batch size, UsageError for a filter by batch size or a column that follows from it.
    """
    for name in _NOT_OF_THE_TABLE:
        if case_columns.get(name):
            raise UsageError(f"max-batch searches over all batch sizes: remove the filter by {name}")
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    presentation = presentation_of("max-batch", layout, lang)
    with reading(db) as con:
        need_series(con, db, filters)
        found = rows_of(filters.apply(con.sql("from kept.max_batch_table")))
        excluded = excluded_notes(con, filters, presentation)
    if not found:
        raise NothingFoundError(
            "no selected run states its batch size and whether it fitted in memory; see: bench runs"
        )
    cases = [{**row, "sizes_ok": row["sizes_ok"] or [], "sizes_oom": row["sizes_oom"] or []} for row in found]
    split = (*TABLE_COLUMNS, "precision", "options") if "section" in presentation.report.texts else TABLE_COLUMNS
    tables = []
    numbers: list[Row] = []
    for kin in sorted(grouped(cases, split).values(), key=lambda rows: _table_order(rows[0])):
        tables.append(_table(kin, facts_of(kin[0], split), presentation, columns, rows))
        numbers.extend(sorted(kin, key=_order))
    return (
        Report("max-batch", tuple(tables), frame_of(numbers, without=("gradient_accumulation",)))
        .noted(excluded)
        .without_notes(no_notes)
    )


def _table(
    rows: list[Row], facts: dict[str, str | None], presentation: Presentation, columns: object, gpus: object
) -> Table:
    notes = _oom_notes(rows, presentation)
    if not presentation.report.columns:
        cells = [_in_grid(row, presentation) for row in rows]
        return lay_out(cells, facts, presentation, read_selection(presentation, columns, gpus), notes)
    shown = list(selected_columns(presentation, columns, _COLUMNS))
    split = _split_columns(rows, shown)
    place = next((number for number, name in enumerate(shown) if name in _SIZES), len(shown))
    shown[place:place] = split
    lines = lines_of(sorted(rows, key=_order), selected_gpus(presentation, gpus))
    gaps = [
        (_case(row, presentation), _case(row, presentation), _why(row)) for row in rows if row["largest_ok"] is None
    ]
    return Table(
        facts=facts,
        coverage=coverage_of(len(rows), gaps, presentation),
        frame=text_frame(presentation.headings(*shown), [[_text(line, column) for column in shown] for line in lines]),
        rows_split_by=split,
        notes=notes,
        above=presentation.above(rows[0]),
        texts=presentation.texts(*shown),
    )


def _in_grid(row: Row, presentation: Presentation) -> Row:
    """Returns the case as a row of the grid, in the column of its precision and the largest batch size."""
    size = NOT_RUN if row["largest_ok"] is None else str(row["largest_ok"])
    oom = row["smallest_oom"]
    text = (
        presentation.heading("fits", size=size)
        if oom is None
        else presentation.heading("fits_not", size=size, oom=str(oom))
    )
    missing = None if row["largest_ok"] is not None else _why(row)
    apart = dict.fromkeys((*SPLIT_COLUMNS, *BATCH_COLUMNS))
    return {
        **apart,
        **row,
        "status": "ok" if missing is None else "oom",
        "batch_size_per_gpu": MAX,
        "shown": text,
        "missing": missing,
    }


def _oom_notes(rows: list[Row], presentation: Presentation) -> tuple[str, ...]:
    alike: dict[tuple[int, tuple[int, ...]], list[Row]] = {}
    for row in sorted(rows, key=_order):
        if row["smallest_oom"] is not None:
            alike.setdefault((row["smallest_oom"], tuple(row["sizes_ok"])), []).append(row)
    notes = []
    for (oom, ran), cases in alike.items():
        text = presentation.text(
            "oom_amid" if ran and ran[-1] >= oom else "oom",
            oom=str(oom),
            ran=", ".join(map(str, ran)) or NOT_RUN,
            cases=", ".join(_case(row, presentation) for row in cases),
            model=presentation.model(cases[0]["model"]),
        )
        notes.append(text or "")
    return tuple(notes)


def _text(row: Row | int, column: str) -> str:
    fact = _FACTS.get(column, column)
    if isinstance(row, int):
        return str(row) if fact == "gpus" else NOT_RUN
    value = row[fact]
    return NOT_RUN if value is None and column in _SIZES else fact_text(value)


def _split_columns(rows: list[Row], shown: list[str]) -> tuple[str, ...]:
    """Returns the facts that must be shown because cases would otherwise look equal."""
    heads = {_FACTS.get(column, column) for column in shown} & {"gpus", "nodes", "precision"}
    crowded = [row for same in grouped(rows, heads).values() if len(same) > 1 for row in same]
    facts = (name for name in ("gpus", "nodes", "precision", "seq_len", "options") if name not in heads)
    return tuple(name for name in facts if len({row[name] for row in crowded}) > 1)


def _case(row: Row, presentation: Presentation) -> str:
    return f"{fact_text(row['gpus'])} x {presentation.precision(row['precision'])}"


def _why(row: Row) -> str:
    return f"out of memory at {row['smallest_oom']}"


def _table_order(row: Row) -> tuple[SortKey, SortKey]:
    return sort_key(row[name] for name in TABLE_COLUMNS), column_order({**row, "batch_size_per_gpu": None})


def _order(row: Row) -> tuple[SortKey, SortKey, SortKey]:
    rest = (row[name] for name in ("nodes", "seq_len", "options"))
    return sort_key([row["gpus"]]), column_order({**row, "batch_size_per_gpu": None}), sort_key(rest)
