"""Parts: tables as Parquet objects below one folder, which count from the moment at which their marker is there."""

from __future__ import annotations

import io
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.errors import DatabaseError
from benchledger.ingestion.remote import is_remote
from benchledger.lake.objects import MARKERS, UNITS, Lake
from benchledger.store.scratch import work_folder
from benchledger.store.tables import quoted_text

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# Each row tells its unit.
UNIT = "lake_unit"
# A store answers a request in some 20 ms, and many at once.
_AT_ONCE = 16


@dataclass(frozen=True)
class Part:
    """Tables of units: the folder of their objects, how many rows each has, and whether it has no other unit's rows."""

    folder: str
    rows: dict[str, int]
    units: tuple[str, ...]
    is_whole: bool = True

    def key(self, table: str) -> str:
        """The object of a table."""
        return f"{self.folder}/{table}.parquet"


def write_part(lake: Lake, digest: str, unit: str, tables: dict[str, pa.Table], **told: object) -> bool:
    """Writes the tables that have rows, then the marker, which says what is `told`, too.

    Returns whether they count: of two writers the first does. The same tables of the other one are removed.
    """
    folder = f"{UNITS}/{digest}/{secrets.token_hex(8)}"
    written = {name: rows for name, rows in tables.items() if rows.num_rows}
    for name, rows in written.items():
        lake.put(f"{folder}/{name}.parquet", _parquet(rows, unit))
    counts = {name: rows.num_rows for name, rows in written.items()}
    marker = {"writer": folder.rpartition("/")[2], "unit": unit, "rows": counts, **told}
    if lake.put_new(f"{MARKERS}/{digest}", json.dumps(marker).encode()):
        return True
    lake.delete([f"{folder}/{name}.parquet" for name in written])
    return False


def part_of(digest: str, marker: dict[str, Any]) -> Part:
    """The part that a marker makes count."""
    return parts_in({digest: marker})[0]


def parts_in(markers: dict[str, dict[str, Any]]) -> list[Part]:
    """The parts that markers make count, by their digests. Those of one pack are one part."""
    alone: list[Part] = []
    packs: dict[str, list[dict[str, Any]]] = {}
    for digest, marker in markers.items():
        if "pack" in marker:
            packs.setdefault(marker["pack"]["digest"], []).append(marker)
        else:
            alone.append(Part(f"{UNITS}/{digest}/{marker['writer']}", marker["rows"], (marker["unit"],)))
    for digest, some in packs.items():
        pack = some[0]["pack"]
        units = tuple(marker["unit"] for marker in some)
        alone.append(
            Part(f"{UNITS}/{digest}/{pack['writer']}", pack["rows"], units, is_whole=len(units) == len(pack["parts"]))
        )
    return alone


def read_part(lake: Lake, part: Part, names: Iterable[str]) -> dict[str, pa.Table]:
    """Some tables of one unit."""
    import pyarrow.parquet as pq

    (unit,), tables = part.units, {}
    for name in names:
        with local_files(lake, [part], name) as files:
            for file in files:
                rows = pq.read_table(file, partitioning=None, filters=[(UNIT, "==", unit)])
                tables[name] = rows.drop_columns([UNIT])
    return tables


def read_alike(parts: Iterable[Part]) -> Iterator[tuple[list[Part], str]]:
    """Parts that can be read together, each with a condition for their rows."""
    whole: list[Part] = []
    for part in parts:
        if part.is_whole:
            whole.append(part)
        else:
            yield [part], f"lake_unit in ({', '.join(quoted_text(unit) for unit in part.units)})"
    if whole:
        yield whole, "true"


@contextmanager
def local_files(lake: Lake, parts: Iterable[Part], table: str) -> Iterator[list[str]]:
    """The files of a table of some parts, in order. Of a lake in a bucket they are copies. Raises DatabaseError."""
    keys = [part.key(table) for part in parts if table in part.rows]
    if not is_remote(lake.place):
        top = os.path.realpath(lake.place)
        files = [os.path.join(top, key) for key in keys]
        for key, file in zip(keys, files, strict=True):
            if not os.path.isfile(file):
                raise _missing(lake, key)
        yield files
        return
    with work_folder() as folder, ThreadPoolExecutor(_AT_ONCE) as threads:
        yield list(threads.map(lambda numbered: _fetched(lake, folder, *numbered), enumerate(keys)))


def rows_sql(files: list[str]) -> str:
    """The relation from which a statement reads the rows of some files."""
    return f"read_parquet([{', '.join(quoted_text(file) for file in files)}], hive_partitioning = false)"


def put_rows(con: duckdb.DuckDBPyConnection, lake: Lake, key: str, query: str) -> int:
    """Writes the rows of a query as an object; returns its size in bytes."""
    with work_folder() as folder:
        file = folder / "rows.parquet"
        con.execute(f"copy ({query}) to {quoted_text(str(file))} (format parquet, compression zstd)")
        lake.put(key, file)
        return file.stat().st_size


def _fetched(lake: Lake, folder: Path, number: int, key: str) -> str:
    content = lake.get(key)
    if content is None:
        raise _missing(lake, key)
    file = folder / f"{number}.parquet"
    file.write_bytes(content)
    return str(file)


def _missing(lake: Lake, key: str) -> DatabaseError:
    return DatabaseError(f"{lake.place}/{key}: is missing though its unit has a marker: restore it from a backup")


def _parquet(rows: pa.Table, unit: str) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    units = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int8()), rows.num_rows), pa.array([unit]))
    content = io.BytesIO()
    pq.write_table(rows.append_column(UNIT, units), content, compression="zstd")
    return content.getvalue()
