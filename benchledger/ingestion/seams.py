"""The seams of an ingest: files to base tables, base tables to closed sets, base tables to derived tables.

`read_unit`, `closure` and `derive` are pure functions, which need no ledger and run in any process on any machine;
`load` writes what they make into a new ledger. `bench ingest` reads files and accounts for them by the same classes
(`Reading`, `Accounts`), inserts base tables by the same function (`insert_base`) and derives by the same SQL. It calls
neither `derive` nor `load`: these make a whole ledger in memory, and an ingest changes a part of one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from benchledger.archives.disk_file import open_file
from benchledger.archives.limits import Limits
from benchledger.definitions.log_format import LogFormat, all_formats_hash
from benchledger.definitions.names import Names, load_names
from benchledger.definitions.redaction import RedactionRules
from benchledger.errors import DatabaseError, DefinitionError
from benchledger.ingestion.accounts import Accounts, Pending
from benchledger.ingestion.base_tables import BASE_TABLES, BaseTables, DerivedTables, in_ledger, rows_table
from benchledger.ingestion.derive import derive as derive_near
from benchledger.ingestion.discover import FoundFile, NamedFolders, discover, named_folders
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.load import insert_arrow, insert_base, load_formats_table, segments_of, shape_rows, sql_text
from benchledger.ingestion.outcomes import Documents
from benchledger.ingestion.plan import Plan
from benchledger.ingestion.pool import Pool
from benchledger.ingestion.read import UnitReader
from benchledger.ingestion.reading import ArchiveSources, Part, Reading, Reporter
from benchledger.ingestion.record_frames import in_order
from benchledger.ingestion.roots import Roots, name_campaigns
from benchledger.ingestion.sightings import SightingMaker
from benchledger.ingestion.units import ReadFiles
from benchledger.kept import follow_definitions
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import load_redaction
from benchledger.scanning.samples import load_formats
from benchledger.store.copies import open_in_memory
from benchledger.store.database import open_for_writing
from benchledger.store.private_file import PrivateFile
from benchledger.store.sync import sync_definitions, synced_hash
from benchledger.store.tables import tables_of
from benchledger.store.writing import closing_written, transaction

if TYPE_CHECKING:
    import duckdb

LogId = int
_OF_THREAD = threading.local()
# Tables of definitions, of the ledger itself, and of what people stated about runs.
_NOT_DERIVED = {
    "kept.schema_version", "kept.format", "kept.rule", "kept.demanded_runs", "kept.known_word", "kept.setting_word",
    "published", "kept.synced_definitions",
    "kept.exclusion", "kept.accepted_change", "kept.run_alias",
}  # fmt: skip


@dataclass(frozen=True)
class Input:
    """A file to read: what it is, apart from how it is opened.

    `place` identifies it: nothing but `open` ever opens it. `shown` is its path below the folder that was named, `root`
    the place of what was named: that folder, or the file itself. `problem`: why it cannot be opened, if that is known.
    """

    place: str
    shown: str
    root: str
    size: int
    mtime_ns: int
    open: Callable[[], BinaryIO]
    problem: str | None = None


@dataclass(frozen=True)
class Definitions:
    """What reading and deriving need of `ingest/`. `others` is a hash of rules, vocabulary and published numbers.

    These others are read where they are used: both machines must have the same.
    """

    formats: dict[str, LogFormat]
    names: Names
    redaction: RedactionRules
    others: str

    def need_same(self) -> None:
        """Raises DefinitionError where this process has other rules or another vocabulary."""
        if self.others != synced_hash():
            raise DefinitionError(
                "queries/ and schema/vocabulary/ are not those of the process that gave these definitions: install the "
                "same benchledger, with the same --definitions"
            )


def load_definitions() -> Definitions:
    """The definitions of this process, proved by their samples. Raises DefinitionError with file and line."""
    return Definitions(load_formats(), load_names(), load_redaction(), synced_hash())


def inputs_of(*paths: Path | str) -> Iterator[Input]:
    """Every file below some paths or addresses. Raises UsageError for a path that does not exist."""
    failed: dict[str, Exception] = {}
    named = NamedFolders(named_folders(paths, failed))
    for file in discover(paths, set(), failed):
        root = named.outermost(os.path.dirname(file.place)) or file.place
        opens = file.open or partial(open_file, file.place)
        yield Input(file.place, file.shown, root, file.size, file.mtime_ns, opens, file.problem)


def read_unit(
    inputs: Iterable[Input],
    key: bytes,
    definitions: Definitions,
    now: datetime,
    *,
    campaign_name: str | None = None,
    documents: bool = False,
    limits: Limits | None = None,
) -> BaseTables:
    """Reads files, and the members of archives among them. `key` is that of the pseudonyms; the tables do not hold it.

    A facts.toml that speaks of a file must be among the inputs. `campaign_name`, `documents` and `limits` are as in
    `ingest`.
    """
    definitions.need_same()
    given = list(inputs)
    redactor = Redactor(definitions.redaction, key)
    name = redactor.optional(campaign_name)
    formats, names = definitions.formats, definitions.names
    plan = Plan(names, all_formats_hash(formats), False, name, redactor.path, documents=documents)
    facts = FactsFiles(on_disk=False)
    roots = Roots(key, redactor, plan, [one.root for one in given])
    sightings = SightingMaker(key, names, facts, name, redactor, roots, now)
    accounts = Accounts(plan, sightings, redactor, Documents(names.documents, formats))
    work = plan.sort_out([_found(one) for one in given])
    pool = Pool(partial(UnitReader, definitions.formats, redactor), jobs=1)
    reading = Reading(work, pool, Reporter(lambda _: None, work.sizes))
    # All is read before anything is accounted for: a facts.toml may come after the files for which it holds.
    declared = [facts.read(file) for file in work.facts]
    parts = list(reading.parts(ArchiveSources(plan, facts, limits or Limits())))
    roots.read = _members_of(parts)
    accounts.add([*work.unreadable, *declared], ReadFiles())
    for part in parts:
        accounts.add(part.files, part.found)
    return BaseTables.union([_base(accounts.take())])


def closure(base: BaseTables) -> list[set[LogId]]:
    """The logs in closed sets: all that is derived of a run follows from the logs of its set."""
    import duckdb

    with closing(duckdb.connect()) as con:
        for name in ("sighting", "sighting_file", "segment", "root", "log_fact"):
            con.register(name, base.tables[name])
        con.execute(sql_text("closure"))
        ties = con.execute("select log_id, hub from tie order by hub, log_id").fetchall()
    above: dict[LogId, LogId] = {log_id: log_id for log_id in base.tables["log"].column("log_id").to_pylist()}
    first: dict[str, LogId] = {}
    for log_id, hub in ties:
        one, other = _top(above, log_id), _top(above, first.setdefault(hub, log_id))
        above[max(one, other)] = min(one, other)
    sets: dict[LogId, set[LogId]] = {}
    for log_id in sorted(above):
        sets.setdefault(_top(above, log_id), set()).add(log_id)
    return list(sets.values())


def derive(base: BaseTables, definitions: Definitions) -> DerivedTables:
    """Runs, facts, cases, environments, kept numbers, series and cells, which follow from the base tables alone."""
    definitions.need_same()
    con = _in_memory(definitions)
    con.execute("begin")
    try:
        insert_base(con, base.tables, number=1)
        name_campaigns(con)
        derive_near(con, base.tables["log"].column("log_id").to_pylist(), [])
        return DerivedTables({name: con.execute(f"from {name}").to_arrow_table() for name in derived_tables(con)})
    finally:
        con.execute("rollback")


def derived_tables(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The names of all tables that `derive` makes, and `sighting`."""
    base_tables = {in_ledger(name) for name in BASE_TABLES}
    return sorted({str(table) for table in tables_of(con)} - base_tables - _NOT_DERIVED | {"sighting"})


