"""The speed-up table: nodes, GPUs, speed and speed-up, as README 001 prints it, one table per base."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.cells import NOT_RUN, cell_text, fact_text, number_text
from benchledger.answers.excluded import excluded_notes
from benchledger.answers.filters import read_filters
from benchledger.answers.grouping import TABLE_COLUMNS, Row, SortKey, facts_of, grouped, sort_key, take_in_failures
from benchledger.answers.reading import DEFAULT_DB, reading
from benchledger.answers.rules import left_out_notes, need_value, rows_by_rule, rules_asked_for
from benchledger.answers.series import all_series, frame_of, need_series
from benchledger.answers.tables import Coverage, Report, Table, text_frame

# What speedup_table holds equal between a case and its base; weak scaling also the batch size of a GPU, strong
# scaling the global one.
_FAMILY = (
    *TABLE_COLUMNS,
    "precision",
    "seq_len",
    "options",
    "gpu_memory_mib",
    "framework_version",
    "implementation_version",
    "scaling",
    "fixed_batch",
    "unit",
    "rule",
)
# These head a table also where nobody stated them; the others only if some table has them.
_ALWAYS = (*TABLE_COLUMNS, "scaling", "fixed_batch", "unit", "rule")
_FIXED = {"weak": "batch_size_per_gpu", "strong": "global_batch_size"}
# Shown only where they tell two rows apart or explain their speed-up.
_BATCH_COLUMNS = {
    "weak": ("global_batch_size", "gradient_accumulation"),
    "strong": ("batch_size_per_gpu", "gradient_accumulation"),
}
_ALONE = "their cases have no other number of GPUs to be compared with"


def report_speedup(
    *, db: Path | str = DEFAULT_DB, campaign: str | None = None, rule: str | None = None, **case_columns: object
) -> Report:
    """The speed-up of every series over its base, both by the same rule; one table per family of comparable series.

    Efficiency is speed-up x GPUs of the base / GPUs. Raises NothingFoundError if no series meets the filters,
    UsageError for an unknown rule or column.
    """
    filters = read_filters(campaign, case_columns, extra=["gpu_model"])
    with reading(db) as con:
        asked = rules_asked_for(con, rule)
        series = all_series(con)
        need_series(con, db, series, filters)
        # The base of a case may not meet the filters (--gpus 8): the view has found it before they apply.
        rows = rows_by_rule(filters.apply(con.view("speedup_table")), rule)
        need_value(con, rows, rule)
        excluded = excluded_notes(con, filters)
    rows = take_in_failures(rows)
    for row in rows:
        row["fixed_batch"] = row[_FIXED[row["scaling"]]]
    families = list(grouped(rows, _FAMILY).values())
    compared = [family for family in families if _is_compared(family)]
    alone = len(families) - len(compared)
    # Where nothing can be compared the speeds are shown all the same.
    notes = (f"tables left out: {alone}; {_ALONE}",) if compared and alone else ()
    stated = [name for name in _FAMILY if name in _ALWAYS or any(row[name] is not None for row in rows)]
    tables = tuple(_table(family, stated, left_out_notes(rows, family, asked)) for family in compared or families)
    cells = [row for family in families for row in sorted(family, key=_line_order)]
    return Report("speedup", tables, frame_of(cells, without=("fixed_batch",)), notes).noted(excluded)


def _is_compared(rows: list[Row]) -> bool:
    """Whether a case has another one as its base, or would be the base of one that gives no number."""
    if any(row["base_series_id"] not in (None, row["series_id"]) for row in rows):
        return True
    return len(rows) > 1 and any(row["value"] is not None for row in rows)


def _table(rows: list[Row], stated: list[str], notes: tuple[str, ...]) -> Table:
    scaling, unit = rows[0]["scaling"], rows[0]["unit"] or "speed"
    split = _split_columns(rows, _BATCH_COLUMNS[scaling])
    bases = {row["base_series_id"] for row in rows if row["base_value"] is not None}
    base_column = [f"base {unit}"] if len(bases) > 1 else []
    lines = []
    for row in sorted(rows, key=_line_order):
        base = [_number(row["base_value"])] if base_column else []
        speed = cell_text(row["value"], row["status"])
        heads = [fact_text(row[name]) for name in ("nodes", "gpus", *split)]
        lines.append([*heads, speed, *base, _number(row["speedup"]), _number(row["efficiency"])])
    facts = facts_of(rows[0], stated)
    columns = ["node_num", "gpu_num", *split, unit, *base_column, "speedup", "efficiency"]
    missing = tuple(_missing(row, split) for row in rows if row["speedup"] is None)
    return Table(
        facts={_FIXED[scaling] if name == "fixed_batch" else name: fact for name, fact in facts.items()},
        coverage=Coverage(len(rows) - len(missing), len(rows), missing),
        frame=text_frame(columns, lines),
        rows_split_by=split,
        notes=(*(_base_note(rows, unit) if len(bases) == 1 else ()), *notes),
    )


def _line_order(row: Row) -> SortKey:
    columns = ("nodes", "gpus", "global_batch_size", "batch_size_per_gpu", "gradient_accumulation", "series_id")
    return sort_key(row[name] for name in columns)


def _split_columns(rows: list[Row], columns: tuple[str, ...]) -> tuple[str, ...]:
    crowded = [row for sharing in grouped(rows, ("nodes", "gpus")).values() if len(sharing) > 1 for row in sharing]
    return tuple(name for name in columns if len({row[name] for row in crowded}) > 1)


def _number(value: float | None) -> str:
    return NOT_RUN if value is None else number_text(value)


def _missing(row: Row, split: tuple[str, ...]) -> str:
    why = row["status"].replace("_", " ") if row["value"] is None else "no base"
    facts = "".join(f" {name}={fact_text(row[name])}" for name in split)
    return f"{fact_text(row['nodes'])} x {fact_text(row['gpus'])}{facts}: {why}"


def _base_note(rows: list[Row], unit: str) -> tuple[str, ...]:
    base = next(row for row in rows if row["base_value"] is not None)
    gpus = "1 GPU" if base["base_gpus"] == 1 else f"{base['base_gpus']} GPUs"
    return (f"base: {gpus}, {number_text(base['base_value'])} {unit}",)
