"""Of long streams only the ends are kept one by one, for the windows that skip or end there; a body lies between.

Of a body is kept how often each value occurs: memory does not grow with its length beyond the number of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import polars as pl

from benchledger.store.rollups.frames import are_alike, chosen, copied
from benchledger.store.rollups.readings import OF_READING, apart, lane

OF_LANE = ("stream", "lane")
# So many counts of values wait until they are added up.
COUNTED_AT_ONCE = 10_000
# A stream of all ranks, or of the first, is in one lane.
ONE_LANE = -1
ROW = {
    "stream": pl.Int64, "lane": pl.Int32, "value": pl.Float64, "steps": pl.Float64, "since": pl.Int64, "step": pl.Int64,
}  # fmt: skip
SPREAD = {"stream": pl.Int64, "lane": pl.Int32, "value": pl.Float64, "steps": pl.Float64, "times": pl.Int64}
_COUNTED = ("value", "steps", "times")
# An iteration that overflowed repeats its step number; it was computed all the same.
STEPS = pl.max_horizontal(pl.col("step") - pl.col("since"), 1).cast(pl.Float64)


class Ends:
    """Takes the readings of long streams part by part."""

    def __init__(self, streams: pl.DataFrame) -> None:
        """Head and tail say how many rows at the ends of each lane of a stream are kept."""
        self._streams = {row["stream"]: _Stream(row) for row in streams.iter_rows(named=True)}
        by_reading = streams.filter(~pl.col("is_median")).group_by(OF_READING).agg("stream")
        self._readings = by_reading.drop("stream")
        self._by_reading = {(run_id, key): own for run_id, key, own in by_reading.iter_rows()}

    def add(self, readings: pl.DataFrame) -> None:
        """Takes usable readings in their order."""
        own = readings.select(*OF_READING, "value", "since", "step", lane=lane())
        if not are_alike(own, *OF_READING):
            own = own.join(self._readings, on=OF_READING, how="semi", maintain_order="left")
        for (run_id, key), rows in apart(own, *OF_READING):
            self._add(rows, [self._streams[stream] for stream in self._by_reading.get((run_id, key), [])])

    def add_medians(self, rows: pl.DataFrame) -> None:
        """Takes the medians of ranks, by stream."""
        for (stream,), own in apart(rows.with_columns(lane=lane()), "stream"):
            self._add(own, [self._streams[stream]])

    def _add(self, rows: pl.DataFrame, streams: list[_Stream]) -> None:
        if not streams:
            return
        # All of one reading are timed, or none; what takes no steps takes one.
        steps = STEPS if streams[0].is_timed else pl.lit(1.0)
        readings = _Readings(rows.select("value", "since", "step", "lane", steps=steps))
        for stream in streams:
            stream.add(readings)

    def kept(self) -> Iterator[pl.DataFrame]:
        """The rows at the ends, in their order."""
        for stream in self._streams.values():
            for number, own in stream.lanes.items():
                yield _named(own.kept(), ROW, stream.stream, number)

    def spread(self) -> pl.DataFrame:
        """How often each value occurs between the ends."""
        found = [
            _named(own.spread(), SPREAD, stream.stream, number)
            for stream in self._streams.values()
            for number, own in stream.lanes.items()
        ]
        return pl.concat([pl.DataFrame(schema=SPREAD), *found])


class _Readings:
    """Readings of a part, which several streams may take: how often each value occurs is counted once for them."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows

    @cached_property
    def counted(self) -> pl.DataFrame:
        times, steps = pl.len().cast(pl.Int64).alias("times"), pl.col("steps").first()
        if are_alike(self.rows, "steps"):
            return self.rows.group_by("value").agg(steps, times)
        return self.rows.group_by("value", "steps").agg(times)

    @cached_property
    def lanes(self) -> list[tuple[int, _Readings]]:
        """Those of each rank."""
        # Never this object itself: it would hold its rows until it is collected.
        return [(number, _Readings(rows)) for (number,), rows in apart(self.rows, "lane")]

    def of(self, rows: pl.DataFrame) -> _Readings:
        """Some of them, or all, which are counted already then."""
        return self if rows is self.rows else _Readings(rows)


class _Stream:
    def __init__(self, asked: dict[str, Any]) -> None:
        self.stream: int = asked["stream"]
        self.is_timed: bool = asked["is_timed"]
        self.lanes: dict[int, _Lane] = {}
        self._asked = asked
        self._filters = list(_within(asked["after_step"], asked["to_step"]))
        if asked["is_first"]:
            self._filters.append(pl.col("lane") == asked["lowest_rank"])

    def add(self, readings: _Readings) -> None:
        if self._filters:
            readings = readings.of(chosen(readings.rows, pl.all_horizontal(self._filters)))
        if not self._asked["is_each"]:
            self._add(ONE_LANE, readings)
            return
        for number, own in readings.lanes:
            self._add(number, own)

    def _add(self, number: int, readings: _Readings) -> None:
        if number not in self.lanes:
            self.lanes[number] = _Lane(self._asked["head"], self._asked["tail"])
        self.lanes[number].add(readings)


class _Lane:
    def __init__(self, head: int, tail: int) -> None:
        self._missing, self._size = head, tail
        self._heads: list[pl.DataFrame] = []
        self._tail: pl.DataFrame | None = None
        # Of all its readings, those at the ends too.
        self._counted: list[pl.DataFrame] = []
        self._room = COUNTED_AT_ONCE

    def add(self, readings: _Readings) -> None:
        rows = readings.rows
        if self._missing:
            self._heads.append(copied(rows.head(self._missing)))
            rows = rows.slice(self._missing)
            self._missing -= self._heads[-1].height
        last = copied(rows.tail(self._size))
        self._tail = last if self._tail is None else pl.concat([self._tail, last]).tail(self._size)
        self._counted.append(readings.counted.select(_COUNTED))
        # Not with each part: of values that hardly recur it would take longer each time.
        if sum(counted.height for counted in self._counted) > self._room:
            self._counted = [_added(self._counted)]
            self._room = COUNTED_AT_ONCE + 2 * self._counted[0].height

    def kept(self) -> pl.DataFrame:
        assert self._tail is not None, "a lane is there from its first rows on"
        return pl.concat([*self._heads, self._tail])

    def spread(self) -> pl.DataFrame:
        """How often each value occurs between the ends."""
        ends = self.kept().select("value", "steps", times=pl.lit(-1, pl.Int64))
        return _added([*self._counted, ends]).filter(pl.col("times") > 0)


def _added(counted: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(counted).group_by("value", "steps").agg(pl.col("times").sum())


def _within(after: int | None, to: int | None) -> Iterator[pl.Expr]:
    # Of an interval both ends lie within the window.
    if after is not None or to is not None:
        since, step = pl.col("since"), pl.col("step")
        yield since.is_not_null() if after is None else since >= after
        yield step.is_not_null() if to is None else step <= to


def _named(rows: pl.DataFrame, schema: dict[str, Any], stream: int, number: int) -> pl.DataFrame:
    own = rows.with_columns(pl.lit(stream, pl.Int64).alias("stream"), pl.lit(number, pl.Int32).alias("lane"))
    return own.select(*schema)
