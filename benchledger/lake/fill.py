"""Fills a ledger from the units of a lake: base tables, what each unit's worker derived, and what spans units."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.ingestion.base_tables import BASE_TABLES, in_ledger
from benchledger.ingestion.derive import derive
from benchledger.ingestion.load import insert, load_formats_table, set_ids, sql_text
from benchledger.ingestion.merge import one_owner
from benchledger.ingestion.roots import name_campaigns
from benchledger.ingestion.seams import derived_tables, load_definitions
from benchledger.kept import follow_definitions, keep
from benchledger.lake.parts import Part, local_files, rows_sql
from benchledger.store.sync import sync_definitions

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
# What closure.sql reads of the ledger's own schema.
_TIES = ("segment", "sighting_file", "root", "log_fact")
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


def fill(con: duckdb.DuckDBPyConnection, lake: Lake, base: list[Part], derived: list[Part]) -> None:
    """Makes of an empty ledger the one that an ingest of all units would make.

    `base` are the units' base tables, `derived` what follows from each unit alone, which a unit may lack. What spans
    units is derived again: contents, manifests, trackers, monitors and sidecars of several units, and shared campaigns.
    """
    sync_definitions(con)
    load_formats_table(con, load_definitions().formats)
    follow_definitions(con)
    # A join may change the order of the rows where it takes the records for the smaller side.
    con.execute("set disabled_optimizers = 'build_side_probe_side'")
    _fill_base(con, lake, base, derived)
    _find_spanning(con)
    _fill_derived(con, lake, derived)
    con.execute("reset disabled_optimizers")
    spanning = [row[0] for row in con.execute("select log_id from spanning_log order by log_id").fetchall()]
    if spanning:
        derive(con, spanning, [])
    # Runs of which only a manifest is known may follow runs of any unit.
    con.execute(_sql("due_runs"))
    keep(con, "from due_here")


def _fill_base(con: duckdb.DuckDBPyConnection, lake: Lake, base: list[Part], derived: list[Part]) -> None:
    """The base tables of all units. A place has the campaign that its unit gave it, until all are named together."""
    units = sorted(unit for part in base for unit in part.units)
    con.execute("create or replace temp table unit_number (lake_unit varchar, load_number integer)")
    insert(
        con, "unit_number", [{"lake_unit": unit, "load_number": number} for number, unit in enumerate(units, start=1)]
    )
    con.execute("create or replace temp table derived_unit (lake_unit varchar)")
    insert(con, "derived_unit", [{"lake_unit": unit} for part in derived for unit in part.units])
    _take(con, lake, base, "log", "log_id")
    _take(con, lake, base, "sighting", "sighting_id")
    con.execute(_sql("foreign_rows"))
    for name in BASE_TABLES:
        # Records of few units at a time: those of a lake in a bucket are copied to this disk.
        for some in [[part] for part in base] if name == "record" else [base]:
            _insert(con, lake, some, name, in_ledger(name), _of_unit(con, name))
    _insert(con, lake, derived, "sighting", "sighting", _of_unit(con, "sighting", "true"))
    one_owner(con, {row[0] for row in con.execute("select log_id from foreign_log").fetchall()})


def _of_unit(
    con: duckdb.DuckDBPyConnection, name: str, others: str = "rows.lake_unit not in (from derived_unit)"
) -> str:
    """Which rows of a base table are not taken from another unit, places not from what was derived of a unit."""
    key = _ONCE.get(name)
    conditions = [others] if name == "sighting" else []
    if key and con.execute(f"select 1 from foreign_{key} limit 1").fetchone():  # noqa: S608 - our own names
        conditions.append(f"({key}_id, rows.lake_unit) not in (from foreign_{key})")
    return " and ".join(conditions or ["true"])


def _find_spanning(con: duckdb.DuckDBPyConnection) -> None:
    """Temp table spanning_log: what must be derived with logs of other units."""
    set_ids(con, "renamed_log", name_campaigns(con))
    for name in _TIES:
        con.execute(f"create or replace temp view {name} as from {in_ledger(name)}")
    con.execute(sql_text("closure"))
    for name in _TIES:
        con.execute(f"drop view temp.{name}")
    con.execute(_sql("spanning"))
    while con.execute("insert into spanning_log from beside_spanning").fetchall()[0][0]:
        pass


def _fill_derived(con: duckdb.DuckDBPyConnection, lake: Lake, derived: list[Part]) -> None:
    """What each unit's worker derived, but for runs of spanning logs and for campaigns of several units."""
    _take(con, lake, derived, "run_log", "run_id, log_id")
    _take(con, lake, derived, "kept.series_member", "campaign, run_id")
    con.execute(_sql("staying"))
    first = ("run", "series")
    for name in sorted(set(derived_tables(con)) - _NOT_OF_UNITS, key=lambda name: (name not in first, name)):
        has = {row[0] for row in con.execute(f"describe {name}").fetchall()}
        stays = next(_STAYING[column] for column in _STAYING if column in has)
        _insert(con, lake, derived, name, name, _STAYING_SERIES if name == "series" else stays)


def _take(con: duckdb.DuckDBPyConnection, lake: Lake, parts: list[Part], name: str, columns: str) -> None:
    """Temp table unit_NAME: some columns of a table of all units, with the unit of each row."""
    table = f"unit_{name.rpartition('.')[2]}"
    con.execute(f"create or replace temp table {table} as select {columns}, '' as lake_unit from {name} limit 0")  # noqa: S608
    with local_files(lake, parts, name) as files:
        if files:
            rows = f"{rows_sql(files)} semi join unit_number using (lake_unit)"
            con.execute(f"insert into {table} select {columns}, lake_unit from {rows}")  # noqa: S608 - our own names


def _insert(
    con: duckdb.DuckDBPyConnection, lake: Lake, parts: list[Part], name: str, table: str, condition: str
) -> None:
    with local_files(lake, parts, name) as files:
        if files:
            left_out = "lake_unit" if name in _NUMBERED else "lake_unit, load_number"
            conflict = "on conflict do nothing" if name in _COMMON else ""
            con.execute(
                f"insert into {table} by name select * exclude ({left_out}) from {rows_sql(files)} as rows "  # noqa: S608
                f"join unit_number using (lake_unit) where {condition} {conflict}"
            )


def _sql(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")
