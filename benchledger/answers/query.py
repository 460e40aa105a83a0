"""Shipped questions by name, and ad-hoc SQL: both can read the ledger and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import Filters
from benchledger.answers.reading import reading
from benchledger.errors import UsageError
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.own_logs import no_own_logs

# What people call a row of a table that a parameter's values are of.
_CALLED = {"run_campaign": "run", "file_place": "file", "published": "published number"}
# The question whose answer is silent on what it does not recognise.
_PUBLISHED = "against_published"

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from benchledger.definitions.queries import Query


def queries() -> pl.DataFrame:
    """The questions, shipped and your own: name, what a row is, parameters with their defaults, and an example."""
    import polars as pl

    from benchledger.definitions.queries import load_queries

    columns = {"name": pl.String, "a_row_is": pl.String, "parameters": pl.String, "example": pl.String}
    rows = [
        (
            name,
            query.sentence,
            ", ".join(f"{parameter}={value}" for parameter, value in query.parameters.items()),
            query.header.example,
        )
        for name, query in load_queries().items()
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")


def query(name: str, /, *, db: Path | str = DEFAULT_DB, **parameters: object) -> pl.DataFrame:
    """The answer to a question by its name.

    Raises UsageError for an unknown name or parameter, and NothingFoundError for a value that nothing in the ledger
    matches; both with the known ones.
    """
    from benchledger.definitions.queries import find_query

    question = find_query(name)
    bound = question.bind(parameters)
    with reading(db, records=True) as con:
        _check_values(con, question, bound)
        return _ask(con, question.sql, bound)


def query_note(name: str, /, *, db: Path | str = DEFAULT_DB, **parameters: object) -> str | None:
    """What has to be said beside the answer to a question; None for nothing. Raises as `query` does."""
    from benchledger.definitions.queries import find_query

    question = find_query(name)
    if question.name != _PUBLISHED:
        return None
    with reading(db) as con:
        return no_own_logs(con, str(question.bind(parameters)["source"]))


def query_sql(name: str, /, **parameters: object) -> str:
    """The SQL of a question with its parameters filled in, for any DuckDB shell. Raises UsageError as `query` does."""
    from benchledger.definitions.queries import find_query

    return find_query(name).filled(parameters)


def sql(statement: str, *, db: Path | str = DEFAULT_DB) -> pl.DataFrame:
    """The rows of an ad-hoc query. It cannot write and cannot read other files.

    Raises UsageError with DuckDB's words if it refuses.
    """
    if not statement.strip():
        raise UsageError("the statement is empty: give one SQL statement, for example: select * from speed_table")
    with reading(db, records=True) as con:
        if (held := _questions(con, statement)) > 1:
            raise UsageError(f"there are {held} statements, and the rows of one only can be shown: give one")
        return _ask(con, statement, {})


def _check_values(con: duckdb.DuckDBPyConnection, question: Query, bound: dict[str, Any]) -> None:
    # An empty table reads as "none of them failed", which a mistyped campaign is not.
    for name, parameter in question.header.parameters.items():
        if parameter.column is None or bound[name] in (parameter.default, None):
            continue
        table, column = parameter.column
        there = con.table(table)
        # An empty text asks for what has none.
        asked = Filters({column: (bound[name] or None,)})
        if there.limit(1).fetchone() is not None and asked.apply(there).limit(1).fetchone() is None:
            raise asked.explain(there, _CALLED.get(table, table))


def _questions(con: duckdb.DuckDBPyConnection, statement: str) -> int:
    import duckdb

    try:
        # DuckDB makes two of one `pivot`, the first of which asks nothing.
        return sum(one.type == duckdb.StatementType.SELECT for one in con.extract_statements(statement))
    except duckdb.Error:
        # What is no SQL is refused with DuckDB's words where it is asked.
        return 1


def _ask(con: duckdb.DuckDBPyConnection, statement: str, parameters: dict[str, Any]) -> pl.DataFrame:
    import duckdb

    # The statement comes from a person or a shared file: no other file, no network, and no way to switch that on.
    con.execute("set enable_external_access = false")
    con.execute("set lock_configuration = true")
    try:
        return _frame(con.execute(statement, parameters or None))
    except duckdb.Error as error:
        raise UsageError(f"the query was refused: {error}") from error


def _frame(answer: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    import polars as pl

    columns = answer.description or []
    if not any(str(kind) == "INTERVAL" for _, kind, *_ in columns):
        return answer.pl()
    # polars takes no interval from Arrow: the difference of two times would end in an error.
    return pl.DataFrame(
        answer.fetchall(), schema=[name for name, *_ in columns], orient="row", infer_schema_length=None
    )
