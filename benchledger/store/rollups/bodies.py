"""What lies between the ends of long streams comes to: from how often each speed occurs in it."""

from __future__ import annotations

import polars as pl

from benchledger.store.rollups.ends import OF_LANE
from benchledger.store.rollups.questions import Question

SUMS = ("records", "rates", "steps", "seconds")


def bodies(spread: pl.DataFrame) -> pl.DataFrame:
    """The sums of each lane's body: every_ of all its records, positive_ of those above nought."""
    # Summed in one order, so that the last digit is the same in every ledger.
    times, rate, steps = pl.col("times"), pl.col("rate"), pl.col("steps")
    ordered = spread.sort(*OF_LANE, "rate", "steps")
    terms = ordered.select(
        *OF_LANE, "rate", records="times", rates=times * rate, steps=times * steps, seconds=times * steps / rate
    )
    every = terms.group_by(OF_LANE).agg(SUMS).with_columns(pl.col(SUMS).list.sum())
    positive = terms.filter(pl.col("rate") > 0).group_by(OF_LANE).agg(SUMS).with_columns(pl.col(SUMS).list.sum())
    found = _named(every, "every").join(_named(positive, "positive"), on=OF_LANE, how="left")
    return found.with_columns(pl.col(f"positive_{name}").fill_null(0) for name in SUMS)


def halfway(lower: pl.Expr, upper: pl.Expr) -> pl.Expr:
    """The median of an even number of numbers, by the two in the middle."""
    return lower * 0.5 + upper * 0.5


def _named(sums: pl.DataFrame, prefix: str) -> pl.DataFrame:
    return sums.rename({name: f"{prefix}_{name}" for name in SUMS})


def middles(rows: pl.DataFrame, asked: Question) -> pl.DataFrame:
    """Medians, or trimmed means, of the rates in `rows` (stream, rate, times): one row for each stream."""
    is_of_times = asked.average_of == "times"
    chosen = rows.filter(pl.col("rate") > 0) if asked.positive_only else rows
    number = 1 / pl.col("rate") if is_of_times else pl.col("rate")
    counted = chosen.group_by("stream", number.alias("number")).agg(pl.col("times").sum()).sort("stream", "number")
    ordered = counted.with_columns(
        upto=pl.col("times").cum_sum().over("stream"), total=pl.col("times").sum().over("stream")
    )
    upto, total, times = pl.col("upto"), pl.col("total"), pl.col("times")
    by_stream = ordered.group_by("stream", maintain_order=True)
    if asked.statistic == "median":
        lower = pl.col("number").filter(upto > (total - 1) // 2).first()
        upper = pl.col("number").filter(upto > total // 2).first()
        median = halfway(lower, upper)
        return by_stream.agg(middle=1 / median if is_of_times else median)
    assert asked.trim is not None, "a trimmed mean says how much is left out"
    trim, trim_from = asked.trim, asked.trim_from
    left = pl.min_horizontal(upto, total - trim) - pl.max_horizontal(upto - times, pl.lit(trim))
    used = pl.when(total < trim_from).then(times).otherwise(left.clip(lower_bound=0))
    kept = pl.when(total < trim_from).then(total).otherwise(total - 2 * trim)
    return by_stream.agg(numbers=pl.col("number") * used, kept=kept.first()).select(
        "stream", middle=pl.col("numbers").list.sum() / pl.col("kept")
    )
