"""Splits the rows of a report into tables whose numbers are comparable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]
Key = tuple[Any, ...]
SortKey = tuple[tuple[bool, bool, Any], ...]

# Series that differ in one of these never share a table.
TABLE_COLUMNS = ("campaign", "framework", "implementation", "model", "task", "system", "gpu_model")
# Statuses of runs whose numbers are not shown.
FAILED = ("oom", "nan", "timeout", "failed")
_SHOWN = 5


def grouped(rows: Iterable[Row], columns: Iterable[str]) -> dict[Key, list[Row]]:
    """Groups rows by their values in some columns; groups are sorted by these values, NULL last."""
    columns = tuple(columns)
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return {key: groups[key] for key in sorted(groups, key=sort_key)}


def by_column(rows: Iterable[Row], column: str) -> dict[Any, list[Row]]:
    """Groups rows by the value of one column, in order of first appearance."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def sort_key(values: Iterable[Any]) -> SortKey:
    """Returns a sort key: numbers before text, NULL last."""
    return tuple((value is None, isinstance(value, str), "" if value is None else value) for value in values)


def how_to_choose(rows: Iterable[Row], columns: Iterable[str]) -> str:
    """Returns the end of an error message: in which of these columns rows differ, and the filter that chooses one."""
    values = {name: sorted({str(row[name]) for row in rows}) for name in columns}
    first, *more = [name for name, found in values.items() if len(found) > 1] or [""]
    if not first:
        return ". Choose one with --case-id"
    shown = ", ".join(values[first][:_SHOWN]) + (" and others" if len(values[first]) > _SHOWN else "")
    option = "--rule" if first == "unit" else f"--{first.replace('_', '-')}"
    also = f"; they differ also in {', '.join(more)}" if more else ""
    return f": {first} {shown}. Choose one with {option}{also}"


def facts_of(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, str | None]:
    # Most archives name no system.
    shown = (column for column in columns if column != "system" or row[column] is not None)
    return {column: None if row[column] is None else str(row[column]) for column in shown}


def adopt_gpu_model(rows: list[Row]) -> list[Row]:
    """Moves a series of failed runs without a GPU model into the only table that fits it.

    A run that failed early often has no telemetry that states its GPU model. Its cell holds no number, and the table
    notes it. A series with a number is never shown under a GPU model that nobody stated.
    """
    columns = [column for column in TABLE_COLUMNS if column != "gpu_model"]
    models: dict[Key, set[str]] = {}
    for row in rows:
        if row["gpu_model"] is not None:
            models.setdefault(tuple(row[column] for column in columns), set()).add(row["gpu_model"])
    placed = []
    for row in rows:
        models_of_kin = models.get(tuple(row[column] for column in columns), set())
        is_adopted = row["gpu_model"] is None and row["status"] in FAILED and len(models_of_kin) == 1
        placed.append({**row, "gpu_model": next(iter(models_of_kin)), "adopted_gpu": True} if is_adopted else row)
    return placed


def without_adopted_gpu(row: Row) -> Row:
    """Returns a row without the GPU model that `adopt_gpu_model` gave it."""
    if "adopted_gpu" not in row:
        return row
    return {name: value for name, value in {**row, "gpu_model": None}.items() if name != "adopted_gpu"}


def unstated(rows: list[Row]) -> str:
    """Returns the names of the failed series of a table that do not state its GPU model."""
    return ", ".join(sorted(f"{row['name']}" for row in rows if row.get("adopted_gpu")))


def adopt_unit(rows: list[Row]) -> list[Row]:
    """Gives a series without any speed, hence without a unit, the units of the tables that it belongs to.

    An out-of-memory run prints no speed: it becomes an empty cell in the table of similar series, not a table of its
    own.
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
