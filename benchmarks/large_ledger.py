"""Makes a ledger as large as years of logs make it: every row of a finished one many times, under other ids."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb

COLUMNS = """
    select t.schema_name || '.' || t.table_name, c.column_name
    from duckdb_columns() as c join duckdb_tables() as t using (table_oid)
    where not c.internal and t.database_name = current_database() order by 1, c.column_index
"""
IDS = ("log_id", "run_id", "sighting_id", "status_log_id")
# As if each copy had been loaded after those before it.
LOADS = 100_000
# What has to be different beside the ids.
KEYS = {"main.log": ("content_hash",), "main.run": ("run_key",)}


def multiply(database: Path, times: int) -> None:
    """Adds `times - 1` copies of all logs, runs and what hangs on them. Definitions, cases and shapes stay."""
    with closing(duckdb.connect(str(database), config={"memory_limit": "4GB"})) as con:
        tables: dict[str, list[str]] = {}
        for table, column in con.execute(COLUMNS).fetchall():
            tables.setdefault(table, []).append(column)
        copied = {table: columns for table, columns in tables.items() if set(columns) & set(IDS)}
        for table in copied:
            con.execute(f"create temp table {_one(table)} as from {table}")
        for number in range(1, times):
            con.execute("begin")
            for table, columns in copied.items():
                con.execute(_copy(table, columns), {"number": number})
            con.execute("commit")


def _copy(table: str, columns: list[str]) -> str:
    # Another id for each copy, the same in all tables.
    shown = [f'xor("{c}", (hash($number) >> 2)::bigint)' if c in IDS else f'"{c}"' for c in columns]
    shown = [
        f"{text} + $number * {LOADS}" if c == "load_number" else text for c, text in zip(columns, shown, strict=True)
    ]
    shown = [
        f"{text} || '-' || $number" if c in KEYS.get(table, ()) else text
        for c, text in zip(columns, shown, strict=True)
    ]
    return f"insert into {table} select {', '.join(shown)} from {_one(table)}"  # noqa: S608 - a ledger's own names


def _one(table: str) -> str:
    return f"one_{table.replace('.', '_')}"
