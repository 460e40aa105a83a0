"""Puts the tables of many small units together: few large objects instead of many small ones."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.lake.objects import PACKS, UNITS, Lake, open_lake
from benchledger.lake.parts import local_files, parts_in, put_rows, rows_sql
from benchledger.lake.units import alone, derived_digests

# Object stores and readers of Parquet do best with objects of some 100 MB.
PACK_BYTES = 128 * 1024 * 1024


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
            for some in _packs(sizes):
                written += _write_pack(opened, {one: markers[one] for one in some})
                packed += len(some)
                before += sum(len(markers[one]["rows"]) for one in some)
    return Compacted(str(lake), packed, before, written)


def _keys(digest: str, marker: dict[str, Any]) -> list[str]:
    (part,) = parts_in({digest: marker})
    return [part.key(name) for name in part.rows]


def _packs(sizes: dict[str, int]) -> Iterator[list[str]]:
    taken: list[str] = []
    total = 0
    for one in [*(one for one in sizes if sizes[one] < PACK_BYTES // 2), None]:
        if one is None or total + sizes[one] > PACK_BYTES:
            if len(taken) > 1:
                yield taken
            taken, total = [], 0
        if one is not None:
            taken.append(one)
            total += sizes[one]


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
