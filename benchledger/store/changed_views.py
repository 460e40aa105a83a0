"""Finds the tables, views and macros of a ledger that somebody changed, and ends questions to views that never end."""

from __future__ import annotations

import re
import tempfile
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.store.database import open_for_writing
from benchledger.store.facade import facade_in
from benchledger.store.tables import Table, tables_of
from benchledger.store.time_limit import ended_after

if TYPE_CHECKING:
    import duckdb

# Most answers take less than a second; those that take longer than this are only ended if views were changed.
LOOK_AFTER_S = 20.0
_WORD = re.compile(r"'(?:[^']|'')*+'|\w++|->|\S")
# What DuckDB leaves out or changes when it writes a view to a file; it also changes the order of an EXCLUDE.
_LOOSE = frozenset(("lambda", ":", "->", "(", ")", '"', "MATERIALIZED"))
_PARTS = """
select schema_name, view_name, '', sql from system.main.duckdb_views() where not internal
union all
select schema_name, function_name, '', macro_definition from system.main.duckdb_functions() where not internal
"""


def changed_relations(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Returns the tables, views and macros that are missing, or not as the migrations make them."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_for_writing(Path(folder) / "new.duckdb")) as fresh,
    ):
        wanted_tables = set(tables_of(fresh))
        # The views of a facade stand for tables, except for the one of its version.
        tables = set(tables_of(con)) | (_views(con) if facade_in(con) else set())
        wanted, there = _parts(fresh, wanted_tables), _parts(con, wanted_tables & tables)
    return sorted({*map(str, wanted_tables - tables), *(str(Table(schema, of)) for schema, of, _, _ in wanted - there)})


def _views(con: duckdb.DuckDBPyConnection) -> set[Table]:
    found = con.execute("select schema_name, view_name from system.main.duckdb_views() where not internal").fetchall()
    return {Table(*row) for row in found}


def _parts(con: duckdb.DuckDBPyConnection, tables: set[Table]) -> set[tuple[str, str, object, object]]:
    """Returns the views and macros of a ledger with their words, and the columns of these tables."""
    parts: set[tuple[str, str, object, object]] = {
        (schema, of, name, _words(what)) for schema, of, name, what in con.execute(_PARTS).fetchall()
    }
    for table in tables:
        # Not from duckdb_columns(), which plans every view: that may never end.
        asked = con.execute("select name, type from system.main.pragma_table_info($table)", {"table": table.sql})
        parts |= {(table.schema, table.name, name, type_) for name, type_ in asked.fetchall()}
    return parts


def _words(sql: str | None) -> tuple[str, ...]:
    return tuple(sorted(word for word in _WORD.findall(sql or "") if word not in _LOOSE))


def limited_if_changed(con: duckdb.DuckDBPyConnection, place: Path | str) -> AbstractContextManager[None]:
    """Ends what takes longer than LOOK_AFTER_S, and raises DatabaseError, if views of the ledger were changed.

    A changed view may never end. Where none was changed, a question takes as long as it takes.
    """

    def why(own: duckdb.DuckDBPyConnection) -> str | None:
        changed = changed_relations(own)
        if not changed:
            return None
        return (
            f"{place}: there is no answer after {LOOK_AFTER_S:g} s, and these were changed and may never end: "
            f"{', '.join(changed)}. See bench db check"
        )

    return ended_after(con, LOOK_AFTER_S, why)
