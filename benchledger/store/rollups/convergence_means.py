"""Means of the last few losses: where one is lower than all before it in its run."""

from __future__ import annotations

import math
from typing import NamedTuple

import polars as pl

from benchledger.store.rollups.frames import quotient

# A mean is of so many losses at most (macro loss_window).
WINDOW = 10
# The losses of a window, the last one first.
LAGS = [f"lag_{lag}" for lag in range(WINDOW)]
# Decimals of so many places are told from the last bits of a sum of them (macro plain_mean).
_PLACES, _LAST_BITS = 1e9, 5e-16
_RUN, _TOTAL, _MEAN = pl.col("nth_run"), pl.col("total"), pl.col("mean_loss")


class Lowest(NamedTuple):
    """The lowest mean of a run so far."""

    total: float
    mean: float


def window_of(losses: pl.Expr) -> pl.Expr:
    """Over how many losses a loss is averaged, of so many in all (macro loss_window)."""
    return (losses // 4).clip(1, WINDOW).cast(pl.Int32)


def totals(padded: pl.Series, windows: pl.Series) -> pl.Series:
    """Of each loss the sum of those that its mean is of, where there are so many.

    `padded`: the losses, and before them one less than the longest window has. `windows`: of each loss how many.
    """
    shortest = windows.min()
    assert isinstance(shortest, int), "a window is a number"
    nothing = total = pl.zeros(windows.len(), eager=True)
    # From the first to the last, as list_sum adds them up in view loss_curve.
    for lag in reversed(range(WINDOW)):
        term = padded.slice(WINDOW - 1 - lag, windows.len())
        total = total + (term if lag < shortest else term.zip_with(windows > lag, nothing))
    return total.alias("total")


def lower(losses: pl.DataFrame, runs: pl.DataFrame, known: Lowest | None) -> pl.DataFrame:
    """The means that are lower than all before in their run: `pos` of their losses, nth_run, total, mean_loss.

    `losses`: of each its run and its total. `known`: the lowest of the first run so far.
    """
    total, nth_run = losses["total"], losses["nth_run"]
    # A mean falls with its total: what is not lower need not be divided.
    if known is not None and not ((total < known.total) | (nth_run > 0)).any():
        return pl.DataFrame()
    full_from = (runs["start"] + runs["window_losses"] - 1)[nth_run]
    is_lower = pl.lit(True) if known is None else (_RUN > 0) | (known.total > _TOTAL)
    found = losses[["nth_run", "total"]].with_row_index("pos")
    found = found.filter(pl.col("pos") >= full_from, _TOTAL.is_finite(), is_lower)
    found = found.filter(_before(_TOTAL.cum_min().over("nth_run")).fill_null(math.inf) > _TOTAL)
    found = found.hstack([runs["window_losses"][found["nth_run"]]])
    found = found.with_columns(mean_loss=mean(_TOTAL, pl.col("window_losses"))).drop("window_losses")
    before = _before(_MEAN)
    if known is not None:
        before = before.fill_null(pl.when(_RUN == 0).then(known.mean))
    return found.filter(before.is_null() | (before > _MEAN))


def _before(told: pl.Expr) -> pl.Expr:
    """What is told of the row before; null in the first row of a run."""
    return pl.when(_RUN.shift() == _RUN).then(told.shift())


def mean(total: pl.Expr, window: pl.Expr) -> pl.Expr:
    """As macro plain_mean has it, of a total that is finite. `window` is a column."""
    number = total / window
    plain = quotient((number * _PLACES + 0.5).floor(), _PLACES)
    return pl.when((plain - number).abs() <= number.abs() * _LAST_BITS).then(plain).otherwise(number)


def windows(padded: pl.Series, pos: pl.Series) -> pl.DataFrame:
    """Of losses at these places the longest window, as LAGS."""
    return pl.DataFrame([padded[pos + (WINDOW - 1 - lag)].alias(name) for lag, name in enumerate(LAGS)])


def highest(found: pl.DataFrame, losses: pl.Series) -> pl.Series:
    """The highest loss of windows of so many; NaN only if all are."""
    return found.select(pl.max_horizontal(_counted(losses))).to_series()


def lowest(found: pl.DataFrame, losses: pl.Series) -> pl.Series:
    """The lowest loss of windows of so many; NaN only if all are."""
    return found.select(pl.min_horizontal(_counted(losses))).to_series()


def _counted(losses: pl.Series) -> list[pl.Expr]:
    return [pl.when(pl.lit(losses) > lag).then(name) for lag, name in enumerate(LAGS)]
