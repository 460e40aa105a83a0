"""Writes what was read, batch by batch: each batch in one transaction, runs derived in it."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.names import Names
from benchledger.errors import DatabaseError
from benchledger.ingestion.derive import derive
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.load import insert, load_formats_table, load_logs, load_shapes, remove_logs
from benchledger.ingestion.outcome import FileOutcome, IngestResult
from benchledger.ingestion.plan import Plan, Work
from benchledger.ingestion.read import Batch, WasRead
from benchledger.ingestion.sightings import Sighting, SightingMaker
from benchledger.scanning.layout import Layout
from benchledger.store.database import open_for_writing, sync_definitions
from benchledger.store.private import PrivateFile, SeenFile

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_WHOLE_STATUSES = ("loaded", "unrecognised", "empty")


class Writer:
    """Collects what was read; `flush` writes it, `finish` writes the rest and completes the result."""

    def __init__(
        self, db: Path, wait_s: float, formats: dict[str, LogFormat], names: Names, plan: Plan,
        key: bytes, campaign_name: str | None, result: IngestResult,
    ) -> None:  # fmt: skip
        self._db, self._wait_s, self._formats, self._plan, self._result = db, wait_s, formats, plan, result
        self._facts = FactsFiles()
        self._sightings = SightingMaker(key, names, self._facts, campaign_name)
        self._handled: dict[str, WasRead] = {}
        self._outcomes: dict[str, FileOutcome] = {}
        self._touched: set[int] = set()
        self.records = 0
        self._clear()

    def _clear(self) -> None:
        self._logs: dict[int, WasRead] = {}
        self._replaced: set[int] = set()
        self._tables: dict[str, list[pa.Table]] = {}
        self._layouts: dict[int, Layout] = {}
        self._new_sightings: list[Sighting] = []
        self._seen: list[SeenFile] = []
        self._grown: list[tuple[int, int, str]] = []
        self._batch_touched: set[int] = set()
        self.records = 0

    # --- what was read -----------------------------------------------------------------------------------------

    def add(self, files: list[FoundFile], batch: Batch) -> None:
        """Takes over one unit of work."""
        twice: set[int] = set()
        for file, was in zip(files, batch.files, strict=True):
            self._add_file(file, was, twice)
        for name, table in batch.tables.items():
            self._tables.setdefault(name, []).append(_without(table, twice))
        self.records += batch.tables["record"].num_rows
        self._layouts.update(batch.layouts)

    def _add_file(self, file: FoundFile, was: WasRead, twice: set[int]) -> None:
        if was.problem is not None:
            self._unreadable(file, was.problem)
            return
        self._result.bytes_read += was.bytes
        handled = self._handled.get(was.content_hash)
        if handled is not None:
            if was.status != "known":
                # Two processes read the same bytes at the same time.
                twice.add(was.log_id)
            self._see_copy(file, was, handled.status, handled.format, handled.evidence)
        elif was.status == "known":
            self._see_again(file, was)
        else:
            self._handled[was.content_hash] = was
            self._logs[was.log_id] = was
            if was.log_id in self._plan.logs:
                self._replaced.add(was.log_id)
            self._see(file, was)
        seen = self._plan.seen.get(file.place)
        if was.grew and seen is not None and seen.log_id is not None:
            self._grown.append((seen.log_id, was.log_id, file.place))

    def _see_again(self, file: FoundFile, was: WasRead) -> None:
        before = self._plan.seen.get(file.place)
        known = self._plan.by_hash[was.content_hash]
        if before is not None and before.log_id == was.log_id and before.status in (*_WHOLE_STATUSES, "duplicate"):
            # Only its time or a name rule has changed.
            self._remember(file, was.log_id, before.status, None if before.status == "loaded" else known.evidence)
            self._outcomes[file.place] = FileOutcome(file.shown, "unchanged", None, known.format, kept=known.status)
            self._batch_touched.add(was.log_id)
        else:
            self._see_copy(file, was, known.status, known.format, known.evidence)

    def _see_copy(self, file: FoundFile, was: WasRead, status: str, format_name: str | None, evidence: str) -> None:
        reason = "the same bytes were read before" + ("" if status == "loaded" else f": {evidence}")
        shown = "empty" if status == "empty" else "duplicate"
        self._remember(file, was.log_id, shown, reason)
        self._outcomes[file.place] = FileOutcome(file.shown, shown, reason, format_name, kept=status)
        self._batch_touched.add(was.log_id)

    def _see(self, file: FoundFile, was: WasRead) -> None:
        self._remember(file, was.log_id, was.status, was.evidence)
        self._outcomes[file.place] = FileOutcome(
            file.shown, was.status, was.evidence, was.format, was.pieces, was.records, was.ignored, was.rejects,
            None, was.first_rejects,
        )  # fmt: skip
        self._batch_touched.add(was.log_id)

    def _remember(self, file: FoundFile, log_id: int | None, status: str, reason: str | None) -> None:
        sighting = self._sightings.make(file, log_id, status, reason, self._plan.campaign_given(file.place))
        self._new_sightings.append(sighting)
        if file.mtime_ns or os.path.isabs(file.place):
            self._seen.append(
                SeenFile(
                    file.place, file.size, file.mtime_ns, sighting.sighting_id, log_id, self._plan.names_hash, status
                )
            )

    def _unreadable(self, file: FoundFile, problem: str) -> None:
        self._remember(file, None, "unreadable", problem)
        self._outcomes[file.place] = FileOutcome(file.shown, "unreadable", problem)

    # --- what is written ---------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Writes what was collected, in one transaction."""
        if not self._new_sightings:
            return
        with closing(PrivateFile(self._db)) as private:
            private.remember(self._seen)
        with closing(open_for_writing(self._db, self._wait_s)) as con:
            self._transaction(con)
        self._touched |= self._batch_touched
        self._clear()

    def _transaction(self, con: duckdb.DuckDBPyConnection) -> None:
        import duckdb

        con.execute("begin")
        try:
            self._write(con)
            con.execute("commit")
        except (
            duckdb.IOException,
            duckdb.OutOfMemoryException,
            duckdb.TransactionException,
            duckdb.FatalException,
        ) as error:
            raise DatabaseError(
                f"{self._db}: the ledger could not be written, and is as it was before: {error}. Free some disk space or "
                f"mend what it names, then ingest again"
            ) from error

    def _write(self, con: duckdb.DuckDBPyConnection) -> None:
        sync_definitions(con)
        load_formats_table(con, self._formats)
        self._drop_what_others_wrote(con)
        if self._replaced:
            remove_logs(con, sorted(self._replaced))
            self._restate_sightings(con)
        load_shapes(con, self._layouts)
        if self._tables:
            import pyarrow as pa

            load_logs(con, {name: pa.concat_tables(tables) for name, tables in self._tables.items()})
        write_sightings(con, self._new_sightings)
        for old, _, place in self._grown:
            con.execute(
                "update sighting set status = 'superseded', reason = 'it has grown' where sighting_id = ?",
                [self._sightings.id_of(place, old)],
            )
        touched = self._batch_touched | {old for old, _, _ in self._grown}
        derive(con, sorted(touched), [(old, new) for old, new, _ in self._grown])

    def _drop_what_others_wrote(self, con: duckdb.DuckDBPyConnection) -> None:
        # Another ingest may have loaded the same bytes while this one was reading.
        ids = [log_id for log_id in self._logs if log_id not in self._replaced]
        there = con.execute("select log_id from log where log_id in (select unnest(?::bigint[]))", [ids]).fetchall()
        taken = {row[0] for row in there}
        self._tables = {name: [_without(table, taken) for table in tables] for name, tables in self._tables.items()}
        for log_id in taken:
            del self._logs[log_id]

    def _restate_sightings(self, con: duckdb.DuckDBPyConnection) -> None:
        # What was unrecognised may be loaded now, at every place where it was seen first.
        rows = [(log.status, log.evidence, log_id) for log_id, log in self._logs.items() if log_id in self._replaced]
        con.execute("create or replace temp table restated (status varchar, reason varchar, log_id bigint)")
        con.executemany("insert into restated values (?, ?, ?)", rows)
        con.execute(
            """update sighting set status = restated.status, reason = restated.reason from restated
               where sighting.log_id = restated.log_id and sighting.status in ('loaded', 'unrecognised', 'empty')"""
        )
        # A sighting of this very place keeps the part that it had.
        part = dict(
            con.execute(
                "select sighting_id, status from sighting where log_id in (select log_id from restated)"
            ).fetchall()
        )
        for sighting in self._new_sightings:
            if sighting.sighting_id in part and sighting.row["status"] in ("loaded", "unrecognised"):
                sighting.row["status"] = part[sighting.sighting_id]

    # --- the rest ----------------------------------------------------------------------------------------------

    def finish(self, work: Work) -> None:
        """Writes what is left, takes up changed facts.toml files, and completes the result in the order of the files."""
        for file in work.unreadable:
            self._unreadable(file, file.problem or "cannot be read")
        retold = self._take_up_facts(work)
        self.flush()
        for file in work.unchanged:
            seen = self._plan.seen[file.place]
            log = self._plan.logs.get(seen.log_id) if seen.log_id is not None else None
            self._outcomes[file.place] = FileOutcome(
                file.shown, "unchanged", None, log.format if log else None, kept=log.status if log else seen.status
            )
            if seen.log_id is not None:
                self._touched.add(seen.log_id)
        with closing(open_for_writing(self._db, self._wait_s)) as con:
            if retold:
                self._retell(con, retold)
            self._complete(con)
        self._result.outcomes = [self._outcomes[file.place] for file in work.order if file.place in self._outcomes]

    def _take_up_facts(self, work: Work) -> list[SeenFile]:
        changed: list[str] = []
        for file in work.facts:
            self._facts.bodies(os.path.dirname(file.place))
            problem = self._facts.problems.get(file.place)
            is_new = self._plan.facts_changed(file)
            if is_new:
                changed.append(os.path.dirname(file.place))
            if problem is not None:
                self._unreadable(file, problem)
            elif is_new:
                self._remember(file, None, "facts", None)
                self._outcomes[file.place] = FileOutcome(file.shown, "facts")
            else:
                self._outcomes[file.place] = FileOutcome(file.shown, "unchanged", kept="facts")
        gone = self._plan.facts_gone(work.order)
        changed += [os.path.dirname(seen.place) for seen in gone]
        if gone:
            with closing(PrivateFile(self._db)) as private:
                private.forget(seen.place for seen in gone)
        # Logs that were read before lie below, too: what is declared for them has changed.
        just_read = {seen.place for seen in self._seen}
        below = {
            seen.place: seen for folder in changed for seen in self._plan.seen_below(folder) if seen.log_id is not None
        }
        return [seen for place, seen in sorted(below.items()) if place not in just_read]

    def _retell(self, con: duckdb.DuckDBPyConnection, files: list[SeenFile]) -> None:
        con.execute("begin")
        sightings, touched = [], []
        for seen in files:
            row = con.execute(
                "select status, reason, ingested_at, modified_at from sighting where sighting_id = ?",
                [seen.sighting_id],
            ).fetchone()
            if row is not None and seen.log_id is not None:
                sighting = self._sightings.make(
                    self._plan.found_again(seen), seen.log_id, row[0], row[1], self._plan.campaign_given(seen.place)
                )
                sightings.append(replace(sighting, row={**sighting.row, "ingested_at": row[2], "modified_at": row[3]}))
                touched.append(seen.log_id)
        write_sightings(con, sightings)
        derive(con, touched, [])
        con.execute("commit")
        self._touched |= set(touched)

    def _complete(self, con: duckdb.DuckDBPyConnection) -> None:
        # Also where nothing was to be written: a new rule is one over the logs that are there.
        con.execute("begin")
        sync_definitions(con)
        load_formats_table(con, self._formats)
        con.execute("commit")
        self._result.runs = _count(
            con,
            "select count(distinct run_id) from run_log where log_id in (select unnest(?::bigint[]))",
            [sorted(self._touched)],
        )
        self._result.unpaired = _count(
            con,
            """select count(distinct l.log_id) from log as l join format as f using (format)
               join sighting as s on s.log_id = l.log_id and s.status in ('loaded', 'duplicate')
               where f.role in ('telemetry', 'profile', 'sidecar') and l.log_id not in (select log_id from run_log)""",
            [],
        )
        current = {f.name: f.definitions_hash for f in self._formats.values()}
        hashes = con.execute("select format, definitions_hash, count(*) from log group by all").fetchall()
        self._result.stale = sum(n for name, digest, n in hashes if digest != current.get(name, self._plan.unread_hash))


def write_sightings(con: duckdb.DuckDBPyConnection, sightings: list[Sighting]) -> None:
    """Inserts sightings with what they tell, in place of what the same sightings told before."""
    if not sightings:
        return
    rows = list({sighting.sighting_id: sighting for sighting in sightings}.values())
    ids = [sighting.sighting_id for sighting in rows]
    for table in ("sighting_fact", "sighting"):
        con.execute(f"delete from {table} where sighting_id in (select unnest(?::bigint[]))", [ids])  # noqa: S608
    insert(con, "sighting", [sighting.row for sighting in rows])
    insert(con, "sighting_fact", [fact for sighting in rows for fact in sighting.facts])


def _count(con: duckdb.DuckDBPyConnection, statement: str, parameters: list[object]) -> int:
    row = con.execute(statement, parameters).fetchone()
    return int(row[0]) if row else 0


def _without(table: pa.Table, log_ids: set[int]) -> pa.Table:
    if not log_ids:
        return table
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.invert(pc.is_in(table.column("log_id"), value_set=pa.array(sorted(log_ids), pa.int64()))))
