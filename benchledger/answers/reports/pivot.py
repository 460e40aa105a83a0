"""The pivot table: any columns of case, environment and series as rows and columns, one unit per table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import frame_of, reading
from benchledger.answers.tables.cells import MIXED, NOT_RUN, fact_text, number_text, value_text
from benchledger.answers.tables.grouping import Key, Row, grouped, sort_key
from benchledger.answers.tables.left_out import (
    need_series,
    speed_notes,
)
from benchledger.answers.tables.numbers import (
    best_first,
    checked_facts,
    differing,
    each_run_once,
    facts_of_numbers,
    numbers,
    per_gpu_or_whole,
)
from benchledger.answers.tables.rules import need_value, rules_asked_for, several_rules
from benchledger.answers.tables.table import Coverage, Report, Table, text_frame
from benchledger.errors import NothingFoundError, UsageError, counted, known, some_of
from benchledger.store.default_db import DEFAULT_DB

# The same mark as in the report speedup.
DOUBTFUL = "!"
COLUMNS = ("model", "task", "precision")
_SEVERAL = "*"
# Numbers of different models or tasks are not comparable.
_WORK = ("model", "task")
# In one of these two numbers cannot share a table, unless it is a row or column itself.
_APART = ("unit", "scaling")
# Facts that a note names.
_SHOWN = 5


@dataclass(frozen=True)
class _Axes:
    """The facts that are rows and columns, all facts, and whether the best of several series is shown."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    facts: tuple[str, ...]
    best: bool

    def others(self) -> list[str]:
        return [name for name in self.facts if name not in (*self.rows, *self.columns)]


