"""Writes what was read: each batch in one transaction, with the runs that are derived from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.definitions.log_format import LogFormat
from benchledger.errors import DatabaseError
from benchledger.ingestion.accounts import Pending
from benchledger.ingestion.derive import derive
from benchledger.ingestion.load import (
    insert,
    load_formats_table,
    load_logs,
    load_shapes,
    remove_logs,
    set_ids,
)
from benchledger.ingestion.outcome import IngestResult
from benchledger.ingestion.plan import Plan
from benchledger.ingestion.sightings import Sighting, SightingMaker
from benchledger.ingestion.waiting import WaitingRecords
from benchledger.store.database import (
    LITTLE_MEMORY,
    WRITING_MEMORY,
    lift_memory_limit,
    limit_memory,
    open_for_writing,
    shared_out,
    transaction,
)
from benchledger.store.private import PrivateFile, SeenFile
from benchledger.store.rollups import follow_definitions
from benchledger.store.sync import sync_definitions

if TYPE_CHECKING:
    import duckdb

# Two threads insert what is left of long logs whose records take no more bytes than so on the disk, some ten values: of
# longer ones they would hold much more memory, since each has a row group in hand.
SHARED_BYTES = 128
# What is told of a place again keeps these.
_AS_SEEN = ("ingested_at", "modified_at", "archive", "member")


class Writer:
    """Holds the database only while it writes."""

    def __init__(self, db: Path, wait_s: float, formats: dict[str, LogFormat], plan: Plan, jobs: int) -> None:
        self._db, self._wait_s, self._formats, self._plan = db, wait_s, formats, plan
        # Of so many cores half: others read meanwhile, and a thread of DuckDB's that waits for another keeps one busy.
        self._jobs, self._threads = jobs, max(1, jobs // 2)
        self._touched: set[int] = set()
        self._synced = False
        # Held for several steps in a row: to close it and to open it again would take longer than most of them.
        self.con: duckdb.DuckDBPyConnection | None = None
        self._in_use: duckdb.DuckDBPyConnection | None = None

    @contextmanager
    def _open(self, records: int = 0) -> Iterator[duckdb.DuckDBPyConnection]:
        opened = nullcontext(self.con) if self.con is not None else closing(self._opened(records))
        with opened as con:
            self._in_use = con
            try:
                yield con
            finally:
                self._in_use = None

    def _opened(self, records: int | None) -> duckdb.DuckDBPyConnection:
        return open_for_writing(self._db, self._wait_s, records=records)

    def interrupt(self) -> None:
        """Ends what another thread is writing now, if it is with the database: nothing of it is kept."""
        if (con := self._in_use) is not None:
            con.interrupt()

    def prepare(self) -> None:
        """Holds the ledger with the definitions of today, so that the first batch need not write them."""
        self.hold()
        with self._open() as con, transaction(con, self._db):
            self._sync(con)

    def hold(self, records: int | None = None) -> None:
        """Opens the ledger, for so many records if that is known, and keeps it open."""
        if self.con is None:
            self.con = self._opened(records)

    def let_go(self) -> None:
        """Closes the ledger, if it is open."""
        if self.con is not None:
            self.con.close()
            self.con = None

    def write(self, pending: Pending) -> None:
        """Writes a batch. Raises DatabaseError if it cannot be written; the ledger is then as it was before."""
        if not pending.sightings:
            return
        synced = self._synced
        with self._open(pending.records) as con:
            limit_memory(con, LITTLE_MEMORY if pending.waiting else WRITING_MEMORY, self._threads)
            try:
                with transaction(con, self._db):
                    self._write(con, pending, shares=self._jobs > 1 and _are_short(pending.waiting))
            except DatabaseError as error:
                if type(error.__cause__).__name__ != "OutOfMemoryException":
                    raise
                # What can be done in little memory is only known when it is done.
                con.rollback()
                lift_memory_limit(con)
                self._synced = synced
                with transaction(con, self._db):
                    self._write(con, pending, shares=False)
        # Only now: a file that was remembered but not loaded would lose its growth, or a changed facts.toml.
        with closing(PrivateFile(self._db)) as private:
            private.remember(pending.seen)
        self._touched |= pending.touched

    def retell(self, files: list[SeenFile], sightings: SightingMaker) -> int:
        """Takes what is said of places from their names and facts.toml again; returns how many runs it derived anew."""
        with self._open() as con, transaction(con, self._db):
            set_ids(con, "retold", [seen.sighting_id for seen in files])
            there = {
                row[0]: row[1:]
                for row in con.execute(
                    """select sighting_id, status, reason, ingested_at, modified_at, archive, member from sighting
                       where sighting_id in (select id from retold)"""
                ).fetchall()
            }
            told, touched = [], []
            for seen in files:
                row = there.get(seen.sighting_id)
                if row is not None and seen.log_id is not None:
                    file, given = self._plan.found_again(seen), self._plan.campaign_given(seen.place)
                    new = sightings.make(file, seen.log_id, row[0], row[1], given)
                    told.append(replace(new, row={**new.row, **dict(zip(_AS_SEEN, row[2:], strict=True))}))
                    touched.append(seen.log_id)
            _write_sightings(con, told)
            derive(con, touched, [])
            self._touched |= set(touched)
            set_ids(con, "retold", touched)
            return _count(con, "select count(distinct run_id) from run_log where log_id in (select id from retold)")

    def complete(self, result: IngestResult, unchanged: set[int]) -> None:
        """Counts what the ledger holds of this ingest's logs."""
        with self._open() as con:
            # Also where nothing was to be written: a new rule is one over the logs that are there.
            with transaction(con, self._db):
                self._sync(con)
            result.runs = self._runs_of(con, unchanged)
            result.unpaired = _count(
                con,
                """select count(distinct l.log_id) from log as l join format as f using (format)
                   join sighting as s on s.log_id = l.log_id and s.status in ('loaded', 'duplicate')
                   where f.role in ('telemetry', 'profile', 'sidecar') and l.records > 0
                       and l.log_id not in (select log_id from run_log)""",
            )
            current = {known.name: known.definitions_hash for known in self._formats.values()}
            hashes = con.execute("select format, definitions_hash, count(*) from log group by all").fetchall()
            result.stale = sum(
                count
                for name, digest, count in hashes
                if name not in self._plan.foreign and digest != current.get(name, self._plan.unread_hash)
            )

    def _runs_of(self, con: duckdb.DuckDBPyConnection, unchanged: set[int]) -> int:
        # Where nothing was written, what was not seen may be less than what was: often it is nothing.
        others = self._plan.logs.keys() - unchanged
        if not self._touched and len(others) < len(unchanged):
            set_ids(con, "other_log", others)
            seen = "not in (select id from other_log)"
        else:
            set_ids(con, "seen_log", self._touched | unchanged)
            seen = "in (select id from seen_log)"
        return _count(con, f"select count(distinct run_id) from run_log where log_id {seen}")  # noqa: S608 - our own

    def _sync(self, con: duckdb.DuckDBPyConnection) -> None:
        # Once an ingest, within whatever it writes first.
        if not self._synced:
            sync_definitions(con)
            load_formats_table(con, self._formats)
            follow_definitions(con)
            self._synced = True

    def _write(self, con: duckdb.DuckDBPyConnection, pending: Pending, *, shares: bool) -> None:
        self._sync(con)
        set_ids(con, "new_log", pending.logs.keys() - pending.replaced)
        there = con.execute("select log_id from log where log_id in (select id from new_log)").fetchall()
        pending.leave_out({row[0] for row in there})
        if pending.replaced:
            remove_logs(con, sorted(pending.replaced))
            _restate_sightings(con, pending)
        load_shapes(con, pending.layouts)
        arrived = None
        if pending.tables:
            import pyarrow as pa

            tables = {name: pa.concat_tables(parts) for name, parts in pending.tables.items() if name != "record"}
            arrived = load_logs(con, tables, pending.tables["record"], pending.waiting, pending.layouts)
        _write_sightings(con, pending.sightings)
        set_ids(con, "grown", [sighting_id for _, _, sighting_id in pending.grown])
        con.execute(
            """update sighting set status = 'superseded', reason = 'it has grown, or was changed'
               where sighting_id in (select id from grown)"""
        )
        touched = pending.touched | {old for old, _, _ in pending.grown}
        derive(con, sorted(touched), [(old, new) for old, new, _ in pending.grown], arrived)
        if arrived is not None and shares:
            # Nothing else is left to do beside it, and of long logs it takes long.
            with shared_out(con, max(2, self._threads)):
                arrived.insert_rest(shared_out=True)
        elif arrived is not None:
            arrived.insert_rest()


