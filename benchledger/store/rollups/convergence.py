"""What is kept of convergence, made of a chunk's records in two passes: what runs print, then loss by loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.convergence_clocks import Clocks, with_seconds
from benchledger.store.rollups.convergence_losses import Losses
from benchledger.store.rollups.frames import frame_of, given_frames, sql_of

if TYPE_CHECKING:
    import duckdb

_NO_RANK = -1
_OF_VALUES = ("run_id", "place", "log_id", "line", "step", "epoch", "rank", "logged_at", "clock_s")
_OF_METRICS = ["run_id", "told", "ranked"]
_OF_TOLD = "select shape_id, ordinal - 1 as at, told, is_metric from told_shape order by all"


class Convergence:
    """Of the runs in temp table chunk_run: count() every part, settle(), follow() every part again, keep().

    Between two parts it asks nothing of the connection.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        con.execute(sql_of("convergence_told"))
        self._told = frame_of(con, _OF_TOLD)
        self._clocks = Clocks(con)
        self._counts: list[pl.DataFrame] = []
        self._evaluations: list[pl.DataFrame] = []

    def count(self, part: pl.DataFrame) -> None:
        """Reads of a part how often each loss and each metric is printed, and its clocks."""
        part = _told_part(part)
        self._clocks.read(part)
        printed = _values(part, self._told, "run_id", "rank")
        self._counts.append(printed.group_by("run_id", "told", rank="ranked").agg(times=pl.len().cast(pl.Int64)))

    def settle(self) -> None:
        """Writes when each run starts and ends; chooses the loss and the metrics that tell it."""
        self._clock = self._clocks.write()
        counts = pl.concat(self._counts)
        with given_frames(self._con, told_count=counts):
            main = frame_of(self._con, sql_of("convergence_main"))
        with given_frames(self._con, told_count=counts):
            self._metrics = frame_of(self._con, sql_of("convergence_metrics"))
        self._losses = Losses(main, self._clock, frame_of(self._con, sql_of("convergence_times")))

    def follow(self, part: pl.DataFrame) -> None:
        """Reads of a part the losses and the evaluations that tell its runs."""
        part = _told_part(part)
        beside = ("shape_id", "values") if self._losses.asks_step_times else ()
        self._losses.read(_values(part, self._told.filter(~pl.col("is_metric")), *_OF_VALUES, *beside))
        if self._metrics.height:
            printed = _values(part, self._told.filter("is_metric"), *_OF_VALUES)
            self._evaluations.append(printed.join(self._metrics, on=_OF_METRICS, maintain_order="left"))

    def keep(self) -> None:
        """Writes what the two passes have found."""
        for table, found in (("kept_low_loss", self._losses.lows()), ("kept_loss", self._losses.runs())):
            if found.is_empty():
                continue
            with given_frames(self._con, told_loss=found):
                self._con.execute(f"insert into {table} by name from told_loss")
        if self._evaluations:
            found = with_seconds(pl.concat(self._evaluations), self._clock)
            nth = pl.int_range(1, pl.len() + 1).over("run_id", "name")
            with given_frames(self._con, told_evaluation=found.with_columns(nth=nth)):
                self._con.execute(sql_of("convergence_evaluations"))


def _told_part(part: pl.DataFrame) -> pl.DataFrame:
    return part.filter(pl.col("part").is_not_null()) if part["part"].null_count() else part


def _values(part: pl.DataFrame, told: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """A part's records, each as often as it has a value of what is told, in their order; ranked: without a rank -1."""
    shapes = part.select("shape_id").with_row_index().join(told, on="shape_id", maintain_order="left_right")
    values = part["values"].gather(shapes["index"]).list.get(shapes["at"], null_on_oob=True)
    found = shapes.select("index", "told", value=values).filter(pl.col("value").is_not_null())
    beside = part.select(columns)[found["index"]].with_columns(ranked=pl.col("rank").fill_null(_NO_RANK))
    return beside.with_columns(found["told"], found["value"])
