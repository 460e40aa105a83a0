"""From loss to loss: where the mean of the last few is lower than ever before, the first and the last."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from benchledger.store.rollups.convergence_clocks import with_seconds
from benchledger.store.rollups.convergence_means import (
    LAGS,
    WINDOW,
    Lowest,
    highest,
    lower,
    lowest,
    mean,
    totals,
    windows,
)
from benchledger.store.rollups.convergence_steps import StepTimes, seconds
from benchledger.store.rollups.held_rows import HeldRows

_BESIDE = ["place", "log_id", "line", "logged_at", "clock_s"]
_LOW = ["run_id", "nth", "epoch", "step", "seconds", "mean_loss", "log_id", "line"]
_LOSS, _STEP, _RUN = pl.col("value"), pl.col("step"), pl.col("nth_run")
_OF_LOSSES = (
    pl.len().cast(pl.Int64).alias("losses"),
    (~_LOSS.is_finite()).sum().alias("losses_not_finite"),
    # NaN is higher than any.
    _LOSS.min().alias("lowest"),
    _LOSS.nan_max().alias("highest"),
    _STEP.min().alias("first_step"),
    _STEP.drop_nulls().last().alias("last_step"),
    pl.col("falls").any().alias("step_restarts"),
    pl.col("epoch").drop_nulls().last().alias("last_epoch"),
    _LOSS.last().alias("last_loss"),
    pl.col("stretch", "index", "total", "sum_ps").last(),
)
_OF_LOWS = (
    pl.col("pos").first().alias("start"),
    pl.col("pos").last().alias("lowest"),
    pl.col("mean_loss").first().alias("start_mean"),
    pl.col("mean_loss").last().alias("lowest_mean"),
    pl.col("step").last().alias("lowest_step"),
)


class _Open(NamedTuple):
    """The run that the last losses were of: what its next ones go on from."""

    run_id: int | None
    losses: int
    last: pl.Series
    step: int | None
    lowest: Lowest | None


_NONE = _Open(None, 0, pl.zeros(WINDOW - 1, eager=True), None, None)


class Losses:
    """The losses that tell runs: read() every part, then runs() is what they say.

    `main`: of each run its loss, the rank that is followed, and over how many losses it is averaged. `clock`: when runs
    start. `times`: where shapes have the time of a step, which tells the time of runs that date nothing. `lows`
    gets the means that are lower than all before them in their run.
    """

    def __init__(self, main: pl.DataFrame, clock: pl.DataFrame, times: pl.DataFrame, lows: HeldRows) -> None:
        self._main, self._clock, self._lows = main, clock, lows
        self._steps = StepTimes(times, main.join(clock, on="run_id", how="anti")["run_id"])
        self._open = _NONE
        self._said: list[pl.DataFrame] = []
        self._ends_of_lows: list[pl.DataFrame] = []

    def read(self, rows: pl.DataFrame, stretches: pl.DataFrame, losses: pl.DataFrame) -> None:
        """Reads the losses of some records: rows of a run one after another, which go on where the last ones ended.

        `losses`: of each its record (`index`) and what is known of its run (`stretch`), as places in `rows` and
        `stretches`; its run (`nth_run`), and its `value`.
        """
        if losses.is_empty():
            return
        opened = self._open if self._open.run_id == stretches["run_id"][losses["stretch"][0]] else _NONE
        padded = pl.concat([opened.last, losses["value"]], rechunk=True)
        total = totals(padded, stretches["window_losses"][losses["stretch"]])
        losses = _with_steps(losses.hstack([total, *rows[losses["index"], ["step", "epoch"]]]), opened)
        losses = losses.hstack([self._steps.sums(rows, stretches["run_id"], losses)])
        said = losses.group_by("nth_run", maintain_order=True).agg(_OF_LOSSES)
        end = said["losses"].cum_sum()
        start = end - said["losses"]
        start[0] = -opened.losses
        # A row for each run of `losses`.
        runs = stretches[said["stretch"], ["run_id", "window_losses"]].hstack([start.alias("start")])
        lows = lower(losses, runs, opened.lowest)
        low = opened.lowest if runs.height == 1 else None
        if lows.height and lows["nth_run"][-1] == runs.height - 1:
            low = Lowest(lows["total"][-1], lows["mean_loss"][-1])
        self._open = _Open(runs["run_id"][-1], end[-1] - start[-1], padded.tail(WINDOW - 1), losses["step"][-1], low)
        self._said.append(_said(said, runs, rows, windows(padded, end - 1)))
        if lows.height:
            self._read_lows(lows.hstack(losses[lows["pos"], ["index", "step", "epoch", "sum_ps"]]), rows, runs, padded)

    def _read_lows(self, lows: pl.DataFrame, rows: pl.DataFrame, runs: pl.DataFrame, padded: pl.Series) -> None:
        own = lows.hstack(rows[lows["index"], _BESIDE]).hstack(runs[lows["nth_run"], ["run_id", "start"]])
        own = with_seconds(own.with_columns(nth=pl.col("pos") - pl.col("start") + 1), self._clock)
        self._lows.add(own.with_columns(pl.coalesce("seconds", seconds(pl.col("sum_ps")))).select(_LOW))
        ends = lows.group_by("nth_run", maintain_order=True).agg(_OF_LOWS)
        runs = runs[ends["nth_run"]]
        for end in ("start", "lowest"):
            found = highest(windows(padded, ends[end]), runs["window_losses"])
            ends = ends.hstack([found.alias(f"{end}_highest")])
        self._ends_of_lows.append(ends.drop("nth_run", "start", "lowest").hstack([runs["run_id"]]))

    def runs(self) -> pl.DataFrame:
        """What the losses of each run say together."""
        if not self._said:
            return pl.DataFrame(schema={"run_id": pl.Int64})
        by_run = pl.concat(self._said).group_by("run_id", maintain_order=True)
        whole = by_run.agg(
            pl.col("losses_not_finite").sum(),
            pl.col("lowest", "first_step").min(),
            pl.col("highest").sort_by("highest").last(),
            pl.col("step_restarts").any(),
            pl.col("last_step", "last_epoch").drop_nulls().last(),
            pl.col("last_loss", "log_id", "line", "total", "sum_ps", "window_losses", *LAGS).last(),
        )
        final_mean = pl.when(pl.col("total").is_finite()).then(mean(pl.col("total"), pl.col("window_losses")))
        whole = whole.with_columns(
            lowest(whole, whole["window_losses"]).alias("final_lowest"),
            summed_s=seconds(pl.col("sum_ps")),
            final_mean=final_mean,
        ).drop("total", "sum_ps", "window_losses", *LAGS)
        if self._ends_of_lows:
            start, low = pl.col("start_mean", "start_highest").first(), pl.col("^lowest_.*$").last()
            ends = pl.concat(self._ends_of_lows).group_by("run_id").agg(start, low)
            whole = whole.join(ends, on="run_id", how="left")
        return self._main.select("run_id", "name", "rank", "losses").join(whole, on="run_id")


def _with_steps(losses: pl.DataFrame, opened: _Open) -> pl.DataFrame:
    """Numbers the runs anew, without those of no loss; adds which loss is a run's first, and where the step falls."""
    is_first = _RUN.ne_missing(_RUN.shift(fill_value=losses["nth_run"][0] if opened.losses else None))
    before = _STEP.shift(fill_value=opened.step)
    return losses.with_columns(_RUN.rle_id(), is_first=is_first, step_before=before, falls=~is_first & (before > _STEP))


def _said(said: pl.DataFrame, runs: pl.DataFrame, rows: pl.DataFrame, last: pl.DataFrame) -> pl.DataFrame:
    found = said.drop("nth_run", "stretch", "index", "losses")
    return found.hstack([*runs[["run_id", "window_losses"]], *rows[said["index"], ["log_id", "line"]], *last])
