"""Numbers of series with all that is known of them (kept.pivot_table), for reports that compare unlike series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.tables.grouping import Row, SortKey, sort_key
from benchledger.answers.tables.rules import rows_by_rule
from benchledger.answers.tables.table_selection import listed
from benchledger.errors import UsageError, known, suggestion

if TYPE_CHECKING:
    import duckdb

QUANTITIES = ("speed", "memory", "speedup", "efficiency")
# Of these less is better.
_LESS_IS_BETTER = ("s", "min", "MiB")
# The speed of all GPUs is the sum of theirs. Steps and times are those of all GPUs together.
_SUMMED = ("samples/s", "tokens/s", "items/s", "TFLOP/s")
# Columns that say nothing about what was run, or follow from other columns.
_OF_THE_NUMBER = {
    *("quantity", "series_id", "case_id", "name", "runs", "is_default", "is_per_gpu", "value", "trials", "cell"),
    "is_doubtful",
    *("trials_dropped", "lowest", "highest", "conflicts", "status", "mixed"),
}


def facts_of_numbers(con: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Returns the columns of a case, environment, series or rule that tell numbers apart."""
    return tuple(name for name in con.sql("from kept.pivot_table").columns if name not in _OF_THE_NUMBER)


def checked_facts(given: object, facts: Sequence[str], what: str) -> tuple[str, ...]:
    """Returns some of the facts, given as a list or as text with commas. Raises UsageError for an unknown one."""
    names = tuple(dict.fromkeys(listed(given)))
    for name in names:
        if name not in facts:
            raise UsageError(f"no column {name!r} for {what}{suggestion(name, facts)}; known: {known(facts, name)}")
    if not names:
        raise UsageError(f"name the {what}: one or several of {', '.join(facts)}")
    return names


def numbers(con: duckdb.DuckDBPyConnection, filters: Filters, quantity: str, rule: str | None = None) -> list[Row]:
    """Returns the numbers of one quantity that meet the filters: by the default rule, or by the rules of a glob."""
    from duckdb import ColumnExpression, ConstantExpression

    if quantity not in QUANTITIES:
        raise UsageError(f"no value {quantity!r}; known: {known(QUANTITIES, quantity)}")
    if rule is not None and quantity == "memory":
        raise UsageError("memory has no rule: remove --rule")
    of_quantity = con.sql("from kept.pivot_table").filter(ColumnExpression("quantity") == ConstantExpression(quantity))
    return rows_by_rule(filters.apply(of_quantity), rule)


def per_gpu_or_whole(rows: list[Row], per_gpu: bool) -> tuple[list[Row], tuple[str, ...]]:
    """Returns the numbers of all GPUs, or of one GPU each, and notes on those that have none."""
    found, left_out = [], Counter[str]()
    for row in rows:
        reason = _no_share(row) if per_gpu else _only_share(row)
        if row["unit"] is None:
            # Without a number and unit: why stands in its cell, of either unit.
            found.append(row)
        elif reason is not None:
            left_out[reason] += row["value"] is not None
        elif per_gpu:
            found.append(_share(row))
        else:
            found.append(row)
    return found, tuple(f"{count} {_left_out(count)}: {reason}" for reason, count in sorted(left_out.items()) if count)


def gpus_sharing(row: Row) -> int | None:
    """Returns the number of GPUs of which a number is the sum; None if it is no sum, or their number is unknown."""
    if row["unit"] not in _SUMMED:
        return None
    gpus: int | None = 1 if row["is_per_gpu"] else row["gpus"]
    return gpus


def best_first(row: Row) -> tuple[float, SortKey]:
    value = row["value"] if row["unit"] in _LESS_IS_BETTER else -row["value"]
    return value, sort_key([row["campaign"], row["series_id"]])


def each_run_once(rows: Iterable[Row]) -> list[Row]:
    """Returns series of which no two share a run: of those that do, the one with most trials stands.

    A log that was archived twice is in two campaigns; where these stand together, it counts once.
    """
    taken: set[int] = set()
    kept = []
    for row in sorted(rows, key=lambda row: (-row["trials"], sort_key([row["campaign"], row["series_id"]]))):
        if taken.isdisjoint(row["runs"]):
            kept.append(row)
            taken.update(row["runs"])
    return kept


def differing(groups: Iterable[Sequence[Row]], facts: Sequence[str]) -> list[str]:
    """Returns the facts in which rows of one group differ, those that differ in most groups first."""
    counts = Counter(name for rows in groups for name in facts if len({str(row[name]) for row in rows}) > 1)
    return sorted(counts, key=lambda name: (-counts[name], facts.index(name)))


def _share(row: Row) -> Row:
    gpus = gpus_sharing(row)
    shares = {name: None if row[name] is None else row[name] / gpus for name in ("value", "lowest", "highest")}
    return {**row, **shares, "unit": f"{row['unit']} per GPU"}


def _no_share(row: Row) -> str | None:
    if row["unit"] not in _SUMMED:
        return f"a number in {row['unit']} is not the sum over the GPUs"
    return "the number of GPUs is unknown" if gpus_sharing(row) is None else None


def _only_share(row: Row) -> str | None:
    return f"rule {row['rule']} gives the speed of one GPU: see it with --per-gpu" if row["is_per_gpu"] else None


def _left_out(count: int) -> str:
    return "number is left out" if count == 1 else "numbers are left out"
