"""Of long streams only the ends are kept one by one, for the windows that skip or end there; a body lies between.

Of a body is kept how often each value occurs: memory does not grow with its length beyond the number of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from benchledger.store.rollups.readings import OF_READING, lane

OF_LANE = ("stream", "lane")
# A stream of all ranks, or of the first, is in one lane.
ONE_LANE = -1
ROW = {
    "stream": pl.Int64, "lane": pl.Int32, "value": pl.Float64, "steps": pl.Float64, "since": pl.Int64, "step": pl.Int64,
}  # fmt: skip
SPREAD = {"stream": pl.Int64, "lane": pl.Int32, "value": pl.Float64, "steps": pl.Float64, "times": pl.Int64}
# An iteration that overflowed repeats its step number; it was computed all the same.
STEPS = pl.max_horizontal(pl.col("step") - pl.col("since"), 1).cast(pl.Float64)


class Ends:
    """Takes the readings of long streams part by part."""

    def __init__(self, streams: pl.DataFrame) -> None:
        """Head and tail say how many rows at the ends of each lane of a stream are kept."""
        self._streams = {row["stream"]: _Stream(row) for row in streams.iter_rows(named=True)}
        by_reading = streams.filter(~pl.col("is_median")).group_by(OF_READING).agg("stream").with_row_index("nth")
        self._nth = by_reading.drop("stream")
        self._by_reading = by_reading["stream"].to_list()

    def add(self, readings: pl.DataFrame) -> None:
        """Takes usable readings in their order."""
        own = readings.select(*OF_READING, "rank", "value", "since", "step").join(
            self._nth, on=OF_READING, maintain_order="left"
        )
        for (nth,), rows in own.partition_by("nth", as_dict=True, include_key=False).items():
            for stream in self._by_reading[nth]:
                self._streams[stream].add(rows)

    def add_medians(self, rows: pl.DataFrame) -> None:
        """Takes the medians of ranks, by stream."""
        for (stream,), own in rows.partition_by("stream", as_dict=True).items():
            self._streams[stream].add(own)

    def kept(self) -> Iterator[pl.DataFrame]:
        """The rows at the ends, in their order."""
        for stream in self._streams.values():
            for number, own in stream.lanes.items():
                yield _named(own.kept(), ROW, stream.stream, number)

    def spread(self) -> pl.DataFrame:
        """How often each value occurs between the ends."""
        found = [
            _named(own.spread, SPREAD, stream.stream, number)
            for stream in self._streams.values()
            for number, own in stream.lanes.items()
        ]
        return pl.concat([pl.DataFrame(schema=SPREAD), *found])


class _Stream:
    def __init__(self, asked: dict[str, Any]) -> None:
        self.stream: int = asked["stream"]
        self.lanes: dict[int, _Lane] = {}
        self._asked = asked
        self._filters = list(_within(asked["after_step"], asked["to_step"]))
        if asked["is_first"]:
            self._filters.append(lane() == asked["lowest_rank"])
        steps = STEPS if asked["is_timed"] else pl.lit(1.0)
        self._columns = ["value", steps.alias("steps"), "since", "step"]

    def add(self, rows: pl.DataFrame) -> None:
        if self._filters:
            rows = rows.filter(*self._filters)
        if not self._asked["is_each"]:
            self._add(ONE_LANE, rows)
            return
        for (number,), own in rows.with_columns(lane=lane()).partition_by("lane", as_dict=True).items():
            self._add(number, own)

    def _add(self, number: int, rows: pl.DataFrame) -> None:
        if number not in self.lanes:
            self.lanes[number] = _Lane(self._asked["head"], self._asked["tail"], self._asked["is_timed"])
        self.lanes[number].add(rows.select(self._columns))


class _Lane:
    def __init__(self, head: int, tail: int, is_timed: bool) -> None:
        self._missing, self._size = head, tail
        # What takes no steps takes one: it needs not be told apart by them.
        self._by = ["value", "steps"] if is_timed else ["value"]
        self._alike = {} if is_timed else {"steps": pl.col("steps").first()}
        self._heads: list[pl.DataFrame] = []
        self._tail: pl.DataFrame | None = None
        self.spread = pl.DataFrame(schema={name: SPREAD[name] for name in ("value", "steps", "times")})

    def add(self, rows: pl.DataFrame) -> None:
        if self._missing:
            self._heads.append(rows.head(self._missing))
            rows = rows.slice(self._missing)
            self._missing -= self._heads[-1].height
        if self._tail is not None:
            rows = pl.concat([self._tail, rows])
        cut = max(rows.height - self._size, 0)
        self._tail = rows.slice(cut)
        if cut:
            counted = rows.head(cut).group_by(self._by).agg(times=pl.len().cast(pl.Int64), **self._alike)
            counted = counted.select(self.spread.columns)
            self.spread = counted if self.spread.is_empty() else _added(pl.concat([self.spread, counted]))

    def kept(self) -> pl.DataFrame:
        assert self._tail is not None, "a lane is there from its first rows on"
        return pl.concat([*self._heads, self._tail])


def _added(counted: pl.DataFrame) -> pl.DataFrame:
    return counted.group_by("value", "steps").agg(pl.col("times").sum())


def _within(after: int | None, to: int | None) -> Iterator[pl.Expr]:
    # Of an interval both ends lie within the window.
    if after is not None or to is not None:
        since, step = pl.col("since"), pl.col("step")
        yield since.is_not_null() if after is None else since >= after
        yield step.is_not_null() if to is None else step <= to


def _named(rows: pl.DataFrame, schema: dict[str, Any], stream: int, number: int) -> pl.DataFrame:
    own = rows.with_columns(pl.lit(stream, pl.Int64).alias("stream"), pl.lit(number, pl.Int32).alias("lane"))
    return own.select(*schema)
