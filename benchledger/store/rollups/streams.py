"""What the rules read: streams of readings, each of all of a run's ranks, of its first, or of each in a lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.ends import OF_LANE, ONE_LANE, STEPS, Ends
from benchledger.store.rollups.frames import are_alike, chosen
from benchledger.store.rollups.readings import OF_READING, lane

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

_ROUNDING = ("reading_rounding", "reading_rounding_digits")
_WINDOW = ("is_first", "is_each", "is_timed", "lowest_rank", "after_step", "to_step")
_LISTS: dict[str, PolarsDataType] = {
    "stream": pl.Int64, "lane": pl.Int32, "rates": pl.List(pl.Float64), "steps": pl.List(pl.Float64),
    "seconds": pl.List(pl.Float64), "since": pl.List(pl.Int64), "step": pl.List(pl.Int64),
}  # fmt: skip

# So many readings at a time are given to their streams, each of which copies them.
_READINGS_AT_ONCE = 300_000

# Of values and the two of _ROUNDING the same with what is told of each.
Rounded = Callable[[pl.DataFrame], pl.DataFrame]


class Streams:
    """Takes the readings of runs part by part, keeps those that a rule asks for, and of long streams only the ends."""

    def __init__(self, asked: pl.DataFrame) -> None:
        """One row of `asked` for each run and stream of it (asked_streams.sql)."""
        self._asked = asked
        self._median = asked.filter("is_median")
        is_plain = ~pl.any_horizontal(
            "is_median", "is_rounded", "is_bounded", "is_first", "is_each", "is_timed", "is_long"
        )
        self._plain = asked.filter(is_plain)
        self._other = asked.filter(~is_plain & ~pl.col("is_median") & ~pl.col("is_long"))
        self._long = asked.filter("is_long")
        self._plain_rates: list[pl.DataFrame] = []
        self._short: list[pl.DataFrame] = []
        self._ranks: list[pl.DataFrame] = []
        self._ends = Ends(self._long)

    def add(self, readings: pl.DataFrame) -> None:
        """Takes readings in the order of their runs."""
        if readings.is_empty():
            return
        usable = chosen(readings, pl.col("is_usable"))
        if _ask(self._plain, usable):
            self._plain_rates.append(self._rates(usable))
        if not (self._other.is_empty() and self._long.is_empty() and self._median.is_empty()):
            for rows in usable.iter_slices(_READINGS_AT_ONCE):
                self._add(rows)

    def _add(self, usable: pl.DataFrame) -> None:
        if _ask(self._other, usable):
            self._keep(
                usable.join(self._other.select(*OF_READING, "stream", *_WINDOW), on=OF_READING, maintain_order="left")
            )
        if not self._long.is_empty():
            self._ends.add(usable)
        if _ask(self._median, usable):
            own = usable.filter(pl.col("step").is_not_null())
            rows = own.join(self._median.select(*OF_READING, "stream"), on=OF_READING, maintain_order="left")
            self._ranks.append(rows.select("stream", "epoch", "step", "value"))

    def lanes(self, rounded: Rounded) -> tuple[pl.DataFrame, pl.DataFrame]:
        """One row for each stream and lane, with lists of what is kept one by one, and what else occurs how often."""
        if self._ranks:
            medians = self._medians(rounded)
            self._keep(medians.filter(~pl.col("is_long")))
            self._ends.add_medians(medians.filter("is_long"))
        lists = [pl.DataFrame(schema=_LISTS)]
        if self._plain_rates:
            lists.append(_in_one(self._plain_rates).with_columns(lane=pl.lit(ONE_LANE, pl.Int32)))
        if parts := [*self._short, *self._ends.kept()]:
            kept = _rated(pl.concat(parts), self._asked, rounded)
            every = kept.group_by(OF_LANE).agg(rates="rate")
            timed = kept.filter("is_timed").group_by(OF_LANE).agg("steps", "seconds")
            bounded = kept.filter("is_bounded").group_by(OF_LANE).agg("since", "step")
            lists.append(every.join(timed, on=OF_LANE, how="left").join(bounded, on=OF_LANE, how="left"))
        spread = _rated(self._ends.spread(), self._asked, rounded).group_by(*OF_LANE, "rate", "steps")
        return pl.concat(lists, how="diagonal"), spread.agg(pl.col("times").sum())

    def _rates(self, usable: pl.DataFrame) -> pl.DataFrame:
        # Lists are joined, not readings: there are as many as streams.
        lists = usable.group_by(OF_READING).agg(rates="value")
        own = lists.join(self._plain.select(*OF_READING, "stream", "is_speed"), on=OF_READING)
        times = own.filter(~pl.col("is_speed")).with_columns(pl.col("rates").list.eval(1 / pl.element()))
        return pl.concat([own.filter("is_speed"), times]).select("stream", "rates")

    def _keep(self, found: pl.DataFrame) -> None:
        since, step, after, to = (pl.col(name) for name in ("since", "step", "after_step", "to_step"))
        # Of an interval both ends lie within the window.
        within = (since >= pl.coalesce(after, since)) & (step <= pl.coalesce(to, step))
        is_own = ~pl.col("is_first") | (lane() == pl.col("lowest_rank"))
        rows = found.filter(is_own & (pl.coalesce(after, to).is_null() | within)).select(
            "stream",
            pl.when("is_each").then(lane()).otherwise(ONE_LANE).cast(pl.Int32).alias("lane"),
            "value",
            pl.when("is_timed").then(STEPS).otherwise(1.0).alias("steps"),
            "since",
            "step",
        )
        self._short.append(rows)

    def _medians(self, rounded: Rounded) -> pl.DataFrame:
        # One reading a step, the median over its ranks of rounded readings, for the few formats of which it is asked.
        told = _told(pl.concat(self._ranks).join(self._median, on="stream", maintain_order="left"), rounded)
        # Each is a speed here, whatever was printed.
        speed = pl.when("is_printed_speed").then("told").otherwise(1 / pl.col("told"))
        by_step = told.group_by("stream", "epoch", "step", maintain_order=True).agg(value=speed.median())
        rows = by_step.with_columns(rank=pl.lit(None, pl.Int32), since=pl.col("step") - 1)
        return rows.join(self._median.select("stream", "is_long", *_WINDOW), on="stream", maintain_order="left")


def _ask(streams: pl.DataFrame, readings: pl.DataFrame) -> bool:
    """Whether some of the readings may be asked for: where they are of one kind, as in a long run, whether they are."""
    if streams.height and are_alike(readings, *OF_READING):
        return not streams.join(readings.head(1), on=OF_READING, how="semi").is_empty()
    return streams.height > 0 and readings.height > 0


def _in_one(lists: list[pl.DataFrame]) -> pl.DataFrame:
    if len(lists) == 1:
        return lists[0]
    rates = pl.col("rates").explode(empty_as_null=False)
    return pl.concat(lists).group_by("stream", maintain_order=True).agg(rates)


def _told(rows: pl.DataFrame, rounded: Rounded) -> pl.DataFrame:
    given = rows.filter("is_rounded").select("value", *_ROUNDING).unique()
    if given.is_empty():
        return rows.with_columns(told="value")
    found = rows.join(rounded(given), on=["value", *_ROUNDING], how="left", maintain_order="left")
    return found.with_columns(told=pl.when("is_rounded").then("told").otherwise("value"))


def _rated(rows: pl.DataFrame, asked: pl.DataFrame, rounded: Rounded) -> pl.DataFrame:
    """The same rows with the speed that each is of, and the seconds that it took."""
    # Of a median the readings were rounded before.
    is_rounded = pl.col("is_rounded") & ~pl.col("is_median")
    said = asked.select("stream", "is_speed", "is_timed", "is_bounded", *_ROUNDING, is_rounded=is_rounded)
    told = _told(rows.join(said, on="stream", maintain_order="left"), rounded)
    rate = pl.when("is_speed").then("told").otherwise(pl.col("steps") / pl.col("told"))
    return told.with_columns(rate=rate).with_columns(seconds=pl.col("steps") / pl.col("rate"))
