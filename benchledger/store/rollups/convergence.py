"""What is kept of convergence, made of a chunk's records in two passes: what runs print, then loss by loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.convergence_chosen import main_losses, metrics
from benchledger.store.rollups.convergence_clocks import Clocks, with_seconds
from benchledger.store.rollups.convergence_losses import Losses
from benchledger.store.rollups.frames import are_alike, chosen, frame_of, given_frames, sql_of
from benchledger.store.rollups.held_rows import HeldRows
from benchledger.store.rollups.readings import lane, values_of

if TYPE_CHECKING:
    import duckdb

_BESIDE = ["run_id", "place", "log_id", "line", "step", "epoch", "rank", "logged_at", "clock_s"]
_KIND = ["run_id", "shape_id", "lane"]
_TOLD = ("shape_id", "ordinal", "told")
_COUNTED = {"run_id": pl.Int64, "told": pl.Int64, "rank": pl.Int32, "times": pl.Int64}
# So many records at a time are followed: all of a part of a long run, and of small logs as many.
AT_ONCE = 300_000


class Convergence:
    """Of the runs in temp table chunk_run: count() every part, settle(), follow() every part again, keep().

    Between two parts it asks nothing of the connection.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._named = frame_of(con, sql_of("convergence_told"))
        self._told = self._named.select(_TOLD)
        self._told_by_shape = {
            of[0]: own.rows()
            for of, own in self._told.partition_by("shape_id", as_dict=True, include_key=False).items()
        }
        self._clocks = Clocks(con)
        self._counts = [pl.DataFrame(schema=_COUNTED)]
        self._evaluations: list[pl.DataFrame] = []

    def count(self, part: pl.DataFrame) -> None:
        """Reads of a part how often each loss and each metric is printed, and its clocks."""
        for rows in _pieces(part):
            self._clocks.read(rows)
            self._counts.append(_counted(rows, self._told, self._told_by_shape))

    def settle(self) -> None:
        """Writes when each run starts and ends; chooses the loss and the metrics that tell it."""
        self._clock = self._clocks.write()
        counts = pl.concat(self._counts).group_by("run_id", "told", "rank").agg(pl.col("times").sum())
        main, self._metrics = main_losses(counts, self._named), metrics(counts, self._named)
        self._lows = HeldRows(self._con, "kept_low_loss")
        self._losses = Losses(main, self._clock, frame_of(self._con, sql_of("convergence_times")), self._lows)
        self._main = main.select("run_id", "told", "window_losses", lane="rank")
        told = self._told.join(main, on="told", how="semi").with_columns(
            nth=pl.int_range(pl.len()).over("shape_id", "told")
        )
        # A line may print one loss twice.
        self._of_main = [found.drop("nth") for found in told.sort("nth").partition_by("nth")]
        self._of_metrics = self._told.join(self._metrics, on="told", how="semi")

    def follow(self, part: pl.DataFrame) -> None:
        """Reads of a part the losses and the evaluations that tell its runs."""
        for rows in _pieces(part):
            stretches = _stretches(rows)
            stretches = stretches.join(self._main, on=["run_id", "lane"], how="left", maintain_order="left")
            if self._of_main:
                self._losses.read(rows, stretches, _losses(rows, stretches, self._of_main))
            if self._metrics.height:
                self._evaluations.append(_evaluated(rows, stretches, self._of_metrics, self._metrics))

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
    told = chosen(part, pl.col("part").is_not_null())
    for rows in told.iter_slices(AT_ONCE):
        rows = rows.with_columns(lane=lane()).with_row_index()
        nth_run = stretch = pl.lit(0, pl.UInt32)
        if not are_alike(rows, *_KIND):
            nth_run, stretch = pl.col("run_id").rle_id(), pl.struct(_KIND).rle_id()
        yield rows.with_columns(nth_run=nth_run, stretch=stretch)


def _stretches(rows: pl.DataFrame) -> pl.DataFrame:
    """Stretches of records of one run, shape and rank: what is asked of all of a stretch is asked once."""
    of_stretch = rows[["stretch", *_KIND]]
    if of_stretch["stretch"][-1] == 0:
        return of_stretch[:1]
    return of_stretch.group_by("stretch", maintain_order=True).agg(pl.all().first())


def _counted(rows: pl.DataFrame, told: pl.DataFrame, told_by_shape: dict[int, list[tuple[int, int]]]) -> pl.DataFrame:
    """How often each rank of each run prints what is told."""
    stretches = _stretches(rows)
    if stretches.height == 1:
        run_id, shape_id, rank = (stretches[name][0] for name in _KIND)
        times_of = [
            (run_id, what, rank, rows["values"].list.get(ordinal - 1, null_on_oob=True).count())
            for ordinal, what in told_by_shape.get(shape_id, [])
        ]
        return pl.DataFrame([row for row in times_of if row[-1]], _COUNTED, orient="row")
    told = told.filter(told["shape_id"].is_in(stretches["shape_id"].unique().implode()))
    if told.is_empty():
        return pl.DataFrame(schema=_COUNTED)
    values = {ordinal: rows["values"].list.get(ordinal - 1, null_on_oob=True) for ordinal in told["ordinal"].unique()}
    printed = [value.is_not_null().alias(str(ordinal)) for ordinal, value in values.items()]
    times = rows[["stretch"]].hstack(printed).group_by("stretch", maintain_order=True).sum().drop("stretch")
    # Ranks that print in turn make many stretches of few kinds.
    kinds = stretches[_KIND].hstack(times).group_by(_KIND).sum()
    counted = kinds.unpivot(index=_KIND, variable_name="ordinal", value_name="times")
    counted = counted.with_columns(pl.col("ordinal").cast(pl.Int32)).join(told, on=["shape_id", "ordinal"])
    by_rank = counted.filter(pl.col("times") > 0).group_by("run_id", "told", rank="lane")
    return by_rank.agg(pl.col("times").cast(pl.Int64).sum())


def _losses(rows: pl.DataFrame, stretches: pl.DataFrame, told: list[pl.DataFrame]) -> pl.DataFrame:
    """The losses that tell runs: of each its record, run, stretch, and value."""
    places = rows[["index", "nth_run", "stretch"]]
    found = []
    for once in told:
        at = stretches.join(once, on=["shape_id", "told"], how="left", maintain_order="left")["ordinal"] - 1
        value = rows["values"].list.get(at[0] if at.len() == 1 else at[rows["stretch"]], null_on_oob=True)
        losses = places.hstack([value.alias("value")])
        found.append(losses.filter(pl.col("value").is_not_null()) if value.null_count() else losses)
    return found[0] if len(found) == 1 else pl.concat(found).sort("index", maintain_order=True)


def _evaluated(rows: pl.DataFrame, stretches: pl.DataFrame, told: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """The values that tell runs, which metric they are of, and columns of their records beside."""
    is_asked = stretches["shape_id"].is_in(told["shape_id"].implode())[rows["stretch"]]
    own = values_of(rows.filter(is_asked), told, *_BESIDE, "lane")
    return own.join(metrics, on=["run_id", "told", "lane"], maintain_order="left").drop("told", "lane")
