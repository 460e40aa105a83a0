"""Opens the ledger for one answer, and selects rows of views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.tables.grouping import Row
from benchledger.errors import DatabaseError
from benchledger.store.changed_views import limited_if_changed
from benchledger.store.database import open_for_reading
from benchledger.store.memory import use_one_thread

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_PARAMETER = re.compile(r"\$(\w+)")
_SERIES = """
select series.*, bench_case.* exclude (case_id)
from series
join bench_case using (case_id)
"""


@contextmanager
def reading(db: Path | str, *, records: bool = False, wait_s: float = 30.0) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a read-only connection to the ledger for one question; with one thread unless it reads `records`."""
    import duckdb

    with closing(open_for_reading(db, wait_s)) as con, limited_if_changed(con, db):
        if not records:
            # Kept numbers are read faster than the work is shared out among threads. While one thread reads, DuckDB's
            # other threads poll for work.
            use_one_thread(con)
        try:
            yield con
        except (duckdb.PermissionException, duckdb.BinderException, duckdb.CatalogException) as error:
            what = str(error).partition("\n")[0]
            raise DatabaseError(f"{db}: its tables or views were changed: {what}. See bench db check") from error


def all_series(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    return con.sql(_SERIES)


def any_excluded(con: duckdb.DuckDBPyConnection) -> bool:
    # Most ledgers have none, and planning the list of all runs costs more than the rest of a small report.
    return con.execute("from kept.exclusion limit 1").fetchone() is not None


def rows_of(relation: duckdb.DuckDBPyRelation) -> list[Row]:
    columns = relation.columns
    return [dict(zip(columns, row, strict=True)) for row in relation.fetchall()]


def rows_asked(con: duckdb.DuckDBPyConnection, query: str, **asked: object) -> list[Row]:
    """Returns the rows of a query with named parameters; for many parameters twice as fast as a relation."""
    rows = con.execute(query, asked).fetchall()
    columns = [column[0] for column in con.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def frame_asked(con: duckdb.DuckDBPyConnection, query: str, **asked: object) -> pl.DataFrame:
    """Returns the rows of a query with named parameters as a frame.

    It avoids pyarrow, whose import takes as long as a query.
    """
    import polars as pl

    # As variables: polars reads a query without parameters by columns; with parameters DuckDB would make rows first.
    for name, value in asked.items():
        con.execute(f"set variable {name} = $value", {"value": value})
    return pl.DataFrame(con.sql(_PARAMETER.sub(r"getvariable('\1')", query)))


def frame_of(
    rows: list[Row], without: tuple[str, ...] = ("shown", "missing", "trial_runs", "assumed_gpu")
) -> pl.DataFrame:
    """Returns rows as a frame, without the columns that only the layout of a table needs."""
    import polars as pl

    kept = [{name: value for name, value in row.items() if name not in without} for row in rows]
    frame = pl.DataFrame(kept, infer_schema_length=None)
    # A column of NULLs only would have the type Null, which some file formats lack.
    return frame.cast({pl.Null: pl.String})