def load(base: BaseTables, derived: DerivedTables, definitions: Definitions, db: Path | str, key: bytes) -> None:
    """Writes a new ledger, with its key file. Raises DatabaseError for a ledger with logs."""
    definitions.need_same()
    with closing_written(open_for_writing(db), db) as con, closing(PrivateFile(Path(db), key)), transaction(con, db):
        if con.execute("from log limit 1").fetchone() is not None:
            raise DatabaseError(f"{db}: holds logs already. Name a new ledger")
        sync_definitions(con)
        load_formats_table(con, definitions.formats)
        insert_base(con, {**base.tables, "sighting": derived.tables["sighting"]}, number=1)
        for name, rows in derived.tables.items():
            if name != "sighting":
                insert_arrow(con, name, rows)


def _in_memory(definitions: Definitions) -> duckdb.DuckDBPyConnection:
    """An empty ledger that knows the definitions. Each thread has one: to make it takes longer than a small unit."""
    con: duckdb.DuckDBPyConnection | None = getattr(_OF_THREAD, "con", None)
    if con is None:
        con = _OF_THREAD.con = open_in_memory()
    sync_definitions(con)
    load_formats_table(con, definitions.formats)
    follow_definitions(con)
    return con


def _found(one: Input) -> FoundFile:
    inside = one.place.endswith(f"{os.sep}{one.shown}")
    top = one.place[: -len(one.shown) - 1] if inside else os.path.dirname(one.place)
    return FoundFile(one.place, one.shown, top, one.size, one.mtime_ns, one.problem, open=one.open)


def _members_of(parts: list[Part]) -> dict[str, list[str]]:
    members: dict[str, list[str]] = {}
    for part in parts:
        for file in part.files:
            if file.within:
                members.setdefault(file.within, []).append(file.place)
    return members


def _base(pending: Pending) -> BaseTables:
    import pyarrow as pa

    sightings = list({sighting.sighting_id: sighting for sighting in pending.sightings}.values())
    roots = {one.root.root_id: one.root.name for one in sightings if one.row["root_id"] is not None}
    tables = {name: pa.concat_tables(some) for name, some in pending.tables.items()}
    if tables and tables["segment"].num_rows:
        records = [in_order(rows) for rows in pending.tables["record"] if len(rows)]
        tables["record"] = pa.concat_tables([rows for rows, _ in records]) if records else tables["record"]
        tables["segment"] = segments_of(tables, records, pending.layouts)
    rows = {
        "shape": shape_rows(pending.layouts),
        "root": [{"root_id": root_id, "name": name} for root_id, name in roots.items()],
        "sighting": [one.row for one in sightings],
        "sighting_fact": [fact for one in sightings for fact in one.facts],
        "sighting_file": [file for one in sightings for file in one.files or ()],
    }
    return BaseTables.made_of({**tables, **{name: rows_table(name, some) for name, some in rows.items()}})


def _top(above: dict[LogId, LogId], log_id: LogId) -> LogId:
    while above[log_id] != log_id:
        above[log_id] = above[above[log_id]]
        log_id = above[log_id]
    return log_id
