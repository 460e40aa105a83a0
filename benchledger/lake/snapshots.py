"""Snapshots of a lake: which version and files of every Delta table belong together.

Tables are committed one by one, and then the snapshot: readers who go through it see all tables as one publish left
them. Files of the last two snapshots stay, so that a reader of the one before can end.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from benchledger.errors import DatabaseError
from benchledger.lake.objects import SNAPSHOTS, TABLES, Lake

_LOG = "/_delta_log/"


@dataclass(frozen=True)
class TableVersion:
    """One Delta table: its version, the rows of each of its files in order, and their bytes together."""

    version: int
    files: dict[str, int]
    bytes: int


@dataclass(frozen=True)
class Snapshot:
    """The tables that one publish made, by SCHEMA/NAME, and a digest of what it made them from."""

    number: int
    inputs: str
    tables: dict[str, TableVersion]

    @property
    def files(self) -> list[str]:
        """The keys of all its files."""
        return [f"{TABLES}/{name}/{file}" for name, table in self.tables.items() for file in table.files]


def latest_snapshot(lake: Lake) -> Snapshot | None:
    """The snapshot of the last publish that came to its end."""
    keys = sorted(lake.objects(SNAPSHOTS))
    return _snapshot(lake, keys[-1]) if keys else None


def put_snapshot(lake: Lake, snapshot: Snapshot) -> None:
    """Makes a snapshot the latest. Raises DatabaseError if another publish has made one of its number."""
    content = {"inputs": snapshot.inputs, "tables": {name: asdict(table) for name, table in snapshot.tables.items()}}
    if not lake.put_new(f"{SNAPSHOTS}/{snapshot.number:08}", json.dumps(content).encode()):
        raise DatabaseError(f"{lake.place}: another process published it at the same time. Publish it again")


def needed_files(lake: Lake, objects: dict[str, tuple[int, datetime]], age: timedelta) -> set[str]:
    """The keys of snapshots, tables and their logs that a reader may need.

    These are the last two snapshots, those that were replaced within `age`, and of a table that was written after the
    last snapshot all files: some are those of its latest version.
    """
    keys = sorted(key for key in objects if key.startswith(f"{SNAPSHOTS}/"))
    since = datetime.now(UTC) - age
    young = [key for key, after in pairwise(keys) if objects[after][1] > since]
    kept = {key: _snapshot(lake, key) for key in {*keys[-2:], *young}}
    needed = {*kept, *(file for snapshot in kept.values() for file in snapshot.files)}
    versions: dict[str, int] = {}
    for key in objects:
        table, in_log, name = key.partition(_LOG)
        if in_log:
            needed.add(key)
            if name.endswith(".json"):
                versions[table] = max(versions.get(table, 0), int(name.removesuffix(".json")))
    latest = kept[keys[-1]].tables if keys else {}
    known = {f"{TABLES}/{name}": table.version for name, table in latest.items()}
    ahead = {table for table, version in versions.items() if version != known.get(table)}
    return needed | {key for key in objects if key.rpartition("/")[0] in ahead}


def _snapshot(lake: Lake, key: str) -> Snapshot:
    content = lake.json(key, _is_snapshot)
    tables = {name: TableVersion(**table) for name, table in content["tables"].items()}
    return Snapshot(int(key.rpartition("/")[2]), content["inputs"], tables)


def _is_snapshot(found: Any) -> bool:
    tables = found.get("tables") if isinstance(found, dict) and isinstance(found.get("inputs"), str) else None
    return isinstance(tables, dict) and all(map(_is_table, tables.values()))


def _is_table(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and found.keys() == {"version", "files", "bytes"}
        and isinstance(found["version"], int)
        and isinstance(found["bytes"], int)
        and isinstance(found["files"], dict)
        and all("/" not in name and isinstance(rows, int) for name, rows in found["files"].items())
    )
