"""Finds runs by user input: a key, the beginning of a key, or a former key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import NothingFoundError, UsageError, known

if TYPE_CHECKING:
    import duckdb

_KEYS = """
select run_key, run_id
from run
where run_key = $run or starts_with(run_key, $run)
union
select run.run_key, run.run_id
from kept.run_alias
join run using (run_key)
where run_alias.old_key = $run
order by run_key
"""


def find_run(con: duckdb.DuckDBPyConnection, run: str, db: Path | str) -> tuple[str, int]:
    """Returns the key and id of one run by its key, an unambiguous beginning of it, or a former key.

    Raises NothingFoundError for a key that no run has, UsageError for a beginning that several runs have.
    """
    found = con.execute(_KEYS, {"run": run}).fetchall() if run else []
    exact = [row for row in found if row[0] == run]
    if len(exact) == 1 or len(found) == 1:
        key, run_id = (exact or found)[0]
        return str(key), int(run_id)
    if found:
        raise UsageError(f"{run!r} matches {len(found)} run keys: {known((row[0] for row in found), run)}")
    need_runs(con, db)
    keys = [key for (key,) in con.execute("select run_key from run order by started_at desc nulls last").fetchall()]
    raise NothingFoundError(f"no run {run!r}; known: {known(keys, run)}. List them: bench runs")


def need_runs(con: duckdb.DuckDBPyConnection, db: Path | str) -> None:
    row = con.execute("select count(*) from run").fetchone()
    if row is None or row[0] == 0:
        raise NothingFoundError(f"{db} contains no runs yet. Read logs with: bench ingest PATH")