def _are_short(waiting: list[WaitingRecords]) -> bool:
    rows = sum(records.rows for records in waiting)
    return rows > 0 and sum(records.bytes for records in waiting) <= rows * SHARED_BYTES


def _restate_sightings(con: duckdb.DuckDBPyConnection, pending: Pending) -> None:
    # What was unrecognised may be loaded now, at every place where it was seen first.
    logs = [pending.logs[log_id] for log_id in pending.replaced]
    con.execute("create or replace temp table restated (status varchar, reason varchar, log_id bigint)")
    insert(con, "restated", [{"status": log.status, "reason": log.evidence, "log_id": log.log_id} for log in logs])
    con.execute(
        """update sighting set status = restated.status, reason = restated.reason from restated
           where sighting.log_id = restated.log_id and sighting.status in ('loaded', 'unrecognised', 'empty')"""
    )
    # A sighting of this very place keeps the part that it had.
    part: dict[int, str] = dict(
        con.execute("select sighting_id, status from sighting where log_id in (select log_id from restated)").fetchall()
    )
    for sighting in pending.sightings:
        if sighting.sighting_id in part and sighting.row["status"] in ("loaded", "unrecognised"):
            sighting.row["status"] = part[sighting.sighting_id]


def _write_sightings(con: duckdb.DuckDBPyConnection, sightings: list[Sighting]) -> None:
    if not sightings:
        return
    # In place of what the same sightings told before.
    rows = list({sighting.sighting_id: sighting for sighting in sightings}.values())
    _keep_declared(con, [sighting for sighting in rows if sighting.keeps_declared])
    set_ids(con, "told", [sighting.sighting_id for sighting in rows])
    for table in ("sighting_fact", "sighting"):
        con.execute(f"delete from {table} where sighting_id in (select id from told)")  # noqa: S608
    insert(con, "sighting", [sighting.row for sighting in rows])
    insert(con, "sighting_fact", [fact for sighting in rows for fact in sighting.facts])
    # What a manifest lists is known only when it is read; what is told of its place again leaves that as it is.
    listing = [sighting for sighting in rows if sighting.files is not None]
    set_ids(con, "listing", [sighting.sighting_id for sighting in listing])
    con.execute("delete from sighting_file where sighting_id in (select id from listing)")
    insert(con, "sighting_file", [file for sighting in listing for file in sighting.files or ()])


