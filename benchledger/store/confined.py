"""Confines SQL that a person or a shared file wrote: it reads the ledger, and can write, load or set nothing else.

DuckDB refuses other files and locks its settings; the statement itself is checked before it runs, because DuckDB lets a
query call functions that write logs, read memory by its address or run other SQL. A ledger whose macros stand for
DuckDB's functions is not opened.
"""

from __future__ import annotations

import re
import secrets
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any

from benchledger.errors import DatabaseError, UsageError
from benchledger.store.facade import readable_files
from benchledger.store.tables import quoted_text

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

# The settings that a statement may change: they say how values are compared, sorted and shown.
SETTINGS = (
    "Calendar", "TimeZone", "default_collation", "default_null_order", "default_order", "explain_output",
    "ieee_floating_point_ops", "integer_division", "order_by_non_integer_literal", "pivot_limit",
    "scalar_subquery_error_on_multiple_rows",
)  # fmt: skip
PRAGMAS = frozenset({
    "collations", "database_size", "functions", "platform", "show_databases", "show_tables",
    "show_tables_expanded", "storage_info", "table_info", "version",
})  # fmt: skip
# Those that make rows of their arguments or of the catalog. All others of DuckDB are refused, new ones too: some show
# where the ledger lies.
TABLE_FUNCTIONS = frozenset({
    "duckdb_columns", "duckdb_constraints", "duckdb_dependencies", "duckdb_functions",
    "duckdb_indexes", "duckdb_keywords", "duckdb_memory", "duckdb_optimizers", "duckdb_schemas", "duckdb_sequences",
    "duckdb_tables", "duckdb_types", "duckdb_variables", "duckdb_views",
    "generate_series", "histogram", "histogram_values", "icu_calendar_names", "json_each", "json_tree",
    "pg_timezone_names", "pragma_collations", "pragma_database_size", "pragma_platform", "pragma_storage_info",
    "pragma_table_info", "pragma_version", "range", "repeat", "repeat_row", "unnest",
})  # fmt: skip
# Scalar functions that do more than compute a value; a signal does not end the two that wait.
SCALARS = frozenset({"current_setting", "pg_sleep", "sleep_ms", "write_log"})
# Views of DuckDB that show the same as its functions of these names, which are refused.
_VIEWS = frozenset({"duckdb_databases", "duckdb_logs", "pragma_database_list"})

_TABLE_FUNCTIONS = """
    select distinct function_name from system.main.duckdb_functions()
    where internal and function_type in ('table', 'table_macro', 'pragma')
"""
# DuckDB finds a function by its name in any case.
_SHADOWS = """
    select system.main.lower(function_name) as name
    from system.main.duckdb_functions()
    group by all
    having system.main.bool_or(internal) and not system.main.bool_and(internal)
    order by all
"""
# DuckDB takes these for spaces; Python's \s has no zero-width ones.
_ODD_SPACE = re.compile("[^\\S\n]|[\u200b-\u200d\u2060\ufeff]")
_WORD = re.compile(r'"(?:[^"]|"")*"|\w+')
_LISTED: set[str] = set()
_CHECKED: set[tuple[int, int, int]] = set()
_ONE = Lock()


def confine(con: duckdb.DuckDBPyConnection) -> None:
    """Disables files (but those of a facade), extensions, Python's variables and most settings, for the whole process.

    Raises UsageError if another connection of this process has locked the settings and not disabled other files.
    """
    import duckdb

    if _setting(con, "lock_configuration") and not _setting(con, "enable_external_access"):
        return
    keep_to_the_ledger(con)
    try:
        con.execute("set python_enable_replacements = false")
        con.execute(f"set allowed_configs = {list(SETTINGS)}")
        con.execute("set lock_configuration = true")
    except duckdb.Error as error:
        raise UsageError(f"another connection of this process must be closed first: {error}") from error


def keep_to_the_ledger(con: duckdb.DuckDBPyConnection) -> None:
    """Disables files other than those of the ledger: a view of a ledger that others made may name any file."""
    # Threads share DuckDB of one ledger, and what is disabled cannot be changed once more.
    with _ONE:
        if _setting(con, "enable_external_access"):
            _disable_files(con)


def without_shadows(con: duckdb.DuckDBPyConnection, place: Path) -> duckdb.DuckDBPyConnection:
    """Returns `con`, or closes it and raises DatabaseError if a macro of the ledger has the name of a DuckDB function.

    DuckDB calls such a macro instead of its function. A process checks each state of a file once, since the list takes
    20 ms; it checks a ledger with a write-ahead log each time, since the file's state does not cover that log.
    """
    state = _state(place)
    if state in _CHECKED and not place.with_name(f"{place.name}.wal").exists():
        return con
    if names := ", ".join(name for (name,) in con.execute(_SHADOWS).fetchall()):
        con.close()
        raise DatabaseError(
            f"{place}: has macros with the names of functions of DuckDB ({names}), which falsify numbers. Ingest the "
            f"logs into a new ledger, or restore this one from a backup"
        )
    _CHECKED.add(state)
    return con


