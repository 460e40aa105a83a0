"""Filters by the columns of a case, its campaign and its GPU model, checked before the query runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchledger.errors import NothingFoundError, UsageError, known, need_utf8, suggestion

if TYPE_CHECKING:
    import duckdb

TEXT_COLUMNS = ("name", "framework", "implementation", "model", "task", "precision", "options")
NUMBER_COLUMNS = (
    "case_id",
    "batch_size_per_gpu",
    "global_batch_size",
    "nodes",
    "gpus",
    "seq_len",
    "gradient_accumulation",
)
CASE_COLUMNS = (*TEXT_COLUMNS, *NUMBER_COLUMNS)
# Columns of the environment that identify a series.
MACHINE_COLUMNS = ("system", "gpu_model")
# Asks for NULL: a fact that no log, manifest or name states.
UNKNOWN = "unknown"
_GLOB_SIGNS = set("*?[")


@dataclass(frozen=True)
class Filters:
    """Filters of cases: every column must have one of its values. Text may be a glob."""

    values: Mapping[str, tuple[int | str | None, ...]] = field(default_factory=dict)

    def apply(self, relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
        """Returns the rows of a relation that meet every filter."""
        for column, values in self.values.items():
            relation = relation.filter(_condition(column, values))
        return relation

    def conditions(self) -> list[str]:
        return [str(_condition(column, values)) for column, values in self.values.items()]

    def explain(self, relation: duckdb.DuckDBPyRelation, what: str) -> NothingFoundError:
        """Returns the error for an answer without rows: the first filter that nothing meets, and the known values."""
        for column, values in self.values.items():
            if relation.filter(_condition(column, values)).limit(1).fetchone() is None:
                wanted = ", ".join(UNKNOWN if value is None else str(value) for value in values)
                there = [row[0] for row in relation.select(column).distinct().fetchall()]
                all_by = "bench runs" if column == "campaign" else ""
                near = suggestion(wanted, there)
                return NothingFoundError(
                    f"no {what} with {column} {wanted!r}{near}; known: {known(there, wanted, all_by)}"
                )
        if len(self.values) > 1:
            together = ", ".join(self.values)
            return NothingFoundError(f"no {what} matches all of {together}. Each filter alone has matches; drop one")
        return NothingFoundError(f"no {what} found")


def read_filters(campaign: str | None, columns: Mapping[str, object], extra: Iterable[str] = ()) -> Filters:
    """Checks the filters of a call. Raises UsageError for an unknown column or a value of the wrong type."""
    values: dict[str, tuple[int | str | None, ...]] = {}
    if campaign is not None:
        values["campaign"] = (campaign,)
    texts = {*TEXT_COLUMNS, *extra}
    for column, given in columns.items():
        if column not in texts and column not in NUMBER_COLUMNS:
            raise UsageError(f"no case column {column!r}; known: {', '.join((*CASE_COLUMNS, *extra))}")
        wanted = _several(given)
        if wanted:
            values[column] = tuple(_text(one) if column in texts else _number(column, one) for one in wanted)
    return Filters(values)


def _several(given: object) -> list[object]:
    if given is None:
        return []
    if isinstance(given, (list, tuple, set, frozenset)):
        return list(given)
    return [given]


def _text(value: object) -> str | None:
    need_utf8(str(value))
    return None if value == UNKNOWN else str(value)


def _number(column: str, value: object) -> int | None:
    if value == UNKNOWN:
        return None
    try:
        return int(str(value))
    except ValueError:
        raise UsageError(f"{column} must be a whole number or {UNKNOWN!r}, not {str(value)!r}") from None


def _spellings(column: str, value: str) -> list[str]:
    from benchledger.definitions.vocabulary import vocabulary

    fact = vocabulary().facts.get(column)
    canonical = fact.canonical(value) if fact is not None else None
    return [value.lower(), *([] if canonical is None else [canonical.lower()])]


def _condition(column: str, values: tuple[int | str | None, ...]) -> duckdb.Expression:
    from duckdb import ColumnExpression, ConstantExpression, FunctionExpression

    # options is JSON, and is compared as stored text.
    stored = ColumnExpression(column).cast("varchar") if column == "options" else ColumnExpression(column)
    conditions: list[duckdb.Expression] = []
    for value in values:
        if value is None:
            conditions.append(stored.isnull())
            continue
        if column == "campaign":
            # The full name of the campaign, or its name without the root.
            conditions.append(FunctionExpression("in_campaign", stored, ConstantExpression(value)))
            continue
        if not isinstance(value, str):
            conditions.append(stored == ConstantExpression(value))
            continue
        # Case does not count, and aliases do: bert-base is bert_base.
        lower = FunctionExpression("lower", stored)
        conditions += [lower == ConstantExpression(name) for name in dict.fromkeys(_spellings(column, value))]
        if _GLOB_SIGNS & set(value):
            # ~~~ is DuckDB's operator for GLOB. The equality above stays, since a folder may be called "runs[1]".
            conditions.append(FunctionExpression("~~~", lower, ConstantExpression(value.lower())))
    condition = conditions[0]
    for other in conditions[1:]:
        condition = condition | other
    return condition
