"""`explain`: where a number comes from, told by the name of its cell or by filters that one cell meets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.explain_memory import explained_memory
from benchledger.answers.explain_speed import explained_speed
from benchledger.answers.explain_speedup import explained_speedup
from benchledger.answers.explained import ExplainedCell
from benchledger.answers.filters import read_filters
from benchledger.answers.find_cell import OWN_FILTERS, TABLES, cell_by_filters, cell_by_name
from benchledger.answers.grouping import Row
from benchledger.answers.reading import DEFAULT_DB, reading
from benchledger.errors import NothingFoundError, UsageError
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    import duckdb

_CELL = re.compile(r"[smu][0-9a-f]{10}")
_ASK = "say what to explain: the name of a cell, or filters that one cell meets, such as --gpus 8 --precision fp32"


def explain(
    what: str | None = None,
    *,
    db: Path | str = DEFAULT_DB,
    table: str = "speed",
    campaign: str | None = None,
    **columns: object,
) -> ExplainedCell:
    """Where a number of a table comes from: `what` is the name of a cell; filters do where one cell meets them.

    `table` is the one that filters choose from: speed, memory or speedup. Beside the columns of a case, `rule` and
    `unit` choose speeds, `scaling` speed-ups too, `definition` memory. Raises NothingFoundError for what the ledger
    does not hold, UsageError where several cells meet the filters.
    """
    if table not in TABLES:
        raise UsageError(f"no table {table!r}; known: {', '.join(TABLES)}")
    filters = read_filters(campaign, columns, extra=["gpu_model", *OWN_FILTERS[TABLES[table]]])
    if what is None and not filters.values:
        raise UsageError(_ASK)
    if what is not None and filters.values:
        raise UsageError(f"give {what!r} or filters, not both")
    with reading(db) as con:
        need_runs(con, db)
        if what is None:
            return explained_cell(con, cell_by_filters(con, table, filters))
        if _CELL.fullmatch(what) and (number := cell_by_name(con, what)) is not None:
            return explained_cell(con, number)
    raise NothingFoundError(f"no cell goes by the name {what!r}; names stand in: bench report speed --format csv")


def explained_cell(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    """A row of speed_table, memory_table or speedup_table, explained."""
    by_letter = {"s": explained_speed, "m": explained_memory, "u": explained_speedup}
    return by_letter[number["cell"][0]](con, number)
