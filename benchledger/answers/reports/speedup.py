"""The speed-up table: nodes, GPUs, speed and speed-up, as README 001 prints it, one table per base."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.reports.published import published_report, refuse_beside
from benchledger.answers.rows import frame_of, reading
from benchledger.answers.tables.cells import NOT_RUN, cell_text, fact_text, named, number_text
from benchledger.answers.tables.grid import column_order
from benchledger.answers.tables.grouping import (
    TABLE_COLUMNS,
    Row,
    SortKey,
    adopt_unit,
    facts_of,
    grouped,
    sort_key,
)
from benchledger.answers.tables.left_out import (
    excluded_of,
    excluded_runs,
    need_series,
    speed_notes,
)
from benchledger.answers.tables.presentation import Gap, Presentation, coverage_of, presentation_of
from benchledger.answers.tables.remarks import remarks, runs_of
from benchledger.answers.tables.rules import left_out_notes, need_value, rows_by_rule, rules_asked_for, rules_by_kin
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.answers.tables.table_selection import lines_of, selected_columns, selected_gpus
from benchledger.answers.tables.units import LoggedUnits, logged_units
from benchledger.store.default_db import DEFAULT_DB

# The columns in which a case and its base are equal in speedup_table. Weak scaling also fixes the batch size per GPU,
# strong scaling the global batch size.
_FAMILY = (
    *TABLE_COLUMNS,
    "precision",
    "seq_len",
    "options",
    "gpu_memory_mib",
    "framework_version",
    "implementation_version",
    "variant",
    "scaling",
    "fixed_batch",
    "unit",
    "rule",
)
# These are shown above a table even if unstated; the others only if a table states them.
_ALWAYS = (*TABLE_COLUMNS, "scaling", "fixed_batch", "unit", "rule")
_FIXED = {"weak": "batch_size_per_gpu", "strong": "global_batch_size"}
# Shown only if they tell two rows apart or explain their speed-up.
_BATCH_COLUMNS = {
    "weak": ("global_batch_size", "gradient_accumulation"),
    "strong": ("batch_size_per_gpu", "gradient_accumulation"),
}
# The columns that can be selected, and the fact of those that show one.
_COLUMNS = ("node_num", "gpu_num", "value", "base", "speedup", "efficiency")
_FACTS = {"node_num": "nodes", "gpu_num": "gpus"}
# Marks a speed-up that cannot be. The limit is that of the audit's check speedup_over_gpus.
DOUBTFUL = "!"
_MOST_EFFICIENT = 1.05
# An efficiency of nearly the ratio of the GPUs is that of a speed multiplied twice.
_MULTIPLIED = 0.6


@dataclass(frozen=True)
class _Shown:
    """The layout, columns and GPU counts that a family of series is shown with."""

    presentation: Presentation
    columns: tuple[str, ...]
    gpus: tuple[int, ...]
    cells: bool


def report_speedup(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    layout: str | None = None,
    lang: str | None = None,
    columns: object = None,
    rows: object = None,
    unit: str | None = None,
    cells: bool = False,
    published: str | None = None,
    no_notes: bool = False,
    **case_columns: object,
) -> Report:
    """Returns the speed-up of every series over its base, both by the same rule; one table per comparable family.

    Efficiency is speed-up x GPUs of the base / GPUs. `columns` may be node_num, gpu_num, value, base, speedup and
    efficiency. `layout`, `lang`, `rows`, `unit`, `cells` and `published` as in `report_speed`. Raises NothingFoundError
    if no series meets the filters, UsageError for an unknown rule or column.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    presentation = presentation_of("speedup", layout, lang)
    if published is not None:
        refuse_beside(published, unit=unit, cells=cells)
        answer = published_report(db, presentation, published, filters, rule=rule, columns=columns, rows=rows)
        return answer.without_notes(no_notes)
    shown = _Shown(
        presentation, selected_columns(presentation, columns, _COLUMNS), selected_gpus(presentation, rows), cells
    )
    with reading(db) as con:
        asked = rules_asked_for(con, rule)
        need_series(con, db, filters)
        # The base of a case may not meet the filters (--gpus 8): the view selects bases before the filters apply.
        found = rows_by_rule(filters.apply(con.view("speedup_table")), rule)
        noted = speed_notes(con, filters, found, presentation)
        need_value(con, found, rule)
        units = logged_units(con, found, presentation, unit)
        runs = runs_of(con, found, presentation)
        excluded = excluded_runs(con, filters)
    found = adopt_unit(found)
    for row in found:
        row["fixed_batch"] = row[_FIXED[row["scaling"]]]
    families = list(grouped(found, _FAMILY).values())
    if not presentation.is_plain:
        # FP32 before FP16, as in the sections of a report.
        families.sort(key=lambda rows: (sort_key(rows[0][name] for name in TABLE_COLUMNS), column_order(rows[0])))
    compared = [family for family in families if _is_compared(family)]
    alone = len(families) - len(compared)
    # If nothing can be compared, the speeds are shown alone.
    notes = (presentation.note("alone", n=alone),) if compared and alone else ()
    stated = [name for name in _FAMILY if name in _ALWAYS or any(row[name] is not None for row in found)]
    telling = rules_by_kin(found)
    tables = tuple(
        replace(
            _table(family, shown, stated, units, left_out_notes(telling, family, asked, presentation)),
            remarks=remarks(
                [_remarkable(row) for row in family if not shown.gpus or row["gpus"] in shown.gpus],
                runs,
                presentation,
                _left_out(excluded, family, shown),
            ),
        )
        for family in compared or families
    )
    numbers = [row for family in families for row in sorted(family, key=_line_order)]
    return (
        Report("speedup", tables, frame_of(numbers, without=("fixed_batch",)), notes)
        .noted(noted)
        .without_notes(no_notes)
    )


