"""The answers to what rules ask of streams: of which of their readings, and which number is made of these."""

from __future__ import annotations

from itertools import groupby

import polars as pl

from benchledger.store.rollups.bodies import SUMS, bodies, halfway, middles
from benchledger.store.rollups.ends import OF_LANE
from benchledger.store.rollups.questions import Question

_LISTS = ("rates", "steps", "seconds")
_BODY = {name: pl.Int64 if name == "records" else pl.Float64 for name in SUMS}
ANSWER = {
    "stream": pl.Int64, "question": pl.Int64, "found": pl.Int64, "used": pl.Int64, "rate": pl.Float64,
    "in_window": pl.Int64, "windows": pl.Int64, "first_since": pl.Int64, "last_step": pl.Int64,
}  # fmt: skip


def answers(
    lists: pl.DataFrame, spread: pl.DataFrame, streams: pl.DataFrame, questions: list[Question]
) -> pl.DataFrame:
    """One row for each stream of which there is a reading, and question that is asked of it."""
    of_lane = lists.select(OF_LANE).join(
        streams.select("stream", "stream_id", "is_each", "is_timed"), on="stream", maintain_order="left"
    )
    of_lane = of_lane.join(bodies(spread), on=OF_LANE, how="left", maintain_order="left")
    # Beside the lists: joined, each would be copied.
    said = pl.concat([of_lane, lists.drop(OF_LANE)], how="horizontal")
    records = pl.col("rates").list.len().cast(pl.Int64) + pl.col("every_records").fill_null(0)
    found = said.group_by("stream").agg(found=records.sum())
    told = [pl.DataFrame(schema={name: of for name, of in ANSWER.items() if name != "found"})]
    # Most questions are asked of the same streams.
    for stream_ids, alike in groupby(sorted(questions, key=_streams), _streams):
        asked = said.filter(pl.col("stream_id").is_in(stream_ids))
        for question in alike:
            own = _windows(asked, question)
            told.append(_answer(_joined(own, question), question, _middles(own, spread, question)))
    return pl.concat(told).join(found, on="stream").select(*ANSWER)


def _streams(asked: Question) -> list[int]:
    return sorted(asked.streams)


def _windows(lists: pl.DataFrame, asked: Question) -> pl.DataFrame:
    """Of each lane what lies within the window, and what of its body does."""
    until = pl.col("rates").list.len().cast(pl.Int64) - asked.skip_last
    if asked.take is not None:
        until = pl.min_horizontal(until, asked.skip + asked.take)
    length = (until - asked.skip).clip(lower_bound=0)
    is_open = asked.take is None and asked.skip_last == 0

    def cut(name: str) -> pl.Expr:
        return pl.col(name).list.slice(asked.skip) if is_open else pl.col(name).list.slice(asked.skip, length)

    prefix = "positive" if asked.positive_only else "every"
    body = [pl.col(f"{prefix}_{name}").fill_null(0) if asked.passes else pl.lit(0, _BODY[name]) for name in SUMS]
    # A mean of rates needs no times.
    names = _LISTS if asked.average_of == "times" else ("rates",)
    return lists.select(
        *OF_LANE,
        "is_each",
        "is_timed",
        *(cut(name).alias(name) for name in names),
        cut("since").list.first().alias("first_since"),
        cut("step").list.last().alias("last_step"),
        pl.col("every_records").fill_null(0).alias("passed") if asked.passes else pl.lit(0, pl.Int64).alias("passed"),
        *(sums.alias(f"body_{name}") for name, sums in zip(SUMS, body, strict=True)),
        windows=pl.lit(1, pl.Int64),
        mean_of_lanes=pl.lit(None, pl.Float64),
    )


def _joined(own: pl.DataFrame, asked: Question) -> pl.DataFrame:
    """The same, with the lanes of a stream as one."""
    if not own["is_each"].any():
        return own
    # A window of each rank's own records.
    count = _length(pl.col("rates"))
    mean = (
        _mean_of_times(pl.col("rates"))
        if asked.average_of == "times"
        else _mean(pl.col("rates"), count + pl.col("passed"))
    )
    lanes = own.filter("is_each").sort(OF_LANE)
    lanes = lanes.with_columns(mean=pl.when(count + pl.col("passed") > 0).then(mean))
    bodies_of_lanes = [f"body_{name}" for name in SUMS]
    joined = lanes.group_by("stream", maintain_order=True).agg(
        pl.col("lane", "is_each", "is_timed").first(),
        *(pl.col(name).explode(empty_as_null=False, keep_nulls=False) for name in _LISTS if name in own.columns),
        pl.col("first_since").first(),
        pl.col("last_step").last(),
        pl.col("passed", *bodies_of_lanes),
        windows=pl.len().cast(pl.Int64),
        mean_of_lanes=pl.col("mean").drop_nulls(),
    )
    joined = joined.with_columns(
        pl.col("passed", *bodies_of_lanes).list.sum(),
        mean_of_lanes=pl.col("mean_of_lanes").list.sum() / pl.col("mean_of_lanes").list.len(),
    )
    return pl.concat([own.filter(~pl.col("is_each")), joined.select(own.columns)])


