"""Of long streams only the ends are kept one by one, for the windows that skip or end there; a body lies between.

Of a body is kept how often each value occurs: memory does not grow with its length beyond the number of these.
"""

from __future__ import annotations

import polars as pl

OF_LANE = ("stream", "lane")
_OF_VALUE = (*OF_LANE, "value", "steps")
_SPREAD = {"stream": pl.Int64, "lane": pl.Int32, "value": pl.Float64, "steps": pl.Float64, "times": pl.Int64}


class Ends:
    """Takes the rows of long streams part by part."""

    def __init__(self, asked: pl.DataFrame) -> None:
        """Head and tail say how many rows at the ends of each lane of a stream are kept."""
        self._sizes = asked.select("stream", "head", "tail")
        self._heads: list[pl.DataFrame] = []
        self._tails: pl.DataFrame | None = None
        self._seen: pl.DataFrame | None = None
        self._spread = pl.DataFrame(schema=_SPREAD)

    def add(self, rows: pl.DataFrame) -> None:
        """Takes rows in their order."""
        place = pl.int_range(pl.len()).over(OF_LANE)
        own = rows.join(self._sizes, on="stream", maintain_order="left").with_columns(place=place)
        if self._seen is not None:
            own = own.join(self._seen, on=OF_LANE, how="left", maintain_order="left").with_columns(
                place=pl.col("place") + pl.col("seen").fill_null(0)
            )
        is_head = pl.col("place") < pl.col("head")
        self._heads.append(own.filter(is_head).select(rows.columns))
        behind = own.filter(~is_head).select(*rows.columns, "tail")
        if self._tails is not None:
            behind = pl.concat([self._tails, behind])
        is_tail = pl.int_range(pl.len(), 0, -1).over(OF_LANE) <= pl.col("tail")
        self._tails = behind.filter(is_tail)
        now = own.group_by(OF_LANE).agg(seen=pl.col("place").max() + 1)
        before = [] if self._seen is None else [self._seen]
        self._seen = pl.concat([*before, now]).group_by(OF_LANE).agg(pl.col("seen").max())
        spread = behind.filter(~is_tail).group_by(_OF_VALUE).agg(times=pl.len().cast(pl.Int64))
        self._spread = pl.concat([self._spread, spread]).group_by(_OF_VALUE).agg(pl.col("times").sum())

    def kept(self) -> list[pl.DataFrame]:
        """The rows at the ends, in their order."""
        return [*self._heads, *([] if self._tails is None else [self._tails.drop("tail")])]

    def spread(self) -> pl.DataFrame:
        """How often each value occurs between the ends."""
        return self._spread