def report_pivot(
    *,
    db: Path | str = DEFAULT_DB,
    rows: object = None,
    columns: object = None,
    value: str = "speed",
    best: bool = False,
    per_gpu: bool = False,
    campaign: str | None = None,
    rule: str | None = None,
    **case_columns: object,
) -> Report:
    """Returns one table per unit: the facts `rows` as rows, the facts `columns` as columns, `value` in the cells.

    Rows and columns are columns of a case, environment or series, as a list or as text: `"campaign,gpus"`. `value` is
    speed, memory, speedup or efficiency. Of several series in one cell the lowest and highest number are shown with a
    mark, or with `best` the best; a run in several campaigns counts once. `per_gpu` divides speeds by the number of
    GPUs. Variants of a case have columns of their own. Raises NothingFoundError if no series has such a number,
    UsageError for an unknown column, value or rule.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    if per_gpu and value != "speed":
        raise UsageError(f"--per-gpu divides speeds: leave it out with --value {value}")
    with reading(db) as con:
        facts = facts_of_numbers(con)
        default = "system" if "system" in facts else "campaign"
        axes = _Axes(
            checked_facts(rows or default, facts, "rows"),
            checked_facts(columns or COLUMNS, facts, "columns"),
            facts,
            best,
        )
        if twice := [name for name in axes.rows if name in axes.columns]:
            raise UsageError(f"{', '.join(twice)}: a column stands in --rows or in --columns, not in both")
        rules_asked_for(con, rule)
        need_series(con, db, filters)
        found = numbers(con, filters, value, rule)
        need_value(con, found, rule)
        notes = speed_notes(con, filters, found)
    found, left_out = per_gpu_or_whole(found, per_gpu)
    # A series without a number but with a unit, such as one of trials that are not alike, has a place of its own.
    told = [row for row in found if row["value"] is not None or row["unit"] is not None]
    if not any(row["value"] is not None or row["status"] == MIXED for row in told):
        raise NothingFoundError("; ".join([f"none of the selected series has a {value}", *left_out]))
    # Variants are cases of their own: where names contradict logs, the column says what they name.
    if not best and "variant" not in (*axes.rows, *axes.columns) and any(row["variant"] for row in told):
        axes = replace(axes, columns=(*axes.columns, "variant"))
    apart = [name for name in _apart(found, value) if name not in (*axes.rows, *axes.columns)]
    same = {name: fact_text(told[0][name]) for name in axes.columns if len({str(row[name]) for row in told}) == 1}
    if len(same) == len(axes.columns):
        same.pop(axes.columns[-1])
    asked = [name for name in filters.values if name not in (*axes.rows, *axes.columns)]
    tables, shown = [], []
    for key, group in grouped(told, apart).items():
        silent = [row for row in found if row["unit"] is None and _fits(row, dict(zip(apart, key, strict=True)))]
        facts_above = {"value": value}
        facts_above |= {_shown(name, value): fact_text(fact) for name, fact in zip(apart, key, strict=True)}
        facts_above |= {name: _one_of(group, name) for name in asked} | same
        table, cells = _table(group, silent, facts_above, axes, [name for name in axes.columns if name not in same])
        tables.append(table)
        shown.extend(cells)
    return Report("pivot", tuple(tables), frame_of(shown, without=("runs",))).noted((*left_out, *notes))


def _apart(rows: list[Row], value: str) -> list[str]:
    names = ["rule"] if value == "memory" or several_rules(rows) else []
    return [name for name in _APART if any(row[name] is not None for row in rows)] + names


def _shown(name: str, value: str) -> str:
    """Returns the name of a fact above a table; in view pivot_table, the rule of a memory is its definition."""
    return "definition" if (name, value) == ("rule", "memory") else name


def _fits(row: Row, table: Mapping[str, Any]) -> bool:
    """Tells whether a series without a number belongs to a table: it has no unit of its own."""
    return all(row[name] in (None, value) for name, value in table.items())


def _table(
    told: list[Row], silent: list[Row], facts: dict[str, str], axes: _Axes, parts: list[str]
) -> tuple[Table, list[Row]]:
    """Returns a table of numbers, and the rows that it shows; why a series has none is shown where no other has one."""
    places = _by_cell(told, axes)
    lines = sorted({line for line, _ in places}, key=sort_key)
    heads = sorted({head for _, head in places}, key=sort_key)
    by_cell = _by_cell([row for row in told if row["value"] is not None], axes)
    without = _by_cell([row for row in (*told, *silent) if row["value"] is None], axes)
    why = {key: Counter(map(value_text, rows)) for key, rows in without.items()}
    cells: dict[tuple[Key, Key], list[Row]] = {key: each_run_once(rows) for key, rows in by_cell.items()}
    crowded = [rows for rows in cells.values() if len(rows) > 1]
    if axes.best:
        cells = {key: [min(rows, key=best_first)] for key, rows in cells.items()}
    texts = [
        [*map(fact_text, line), *(_cell(cells.get((line, head), []), why.get((line, head))) for head in heads)]
        for line in lines
    ]
    shown = [row for line in lines for head in heads for row in cells.get((line, head), [])]
    is_stated = "rule" in facts or "definition" in facts
    rules = () if is_stated or not shown else (f"rules: {known(row['rule'] for row in shown)}",)
    table = Table(
        facts=dict(facts),
        coverage=Coverage(len(cells), len(lines) * len(heads)),
        frame=text_frame([*axes.rows, *_headings(heads, axes.rows, axes.columns, parts)], texts),
        notes=(
            *_unlike_notes(crowded, axes),
            *_several_note(crowded, axes),
            *_doubtful_note(shown),
            *_dropped_note(shown),
            *rules,
        ),
        usual=frozenset(rules),
        texts=frozenset(axes.rows),
    )
    return table, shown


def _by_cell(rows: list[Row], axes: _Axes) -> dict[tuple[Key, Key], list[Row]]:
    return {
        (key[: len(axes.rows)], key[len(axes.rows) :]): group
        for key, group in grouped(rows, (*axes.rows, *axes.columns)).items()
    }


def _cell(rows: list[Row], why: Counter[str] | None) -> str:
    if not rows:
        return why.most_common(1)[0][0] if why else NOT_RUN
    low, high = (number_text(of(row["value"] for row in rows)) for of in (min, max))
    mark = _SEVERAL if len(rows) > 1 else ""
    mark += DOUBTFUL if any(row["is_doubtful"] for row in rows) else ""
    return f"{low}{mark}" if low == high else f"{low}-{high}{mark}"


def _headings(heads: Sequence[Key], rows: Sequence[str], columns: Sequence[str], parts: Sequence[str]) -> list[str]:
    """Returns a heading per column: its facts, without those that no other column lacks and those that are unknown."""

    def heading(head: Key, unknown: bool) -> str:
        named = [(name, fact) for name, fact in zip(columns, head, strict=True) if name in parts]
        told = [_with_name(name, fact) for name, fact in named if unknown or fact is not None]
        return " ".join(told) or fact_text(None)

    short = [heading(head, unknown=False) for head in heads]
    texts = [
        text if short.count(text) == 1 else heading(head, unknown=True) for head, text in zip(heads, short, strict=True)
    ]
    # Facts of several words can still read alike, or like the name of a row column.
    taken = set(rows)
    for place, text in enumerate(texts):
        number = 2
        while texts[place] in taken:
            texts[place] = f"{text} ({number})"
            number += 1
        taken.add(texts[place])
    return texts


def _with_name(name: str, fact: object) -> str:
    """Returns a fact with its name, if it is a number or unknown, which says nothing alone."""
    return f"{name} {fact_text(fact)}" if fact is None or isinstance(fact, (int, float)) else str(fact)


def _one_of(rows: list[Row], name: str) -> str:
    values = {fact_text(row[name]) for row in rows}
    return values.pop() if len(values) == 1 else f"{len(values)} values"


def _several_note(crowded: list[list[Row]], axes: _Axes) -> tuple[str, ...]:
    if not crowded:
        return ()
    apart = differing(crowded, axes.others())
    differ = f"they differ in {some_of(apart, _SHOWN)}" if apart else "no stated fact tells them apart"
    cells = counted(len(crowded), "cell")
    if axes.best:
        return (f"{cells} with the best of several series; {differ}",)
    cure = "Add one of these to --rows or --columns, filter, or show the best with --best"
    return (f"{_SEVERAL} {cells} with several series: lowest and highest, no average; {differ}. {cure}",)


def _unlike_notes(crowded: list[list[Row]], axes: _Axes) -> Iterator[str]:
    """Lists models and tasks that share a cell: their numbers are not comparable."""
    for name in (name for name in _WORK if name not in (*axes.rows, *axes.columns)):
        several = [values for rows in crowded if len(values := {fact_text(row[name]) for row in rows}) > 1]
        if several:
            told = known(set().union(*several))
            cells = counted(len(several), "cell")
            yield f"{cells} of several {name}s ({told}), not comparable: add {name} to --rows or --columns, or filter"


def _doubtful_note(rows: list[Row]) -> tuple[str, ...]:
    note = f"{DOUBTFUL} efficiency above 1.05, which more GPUs cannot give; the likely cause: bench report speedup"
    return (note,) if any(row["is_doubtful"] for row in rows) else ()


def _dropped_note(rows: list[Row]) -> tuple[str, ...]:
    dropped = sum(1 for row in rows if row["trials_dropped"])
    note = f"{counted(dropped, 'number')} with dropped trials; see them with: bench report speed --trials"
    return (note,) if dropped else ()
