"""From loss to loss: where the mean of the last few is lower than ever before, the first and the last."""

from __future__ import annotations

import math

import polars as pl

from benchledger.store.rollups.convergence_clocks import with_seconds
from benchledger.store.rollups.frames import quotient
from benchledger.store.rollups.held_rows import HeldRows

# A mean is of so many losses at most (macro loss_window).
WINDOW = 10
_PS = 1e12
# Decimals of so many places are told from the last bits of a sum of them (macro plain_mean).
_PLACES, _LAST_BITS = 1e9, 5e-16
_PRINTED = (
    "run_id", "place", "log_id", "line", "step", "epoch", "logged_at", "clock_s", "window_losses", "step_s", "loss",
)  # fmt: skip
# What is known of a loss by those before it.
_FOLLOWED = {"nth": pl.Int64, "lowest": pl.Float64, "sum_ps": pl.Int128}
_LOW = ("run_id", "nth", "epoch", "step", "seconds", "mean_loss", "log_id", "line")
_OF_LOW = (
    "run_id", "nth_run", "index", "nth", "place", "log_id", "line", "step", "epoch", "logged_at", "clock_s", "sum_ps",
    "mean_loss", "lowest_before",
)  # fmt: skip
_LOSS, _MEAN, _STEP = pl.col("loss"), pl.col("mean_loss"), pl.col("step")


class Losses:
    """The losses that tell runs: read() every part, then runs() is what they say.

    `main`: of each run its loss, the rank that is followed, and over how many losses it is averaged. `clock`: when runs
    start. `times`: where shapes have the time of a step, which tells the time of runs that date nothing. `lows`
    gets the means that are lower than all before them in their run.
    """

    def __init__(self, main: pl.DataFrame, clock: pl.DataFrame, times: pl.DataFrame, lows: HeldRows) -> None:
        self.main = main.select("run_id", "told", "window_losses", lane="rank")
        self._main, self._clock, self._times = main, clock, times
        undated = main.join(clock, on="run_id", how="anti").height
        self.asks_step_times = bool(undated and times.height)
        self._before: pl.DataFrame | None = None
        self._lows = lows
        self._runs: list[pl.DataFrame] = []

    def read(self, own: pl.DataFrame) -> None:
        """Reads a part's losses: rows of a run one after another, which go on where the last part ended."""
        if own.is_empty():
            return
        step_s = self._step_s(own) if self.asks_step_times else pl.lit(None, pl.Float64)
        unknown = [pl.lit(None, kind).alias(name) for name, kind in _FOLLOWED.items()]
        losses = own.with_columns(step_s.alias("step_s"), loss="value").select(*_PRINTED, *unknown)
        old = 0
        if self._before is not None and self._before["run_id"][0] == losses["run_id"][0]:
            old = self._before.height
            losses = pl.concat([self._before, losses])
        losses = _followed(losses, self.asks_step_times)
        last = losses.tail(WINDOW - 1)
        self._before = last.filter(pl.col("nth_run") == last["nth_run"][-1]).select(*_PRINTED, *_FOLLOWED)
        fresh = losses.slice(old)
        lows = with_seconds(fresh.select(_OF_LOW).filter(pl.col("lowest_before") > _MEAN), self._clock)
        self._lows.add(
            lows.with_columns(pl.coalesce("seconds", quotient(pl.col("sum_ps").cast(pl.Float64), _PS))).select(_LOW)
        )
        self._runs.append(_runs(fresh, lows, losses.select("loss", "window_losses")))

    def _step_s(self, own: pl.DataFrame) -> pl.Series:
        """What the step of each loss took, of runs that date nothing."""
        asked = own.join(self._times, on="shape_id", how="left", maintain_order="left")
        asked = asked.join(self._clock.select("run_id", is_dated=True), on="run_id", how="left", maintain_order="left")
        took = pl.col("values").list.get(pl.col("at"), null_on_oob=True)
        return asked.select(pl.when(pl.col("is_dated").is_null()).then(took)).to_series()

    def runs(self) -> pl.DataFrame:
        """What the losses of each run say together."""
        if not self._runs:
            return pl.DataFrame(schema={"run_id": pl.Int64})
        whole = (
            pl.concat(self._runs)
            .group_by("run_id", maintain_order=True)
            .agg(
                pl.col("losses_not_finite").sum(),
                pl.col("lowest", "first_step").min(),
                pl.col("highest").sort_by("highest").last(),
                pl.col("step_restarts").any(),
                pl.col("start_mean", "start_highest").drop_nulls().first(),
                pl.col("last_step", "last_epoch", "lowest_mean", "lowest_highest").drop_nulls().last(),
                pl.col("lowest_step").filter(pl.col("lowest_mean").is_not_null()).last(),
                pl.col("sum_ps", "last_loss", "log_id", "line", "final_mean", "final_lowest").last(),
            )
        )
        whole = whole.with_columns(summed_s=quotient(pl.col("sum_ps").cast(pl.Float64), _PS)).drop("sum_ps")
        return self._main.select("run_id", "name", "rank", "losses").join(whole, on="run_id")


