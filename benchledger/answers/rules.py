"""Which rule a report's numbers are made by."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from benchledger.answers.grouping import Row
from benchledger.answers.nothing import NothingFoundError, known
from benchledger.answers.series import rows_of
from benchledger.errors import UsageError

if TYPE_CHECKING:
    import duckdb

NO_VALUE = "no_value"
_SPEEDS = ("value", "unit", "lowest", "highest", "stdev", "trial_runs")
_SPEEDUPS = ("base_series_id", "base_gpus", "base_value", "speedup", "efficiency")


def check_rule(con: duckdb.DuckDBPyConnection, rule: str | None) -> None:
    """Raises UsageError for a rule, or a glob of rules, that the ledger does not know, with those that it does."""
    if rule is None:
        return
    names = [name for (name,) in con.execute("select rule from rule order by rule").fetchall()]
    if not any(fnmatchcase(name, rule) for name in names):
        raise UsageError(f"no rule {rule!r}; known: {known(names, rule)}")


def need_value(con: duckdb.DuckDBPyConnection, rows: list[Row], rule: str | None) -> None:
    """Raises NothingFoundError if a rule that was asked for gives no number at all, with the rules that do."""
    if rule is None or any(row["value"] is not None for row in rows):
        return
    series = sorted({row["series_id"] for row in rows})
    others = con.execute(
        """
        select distinct rule
        from speed_table
        where value is not null and list_contains($series, series_id)
        """,
        {"series": series},
    ).fetchall()
    names = known((name for (name,) in others), rule)
    raise NothingFoundError(f"rule {rule!r} gives no number for these {len(series)} series; rules that do: {names}")


def rows_by_rule(relation: duckdb.DuckDBPyRelation, rule: str | None) -> list[Row]:
    """The rows of a speed view that one rule makes, or the rules of a glob, or each format's default rule.

    A series that the rule gives nothing for keeps its place with the reason, so that a cell is never lost by asking
    for another rule.
    """
    from duckdb import ColumnExpression, ConstantExpression, FunctionExpression

    is_default = ColumnExpression("is_default")
    if rule is None:
        return rows_of(relation.filter(is_default))
    # ~~~ is the name of SQL's glob.
    asked_for = FunctionExpression("~~~", ColumnExpression("rule"), ConstantExpression(rule))
    rows = rows_of(relation.filter(is_default | asked_for))
    chosen = [row for row in rows if fnmatchcase(row["rule"], rule)]
    if "*" in rule:
        # Of a family only what says something: most of its rules are for other formats or longer logs.
        chosen = [row for row in chosen if row["value"] is not None]
    having = {row["series_id"] for row in chosen}
    rest = [row for row in rows if row["is_default"] and row["series_id"] not in having]
    # A series has one place a kind of scaling, however many units its default rule has.
    for row in {(row["series_id"], row.get("scaling")): row for row in rest}.values():
        status = row["status"] if row["value"] is None else NO_VALUE
        emptied = {name: None for name in (*_SPEEDS, *_SPEEDUPS) if name in row}
        chosen.append({**row, **emptied, "rule": rule, "is_default": False, "trials": 0, "status": status})
    return chosen