def _keep_declared(con: duckdb.DuckDBPyConnection, sightings: list[Sighting]) -> None:
    # What a facts.toml said of these places before it was refused; what a nearer one says now counts before it.
    set_ids(con, "kept", [sighting.sighting_id for sighting in sightings])
    campaigns = dict(
        con.execute(
            """select sighting_id, campaign from sighting
               where campaign_source = 'facts.toml' and sighting_id in (select id from kept)"""
        ).fetchall()
    )
    before = con.execute(
        """select sighting_id, name, value, value_logged, source, place from sighting_fact
           where source in ('facts.toml', 'correct') and sighting_id in (select id from kept)"""
    )
    columns = [column[0] for column in before.description]
    facts: dict[int, list[dict[str, Any]]] = {}
    for row in before.fetchall():
        facts.setdefault(row[0], []).append(dict(zip(columns, row, strict=True)))
    for sighting in sightings:
        told = {(fact["name"], fact["source"]) for fact in sighting.facts}
        kept = facts.get(sighting.sighting_id, [])
        sighting.facts += [fact for fact in kept if (fact["name"], fact["source"]) not in told]
        if sighting.sighting_id in campaigns and sighting.row["campaign_source"] not in ("option", "facts.toml"):
            sighting.row.update(campaign=campaigns[sighting.sighting_id], campaign_source="facts.toml")


def _count(con: duckdb.DuckDBPyConnection, statement: str) -> int:
    row = con.execute(statement).fetchone()
    return int(row[0]) if row else 0