def _followed(losses: pl.DataFrame, asks_step_times: bool) -> pl.DataFrame:
    """Adds which loss of its run each is, the mean of the last few, and the lowest such mean so far and before."""
    losses = losses.with_row_index().with_columns(nth_run=pl.col("run_id").rle_id())
    is_first = pl.col("nth_run") != pl.col("nth_run").shift(fill_value=-1)
    first = pl.when(is_first).then(pl.col("index").cast(pl.Int64) - pl.col("nth").fill_null(1)).forward_fill()
    losses = losses.with_columns(is_first=is_first, nth=pl.col("index") - first)
    is_short = losses["window_losses"].min() != WINDOW
    total = pl.lit(0.0)
    # In the order of the records, as list_sum adds them up in view loss_curve.
    for lag in reversed(range(WINDOW)):
        earlier = _LOSS.shift(lag)
        total = total + (pl.when(pl.col("window_losses") > lag).then(earlier).otherwise(0.0) if is_short else earlier)
    losses = losses.with_columns(mean_loss=quotient(total, pl.col("window_losses")))
    is_mean = (pl.col("nth") >= pl.col("window_losses")) & _MEAN.is_finite()
    losses = losses.with_columns(plain=quotient((_MEAN * _PLACES + 0.5).floor(), _PLACES))
    is_plain = (pl.col("plain") - _MEAN).abs() <= _MEAN.abs() * _LAST_BITS
    losses = losses.with_columns(mean_loss=pl.when(is_mean & is_plain).then("plain").when(is_mean).then("mean_loss"))
    lowest = pl.coalesce("lowest", "mean_loss", pl.lit(math.inf)).cum_min().over("nth_run")
    losses = losses.with_columns(lowest=lowest, falls=~is_first & (_STEP.shift() > _STEP))
    losses = losses.with_columns(lowest_before=pl.when("is_first").then(math.inf).otherwise(pl.col("lowest").shift()))
    return _with_step_sums(losses) if asks_step_times else losses


def _with_step_sums(losses: pl.DataFrame) -> pl.DataFrame:
    """Adds up what steps took after each run's first loss, in picoseconds, as macro step_ps and view loss_curve do."""
    steps = pl.max_horizontal(_STEP - _STEP.shift(), pl.lit(1))
    took_ps = (
        (pl.col("step_s") * steps * _PS).round(mode="half_away_from_zero").cast(pl.Int64, strict=False).cast(pl.Int128)
    )
    known = pl.when("is_first").then("sum_ps").otherwise(took_ps)
    is_told = known.is_not_null().cum_sum().over("nth_run") > 0
    return losses.with_columns(sum_ps=pl.when(is_told).then(known.fill_null(0).cum_sum().over("nth_run")))


def _runs(fresh: pl.DataFrame, lows: pl.DataFrame, losses: pl.DataFrame) -> pl.DataFrame:
    """What a part's losses say of each run; `losses` are those and the ones before that their means are of."""
    runs = (
        fresh.set_sorted("nth_run")
        .group_by("nth_run", maintain_order=True)
        .agg(
            pl.col("run_id").first(),
            (~_LOSS.is_finite()).sum().alias("losses_not_finite"),
            # NaN is higher than any.
            _LOSS.min().alias("lowest"),
            _LOSS.nan_max().alias("highest"),
            _STEP.min().alias("first_step"),
            _STEP.drop_nulls().last().alias("last_step"),
            pl.col("falls").any().alias("step_restarts"),
            pl.col("epoch").drop_nulls().last().alias("last_epoch"),
            pl.col("sum_ps").last(),
            _LOSS.last().alias("last_loss"),
            pl.col("log_id", "line", "index").last(),
            _MEAN.last().alias("final_mean"),
        )
    )
    first, last = pl.col("mean_loss", "index").first(), pl.col("mean_loss", "index", "step").last()
    low = (
        lows.set_sorted("nth_run")
        .group_by("nth_run", maintain_order=True)
        .agg(first.name.prefix("start_"), last.name.prefix("lowest_"))
    )
    extremes = _extremes(losses, pl.concat([low["start_index"], low["lowest_index"], runs["index"]]))
    start, lowest, final = (extremes.slice(at) for at in (0, low.height, 2 * low.height))
    low = low.select(
        "nth_run",
        start_mean="start_mean_loss",
        start_highest=start["highest"].head(low.height),
        lowest_mean="lowest_mean_loss",
        lowest_highest=lowest["highest"].head(low.height),
        lowest_step="lowest_step",
    )
    runs = runs.with_columns(final_lowest=final["lowest"])
    return runs.join(low, on="nth_run", how="left", maintain_order="left").drop("nth_run", "index")


def _extremes(losses: pl.DataFrame, places: pl.Series) -> pl.DataFrame:
    """The lowest and the highest of the losses that the means at these places are of; NaN only if all are."""
    at = pl.lit(places)
    lags = [_LOSS.shift(lag).gather(at).alias(str(lag)) for lag in range(WINDOW)]
    windows = losses.select(pl.col("window_losses").gather(at), *lags)
    own = [pl.when(pl.col("window_losses") > lag).then(str(lag)) for lag in range(WINDOW)]
    return windows.select(lowest=pl.min_horizontal(own), highest=pl.max_horizontal(own))
