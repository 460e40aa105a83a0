"""What is kept of convergence, made of a chunk's records in two passes: what runs print, then loss by loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.convergence_chosen import main_losses, metrics
from benchledger.store.rollups.convergence_clocks import Clocks, with_seconds
from benchledger.store.rollups.convergence_losses import Losses
from benchledger.store.rollups.frames import chosen, frame_of, given_frames, sql_of
from benchledger.store.rollups.held_rows import HeldRows
from benchledger.store.rollups.readings import lane, values_of

if TYPE_CHECKING:
    import duckdb

_BESIDE = ["run_id", "place", "log_id", "line", "step", "epoch", "rank", "logged_at", "clock_s"]
_TOLD = ("shape_id", "ordinal", "told")
_COUNTED = {"run_id": pl.Int64, "told": pl.Int64, "rank": pl.Int32, "times": pl.Int64}
# So many records at a time are followed: what is worked out of them stays in the processor's cache.
AT_ONCE = 100_000


class Convergence:
    """Of the runs in temp table chunk_run: count() every part, settle(), follow() every part again, keep().

    Between two parts it asks nothing of the connection.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._named = frame_of(con, sql_of("convergence_told"))
        self._told = self._named.select(_TOLD)
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
            self._counts.append(_counted(rows, printed))
            if self._printed is not None:
                self._printed.append(printed)

    def settle(self) -> None:
        """Writes when each run starts and ends; chooses the loss and the metrics that tell it."""
        self._clock = self._clocks.write()
        counts = pl.concat(self._counts).group_by("run_id", "told", "rank").agg(pl.col("times").sum())
        main, self._metrics = main_losses(counts, self._named), metrics(counts, self._named)
        self._lows = HeldRows(self._con, "kept_low_loss")
        self._main = main.select("run_id", "told", "window_losses", lane="rank")
        self._losses = Losses(main, self._clock, frame_of(self._con, sql_of("convergence_times")), self._lows)
        tell = pl.concat([main["told"], self._metrics["told"]])
        self._told = self._told.filter(pl.col("told").is_in(tell.implode()))

    def follow(self, part: pl.DataFrame) -> None:
        """Reads of a part the losses and the evaluations that tell its runs."""
        for at, rows in enumerate(_pieces(part)):
            printed = _printed(rows, self._told) if self._printed is None else self._printed[at]
            runs = _runs(rows).join(self._main, on="run_id", how="left", maintain_order="left")
            told, lanes = (runs[of][printed["nth_run"]] for of in ("told", "lane"))
            is_main = (printed["told"] == told) & (printed["lane"] == lanes)
            self._losses.read(rows, runs, chosen(printed[["index", "nth_run", "value"]], pl.lit(is_main)))
            if self._metrics.height:
                self._evaluations.append(_evaluated(rows, printed, self._metrics))

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
    for rows in told.iter_slices(AT_ONCE):
        yield rows.with_row_index().with_columns(nth_run=pl.col("run_id").rle_id(), lane=lane())


def _runs(rows: pl.DataFrame) -> pl.DataFrame:
    """Which runs they are of, one after another."""
    lengths = rows["nth_run"].rle().struct.unnest()["len"]
    return rows[lengths.cum_sum() - lengths, ["run_id"]]


def _printed(rows: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Every value of what is told, in the order of the records, and which record it is of."""
    return values_of(rows, told, "index", "nth_run", "lane")


def _counted(rows: pl.DataFrame, printed: pl.DataFrame) -> pl.DataFrame:
    """How often each rank of each run prints what is told."""
    by = ["nth_run", "told", "lane"]
    counts = printed.group_by(by if rows["rank"].count() else by[:2]).agg(
        pl.col("index").first(), rank=pl.col("lane").first(), times=pl.len().cast(pl.Int64)
    )
    return rows[counts["index"], ["run_id"]].hstack(counts[["told", "rank", "times"]])


def _evaluated(rows: pl.DataFrame, printed: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """The values that tell runs, which metric they are of, and columns of their records beside."""
    own = printed.filter(pl.col("told").is_in(metrics["told"].unique().implode()))
    own = own.hstack(rows[own["index"], _BESIDE])
    return own.join(metrics, on=["run_id", "told", "lane"], maintain_order="left").drop(
        "index", "nth_run", "told", "lane"
    )
