"""Thins long lines to the points that keep their shape (largest triangle three buckets, LTTB)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.plots.extra import need

if TYPE_CHECKING:
    import polars as pl

# More points on a line that is 700 pixels wide are one thick band.
MOST = 500


def thinned(points: pl.DataFrame, y: str = "y", by: str = "label") -> pl.DataFrame:
    """Returns at most five hundred points of each line, in the order of x; points without a number are left out."""
    import polars as pl

    points = points.filter(pl.col(y).is_finite() & pl.col("x").is_not_null())
    parts = [_thinned(part.sort("x"), y) for part in points.partition_by(by, maintain_order=True)]
    return pl.concat(parts) if parts else points


def _thinned(line: pl.DataFrame, y: str) -> pl.DataFrame:
    if line.height <= MOST:
        return line
    downsampler = need("tsdownsample").LTTBDownsampler()
    kept = downsampler.downsample(line["x"].to_numpy(), line[y].to_numpy(), n_out=MOST)
    numbers: list[int] = kept.tolist()
    return line[numbers]
