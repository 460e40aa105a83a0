"""Makes the ledger of a lake: the union of its units' base tables, and all that follows from them."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchledger.errors import UsageError
from benchledger.lake.delta import Snapshot, latest_snapshot, need_deltalake, write_snapshot
from benchledger.lake.facade import write_facade
from benchledger.lake.objects import Lake, open_lake
from benchledger.lake.settle import Parts, fill, parts_of
from benchledger.lake.units import KEY_ENV, alone, key_from
from benchledger.store.copies import need_no_ledger, new_ledger
from benchledger.store.database import open_for_writing
from benchledger.store.key_file import store_key
from benchledger.store.scratch import work_folder
from benchledger.store.writing import transaction


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
    that reads them. With `into` they are one ledger in a new file instead, and the lake is only read; `key_file`,
    by default that of $BENCH_KEY_FILE, gives it the key, which it needs to read more logs. Raises UsageError for a
    file that exists or another key, and DatabaseError where a unit that is listed was not read.
    """
    opened = open_lake(str(lake))
    if into is None:
        if key_file is not None:
            raise UsageError("--key-file gives a ledger its key: name the ledger, too (--into FILE)")
        return _publish_tables(opened, facade)
    if facade is not None:
        raise UsageError("--into writes a ledger and --facade one that reads the lake: give one of them")
    target = Path(into)
    key = key_from(key_file) if key_file or os.environ.get(KEY_ENV) else None
    if key is not None:
        opened.need_key(key)
    need_no_ledger(target)
    parts = parts_of(opened)
    with new_ledger(target) as scratch:
        with closing(open_for_writing(scratch, files=True)) as con, transaction(con, target):
            fill(con, opened, parts)
            runs, logs = con.execute("select (select count(*) from run), (select count(*) from log)").fetchall()[0]
        if key is not None:
            store_key(scratch, key)
    return Published(str(target), parts.units, logs, runs)


def _publish_tables(lake: Lake, facade: Path | str | None) -> Published:
    need_deltalake()
    parts, snapshot = _state(lake)
    if snapshot is None:
        with alone(lake), work_folder() as folder:
            # Another process may have published it since.
            parts, snapshot = _state(lake)
            place = folder / "ledger.duckdb"
            if snapshot is None:
                with closing(open_for_writing(place, files=True)) as con:
                    with transaction(con, place):
                        fill(con, lake, parts)
                    snapshot = write_snapshot(con, lake, parts.inputs)
    written = write_facade(lake, snapshot, Path(facade) if facade is not None else None)
    logs, runs = (sum(snapshot.tables[f"main/{name}"].files.values()) for name in ("log", "run"))
    return Published(written, parts.units, logs, runs)


def _state(lake: Lake) -> tuple[Parts, Snapshot | None]:
    """The parts to publish, and their snapshot if they are published already."""
    parts, snapshot = parts_of(lake), latest_snapshot(lake)
    return parts, snapshot if snapshot is not None and snapshot.inputs == parts.inputs else None
