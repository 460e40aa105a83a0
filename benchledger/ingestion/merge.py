"""`bench merge`: several ledgers as one, with the tables that one ingest of all their logs makes."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.log_format import all_formats_hash
from benchledger.definitions.names import load_names
from benchledger.definitions.regular_file import need_regular_ledger
from benchledger.errors import DatabaseError, UsageError
from benchledger.ingestion.base_tables import BASE_TABLES, in_ledger
from benchledger.ingestion.derive import derive
from benchledger.ingestion.load import insert, load_formats_table, remove_logs, set_ids, sql_text
from benchledger.ingestion.merge_private import merge_private, moved_sightings
from benchledger.ingestion.outcomes import SUPERSEDED, copy_of, status_of
from benchledger.ingestion.roots import drop_empty_roots, move_others, name_campaigns
from benchledger.ingestion.sightings import write_sightings
from benchledger.kept import follow_definitions, keep
from benchledger.scanning.samples import load_formats
from benchledger.store.confined import keep_to_the_ledger
from benchledger.store.copies import copy_to, need_no_ledger, new_ledger
from benchledger.store.database import open_for_reading, open_for_writing
from benchledger.store.facade import refuse_facade
from benchledger.store.key_file import key_path
from benchledger.store.lock_wait import held_error, holder_in
from benchledger.store.log_contents import merge_contents
from benchledger.store.private_file import PrivateFile, key_of, private_path
from benchledger.store.scratch import work_folder
from benchledger.store.sync import sync_definitions
from benchledger.store.tables import quoted_text
from benchledger.store.writing import transaction

if TYPE_CHECKING:
    import duckdb

# What a merge reads of another ledger.
_READ = (
    *map(in_ledger, BASE_TABLES),
    "run", "run_log", "kept.run_alias", "kept.exclusion", "kept.accepted_change", "kept.format",
)  # fmt: skip
_OF_LOGS = ("reject", "ignored_piece", "unread", "log_fact", "segment")
_OF_SIGHTINGS = ("sighting", "sighting_fact", "sighting_file")
_EXCLUDED = "select run_id from excluded_before union select run_id from kept.excluded_run"
# Pieces of a log before its last line, which may have been cut off, and how many of them another log has at the same
# place: a log that has grown has all of them.
_SAME_BEGINNING = """
with piece as (
    select log_id, line, byte_offset, hash(shape_id, step, epoch, logged_at, "values", texts) as print from kept.record
    union all
    select log_id, line, byte_offset, hash(text) as print from reject
),
old as (
    select piece.* exclude (log_id) from piece join log using (log_id) where log_id = $old and line < lines
)
select count(*) = 0 and $is_unread or count(*) > 0 and count(*) = count(*) filter (new.line is not null)
from old
left join (from piece where log_id = $new) as new using (line, byte_offset, print)
"""


@dataclass(frozen=True)
class Merged:
    """What a merge made: the ledger, what it holds, and what of it was in several ledgers.

    `superseded`: logs that another ledger read when they had grown. `stale` logs were read with older definitions.
    `without_private`: ledgers of which no real path is known, so that every file of theirs is new to an ingest.
    """

    path: str
    logs: int
    runs: int
    shared_logs: int
    superseded: int
    stale: int
    without_private: tuple[str, ...]


def merge(*ledgers: Path | str, into: Path | str, wait_s: float = 30.0) -> Merged:
    """Writes a new ledger with all that some ledgers hold: logs, places, exclusions, former keys and private files.

    What logs of several ledgers have to do with each other is derived again. The ledgers stay as they are. Raises
    UsageError for ledgers with different keys, or a file `into` that exists, and DatabaseError for one that cannot be
    used.
    """
    sources = list(dict.fromkeys(Path(os.path.realpath(ledger)) for ledger in ledgers))
    if len(sources) < 2:
        raise UsageError("name two ledgers or more to merge")
    target = Path(into)
    _need_free(target)
    sizes = [_size(source, wait_s) for source in sources]
    key = _one_key([source for source, size in zip(sources, sizes, strict=True) if size])
    # The largest is copied, and the others join it: what has to do with none of them is not derived again.
    sources = [source for _, source in sorted(zip(sizes, sources, strict=True), key=lambda one: (-one[0], one[1]))]
    with new_ledger(target) as scratch:
        with closing(open_for_reading(sources[0], wait_s, files=True)) as con:
            copy_to(con, scratch)
        with work_folder() as folder:
            merged = _Merge(sources, scratch, key, folder).run(target)
        merge_contents(sources, scratch)
    return merged


def _need_free(target: Path) -> None:
    if not target.parent.is_dir():
        raise UsageError(f"{target}: folder {target.parent} does not exist. Create it, or name another file")
    need_no_ledger(target)


def _size(source: Path, wait_s: float) -> int:
    """How many rows tell the size of a ledger: 0 for one without any place."""
    with closing(open_for_reading(source, wait_s)) as con:
        refuse_facade(con, source)
        return _count(con, "select (select count(*) from sighting) + (select count(*) from kept.record)")


def _one_key(sources: list[Path]) -> bytes | None:
    keys = {source: key_of(source) for source in sources}
    for source, key in keys.items():
        if key is None:
            raise UsageError(
                f"{key_path(source)}: is missing, so that nobody can tell whether a pseudonym means the same here and "
                f"in the other ledgers. Copy it, and {private_path(source).name}, from where the logs were read"
            )
        if key != keys[sources[0]]:
            raise UsageError(
                f"{source}: was made with another key than {sources[0]}: one host would have two pseudonyms, and one "
                f"file two places. Read its logs into a new ledger with the same key: bench --db NEW.duckdb ingest "
                f"PATHS --key-file {key_path(sources[0])}"
            )
    return keys[sources[0]] if sources else None


class _Merge:
    """The others join the copy of the first, in one transaction. `folder` is for copies of private files."""

    def __init__(self, sources: list[Path], db: Path, key: bytes | None, folder: Path) -> None:
        self._sources, self._db, self._key, self._folder = sources, db, key, folder
        self._formats, self._names = load_formats(), load_names()
        self._touched: set[int] = set()
        self._shared: set[int] = set()

    def run(self, target: Path) -> Merged:
        with ExitStack() as opened:
            con = opened.enter_context(closing(open_for_writing(self._db, files=True)))
            private = opened.enter_context(closing(PrivateFile(self._db, self._key)))
            self._attach(con)
            keep_to_the_ledger(con)
            opened.enter_context(transaction(con, target))
            con.execute("create or replace temp table excluded_before as select run_id from kept.excluded_run")
            self._know_definitions(con)
            for number in range(1, len(self._sources)):
                self._join(con, number)
            one_owner(con, self._shared)
            succession = self._supersede(con)
            missing = merge_private(con, self._sources, private, self._folder)
            self._move(con, private)
            self._touched |= {*name_campaigns(con)}
            drop_empty_roots(con)
            derive(con, sorted(self._touched), succession)
            self._keep_keys(con)
            return self._merged(con, target, len(succession), missing)

    def _attach(self, con: duckdb.DuckDBPyConnection) -> None:
        import duckdb

        try:
            for number, source in enumerate(self._sources):
                need_regular_ledger(source)
                con.execute(f"attach {quoted_text(str(source))} as source_{number} (read_only)")
        except duckdb.Error as error:
            if holder := holder_in(error):
                raise held_error(source, holder, 0, read_only=True) from error
            raise DatabaseError(f"{source}: cannot be read: {error}") from error

    def _know_definitions(self, con: duckdb.DuckDBPyConnection) -> None:
        sync_definitions(con)
        load_formats_table(con, self._formats)
        follow_definitions(con)
        hashes = {name: one.definitions_hash for name, one in self._formats.items()}
        hashes[""] = all_formats_hash(self._formats)
        con.execute("create or replace temp table current_definition (format varchar, definitions_hash varchar)")
        rows = [{"format": name, "definitions_hash": digest} for name, digest in hashes.items()]
        insert(con, "current_definition", rows)
        con.execute("create or replace temp table seen_in (source integer, sighting_id bigint)")
        con.execute("insert into seen_in select 0, sighting_id from sighting where log_id is not null")
        con.execute("create or replace temp table unlike_sighting (sighting_id bigint)")

    def _join(self, con: duckdb.DuckDBPyConnection, number: int) -> None:
        self._show(con, number)
        con.execute(sql_text("merge"))
        self._shared |= _ids(con, "from shared_log")
        con.execute(f"insert into seen_in select {number}, sighting_id from arriving_sighting where log_id is not null")  # noqa: S608
        remove_logs(con, _ids(con, "from better_log"))
        load = _count(con, "select coalesce(max(load_number), 0) from log")
        new_log = "log_id in (select log_id from new_log)"
        # A join may change the order of the rows where it takes the records for the smaller side.
        con.execute("set disabled_optimizers = 'build_side_probe_side'")
        for table in ("log", "record"):
            rows = f"select * replace (load_number + {load} as load_number) from arriving_{table} where {new_log}"  # noqa: S608
            con.execute(f"insert into {in_ledger(table)} by name {rows}")
        con.execute("reset disabled_optimizers")
        for name in _OF_LOGS:
            con.execute(f"insert into {in_ledger(name)} by name from arriving_{name} where {new_log}")
        for name in _OF_SIGHTINGS:
            later = "sighting_id in (select sighting_id from later_sighting)"
            con.execute(f"delete from {in_ledger(name)} where {later}")  # noqa: S608
            con.execute(f"insert into {in_ledger(name)} by name from arriving_{name} where {later}")
        self._touched |= _ids(con, "from new_log") | _ids(
            con, "select log_id from later_sighting where log_id is not null"
        )

    def _show(self, con: duckdb.DuckDBPyConnection, number: int) -> None:
        for name in _READ:
            schema, _, table = name.rpartition(".")
            place = f"source_{number}.{schema or 'main'}.{table}"
            con.execute(f"create or replace temp view arriving_{table} as from {place}")

    def _supersede(self, con: duckdb.DuckDBPyConnection) -> list[tuple[int, int]]:
        """What lay at a place before it grew, or before another manifest or sidecar came, is superseded."""
        con.execute(sql_text("merge_places"))
        superseded, succession = [], []
        for old, new, sighting_id, is_settled, is_unread in con.execute("from followed order by all").fetchall():
            asked = {"old": old, "new": new, "is_unread": is_unread}
            if is_settled or con.execute(_SAME_BEGINNING, asked).fetchall()[0][0]:
                superseded.append({"sighting_id": sighting_id, "status": "superseded", "reason": SUPERSEDED})
                succession.append((old, new))
        _restate(con, superseded)
        self._touched |= {old for old, _ in succession}
        return sorted(set(succession))

    def _move(self, con: duckdb.DuckDBPyConnection, private: PrivateFile) -> None:
        """What lies below a root that was named for another ledger only belongs to that one."""
        again = moved_sightings(con, private, self._formats, self._names, datetime.now(UTC))
        write_sightings(con, again)
        if again:
            self._touched |= {one.row["log_id"] for one in again} | {*move_others(con)}

    def _keep_keys(self, con: duckdb.DuckDBPyConnection) -> None:
        for number in range(1, len(self._sources)):
            self._show(con, number)
            con.execute(sql_text("merge_keys"))
            con.execute(sql_text("derive_keys"))
        if _count(con, "select count(*) from kept.exclusion"):
            keep(con, _EXCLUDED)

    def _merged(
        self, con: duckdb.DuckDBPyConnection, target: Path, superseded: int, missing: tuple[str, ...]
    ) -> Merged:
        stale = """select count(*) from log
                   where definitions_hash not in (select definitions_hash from current_definition)
                       and (format is null or format in (select format from current_definition))"""
        questions = ("select count(*) from log", "select count(*) from run", stale)
        logs, runs, old = (_count(con, question) for question in questions)
        return Merged(str(target), logs, runs, len(self._shared), superseded, old, missing)


def one_owner(con: duckdb.DuckDBPyConnection, log_ids: set[int]) -> None:
    """Of several places of one content, the one with the least id loaded it; the others are duplicates."""
    set_ids(con, "shared", log_ids)
    rows = con.execute(
        """select sighting_id, format, evidence, row_number() over (partition by log_id order by sighting_id) = 1
           from sighting join log using (log_id)
           where log_id in (select id from shared) and status not in ('superseded', 'document')"""
    ).fetchall()
    restated = []
    for sighting_id, format_name, evidence, is_first in rows:
        status, reason = status_of(format_name, evidence), evidence
        if not is_first:
            status, reason = copy_of(status, evidence)
        restated.append({"sighting_id": sighting_id, "status": status, "reason": reason})
    _restate(con, restated)


def _restate(con: duckdb.DuckDBPyConnection, rows: list[dict[str, object]]) -> None:
    con.execute("create or replace temp table restated (sighting_id bigint, status varchar, reason varchar)")
    insert(con, "restated", rows)
    con.execute(
        """update sighting set status = restated.status, reason = restated.reason from restated
           where sighting.sighting_id = restated.sighting_id"""
    )


def _ids(con: duckdb.DuckDBPyConnection, statement: str) -> set[int]:
    return {row[0] for row in con.execute(statement).fetchall()}


def _count(con: duckdb.DuckDBPyConnection, statement: str) -> int:
    return int(con.execute(statement).fetchall()[0][0])
