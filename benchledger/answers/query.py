"""Runs shipped questions by name, and ad-hoc SQL; both can read the ledger and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import Filters
from benchledger.answers.rows import reading
from benchledger.definitions.queries import Query, find_query, load_queries
from benchledger.errors import UsageError, need_utf8
from benchledger.store.confined import check_statement, confine
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.frames import frame_of
from benchledger.store.published_logs import missing_logs_note

# The word for a row of a table whose column a parameter matches.
_CALLED = {"kept.run_campaign": "run", "kept.file_place": "file", "published": "published number"}
# The question that ignores published numbers without logs of their own here.
_PUBLISHED = "against_published"

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from benchledger.answers.notebook import Frame


def queries() -> pl.DataFrame:
    """Returns the questions, shipped and the user's: name, meaning of a row, parameters with defaults, an example."""
    import polars as pl

    columns = {"name": pl.String, "a_row_is": pl.String, "parameters": pl.String, "example": pl.String}
    rows = [
        (
            name,
            query.sentence,
            ", ".join(f"{parameter}={value}" for parameter, value in query.parameters.items()),
            query.example,
        )
        for name, query in load_queries().items()
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")


def query(name: str, /, *, db: Path | str = DEFAULT_DB, **parameters: object) -> Frame:
    """Returns the answer to a question by its name.

    Raises UsageError for an unknown name or parameter, and NothingFoundError for a value that nothing in the ledger
    matches. Both list the known ones.
    """
    question = find_query(name)
    bound = question.bind(parameters)
    need_utf8("".join(map(str, bound.values())))
    with reading(db, records=True) as con:
        _check_values(con, question, bound)
        return _ask(con, question.sql, bound)


def query_note(name: str, /, *, db: Path | str = DEFAULT_DB, **parameters: object) -> str | None:
    """Returns the note that belongs to the answer of a question, or None. Raises as `query` does."""
    question = find_query(name)
    if question.name != _PUBLISHED:
        return None
    with reading(db) as con:
        return missing_logs_note(con, str(question.bind(parameters)["source"]))


def query_sql(name: str, /, **parameters: object) -> str:
    """Returns the SQL of a question with its parameters filled in, for any DuckDB shell. Raises as `query` does."""
    return find_query(name).filled(parameters)


def sql(statement: str, *, db: Path | str = DEFAULT_DB) -> Frame:
    """Returns the rows of an ad-hoc query, which can neither write nor read other files.

    Raises UsageError with DuckDB's message if DuckDB rejects it.
    """
    with reading(db, records=True) as con:
        return _ask(con, statement, {})


def _check_values(con: duckdb.DuckDBPyConnection, question: Query, bound: dict[str, Any]) -> None:
    # An empty table reads as "none of them failed", which is wrong for a mistyped campaign.
    for name, parameter in question.declared.items():
        if parameter.column is None or bound[name] in (parameter.default, None):
            continue
        table, column = parameter.column
        there = con.sql(f"from {table}")
        # An empty text asks for NULL.
        asked = Filters({column: (bound[name] or None,)})
        if there.limit(1).fetchone() is not None and asked.apply(there).limit(1).fetchone() is None:
            raise asked.explain(there, _CALLED.get(table, table.removeprefix("kept.")))


def _ask(con: duckdb.DuckDBPyConnection, statement: str, parameters: dict[str, Any]) -> Frame:
    import duckdb

    need_utf8(statement)
    confine(con)
    check_statement(con, statement)
    try:
        return _frame(con.execute(statement, parameters or None))
    except duckdb.Error as error:
        raise UsageError(f"the query was refused: {error}") from error
    except OverflowError as error:
        raise UsageError("the query has an interval that is too long: cast it to varchar") from error


def _frame(answer: duckdb.DuckDBPyConnection) -> Frame:
    from benchledger.answers.notebook import Frame

    columns = answer.description or []
    if not any("INTERVAL" in str(kind) for _, kind, *_ in columns):
        return Frame(frame_of(answer))
    # polars cannot read an interval from Arrow: a difference of two times would fail.
    try:
        return Frame(answer.fetchall(), schema=[name for name, *_ in columns], orient="row", infer_schema_length=None)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the query returns an interval and a value that Python cannot hold ({error}): cast that value to varchar"
        ) from error
