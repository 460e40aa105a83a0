"""Times DuckDB alone: inserts every row of a finished database into a fresh one, from Arrow tables in memory.

    python -m benchmarks.insert_rows FINISHED FRESH

Prints JSON: seconds (the inserts and their commit only), rows, logs, records. A process of its own, so that nothing
else stands in its memory.
"""

from __future__ import annotations

import json
import sys
import time

import duckdb


def insert_rows(finished: str, fresh: str) -> dict[str, float | int]:
    """The same tables with the same keys and checks; views and what the migrations keep for themselves are left out."""
    source = duckdb.connect(finished, read_only=True)
    tables = source.execute(
        "select schema_name || '.' || table_name, sql from duckdb_tables() where not internal order by table_oid"
    ).fetchall()
    rows = {name: source.table(name).to_arrow_table() for name, _ in tables}
    source.close()
    target = duckdb.connect(fresh)
    target.execute("create schema kept")
    for name, sql in tables:
        target.execute(sql)
        target.register(_rows_of(name), rows[name])
    started = time.perf_counter()
    target.execute("begin")
    for name, _ in tables:
        target.execute(f"insert into {name} from {_rows_of(name)}")
    target.execute("commit")
    seconds = time.perf_counter() - started
    target.close()
    return {
        "seconds": seconds,
        "rows": sum(table.num_rows for table in rows.values()),
        "logs": rows["main.log"].num_rows,
        "records": rows["kept.record"].num_rows,
    }


def _rows_of(name: str) -> str:
    return f"rows_of_{name.replace('.', '_')}"


if __name__ == "__main__":
    print(json.dumps(insert_rows(*sys.argv[1:3])))