def _answer(own: pl.DataFrame, asked: Question, middle: pl.DataFrame | None) -> pl.DataFrame:
    in_window = _length(pl.col("rates")) + pl.col("passed")
    rates = pl.col("rates")
    if asked.statistic == "last":
        # It looks for the last record first: a run that ends with 0 has no positive speed.
        rates = rates.list.tail(1)
    if asked.positive_only:
        rates = rates.list.eval(pl.element().filter(pl.element() > 0))
    used = _length(rates) + pl.col("body_records")
    if asked.statistic == "trimmed":
        trim = asked.trim or 0
        is_trimmed, has_body = in_window >= asked.trim_from, pl.col("passed") > 0
        # A rule trims all speeds, not the positive ones only (rule_checks.py).
        inner = rates.list.sort().list.slice(trim, (_length(rates) - 2 * trim).clip(lower_bound=0))
        # Once: each use of an expression works it out again.
        own = own.with_columns(inner=pl.when(is_trimmed & ~has_body).then(inner).otherwise(rates))
        rates = pl.col("inner")
        used = _length(rates) + pl.col("body_records")
        used = used - pl.when(is_trimmed & has_body).then(2 * trim).otherwise(0)
    rate = pl.when(used > 0).then(_rate(rates, used, asked)).otherwise(None)
    if middle is not None:
        own = own.join(middle, on="stream", how="left")
        rate = pl.coalesce("middle", rate)
    if asked.is_mean_of_lanes:
        rate = pl.when("is_each").then("mean_of_lanes").otherwise(rate)
    return own.select(
        "stream",
        pl.lit(asked.question, pl.Int64).alias("question"),
        used.alias("used"),
        rate.alias("rate"),
        in_window.alias("in_window"),
        "windows",
        "first_since",
        "last_step",
    )


def _rate(rates: pl.Expr, used: pl.Expr, asked: Question) -> pl.Expr:
    match asked.statistic, asked.average_of:
        case "mean", "times":
            return _mean_of_times(rates)
        case "median", "times":
            return 1 / _median(rates.list.eval(1 / pl.element()))
        case "median", _:
            return _median(rates)
    return _mean(rates, used)


def _mean(rates: pl.Expr, used: pl.Expr) -> pl.Expr:
    # The sum of a list goes through it in its order, and not by blocks: the last digit depends on nothing else.
    return (rates.list.sum() + pl.col("body_rates")) / used


def _mean_of_times(rates: pl.Expr) -> pl.Expr:
    steps = pl.when("is_timed").then(pl.col("steps").list.sum()).otherwise(rates.list.len())
    seconds = (
        pl.when("is_timed").then(pl.col("seconds").list.sum()).otherwise(rates.list.eval(1 / pl.element()).list.sum())
    )
    return (steps + pl.col("body_steps")) / (seconds + pl.col("body_seconds"))


def _median(numbers: pl.Expr) -> pl.Expr:
    # As of a body's numbers: that of polars may be another one in the last digit.
    lower, upper = (numbers.list.agg(pl.element().quantile(0.5, which)) for which in ("lower", "higher"))
    return halfway(lower, upper)


def _length(rates: pl.Expr) -> pl.Expr:
    return rates.list.len().cast(pl.Int64)


def _middles(own: pl.DataFrame, spread: pl.DataFrame, asked: Question) -> pl.DataFrame | None:
    if spread.is_empty() or not asked.passes or asked.statistic not in ("median", "trimmed"):
        return None
    body = spread.filter(pl.col("stream").is_in(own["stream"].implode()))
    ends = own.filter(pl.col("stream").is_in(body["stream"].implode())).select("stream", rate="rates")
    one_by_one = ends.explode("rate", empty_as_null=False).with_columns(times=pl.lit(1, pl.Int64))
    return middles(pl.concat([one_by_one, body.select(one_by_one.columns)]), asked)
