"""The row of a table that a cell's name, or filters, stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.series import rows_of
from benchledger.answers.tables.cells import cell_text
from benchledger.answers.tables.grouping import Row
from benchledger.errors import NothingFoundError, UsageError

if TYPE_CHECKING:
    import duckdb

_SHOWN = 12
# By the letter that a cell's name begins with.
VIEWS = {"s": "speed_table", "m": "memory_table", "u": "speedup_table"}
TABLES = {"speed": "s", "memory": "m", "speedup": "u"}
# What tells the numbers of one series apart, in each table.
OWN_FILTERS = {"s": ("rule", "unit"), "m": ("definition",), "u": ("rule", "unit", "scaling")}


def cell_by_name(con: duckdb.DuckDBPyConnection, name: str) -> Row | None:
    """The row of the table in which a cell of this name stands; None where none does."""
    from duckdb import ColumnExpression, ConstantExpression

    found = rows_of(con.view(VIEWS[name[0]]).filter(ColumnExpression("cell") == ConstantExpression(name)))
    return found[0] if found else None


def cell_by_filters(con: duckdb.DuckDBPyConnection, table: str, filters: Filters) -> Row:
    """The one row that meets the filters; of speeds those by default rules, unless a rule is among the filters.

    Raises NothingFoundError if none meets them, UsageError with the names of the cells if several do.
    """
    from duckdb import ColumnExpression

    every = con.view(VIEWS[TABLES[table]])
    if "is_default" in every.columns and "rule" not in filters.values:
        every = every.filter(ColumnExpression("is_default"))
    found = rows_of(filters.apply(every))
    if not found:
        _need_included(con, table, filters)
        raise filters.explain(every, "cell")
    if len(found) == 1:
        return found[0]
    listed = "\n".join(
        f"  {row['cell']}  {_told(row, table)}" for row in sorted(found, key=lambda row: _told(row, table))[:_SHOWN]
    )
    more = f"\n  and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise UsageError(f"{len(found)} cells match these filters; name one of them, or add a filter:\n{listed}{more}")


def _need_included(con: duckdb.DuckDBPyConnection, table: str, filters: Filters) -> None:
    # Which loads what lists runs: for cells that are not there only.
    from benchledger.answers.tables.excluded import SEE, excluded_runs, why_excluded

    own = OWN_FILTERS[TABLES[table]]
    of_runs = Filters({column: values for column, values in filters.values.items() if column not in own})
    if runs := excluded_runs(con, of_runs):
        are = "the run that would be in it is" if len(runs) == 1 else f"the {len(runs)} runs that would be in it are"
        raise NothingFoundError(f"no cell matches these filters: {are} excluded: {why_excluded(runs)}; {SEE}")


def _told(row: Row, table: str) -> str:
    value = {"speed": "value", "memory": "value_mib", "speedup": "speedup"}[table]
    own = [str(row[name]) for name in OWN_FILTERS[TABLES[table]] if row[name] is not None]
    parts = [str(row["campaign"]), str(row["name"]), str(row["gpu_model"] or "GPU model unknown"), *own]
    return f"{', '.join(parts)}: {cell_text(row[value], row['status'])}"
