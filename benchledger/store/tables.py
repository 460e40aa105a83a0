"""The tables of a ledger: those that people read stand in schema main, the engine's own in schema kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import duckdb

_TABLES = """
select schema_name, table_name
from duckdb_tables()
where not internal and not temporary and database_name = coalesce($database, current_database())
order by all
"""


class Table(NamedTuple):
    schema: str
    name: str

    @property
    def sql(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"

    def __str__(self) -> str:
        return self.name if self.schema == "main" else f"{self.schema}.{self.name}"


def tables_of(con: duckdb.DuckDBPyConnection, database: str | None = None) -> list[Table]:
    """Returns all tables of a database, by default the one in use."""
    return [Table(*row) for row in con.execute(_TABLES, {"database": database}).fetchall()]


def quoted(name: str) -> str:
    """Returns a name, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Returns a text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
