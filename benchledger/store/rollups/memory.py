"""The highest memory that runs print, by definition and device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.frames import frame_of, given_frames, sql_of
from benchledger.store.rollups.readings import values_of

if TYPE_CHECKING:
    import duckdb

_OF = ("run_id", "definition", "device")
_FOUND = {
    "run_id": pl.Int64, "definition": pl.String, "device": pl.String, "value": pl.Float64, "records": pl.Int64,
}  # fmt: skip


class Memory:
    """Fills run_memory for the runs in temp table chunk_run."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._shapes = frame_of(con, sql_of("memory_shapes"))
        self._parts = [pl.DataFrame(schema=_FOUND)]

    def count(self, rows: pl.DataFrame) -> None:
        """Takes a part of the records."""
        found = values_of(rows, self._shapes, "run_id", "device", "rank").filter(pl.col("value").is_finite())
        if found.is_empty():
            return
        # A program that numbers its ranks and not its devices: one rank holds one device.
        device = pl.coalesce("device", pl.format("rank {}", "rank"))
        by_device = found.with_columns(device=device).group_by(_OF)
        self._parts.append(by_device.agg(pl.col("value").max(), records=pl.len().cast(pl.Int64)))

    def keep(self) -> None:
        """Writes it down."""
        found = pl.concat(self._parts).group_by(_OF).agg(pl.col("value").max(), pl.col("records").sum())
        with given_frames(self._con, found=found):
            self._con.execute(sql_of("memory"))
