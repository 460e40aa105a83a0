"""Chooses the rule of a report's numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from benchledger.answers.rows import rows_of
from benchledger.answers.tables.grouping import TABLE_COLUMNS, Key, Row, grouped, how_to_choose
from benchledger.answers.tables.presentation import Presentation
from benchledger.errors import NothingFoundError, UsageError, known, unknown_name

if TYPE_CHECKING:
    import duckdb

NO_VALUE = "no_value"
# Statuses that concern the rule: its records do not suit it. Any other status is that of the run.
_OF_THE_RULE = (NO_VALUE, "too_few_records", "too_few_trials", "too_few_runs", "missing_fact", "ambiguous", "mixed")
_SPEEDS = ("value", "unit", "lowest", "highest", "stdev", "trial_runs")
# A run that failed early states no GPU model, and still belongs with those that do.
_KIN = tuple(column for column in TABLE_COLUMNS if column not in ("system", "gpu_model"))
# The views have no order of their own, and notes list the rows as they come.
_ORDER = "gpus, precision, batch_size_per_gpu, cell"
_SPEEDUPS = ("base_series_id", "base_gpus", "base_value", "speedup", "efficiency")


def rules_asked_for(con: duckdb.DuckDBPyConnection, rule: str | None) -> list[str]:
    """Returns the rules that match a glob. Raises UsageError, with the known rules, if there are none."""
    if rule is None:
        return []
    names = [name for (name,) in con.execute("select rule from kept.rule order by rule").fetchall()]
    asked = [name for name in names if fnmatchcase(name, rule)]
    if not asked:
        raise unknown_name("rule", rule, names)
    return asked


def need_value(con: duckdb.DuckDBPyConnection, rows: list[Row], rule: str | None, hint: str = "") -> None:
    """Raises NothingFoundError if the selected rule gives no number at all, with the reasons and other rules.

    Other rules are named only for series whose records do not suit this rule: no rule gives a number for a failed run.
    """
    if rule is None or any(row["value"] is not None for row in rows):
        return
    status = {row["series_id"]: row["status"] for row in rows}
    counts = Counter(status.values())
    reasons = ", ".join(f"{count} {why.replace('_', ' ')}" for why, count in counts.most_common())
    message = f"rule {rule!r} gives no number for these {len(status)} series: {reasons}"
    lacking = sorted(series for series, why in status.items() if why in _OF_THE_RULE)
    if lacking:
        others = con.execute(
            """
            select distinct rule
            from speed_table
            where value is not null and list_contains($series, series_id)
            """,
            {"series": lacking},
        ).fetchall()
        message += f"; rules that do: {known((name for (name,) in others), rule)}"
    raise NothingFoundError(message + hint)


def rows_by_rule(relation: duckdb.DuckDBPyRelation, rule: str | None) -> list[Row]:
    """Returns the rows of a speed view by one rule, by the rules of a glob, or by each format's default rule.

    A series without a number by the rule keeps its cell, with the reason. Of a glob, only rules that give a number are
    shown for series that can share a table: most rules of a family are for other formats or longer logs.
    """
    from duckdb import ColumnExpression, ConstantExpression, FunctionExpression

    is_default = ColumnExpression("is_default")
    if rule is None:
        return rows_of(relation.filter(is_default).order(_ORDER))
    # ~~~ is DuckDB's operator for GLOB.
    asked_for = FunctionExpression("~~~", ColumnExpression("rule"), ConstantExpression(rule))
    rows = rows_of(relation.filter(is_default | asked_for).order(_ORDER))
    chosen: list[Row] = []
    for kin in grouped(rows, _KIN).values():
        telling = {row["rule"] for row in kin if row["value"] is not None and fnmatchcase(row["rule"], rule)}
        for name in sorted(telling) or [rule]:
            chosen.extend(_by_one_rule(kin, name))
    return chosen


def _by_one_rule(kin: list[Row], rule: str) -> list[Row]:
    chosen = [row for row in kin if row["rule"] == rule]
    having = {row["series_id"] for row in chosen}
    rest = [row for row in kin if row["is_default"] and row["series_id"] not in having]
    # One row per series and scaling, even if the default rule has several units.
    for row in {(row["series_id"], row.get("scaling")): row for row in rest}.values():
        status = row["status"] if row["value"] is None else NO_VALUE
        emptied = {name: None for name in (*_SPEEDS, *_SPEEDUPS) if name in row}
        chosen.append({**row, **emptied, "rule": rule, "is_default": False, "trials": 0, "status": status})
    return chosen


def several_rules(rows: list[Row]) -> list[str]:
    """Returns the rules of rows if a glob gives one series several rows, else an empty list."""
    rules = sorted({row["rule"] for row in rows})
    return rules if len(rules) > 1 and len({row["series_id"] for row in rows}) < len(rows) else []


def ambiguous(place: str, rows: list[Row], columns: Sequence[str]) -> UsageError:
    """Returns the error for several series at one place of a file: what tells them apart (of `columns`), and how."""
    if several := several_rules(rows):
        return UsageError(f"{len(several)} rules give a number for {place}: {known(several)}. Choose one with --rule")
    return UsageError(f"{len(rows)} series stand for {place}{how_to_choose(rows, columns)}")


def rules_by_kin(rows: list[Row]) -> dict[Key, set[str]]:
    """Returns the rules that give rows, per group of series that can share a table."""
    return {kin: {row["rule"] for row in alike} for kin, alike in grouped(rows, _KIN).items()}


def left_out_notes(
    rules: dict[Key, set[str]], table: list[Row], asked: list[str], presentation: Presentation
) -> tuple[str, ...]:
    """Returns a note with the rules of a glob that give no number for this table's group of series."""
    shown = set().union(*(rules[kin] for kin in grouped(table, _KIN)))
    numberless = [name for name in asked if name not in shown]
    return (presentation.note("silent_rules", rules=known(numberless)),) if len(asked) > 1 and numberless else ()
