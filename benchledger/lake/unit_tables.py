"""Fills a ledger with the tables of units: what their workers read, and what they derived that still holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.ingestion.base_tables import BASE_TABLES, in_ledger
from benchledger.ingestion.load import insert
from benchledger.ingestion.seams import derived_tables
from benchledger.lake.parts import Part, local_files, read_alike, rows_sql

if TYPE_CHECKING:
    import duckdb

    from benchledger.lake.objects import Lake

_SQL = Path(__file__).parent / "sql"
# Rows of a log or a place that several units have are taken from one of them.
_ONCE = {
    **dict.fromkeys(("log", "record", "reject", "ignored_piece", "unread", "log_fact", "segment"), "log"),
    **dict.fromkeys(("sighting", "sighting_fact", "sighting_file"), "sighting"),
}
_NUMBERED = ("log", "record")
# Several units have the same rows of these.
_COMMON = ("shape", "root", "bench_case", "environment")
# The definitions of a ledger are those of this program; places come with the base tables.
_NOT_OF_UNITS = {"sighting", "kept.definition_hash"}
# Which derived rows stay, by the first of these columns that a table has. Runs and series come first.
_STAYING = {
    "series_id": "series_id in (select series_id from series)",
    "run_id": "run_id not in (select run_id from spanning_run)",
    "log_id": "log_id not in (select log_id from spanning_log)",
    "case_id": "case_id in (select case_id from run)",
    "environment_id": "environment_id in (select environment_id from run)",
}
_STAYING_SERIES = "not exists (from due_campaign where due_campaign.campaign is not distinct from rows.campaign)"
# Tables whose rows belong to no single unit.
SETTLED = "settled"


def fill_base(con: duckdb.DuckDBPyConnection, lake: Lake, base: list[Part], derived: list[Part]) -> None:
    """The base tables of all units, except records; a content or place of several units is taken from one.

    Each place has the campaign that its unit gave it.
    """
    units = sorted(unit for part in base for unit in part.units)
    con.execute("create or replace temp table unit_number (lake_unit varchar, load_number integer)")
    numbers = [{"lake_unit": unit, "load_number": number} for number, unit in enumerate(units, start=1)]
    insert(con, "unit_number", [*numbers, {"lake_unit": SETTLED, "load_number": 0}])
    con.execute("create or replace temp table derived_unit (lake_unit varchar)")
    insert(con, "derived_unit", [{"lake_unit": unit} for part in derived for unit in part.units])
    take(con, lake, base, "log", "log_id")
    take(con, lake, base, "sighting", "sighting_id")
    con.execute(statements("foreign_rows"))
    for name in BASE_TABLES:
        if name != "record":
            insert_rows(con, lake, base, name, in_ledger(name), _of_unit(con, name))
    insert_rows(con, lake, derived, "sighting", "sighting", _of_unit(con, "sighting", "true"))


def fill_records(con: duckdb.DuckDBPyConnection, lake: Lake, base: list[Part], condition: str = "true") -> None:
    """The records of all units, or some of them. Of a lake in a bucket one object at a time is copied to this disk."""
    for part in base:
        insert_rows(con, lake, [part], "record", "kept.record", f"{_of_unit(con, 'record')} and {condition}")


def fill_derived(con: duckdb.DuckDBPyConnection, lake: Lake, derived: list[Part]) -> None:
    """The rows that workers derived, except those of spanning_log, spanning_run and the series of due_campaign."""
    # The tables that say what stays come first.
    for name in sorted(derived_names(con), key=lambda name: (name not in ("run", "series"), name)):
        stays = _STAYING_SERIES if name == "series" else _STAYING[key_of(con, name)]
        insert_rows(con, lake, derived, name, name, stays)


def derived_names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The derived tables, without the places, which come with the base tables."""
    return sorted(set(derived_tables(con)) - _NOT_OF_UNITS)


def key_of(con: duckdb.DuckDBPyConnection, name: str) -> str:
    """The column that tells to what the rows of a derived table belong."""
    has = {row[0] for row in con.execute(f"describe {name}").fetchall()}
    return next(column for column in _STAYING if column in has)


def _of_unit(
    con: duckdb.DuckDBPyConnection, name: str, others: str = "rows.lake_unit not in (from derived_unit)"
) -> str:
    """Which rows of a base table are not taken from another unit, places not from what was derived of a unit."""
    key = _ONCE.get(name)
    conditions = [others] if name == "sighting" else []
    if key and con.execute(f"select 1 from foreign_{key} limit 1").fetchone():  # noqa: S608 - our own names
        conditions.append(f"({key}_id, rows.lake_unit) not in (from foreign_{key})")
    return " and ".join(conditions or ["true"])


def take(con: duckdb.DuckDBPyConnection, lake: Lake, parts: list[Part], name: str, columns: str) -> None:
    """Temp table unit_NAME: some columns of a table of all units, with the unit of each row."""
    table = f"unit_{name.rpartition('.')[2]}"
    con.execute(f"create or replace temp table {table} as select {columns}, '' as lake_unit from {name} limit 0")  # noqa: S608
    for some, condition in read_alike(parts):
        with local_files(lake, some, name) as files:
            if files:
                rows = f"{rows_sql(files)} semi join unit_number using (lake_unit) where {condition}"
                con.execute(f"insert into {table} select {columns}, lake_unit from {rows}")  # noqa: S608 - our own names


def insert_rows(
    con: duckdb.DuckDBPyConnection, lake: Lake, parts: list[Part], name: str, table: str, condition: str
) -> None:
    """Inserts the rows of a table of some parts for which the condition holds."""
    left_out = "lake_unit" if name in _NUMBERED else "lake_unit, load_number"
    conflict = "on conflict do nothing" if name in _COMMON else ""
    for some, of_units in read_alike(parts):
        with local_files(lake, some, name) as files:
            if files:
                con.execute(
                    f"insert into {table} by name select * exclude ({left_out}) from {rows_sql(files)} as rows "  # noqa: S608
                    f"join unit_number using (lake_unit) where {of_units} and {condition} {conflict}"
                )


def statements(name: str) -> str:
    """The statements of a file in sql/."""
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")
