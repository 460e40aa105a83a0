"""What is kept of convergence, made of a chunk's records in two passes: what runs print, then loss by loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.convergence_clocks import Clocks, with_seconds
from benchledger.store.rollups.convergence_losses import Losses
from benchledger.store.rollups.frames import frame_of, given_frames, sql_of
from benchledger.store.rollups.held_rows import HeldRows
from benchledger.store.rollups.readings import lane, values_of

if TYPE_CHECKING:
    import duckdb

_BESIDE = ["run_id", "place", "log_id", "line", "step", "epoch", "rank", "logged_at", "clock_s"]
_OF_LOSS = ["run_id", "told", "lane"]
_COUNTED = {"run_id": pl.Int64, "told": pl.Int64, "rank": pl.Int32, "times": pl.Int64}
# So many records at a time are followed: what is worked out of them stays in the processor's cache.
AT_ONCE = 100_000
_TOLD = "select shape_id, ordinal, told from told_shape order by all"


class Convergence:
    """Of the runs in temp table chunk_run: count() every part, settle(), follow() every part again, keep().

    Between two parts it asks nothing of the connection.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        con.execute(sql_of("convergence_told"))
        self._told = frame_of(con, _TOLD)
        self._clocks = Clocks(con)
        self._counts = [pl.DataFrame(schema=_COUNTED)]
        # What the first part prints, in pieces: a chunk that is no long run has no other one.
        self._printed: list[pl.DataFrame] | None = None
        self._parts = 0
        self._evaluations: list[pl.DataFrame] = []

    def count(self, part: pl.DataFrame) -> None:
        """Reads of a part how often each loss and each metric is printed, and its clocks."""
        self._parts += 1
        self._printed = [] if self._parts == 1 else None
        for rows in _pieces(part):
            self._clocks.read(rows)
            printed = _printed(rows, self._told)
            self._counts.append(printed.group_by("run_id", "told", rank="lane").agg(times=pl.len().cast(pl.Int64)))
            if self._printed is not None:
                self._printed.append(printed)

    def settle(self) -> None:
        """Writes when each run starts and ends; chooses the loss and the metrics that tell it."""
        self._clock = self._clocks.write()
        counts = pl.concat(self._counts)
        with given_frames(self._con, told_count=counts):
            main = frame_of(self._con, sql_of("convergence_main"))
        with given_frames(self._con, told_count=counts):
            self._metrics = frame_of(self._con, sql_of("convergence_metrics"))
        self._lows = HeldRows(self._con, "kept_low_loss")
        self._losses = Losses(main, self._clock, frame_of(self._con, sql_of("convergence_times")), self._lows)
        chosen = pl.concat([main["told"], self._metrics["told"]])
        self._told = self._told.filter(pl.col("told").is_in(chosen.implode()))

    def follow(self, part: pl.DataFrame) -> None:
        """Reads of a part the losses and the evaluations that tell its runs."""
        beside = [*_BESIDE, "shape_id", "values"] if self._losses.asks_step_times else _BESIDE
        for at, rows in enumerate(_pieces(part)):
            printed = _printed(rows, self._told) if self._printed is None else self._printed[at]
            self._losses.read(_chosen(rows, printed, self._losses.main, beside))
            if self._metrics.height:
                self._evaluations.append(_chosen(rows, printed, self._metrics, _BESIDE))

    def keep(self) -> None:
        """Writes what the two passes have found."""
        self._lows.write()
        runs = HeldRows(self._con, "kept_loss")
        runs.add(self._losses.runs())
        runs.write()
        if self._evaluations:
            found = with_seconds(pl.concat(self._evaluations), self._clock)
            nth = pl.int_range(1, pl.len() + 1).over("run_id", "name")
            with given_frames(self._con, told_evaluation=found.with_columns(nth=nth)):
                self._con.execute(sql_of("convergence_evaluations"))


def _pieces(part: pl.DataFrame) -> Iterator[pl.DataFrame]:
    told = part.filter(pl.col("part").is_not_null()) if part["part"].null_count() else part
    return told.iter_slices(AT_ONCE)


def _printed(rows: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Every value of what is told, in the order of the records, and which record it is of."""
    return values_of(rows.with_row_index(), told, "index", "run_id", "rank").with_columns(lane=lane()).drop("rank")


def _chosen(rows: pl.DataFrame, printed: pl.DataFrame, of: pl.DataFrame, beside: list[str]) -> pl.DataFrame:
    """The values that tell runs, `of` which loss or metric and rank they are, and columns of their records beside."""
    own = printed.filter(pl.col("told").is_in(of["told"].unique().implode()))
    own = own.join(of, on=_OF_LOSS, maintain_order="left").drop("run_id", "told", "lane")
    return rows.select(beside)[own["index"]].with_columns(own.drop("index").get_columns())
