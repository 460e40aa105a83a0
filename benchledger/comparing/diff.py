"""`bench diff`: what differs between two runs, or two series, the likeliest cause of another speed first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.rows import frame_of, reading
from benchledger.comparing.differences import differences
from benchledger.comparing.evidence import evidence_of
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import find_run

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_CELL = "select trial_runs from speed_table where cell = $name and value is not null"
_COLUMNS = ("kind", "name", "a", "b", "weight", "means")


def diff(a: str, b: str, /, *, db: Path | str = DEFAULT_DB, other_db: Path | str | None = None) -> pl.DataFrame:
    """Returns what differs between two runs, one row each, the likeliest cause of another speed first.

    `a` and `b` are keys of runs, or names of cells of the speed table, which stand for all their trials. `b` is looked
    for in `other_db` if it is given. `weight`, out of 100, says how likely such a difference explains a speed; it is a
    ranking, no probability. Raises NothingFoundError for an unknown run.
    """
    import polars as pl

    with reading(db, records=True) as con_a, reading(other_db or db, records=True) as con_b:
        evidence_a = evidence_of(con_a, _runs_of(con_a, a, db))
        evidence_b = evidence_of(con_b, _runs_of(con_b, b, other_db or db))
    found = differences(evidence_a, evidence_b)
    if not found:
        return pl.DataFrame(schema={name: pl.Float64 if name == "weight" else pl.String for name in _COLUMNS})
    return frame_of([{name: getattr(one, name) for name in _COLUMNS} for one in found])


def _runs_of(con: duckdb.DuckDBPyConnection, name: str, db: Path | str) -> list[int]:
    cell = con.execute(_CELL, {"name": name}).fetchone()
    return list(cell[0]) if cell is not None else [find_run(con, name, db)[1]]