def mark_checked(place: Path) -> None:
    """Marks the present state of a file as checked: this process made it, or checked it before writing it."""
    _CHECKED.add(_state(place))


def _state(place: Path) -> tuple[int, int, int]:
    stat = place.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _disable_files(con: duckdb.DuckDBPyConnection) -> None:
    import duckdb

    try:
        # DuckDB lets SQL read and write the folder into which it spills: one with a name that nobody knows before.
        spill = f"{_setting(con, 'temp_directory')}-{secrets.token_hex(8)}"
        con.execute(f"set temp_directory = {quoted_text(spill)}")
        if files := readable_files(con):
            con.execute(f"set allowed_paths = [{', '.join(quoted_text(file) for file in files)}]")
        con.execute("set enable_external_access = false")
    except duckdb.Error as error:
        raise UsageError(f"another connection of this process must be closed first: {error}") from error


def _setting(con: duckdb.DuckDBPyConnection, name: str) -> Any:
    # By the name of its schema: a ledger may have a macro of this name, which would answer in its place.
    row = con.execute(f"select system.main.current_setting('{name}')").fetchone()
    return row[0] if row else None


def check_statement(con: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Raises UsageError unless `statement` is one query that only reads, if need be after settings that it may change.

    Invalid SQL passes: DuckDB rejects it with its message when it runs. `con` must be confined.
    """
    import duckdb

    check_functions(con, statement)
    try:
        parts = con.extract_statements(_without_explain(statement))
    except duckdb.Error:
        return
    if not parts:
        raise UsageError("the statement is empty: give one SQL statement, for example: select * from speed_table")
    kinds = duckdb.StatementType
    for part in parts:
        # DuckDB makes a type of its own for a PIVOT; such a statement has no text.
        if part.type in (kinds.SELECT, kinds.SET) or (part.type == kinds.CREATE and not part.query):
            continue
        raise UsageError(
            f"the query was refused: {part.type.name} is no query. One that reads begins with select, from, with, "
            f"values, pivot, describe, summarize, show or explain"
        )
    if (held := sum(part.type == kinds.SELECT for part in parts)) > 1:
        raise UsageError(f"{held} statements given, but only one can be run: give one")


def check_functions(con: duckdb.DuckDBPyConnection, text: str) -> None:
    """Raises UsageError if `text`, a statement or a part of it, names a function or pragma that is not allowed."""
    refused = (_listed(con) - TABLE_FUNCTIONS) | SCALARS
    tokens = _tokens(text)
    for (_, before), (_, word), (_, after) in zip([(0, ";"), *tokens], tokens, [*tokens[1:], (0, "")], strict=False):
        if word == "pragma" and before in (";", "explain", "analyze") and after not in PRAGMAS:
            raise UsageError(f"the query was refused: pragma {after} is not allowed; allowed are: {_list(PRAGMAS)}")
        if word in _VIEWS or (word in refused and after == "(" and before != "pragma"):
            raise UsageError(
                f"the query was refused: function {word} is not allowed; allowed table functions are: "
                f"{_list(TABLE_FUNCTIONS)}"
            )


def _listed(con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    # DuckDB's own; those of a ledger are macros of its views. One process has one DuckDB, whose list takes 10 ms.
    if not _LISTED:
        _LISTED.update(name.lower() for (name,) in con.execute(_TABLE_FUNCTIONS).fetchall())
    return frozenset(_LISTED)


def _without_explain(statement: str) -> str:
    # EXPLAIN ANALYZE runs what follows.
    tokens = _tokens(statement)
    words = [word for _, word in tokens]
    skipped = 0 if words[:1] != ["explain"] else 2 if words[1:2] == ["analyze"] else 1
    start = tokens[skipped][0] if skipped < len(tokens) else 0
    return statement.encode()[start:].decode()


def _tokens(text: str) -> list[tuple[int, str]]:
    # Where each token begins, in bytes, and its first word in lower case without quotes, or its first character.
    import duckdb

    plain = _ODD_SPACE.sub(lambda match: " " * len(match[0].encode()), text).encode()
    starts = [start for start, _ in duckdb.tokenize(plain.decode())]
    tokens = []
    for start, end in pairwise([*starts, len(plain)]):
        piece = plain[start:end].decode(errors="replace")
        word = _WORD.match(piece)
        name = word[0].removeprefix('"').removesuffix('"').replace('""', '"').lower() if word else piece[:1]
        tokens.append((start, name))
    return tokens


def _list(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
