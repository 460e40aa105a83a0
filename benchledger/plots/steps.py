"""The readings of one run under its rule, by the statements that fill the kept numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchledger.explaining.readings import sql_of
from benchledger.kept import uses
from benchledger.plots.statements import query_of

if TYPE_CHECKING:
    import duckdb
    import polars as pl


def step_points(con: duckdb.DuckDBPyConnection, run: dict[str, Any]) -> tuple[pl.DataFrame, str]:
    """Returns every reading of a run that its rule looks at, in the order of the log, and the statement for them."""
    statement = query_of("steps") + "\norder by x, lane;\n"
    with uses(con, [run["run_id"]], run["rule"]):
        for name, value in {"unit": run["unit"], "runs": [run["run_id"]]}.items():
            con.execute(f"set variable {name} = $value", {"value": value})
        con.execute(sql_of("chosen"))
        return con.sql(statement).pl(), statement
