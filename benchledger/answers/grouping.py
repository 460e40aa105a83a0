"""Parts the rows of a report into tables whose numbers may stand side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]
Key = tuple[Any, ...]
SortKey = tuple[tuple[bool, bool, Any], ...]

# Series that differ in one of these never share a table.
TABLE_COLUMNS = ("campaign", "framework", "implementation", "model", "task", "gpu_model")
# How a run ends of which no number is shown.
FAILED = ("oom", "nan", "timeout", "failed")


def grouped(rows: Iterable[Row], columns: Iterable[str]) -> dict[Key, list[Row]]:
    """Rows by their values in some columns, the groups in order of those values, NULL last."""
    columns = tuple(columns)
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return {key: groups[key] for key in sorted(groups, key=sort_key)}


def sort_key(values: Iterable[Any]) -> SortKey:
    """Sorts numbers before text and NULL last."""
    return tuple((value is None, isinstance(value, str), "" if value is None else value) for value in values)


def differing_also(rows: Iterable[Row], columns: Iterable[str], first: str) -> str:
    """The end of an error that names one column in which rows differ: the others in which they do."""
    rows = list(rows)
    more = [name for name in columns if name != first and len({str(row[name]) for row in rows}) > 1]
    return f"; they differ also in {', '.join(more)}" if more else ""


def facts_of(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, str | None]:
    """The facts that head a table, as text."""
    return {column: None if row[column] is None else str(row[column]) for column in columns}


def take_in_unstated(rows: list[Row]) -> list[Row]:
    """Gives a series of failed runs that do not state their GPU model a place in the one table that fits it.

    A run that failed early often has no telemetry to tell its card by. Its cell holds no number, and the table notes
    it; a series with a number never stands under a card that nobody stated.
    """
    columns = [column for column in TABLE_COLUMNS if column != "gpu_model"]
    models: dict[Key, set[str]] = {}
    for row in rows:
        if row["gpu_model"] is not None:
            models.setdefault(tuple(row[column] for column in columns), set()).add(row["gpu_model"])
    placed = []
    for row in rows:
        of_kin = models.get(tuple(row[column] for column in columns), set())
        taken_in = row["gpu_model"] is None and row["status"] in FAILED and len(of_kin) == 1
        placed.append({**row, "gpu_model": next(iter(of_kin)), "taken_in": True} if taken_in else row)
    return placed


def as_stated(row: Row) -> Row:
    """A row without what its place in a table lent it."""
    if "taken_in" not in row:
        return row
    return {name: value for name, value in {**row, "gpu_model": None}.items() if name != "taken_in"}


def unstated(rows: list[Row]) -> str:
    """The names of the failed series of a table that do not state its GPU model."""
    return ", ".join(sorted(f"{row['name']}" for row in rows if row.get("taken_in")))


def take_in_failures(rows: list[Row]) -> list[Row]:
    """Gives a series without any speed, so without a unit, the unit of the tables that it belongs in.

    An out-of-memory run prints no speed: its cell stands empty in the table of its kin, not alone in another one.
    """
    columns = (*TABLE_COLUMNS, "rule")
    units: dict[Key, list[str]] = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        if row["unit"] is not None and row["unit"] not in units.setdefault(key, []):
            units[key].append(row["unit"])
    placed: list[Row] = []
    for row in rows:
        of_kin = units.get(tuple(row[column] for column in columns))
        if row["unit"] is None and row["value"] is None and of_kin:
            placed.extend({**row, "unit": unit} for unit in of_kin)
        else:
            placed.append(row)
    return placed
