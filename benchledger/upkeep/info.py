"""`bench db info`: what a ledger is and holds, also a ledger of another version."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.regular_file import ledger_place
from benchledger.errors import BenchledgerError
from benchledger.store.database import open_as_it_is
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.migrations import check_version, latest_version, schema_version
from benchledger.store.private_file import private_path
from benchledger.store.tables import tables_of

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_COUNTS = """
select what, status, count
from (
    select 'files seen' as what, status, count(*) as count from sighting group by status
    union all
    select 'logs', if(format is null, 'without a format', 'read'), count(*) from log group by all
    union all
    select 'pieces', unnest(['records', 'ignored', 'rejects', 'unread']),
        unnest([sum(records), sum(ignored), sum(rejects), sum(unread)])::bigint
    from log
    union all
    select 'runs', status, count(*) from run group by status
    union all
    select 'runs excluded', status, count(*) from run semi join kept.excluded_run using (run_id) group by status
)
where count is not null
order by what, count desc, status
"""
_FORMATS = """
select format, count(*) as logs, sum(bytes)::bigint as bytes, sum(records)::bigint as records,
    sum(rejects)::bigint as rejects
from log
where format is not null
group by format
order by bytes desc, format
"""
_LIFE = "select min(ingested_at), max(ingested_at) from sighting"
# A block can hold the ends of several columns, so the parts add up to a little more than the whole.
_SIZE = """
select count(distinct block_id) filter (where block_id >= 0) * $block_bytes as bytes
from (
    select block_id from pragma_storage_info($name)
    union all
    select unnest(additional_block_ids) from pragma_storage_info($name)
)
"""


@dataclass(frozen=True)
class LedgerInfo:
    """A ledger: its file, its versions and its contents.

    The frames are `counts` (files seen, logs, pieces and runs by status), `formats` (largest first) and `tables` (rows
    and bytes). `problem` says why a ledger of another version cannot be used; then all frames but `tables` are empty.
    `private` tells whether the list of files exists.
    """

    path: str
    bytes: int
    free_bytes: int
    schema_version: int
    needs_version: int
    duckdb_version: str
    first_ingest: datetime | None
    last_ingest: datetime | None
    private: bool
    problem: str | None
    counts: pl.DataFrame
    formats: pl.DataFrame
    tables: pl.DataFrame


def db_info(*, db: Path | str = DEFAULT_DB) -> LedgerInfo:
    """Describes a ledger and its contents. Raises DatabaseError if the file is not a ledger or is locked."""
    import duckdb
    import polars as pl

    place = ledger_place(db)
    with closing(open_as_it_is(place)) as con:
        version, problem = schema_version(con, str(place)), None
        try:
            check_version(con, str(place))
        except BenchledgerError as error:
            problem = str(error)
        life = (None, None) if problem else con.execute(_LIFE).fetchone() or (None, None)
        block_bytes, free_blocks = con.execute("select block_size, free_blocks from pragma_database_size()").fetchall()[
            0
        ]
        return LedgerInfo(
            path=str(place),
            bytes=sum(file.stat().st_size for file in (place, Path(f"{place}.wal")) if file.exists()),
            free_bytes=block_bytes * free_blocks,
            schema_version=version,
            needs_version=latest_version(),
            duckdb_version=duckdb.__version__,
            first_ingest=life[0],
            last_ingest=life[1],
            private=private_path(place).is_file(),
            problem=problem,
            counts=pl.DataFrame() if problem else con.sql(_COUNTS).pl(),
            formats=pl.DataFrame() if problem else con.sql(_FORMATS).pl(),
            tables=_tables(con, block_bytes),
        )


def _tables(con: duckdb.DuckDBPyConnection, block_bytes: int) -> pl.DataFrame:
    import polars as pl

    rows = []
    for table in tables_of(con):
        (count,) = con.sql(f"from {table.sql}").aggregate("count(*)").fetchall()[0]
        (size,) = con.execute(_SIZE, {"name": table.sql, "block_bytes": block_bytes}).fetchall()[0]
        rows.append((str(table), count, size))
    columns = {"table": pl.String, "rows": pl.Int64, "bytes": pl.Int64}
    return pl.DataFrame(rows, schema=columns, orient="row").sort("bytes", "table", descending=[True, False])