def _left_out(excluded: list[Row], family: list[Row], shown: _Shown) -> list[Row]:
    first = family[0]
    alike = ("precision", "seq_len", "options", _FIXED[first["scaling"]])
    return [
        run
        for run in excluded_of(excluded, first)
        if all(run[name] == first[name] for name in alike) and (not shown.gpus or run["gpus"] in shown.gpus)
    ]


def _remarkable(row: Row) -> Row:
    return {**row, "missing": None if row["value"] is not None else row["status"]}


def _is_compared(rows: list[Row]) -> bool:
    """Tells whether a case has another case as its base, or could be the base of a case without a number."""
    if any(row["base_series_id"] not in (None, row["series_id"]) for row in rows):
        return True
    return len(rows) > 1 and any(row["value"] is not None for row in rows)


def _table(rows: list[Row], shown: _Shown, stated: list[str], units: LoggedUnits, notes: tuple[str, ...]) -> Table:
    scaling, presentation = rows[0]["scaling"], shown.presentation
    # The heading is the ledger's unit, unless another spelling was requested.
    unit = (rows[0]["unit"] if units.asked is None else units.of(rows)) or "speed"
    split = _split_columns(rows, _BATCH_COLUMNS[scaling])
    bases = {row["base_series_id"] for row in rows if row["base_value"] is not None}
    columns = [name for name in shown.columns if name != "base" or len(bases) > 1]
    based = _base_note(rows, unit, presentation) if len(bases) == 1 else ()
    # With --gpus 8 the base may have no row of its own.
    is_shown = bases <= {row["series_id"] for row in rows if not shown.gpus or row["gpus"] in shown.gpus}
    place = max((columns.index(name) + 1 for name in ("node_num", "gpu_num") if name in columns), default=0)
    columns[place:place] = split
    lines = [
        [_text(row, column, shown) for column in columns] for row in lines_of(sorted(rows, key=_line_order), shown.gpus)
    ]
    facts = facts_of(rows[0], stated)
    gaps = [_gap(row, split, presentation) for row in rows if row["speedup"] is None]
    return Table(
        facts={_FIXED[scaling] if name == "fixed_batch" else name: fact for name, fact in facts.items()},
        coverage=coverage_of(len(rows), gaps, presentation),
        frame=text_frame([presentation.heading(name, unit=unit) for name in columns], lines),
        rows_split_by=split,
        notes=(*based, *_doubtful_note(rows), *notes),
        usual=frozenset(based if is_shown else ()),
        above=presentation.above({**rows[0], "fixed_name": _FIXED[scaling].removesuffix("_per_gpu")}, units.of(rows)),
        texts=presentation.texts(*columns),
    )


