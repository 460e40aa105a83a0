"""The series of the ledger, and rows of the views about them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.grouping import Row
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_PARAMETER = re.compile(r"\$(\w+)")
_SERIES = """
select series.*, bench_case.* exclude (case_id)
from series
join bench_case using (case_id)
"""


def all_series(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    """Every series with its campaign, case columns and GPU model."""
    return con.sql(_SERIES)


def need_series(
    con: duckdb.DuckDBPyConnection, db: Path | str, series: duckdb.DuckDBPyRelation, filters: Filters
) -> None:
    """Raises NothingFoundError, with what there is instead, if no series meets the filters."""
    if filters.apply(series).limit(1).fetchone() is None:
        # With what it loads to say why, only where there is something to say.
        from benchledger.answers.excluded import need_included

        need_runs(con, db)
        need_included(con, filters)
        raise filters.explain(series, "series")


def any_excluded(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether somebody left a run out of every table."""
    # Most ledgers have none, and to plan the list of all runs costs more than all the rest of a small report.
    return con.execute("from exclusion limit 1").fetchone() is not None


def rows_of(relation: duckdb.DuckDBPyRelation) -> list[Row]:
    """The rows of a relation as dictionaries by column."""
    columns = relation.columns
    return [dict(zip(columns, row, strict=True)) for row in relation.fetchall()]


def rows_asked(con: duckdb.DuckDBPyConnection, query: str, **asked: object) -> list[Row]:
    """The rows of a query with named parameters; half the time of a relation where many are asked."""
    rows = con.execute(query, asked).fetchall()
    columns = [column[0] for column in con.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def frame_asked(con: duckdb.DuckDBPyConnection, query: str, **asked: object) -> pl.DataFrame:
    """The rows of a query with named parameters as a frame; without pyarrow, whose import takes as long as a query."""
    import polars as pl

    # Of a query without parameters polars takes columns; of one with them DuckDB would make rows first.
    for name, value in asked.items():
        con.execute(f"set variable {name} = $value", {"value": value})
    return pl.DataFrame(con.sql(_PARAMETER.sub(r"getvariable('\1')", query)))


def frame_of(rows: list[Row], without: tuple[str, ...] = ("shown", "missing", "trial_runs", "lent")) -> pl.DataFrame:
    """Rows as a frame, without the columns that only a table's layout needs."""
    import polars as pl

    kept = [{name: value for name, value in row.items() if name not in without} for row in rows]
    frame = pl.DataFrame(kept, infer_schema_length=None)
    # A column that is NULL throughout would have a type of its own, which not every file format knows.
    return frame.cast({pl.Null: pl.String})
