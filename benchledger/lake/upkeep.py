"""Lists the contents of a lake, checks it, removes unneeded objects, and merges the tables of small units."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

from benchledger.ingestion.units import in_parts
from benchledger.lake.delta import latest_snapshot, needed_files
from benchledger.lake.objects import KEY, LEASES, LISTS, MARKERS, PACKS, SNAPSHOTS, TABLES, UNITS, Lake, open_lake
from benchledger.lake.parts import local_files, parts_in, put_rows, rows_sql
from benchledger.lake.settle import settled_digest
from benchledger.lake.units import alone, derived_digests

# Object stores and readers of Parquet do best with objects of some 100 MB.
PACK_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True)
class LakeStatus:
    """Sources and their units, how many of these were read; objects and bytes, and those that nobody needs."""

    lake: str
    sources: int
    units: int
    read: int
    files: int
    records: int
    objects: int
    bytes: int
    unneeded: int
    unneeded_bytes: int


@dataclass(frozen=True)
class LakeCheck:
    """How many units of the latest lists were checked, and what is wrong with some of them."""

    lake: str
    units: int
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Collected:
    """The objects that were removed, or with `dry_run` would be."""

    lake: str
    objects: int
    bytes: int
    dry_run: bool


def lake_status(*, lake: Path | str) -> LakeStatus:
    """Counts what a lake holds. Raises UsageError for one that is missing."""
    opened = open_lake(str(lake))
    sources = opened.sources()
    digests = {digest for some in sources.values() for digest in some}
    markers = opened.markers_of(sorted(digests)).values()
    everything, unneeded = opened.objects(""), _unneeded(opened, timedelta(0))
    return LakeStatus(
        str(lake), len(sources), len(digests), len(markers),
        sum(marker["files"] for marker in markers), sum(marker["rows"].get("record", 0) for marker in markers),
        len(everything), sum(size for size, _ in everything.values()),
        len(unneeded), sum(unneeded.values()),
    )  # fmt: skip


def lake_check(*, lake: Path | str) -> LakeCheck:
    """Reads every object of the units that the latest lists name, and of the latest snapshot, and counts its rows.

    They must be as many as the unit's marker or the snapshot says.
    """
    opened = open_lake(str(lake))
    digests = sorted({digest for some in opened.sources().values() for digest in some})
    there = opened.markers()
    also = [one for one in (*derived_digests(digests).values(), settled_digest(digests, there)) if one in there]
    problems = chain(*(_problems(opened, one) for one in (*digests, *also)), _problems_of_tables(opened))
    return LakeCheck(str(lake), len(digests), tuple(problems))


def lake_gc(*, lake: Path | str, older_than_hours: float = 24.0, dry_run: bool = False) -> Collected:
    """Removes the objects that no listed unit needs: of units that changed, of killed workers, leases, older lists.

    Of the tables it keeps the last two snapshots, and those that were replaced within that time. Younger objects stay,
    since a worker may be about to commit them.
    """
    opened = open_lake(str(lake))
    with nullcontext() if dry_run else alone(opened):
        unneeded = _unneeded(opened, timedelta(hours=older_than_hours))
        # Markers first: a unit without one is as if it had never been read.
        ordered = sorted(unneeded, key=lambda key: (not key.startswith(MARKERS), key))
        if not dry_run and ordered:
            opened.delete(ordered)
    return Collected(str(lake), len(unneeded), sum(unneeded.values()), dry_run)


def _problems(lake: Lake, digest: str) -> Iterator[str]:
    cure = "remove its marker, and ingest the same sources into the lake again"
    marker = lake.marker(digest)
    if marker is None:
        yield f"{MARKERS}/{digest}: is missing: ingest the same sources into the lake again"
        return
    (part,) = parts_in({digest: marker})
    for name, rows in part.rows.items():
        yield from _problem(lake, part.key(name), rows, cure)


def _problems_of_tables(lake: Lake) -> Iterator[str]:
    snapshot = latest_snapshot(lake)
    if snapshot is None:
        return
    cure = f"remove {SNAPSHOTS}/{snapshot.number:08} and the folder of the table, and publish again"
    for name, table in snapshot.tables.items():
        for file, rows in table.files.items():
            yield from _problem(lake, f"{TABLES}/{name}/{file}", rows, cure)


def _problem(lake: Lake, key: str, rows: int, cure: str) -> Iterator[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = lake.get(key)
    if content is None:
        yield f"{key}: is missing: {cure}"
        return
    try:
        found = pq.read_table(pa.BufferReader(content)).num_rows
    except (pa.ArrowException, OSError) as error:
        yield f"{key}: cannot be read ({str(error).partition(chr(10))[0]}): {cure}"
        return
    if found != rows:
        yield f"{key}: has {found} rows instead of {rows}: {cure}"


def _unneeded(lake: Lake, age: timedelta) -> dict[str, int]:
    """Keys and sizes of what is neither of a listed unit nor young."""
    listed = {digest for some in lake.sources().values() for digest in some}
    needed = {*listed, *derived_digests(listed).values(), settled_digest(sorted(listed), lake.markers())}
    latest: dict[str, str] = {}
    objects = lake.objects("")
    for key in sorted(objects):
        if key.startswith(f"{LISTS}/"):
            latest[key.split("/")[1]] = key
    before, files = datetime.now(UTC) - age, needed_files(lake, objects, age)
    # Objects of units in a younger pack are kept too, for readers that began before it.
    packed = {digest: marker["pack"] for digest, marker in lake.packed().items() if digest in needed}
    packs = {pack["digest"]: pack["writer"] for pack in packed.values()}
    alone = {one for one in needed if one not in packed or objects[f"{PACKS}/{packed[one]['digest']}"][1] > before}
    writers = packs | {one: marker["writer"] for one in alone if (marker := lake.own_marker(one)) is not None}
    found = {}
    for key, (size, changed) in objects.items():
        kind, *rest = key.split("/")
        kept = (
            (kind == UNITS and writers.get(rest[0]) == rest[1])
            or (kind == MARKERS and rest[0] in alone)
            or (kind == PACKS and rest[0] in packs)
            or (kind == LISTS and latest.get(rest[0]) == key)
            or key in files
            or key in (KEY, f"{LEASES}/{TABLES}")
        )
        if not kept and changed <= before:
            found[key] = size
    return found


@dataclass(frozen=True)
class Compacted:
    """How many units' tables were put together, from how many objects into how many."""

    lake: str
    units: int
    objects_before: int
    objects: int


