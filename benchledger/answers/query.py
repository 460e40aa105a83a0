"""Shipped questions by name, and ad-hoc SQL: both can read the ledger and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.reading import DEFAULT_DB, reading
from benchledger.errors import UsageError

if TYPE_CHECKING:
    import duckdb
    import polars as pl


def queries() -> pl.DataFrame:
    """The shipped questions, and those of your own definitions: name, what a row is, parameters with their defaults."""
    import polars as pl

    from benchledger.definitions.queries import load_queries

    columns = {"name": pl.String, "a_row_is": pl.String, "parameters": pl.String}
    rows = [
        (name, query.sentence, ", ".join(f"{parameter}={value}" for parameter, value in query.parameters.items()))
        for name, query in load_queries().items()
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")


def query(name: str, /, *, db: Path | str = DEFAULT_DB, **parameters: object) -> pl.DataFrame:
    """The answer to a question by its name. Raises UsageError for an unknown name or parameter, with the known ones."""
    from benchledger.definitions.queries import find_query

    question = find_query(name)
    bound = question.bind(parameters)
    with reading(db) as con:
        return _ask(con, question.sql, bound)


def sql(statement: str, *, db: Path | str = DEFAULT_DB) -> pl.DataFrame:
    """The rows of an ad-hoc query. It cannot write and cannot read other files.

    Raises UsageError with DuckDB's words if it refuses.
    """
    if not statement.strip():
        raise UsageError("the statement is empty: give one SQL statement, for example: select * from speed_table")
    with reading(db) as con:
        return _ask(con, statement, {})


def _ask(con: duckdb.DuckDBPyConnection, statement: str, parameters: dict[str, Any]) -> pl.DataFrame:
    import duckdb

    # The statement comes from a person or a shared file: no other file, no network, and no way to switch that on.
    con.execute("set enable_external_access = false")
    con.execute("set lock_configuration = true")
    try:
        return con.execute(statement, parameters or None).pl()
    except duckdb.Error as error:
        raise UsageError(f"the query was refused: {error}") from error
