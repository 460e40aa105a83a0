"""Makes the ledger of a lake: the union of its units' base tables, and all that follows from them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.errors import DatabaseError, UsageError
from benchledger.lake.delta import need_deltalake, write_snapshot
from benchledger.lake.facade import write_facade
from benchledger.lake.fill import fill
from benchledger.lake.objects import Lake, open_lake
from benchledger.lake.parts import part_of
from benchledger.lake.snapshots import Snapshot, latest_snapshot
from benchledger.lake.units import alone, definitions_hash, derived_digests, key_from
from benchledger.store.database import open_for_writing, transaction
from benchledger.store.key_file import key_path, store_key
from benchledger.store.migrations import program_version, shipped_migrations
from benchledger.store.private_file import private_paths
from benchledger.store.sync import synced_hash

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Published:
    """The ledger or facade that was made of a lake, and what it holds."""

    path: str
    units: int
    logs: int
    runs: int


def lake_publish(
    *,
    lake: Path | str,
    into: Path | str | None = None,
    facade: Path | str | None = None,
    key_file: Path | str | None = None,
) -> Published:
    """Makes the tables that one ingest of all sources of a lake would make, as they were listed last.

    They are Delta tables of the lake, in one snapshot, and a `facade` of it, by default LAKE/facade.duckdb: a ledger
    that reads them. With `into` they are one ledger in a new file instead, and the lake is only read; `key_file` gives
    it the key, which it needs to read more logs. Raises UsageError for a file that exists, and DatabaseError where a
    unit that is listed was not read.
    """
    opened = open_lake(str(lake))
    if into is None:
        if key_file is not None:
            raise UsageError("--key-file gives a ledger its key: name the ledger, too (--into FILE)")
        return _publish_tables(opened, facade)
    if facade is not None:
        raise UsageError("--into writes a ledger and --facade one that reads the lake: give one of them")
    target = Path(into)
    key = key_from(key_file) if key_file is not None else None
    if key is not None:
        opened.need_key(key)
    for place in (target, *private_paths(target)):
        if os.path.lexists(place):
            raise UsageError(f"{place}: exists already and is not overwritten. Name another file with --into")
    units = _writers(opened)
    scratch = target.with_name(f"{target.name}.new-{os.getpid()}")
    try:
        with closing(open_for_writing(scratch)) as con, transaction(con, target):
            runs, logs = _fill(con, opened, units)
        if key is not None:
            store_key(target, key)
        scratch.replace(target)
    finally:
        for left in (scratch, Path(f"{scratch}.wal"), key_path(scratch)):
            left.unlink(missing_ok=True)
    return Published(str(target), len(units), logs, runs)


def _publish_tables(lake: Lake, facade: Path | str | None) -> Published:
    need_deltalake()
    units, inputs, snapshot = _state(lake)
    if snapshot is None:
        with alone(lake), tempfile.TemporaryDirectory() as folder:
            # Another process may have published it since.
            units, inputs, snapshot = _state(lake)
            place = Path(folder) / "ledger.duckdb"
            if snapshot is None:
                with closing(open_for_writing(place)) as con:
                    with transaction(con, place):
                        _fill(con, lake, units)
                    snapshot = write_snapshot(con, lake, inputs)
    written = write_facade(lake, snapshot, Path(facade) if facade is not None else None)
    logs, runs = (sum(snapshot.tables[f"main/{name}"].files.values()) for name in ("log", "run"))
    return Published(written, len(units), logs, runs)


def _state(lake: Lake) -> tuple[dict[str, dict[str, Any]], str, Snapshot | None]:
    """The units to publish, a digest of them and of all definitions, and the snapshot of exactly these, if there is."""
    units, snapshot = _writers(lake), latest_snapshot(lake)
    versions = [program_version(), definitions_hash(), synced_hash(), *(step.digest for step in shipped_migrations())]
    inputs = hashlib.blake2b(json.dumps([*versions, *sorted(units)]).encode(), digest_size=16).hexdigest()
    return units, inputs, snapshot if snapshot is not None and snapshot.inputs == inputs else None


def _writers(lake: Lake) -> dict[str, dict[str, Any]]:
    """The marker of each unit that the latest lists name."""
    digests = sorted({digest for some in lake.listed().values() for digest in some})
    if not digests:
        raise UsageError(f"{lake.place}: holds nothing yet. Fill it: bench ingest SOURCE --lake {lake.place}")
    markers = {digest: lake.marker(digest) for digest in digests}
    missing = sum(marker is None for marker in markers.values())
    if missing:
        raise DatabaseError(
            f"{lake.place}: {missing} of {len(markers)} units that are listed have no marker: somebody removed them. "
            f"Read them again: the same bench ingest SOURCE --lake {lake.place}"
        )
    return {digest: marker for digest, marker in markers.items() if marker is not None}


def _fill(con: duckdb.DuckDBPyConnection, lake: Lake, units: dict[str, dict[str, Any]]) -> tuple[int, int]:
    there = {one: lake.marker(one) for one in derived_digests(units).values()}
    fill(
        con, lake, [part_of(digest, marker) for digest, marker in units.items()],
        [part_of(digest, marker) for digest, marker in there.items() if marker is not None],
    )  # fmt: skip
    runs, logs = con.execute("select (select count(*) from run), (select count(*) from log)").fetchall()[0]
    return runs, logs