def _text(row: Row | int, column: str, shown: _Shown) -> str:
    if isinstance(row, int):
        return str(row) if column == "gpu_num" else NOT_RUN
    if column == "value":
        return cell_text(row["value"], row["status"])
    if column == "base":
        return NOT_RUN if row["base_value"] is None else number_text(row["base_value"])
    if column in ("speedup", "efficiency"):
        if row[column] is None:
            return NOT_RUN
        mark = DOUBTFUL if is_doubtful(row) else ""
        if column == "efficiency":
            return f"{row[column]:.3f}{mark}"
        # README 001 writes 1.00 for the base and 7.3 for the others.
        is_base = row["base_series_id"] == row["series_id"]
        text = number_text(row[column]) if is_base else shown.presentation.number(column, row[column])
        return named(f"{text}{mark}", row, shown.cells)
    return fact_text(row[_FACTS.get(column, column)])


def _line_order(row: Row) -> SortKey:
    columns = ("nodes", "gpus", "global_batch_size", "batch_size_per_gpu", "gradient_accumulation", "series_id")
    return sort_key(row[name] for name in columns)


def _split_columns(rows: list[Row], columns: tuple[str, ...]) -> tuple[str, ...]:
    crowded = [row for sharing in grouped(rows, ("nodes", "gpus")).values() if len(sharing) > 1 for row in sharing]
    return tuple(name for name in columns if len({row[name] for row in crowded}) > 1)


def _gap(row: Row, split: tuple[str, ...], presentation: Presentation) -> Gap:
    why = row["status"].replace("_", " ") if row["value"] is None else "no base"
    facts = "".join(f" {name}={fact_text(row[name])}" for name in split)
    shown = presentation.note(
        "cell", gpus=fact_text(row["gpus"]), column=presentation.case(row["precision"], row["batch_size_per_gpu"])
    )
    return f"{fact_text(row['nodes'])} x {fact_text(row['gpus'])}{facts}", shown + facts, why


def is_doubtful(row: Row) -> bool:
    """Tells whether a speed-up is more than so many GPUs can give at an equal batch size per GPU."""
    return row["scaling"] == "weak" and row["efficiency"] is not None and row["efficiency"] > _MOST_EFFICIENT


def _doubtful_note(rows: list[Row]) -> tuple[str, ...]:
    """Returns a note on speed-ups that cannot be, by their likely cause."""
    bases = {row["series_id"]: row for row in rows}
    causes: dict[str, list[str]] = {}
    for row in filter(is_doubtful, sorted(rows, key=_line_order)):
        cases = causes.setdefault(_cause(row, bases.get(row["base_series_id"])), [])
        cases.append(f"{row['gpus']} GPUs ({row['efficiency']:.3f})")
    return tuple(
        f"{DOUBTFUL} efficiency above {_MOST_EFFICIENT}, which more GPUs cannot give: {', '.join(cases)}; "
        f"likely cause: {cause}"
        for cause, cases in causes.items()
    )


def _cause(row: Row, base: Row | None) -> str:
    """Returns the likely cause of a speed-up that cannot be, as far as the ledger tells."""
    more = row["gpus"] / row["base_gpus"]
    if row["efficiency"] > _MULTIPLIED * more:
        return "a speed of all GPUs that was multiplied by their number again, or a wrong number of GPUs"
    if base is not None:
        if row["gradient_accumulation"] != base["gradient_accumulation"]:
            return "the base has another number of passes per optimizer step (gradient_accumulation)"
        if base["conflicts"] or row["conflicts"]:
            return "contradicting facts of these runs: bench query conflicts"
        if base["trials"] > 1 and base["highest"] > _MOST_EFFICIENT * base["lowest"]:
            return "trials of the base that lie far apart: see them with bench report speed --trials"
    return "a base that was slowed down, or measured on other software; compare both with bench explain CELL"


def _base_note(rows: list[Row], unit: str, presentation: Presentation) -> tuple[str, ...]:
    base = next(row for row in rows if row["base_value"] is not None)
    gpus = presentation.note("one_gpu") if base["base_gpus"] == 1 else presentation.note("gpus", n=base["base_gpus"])
    return (presentation.note("base", gpus=gpus, value=number_text(base["base_value"]), unit=unit),)
