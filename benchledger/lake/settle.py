"""Settles a lake: derives what follows from several units together. The rows that no unit derived alone are a part."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError, UsageError
from benchledger.ingestion.base_tables import in_ledger
from benchledger.ingestion.derive import derive
from benchledger.ingestion.load import load_formats_table, set_ids, sql_text
from benchledger.ingestion.merge import one_owner
from benchledger.ingestion.roots import name_campaigns
from benchledger.ingestion.seams import load_definitions
from benchledger.kept import follow_definitions, keep
from benchledger.lake.objects import open_lake
from benchledger.lake.parts import Part, part_of, parts_in, write_part
from benchledger.lake.unit_tables import (
    SETTLED,
    derived_names,
    fill_base,
    fill_derived,
    fill_records,
    insert_rows,
    key_of,
    statements,
    take,
)
from benchledger.lake.units import derived_digests
from benchledger.store.database import open_for_writing
from benchledger.store.scratch import work_folder
from benchledger.store.sync import sync_definitions
from benchledger.store.writing import transaction

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from benchledger.lake.objects import Lake

# The tables of the ledger's own schema that closure.sql reads.
_TIES = ("segment", "sighting_file", "root", "log_fact")
# Temporary tables that tell what is settled, with their columns.
_KEYS = {
    "spanning_log": "log_id bigint", "settled_run": "run_id bigint", "settled_campaign": "campaign varchar",
    "settled_place": "sighting_id bigint",
}  # fmt: skip
# Which rows are settled, by the column of their table that tells to what they belong.
_SETTLED_ROWS = {
    "series_id": "series_id in (select series_id from series_settled)",
    "run_id": "run_id in (from settled_run)",
    "log_id": "log_id in (from spanning_log)",
    "case_id": "case_id in (select case_id from run where run_id in (from settled_run))",
    "environment_id": "environment_id in (select environment_id from run where run_id in (from settled_run))",
}


@dataclass(frozen=True)
class Settled:
    """The number of runs and campaigns that were settled. `is_new` is false if they had been settled before."""

    lake: str
    units: int
    runs: int
    campaigns: int
    is_new: bool


@dataclass(frozen=True)
class Parts:
    """The parts of a lake that count: base tables, what was derived of each unit, and of several together."""

    base: list[Part]
    derived: list[Part]
    settled: Part | None
    # Of the units and the definitions, and of what is derived of them so far.
    inputs: str
    digest: str

    @property
    def units(self) -> int:
        """The number of units."""
        return sum(len(part.units) for part in self.base)


def parts_of(lake: Lake) -> Parts:
    """The parts of the units on the latest lists. Raises UsageError for an empty lake."""
    digests = sorted({digest for some in lake.listed().values() for digest in some})
    if not digests:
        raise UsageError(f"{lake.place}: holds nothing yet. Fill it: bench ingest SOURCE --lake {lake.place}")
    base = lake.markers_of(digests)
    missing = len(digests) - len(base)
    if missing:
        raise DatabaseError(
            f"{lake.place}: {missing} of {len(digests)} units that are listed have no marker: somebody removed them. "
            f"Read them again: the same bench ingest SOURCE --lake {lake.place}"
        )
    wanted = sorted(derived_digests(digests).values())
    derived = lake.markers_of(wanted)
    # The digest of what follows from a unit tells the definitions, also where nothing is derived yet.
    inputs = _digest([digests, wanted])
    digest = settled_digest(digests, set(derived))
    settled = lake.marker(digest)
    return Parts(
        parts_in(base),
        parts_in(derived),
        part_of(digest, settled) if settled is not None else None,
        inputs,
        digest,
    )


def settled_digest(digests: list[str], derived: set[str]) -> str:
    """The digest of what is settled of some units, of which so much is derived."""
    wanted = sorted(derived_digests(digests).values())
    return _digest([sorted(digests), wanted, sorted(derived.intersection(wanted))])


def lake_settle(*, lake: Path | str) -> Settled:
    """Derives the rows that span units, and writes them into the lake, from where publish takes them.

    Raises UsageError for an empty lake, and DatabaseError where a unit that is listed was not read.
    """
    opened = open_lake(str(lake))
    parts = parts_of(opened)
    is_new = False
    if parts.settled is None:
        with work_folder() as folder:
            place = folder / "ledger.duckdb"
            with closing(open_for_writing(place, files=True)) as con, transaction(con, place):
                _prepare(con, opened, parts)
                _derive_spanning(con, opened, parts, all_records=False)
                is_new = write_part(opened, parts.digest, SETTLED, _settled_tables(con))
        parts = parts_of(opened)
    rows = parts.settled.rows if parts.settled else {}
    return Settled(str(lake), parts.units, rows.get("settled_run", 0), rows.get("settled_campaign", 0), is_new)


def fill(con: duckdb.DuckDBPyConnection, lake: Lake, parts: Parts) -> None:
    """Makes of an empty ledger the one that an ingest of all units would make; what is not settled is settled here."""
    _prepare(con, lake, parts)
    if parts.settled is None:
        _derive_spanning(con, lake, parts, all_records=True)
        return
    settled = [parts.settled]
    for name, kind in _KEYS.items():
        con.execute(f"create or replace temp table {name} ({kind})")
        insert_rows(con, lake, settled, name, name, "true")
    con.execute(statements("take_over"))
    insert_rows(con, lake, settled, "sighting", "sighting", "true")
    fill_records(con, lake, parts.base)
    fill_derived(con, lake, parts.derived)
    for name in derived_names(con):
        insert_rows(con, lake, settled, name, name, "true")
    con.execute("reset disabled_optimizers")


def _prepare(con: duckdb.DuckDBPyConnection, lake: Lake, parts: Parts) -> None:
    sync_definitions(con)
    load_formats_table(con, load_definitions().formats)
    follow_definitions(con)
    # A join may change the order of the rows where it takes the records for the smaller side.
    con.execute("set disabled_optimizers = 'build_side_probe_side'")
    fill_base(con, lake, parts.base, parts.derived)


def _derive_spanning(con: duckdb.DuckDBPyConnection, lake: Lake, parts: Parts, *, all_records: bool) -> None:
    """Derives anew what spans units: logs of several units, or tied to those of another, and shared campaigns."""
    one_owner(con, {row[0] for row in con.execute("select log_id from foreign_log").fetchall()})
    con.execute("create or replace temp table renamed (sighting_id bigint, campaign varchar)")
    set_ids(con, "renamed_log", name_campaigns(con))
    con.execute("create or replace temp table renamed_place as select sighting_id from renamed")
    for name in _TIES:
        con.execute(f"create or replace temp view {name} as from {in_ledger(name)}")
    con.execute(sql_text("closure"))
    for name in _TIES:
        con.execute(f"drop view temp.{name}")
    con.execute(statements("spanning"))
    while con.execute("insert into spanning_log from beside_spanning").fetchall()[0][0]:
        pass
    take(con, lake, parts.derived, "run_log", "run_id, log_id")
    take(con, lake, parts.derived, "kept.series_member", "campaign, run_id")
    con.execute(statements("staying"))
    fill_records(con, lake, parts.base, "true" if all_records else "log_id in (from due_log)")
    fill_derived(con, lake, parts.derived)
    con.execute("reset disabled_optimizers")
    spanning = [row[0] for row in con.execute("select log_id from spanning_log order by log_id").fetchall()]
    if spanning:
        derive(con, spanning, [])
    con.execute(statements("due_runs"))
    keep(con, "from due_here")


def _settled_tables(con: duckdb.DuckDBPyConnection) -> dict[str, pa.Table]:
    con.execute(statements("settled"))
    asked = {name: f"from {name}" for name in _KEYS}
    asked["sighting"] = "from sighting where sighting_id in (from settled_place)"
    for name in derived_names(con):
        asked[name] = f"from {name} where {_SETTLED_ROWS[key_of(con, name)]}"
    return {name: con.execute(rows).to_arrow_table() for name, rows in asked.items()}


def _digest(told: object) -> str:
    return hashlib.blake2b(json.dumps(told).encode(), digest_size=16).hexdigest()
