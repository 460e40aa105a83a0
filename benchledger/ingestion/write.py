"""Writes each batch in one transaction, with the runs that are derived from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from benchledger.definitions.log_format import LogFormat
from benchledger.errors import DatabaseError
from benchledger.ingestion.accounts import Pending
from benchledger.ingestion.derive import derive
from benchledger.ingestion.keep_logs import store_contents
from benchledger.ingestion.load import insert, load_formats_table, load_logs, load_shapes, remove_logs, set_ids
from benchledger.ingestion.outcomes import DOCUMENT, SUPERSEDED, Documents, copy_of
from benchledger.ingestion.plan import AS_LOG, Plan
from benchledger.ingestion.record_frames import BrokenKeyError
from benchledger.ingestion.roots import Roots, drop_empty_roots, move_others, name_campaigns
from benchledger.ingestion.same_ledger import SameLedger
from benchledger.ingestion.sightings import Sighting, SightingMaker, write_sightings
from benchledger.ingestion.transfer import SpilledRecords
from benchledger.kept import follow_definitions
from benchledger.store.memory import LONG_LOG_MEMORY, WRITING_MEMORY, lift_memory_limit, set_for_writing
from benchledger.store.private_file import PrivateFile, SeenFile
from benchledger.store.sync import sync_definitions
from benchledger.store.writing import closing_written, transaction

if TYPE_CHECKING:
    import duckdb

# Two threads insert the rest of long logs whose records have no more bytes than this on the disk, some ten values: with
# longer records they need much more memory, since each thread holds a row group.
SHARED_BYTES = 128
# A sighting that is written again keeps these.
_AS_SEEN = ("ingested_at", "modified_at", "member")


class Writer:
    """Writes batches into the ledger, which is open only meanwhile."""

    def __init__(
        self, db: Path, wait_s: float, formats: dict[str, LogFormat], plan: Plan, roots: Roots, jobs: int,
        documents: Documents,
    ) -> None:  # fmt: skip
        self._db, self.wait_s, self._formats, self._plan = db, wait_s, formats, plan
        self._documents = documents
        self._roots, self._knows_roots = roots, False  # whether the roots are in the private file
        # Half of the cores: other processes read meanwhile, and a waiting thread of DuckDB keeps its core busy.
        self._jobs, self._threads = jobs, max(1, jobs // 2)
        self._touched: set[int] = set()
        self._ledger = SameLedger(db)
        self._synced = False
        # Open for several steps in a row: to close and open it again would take longer than most of them.
        self.con: duckdb.DuckDBPyConnection | None = None
        self._in_use: duckdb.DuckDBPyConnection | None = None
        # An interrupt of a connection that is being closed crashes the interpreter.
        self._interrupting = Lock()

    @contextmanager
    def _open(self, records: int = 0) -> Iterator[duckdb.DuckDBPyConnection]:
        opened = nullcontext(self.con) if self.con is not None else closing_written(self._opened(records), self._db)
        with opened as con:
            self._in_use = con
            try:
                yield con
                self._ledger.check()  # before the private files tell of what was written
            finally:
                with self._interrupting:
                    self._in_use = None

    def _opened(self, records: int | None) -> duckdb.DuckDBPyConnection:
        return self._ledger.open(self.wait_s, records, self._touched or self._plan.logs.keys())

    def interrupt(self) -> None:
        with self._interrupting:
            if self._in_use is not None:
                self._in_use.interrupt()

    def prepare(self) -> None:
        """Opens the ledger and writes the definitions of today, so that the first batch need not."""
        self.open()
        with self._open() as con, transaction(con, self._db):
            self._sync(con)

    def open(self, records: int | None = None) -> None:
        """Opens the ledger, for so many records if that is known, and keeps it open."""
        if self.con is None:
            self.con = self._opened(records)

    def close(self) -> None:
        """Closes the ledger, if it is open. Raises DatabaseError if what was written cannot be completed."""
        if self.con is not None:
            con, self.con = self.con, None
            with closing_written(con, self._db):
                self._ledger.check()

    def abandon(self) -> None:
        if self.con is not None:
            self.con.close()
            self.con = None

    def write(self, pending: Pending) -> None:
        """Writes a batch. Raises DatabaseError if it cannot be written; the ledger is then as it was before."""
        if not pending.sightings:
            return
        import duckdb

        synced = self._synced
        with self._open(pending.records) as con:
            set_for_writing(con, LONG_LOG_MEMORY if pending.spilled else WRITING_MEMORY, self._threads)
            try:
                with transaction(con, self._db):
                    self._write(con, pending, shares=self._jobs > 1 and _are_short(pending.spilled))
            except BrokenKeyError as error:
                raise _named(error, pending) from error
            except DatabaseError as error:
                if not isinstance(error.__cause__, duckdb.OutOfMemoryException):
                    raise
                # Only the attempt shows whether the memory is enough.
                con.rollback()
                lift_memory_limit(con)
                self._synced = synced
                with transaction(con, self._db):
                    self._write(con, pending, shares=False)
        # Only now: a file that was remembered and not loaded would lose its growth, or a changed facts.toml.
        with closing(PrivateFile(self._db)) as private:
            private.remember(pending.seen)
            private.remember_names(pending.real_names)
            self._remember_roots(private)
        self._touched |= pending.touched

    def write_again(self, files: list[SeenFile], sightings: SightingMaker) -> int:
        """Writes sightings again by the names and facts.toml of today; returns how many runs were derived again."""
        if not files:
            return 0
        with closing(PrivateFile(self._db)) as private:
            self._remember_roots(private)
        with self._open() as con, transaction(con, self._db):
            again = sightings_again(con, files, self._plan, sightings)
            touched = [one.row["log_id"] for one in again]
            write_sightings(con, again)
            touched += [*move_others(con), *name_campaigns(con)]
            drop_empty_roots(con)
            derive(con, touched, [])
            self._touched |= set(touched)
            set_ids(con, "again", touched)
            return _count(con, "select count(distinct run_id) from run_log where log_id in (select id from again)")

    def finish(self, unchanged: set[int]) -> tuple[int, int, int]:
        """Ends an ingest. Returns how many runs its logs have, how many monitors no run has, and stale logs."""
        if self._roots.moved:
            with closing(PrivateFile(self._db)) as private:
                private.remember_roots(self._roots.new, is_settled=True)
        with self._open() as con:
            # Also where nothing was written: a new rule gives numbers for the logs that are there.
            with transaction(con, self._db):
                self._sync(con)
                if not self._touched:
                    follow_definitions(con)
            runs = self._runs_of(con, unchanged)
            unpaired = _count(
                con,
                """select count(distinct l.log_id) from log as l join kept.format as f using (format)
                   join sighting as s on s.log_id = l.log_id and s.status in ('loaded', 'duplicate')
                   where f.role in ('telemetry', 'profile', 'tracker', 'sidecar') and l.records > 0
                       and l.log_id not in (select log_id from run_log)""",
            )
            current = {known.name: known.definitions_hash for known in self._formats.values()}
            hashes = con.execute("select format, definitions_hash, count(*) from log group by all").fetchall()
            stale = sum(
                count
                for name, digest, count in hashes
                if name not in self._plan.foreign and digest != current.get(name, self._plan.unread_hash)
            )
            return runs, unpaired, stale

    def _remember_roots(self, private: PrivateFile) -> None:
        # They are settled when every sighting below them is written again; else the next ingest does that.
        if self._roots.new and not self._knows_roots:
            private.remember_roots(self._roots.new, is_settled=not self._roots.moved)
        self._knows_roots = True

    def _runs_of(self, con: duckdb.DuckDBPyConnection, unchanged: set[int]) -> int:
        # Where nothing was written, fewer logs may be unseen than seen: often none.
        others = self._plan.logs.keys() - unchanged
        if self._plan.is_whole and not self._touched and len(others) < len(unchanged):
            set_ids(con, "other_log", others)
            seen = "not in (select id from other_log)"
        else:
            set_ids(con, "seen_log", self._touched | unchanged)
            seen = "in (select id from seen_log)"
        return _count(con, f"select count(distinct run_id) from run_log where log_id {seen}")  # noqa: S608 - our own

    def _sync(self, con: duckdb.DuckDBPyConnection) -> None:
        # Once per ingest, in its first transaction.
        if not self._synced:
            sync_definitions(con)
            load_formats_table(con, self._formats)
            self._synced = True

    def _write(self, con: duckdb.DuckDBPyConnection, pending: Pending, *, shares: bool) -> None:
        self._sync(con)
        set_ids(con, "new_log", pending.logs.keys() - pending.replaced)
        there = con.execute("select log_id from log where log_id in (select id from new_log)").fetchall()
        pending.leave_out({row[0] for row in there})
        if pending.replaced:
            remove_logs(con, sorted(pending.replaced))
            _restate_sightings(con, pending, self._db, self._documents)
        load_shapes(con, pending.layouts)
        insert_records = None
        if pending.tables:
            import pyarrow as pa

            tables = {name: pa.concat_tables(parts) for name, parts in pending.tables.items() if name != "record"}
            insert_records = load_logs(con, tables, pending.tables["record"], pending.spilled, pending.layouts)
            insert_records.threads = max(2, self._threads) if shares else 1
        write_sightings(con, pending.sightings)
        set_ids(con, "grown", [sighting_id for _, _, sighting_id in pending.grown])
        con.execute(
            """update sighting set status = 'superseded', reason = $reason
               where sighting_id in (select id from grown)""",
            {"reason": SUPERSEDED},
        )
        touched = pending.touched | {old for old, _, _ in pending.grown} | set(name_campaigns(con))
        derive(con, sorted(touched), [(old, new) for old, new, _ in pending.grown], insert_records)
        store_contents(con, self._db, pending.kept)


def sightings_again(
    con: duckdb.DuckDBPyConnection, files: list[SeenFile], plan: Plan, sightings: SightingMaker
) -> list[Sighting]:
    """The sightings of logs that were seen before, as they are told now."""
    set_ids(con, "again", [seen.sighting_id for seen in files])
    there = {
        row[0]: row[1:]
        for row in con.execute(
            """select sighting_id, status, reason, archive, ingested_at, modified_at, member from sighting
               where sighting_id in (select id from again)"""
        ).fetchall()
    }
    again = []
    for seen in files:
        row = there.get(seen.sighting_id)
        if row is not None and seen.log_id is not None:
            file = replace(plan.found_again(seen), archive=row[2])
            new = sightings.make(file, seen.log_id, row[0], row[1], plan.campaign_given(seen.place))
            again.append(replace(new, row={**new.row, **dict(zip(_AS_SEEN, row[3:], strict=True))}))
    return again


def _named(error: BrokenKeyError, pending: Pending) -> DatabaseError:
    paths = [str(sighting.row["path"]) for sighting in pending.sightings if sighting.row["log_id"] == error.log_id]
    return DatabaseError(
        f"{', '.join(paths[:3])}: what was read of it cannot be written: {error.why}. This is a fault of benchledger, "
        f"and nothing that was read with it is kept: leave that file out, and report this"
    )


def _are_short(spilled: list[SpilledRecords]) -> bool:
    rows = sum(records.rows for records in spilled)
    return rows > 0 and sum(records.bytes for records in spilled) <= rows * SHARED_BYTES


def _restate_sightings(con: duckdb.DuckDBPyConnection, pending: Pending, db: Path, documents: Documents) -> None:
    # An unrecognised content may be loaded now, or be a document, at every place where it was seen first.
    set_ids(con, "restated_log", pending.replaced)
    rows = con.execute(
        "select sighting_id, log_id, path, status from sighting where log_id in (select id from restated_log)"
    ).fetchall()
    told = {sighting.sighting_id: sighting for sighting in pending.sightings}
    with closing(PrivateFile(db)) as private:
        as_log = {seen.sighting_id for seen in private.seen().values() if seen.status == AS_LOG}
    again = []
    for sighting_id, log_id, path, status in rows:
        log = pending.logs[log_id]
        if sighting_id in told:
            # A sighting of the same place keeps its status.
            if status in ("duplicate", "superseded") and told[sighting_id].row["status"] in ("loaded", "unrecognised"):
                told[sighting_id].row["status"] = status
        elif status != "superseded":
            new, reason = (log.status, log.evidence)
            if status in ("duplicate", DOCUMENT):
                new, reason = copy_of(log.status, log.evidence)
            why = None if sighting_id in as_log else documents.why(path, log.document, log.format, log.evidence)
            again.append({"sighting_id": sighting_id, "status": DOCUMENT if why else new, "reason": why or reason})
    con.execute("create or replace temp table restated (sighting_id bigint, status varchar, reason varchar)")
    insert(con, "restated", again)
    con.execute(
        """update sighting set status = restated.status, reason = restated.reason from restated
           where sighting.sighting_id = restated.sighting_id"""
    )


def _count(con: duckdb.DuckDBPyConnection, statement: str) -> int:
    row = con.execute(statement).fetchone()
    return int(row[0]) if row else 0