def lake_compact(*, lake: Path | str) -> Compacted:
    """Puts the tables of small units together, up to `PACK_BYTES` each, base tables and what was derived apart.

    Who reads meanwhile reads the objects before: `lake_gc` removes them a day later. Raises UsageError for no lake.
    """
    opened = open_lake(str(lake))
    listed = sorted({digest for some in opened.sources().values() for digest in some})
    objects = opened.objects(UNITS)
    packed, before, written = 0, 0, 0
    with alone(opened):
        for digests in (listed, list(derived_digests(listed).values())):
            markers = {one: found for one, found in opened.markers_of(digests).items() if "pack" not in found}
            sizes = {one: sum(objects[key][0] for key in _keys(one, markers[one])) for one in markers}
            small = [one for one in sizes if sizes[one] < PACK_BYTES // 2]
            for some in in_parts(small, sizes.__getitem__, PACK_BYTES):
                if len(some) < 2:
                    continue
                written += _write_pack(opened, {one: markers[one] for one in some})
                packed += len(some)
                before += sum(len(markers[one]["rows"]) for one in some)
    return Compacted(str(lake), packed, before, written)


def _keys(digest: str, marker: dict[str, Any]) -> list[str]:
    (part,) = parts_in({digest: marker})
    return [part.key(name) for name in part.rows]


def _write_pack(lake: Lake, markers: dict[str, dict[str, Any]]) -> int:
    """Writes one pack, its marker last; returns the number of its objects."""
    import duckdb

    parts = parts_in(markers)
    digest = hashlib.blake2b(json.dumps(sorted(markers)).encode(), digest_size=16).hexdigest()
    writer, rows = secrets.token_hex(8), {}
    with duckdb.connect() as con:
        for name in sorted({name for part in parts for name in part.rows}):
            with local_files(lake, parts, name) as files:
                put_rows(con, lake, f"{UNITS}/{digest}/{writer}/{name}.parquet", f"from {rows_sql(files)}")
            rows[name] = sum(part.rows.get(name, 0) for part in parts)
    marker = {"writer": writer, "rows": rows, "parts": markers}
    if not lake.put_new(f"{PACKS}/{digest}", json.dumps(marker).encode()):
        lake.delete([f"{UNITS}/{digest}/{writer}/{name}.parquet" for name in rows])
    return len(rows)
