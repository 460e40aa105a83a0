"""Imports the libraries of the extra `plot`, or names the line that installs them; thins long lines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchledger.errors import missing_extra

if TYPE_CHECKING:
    import polars as pl

# More points on a line that is 700 pixels wide are one thick band.
MOST = 500


def need(module: str) -> Any:
    """Returns a module of the extra. Raises UsageError with the line that installs it here."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise missing_extra(f"plots need {error.name or module}", error, "plot") from error


def thinned(points: pl.DataFrame) -> pl.DataFrame:
    """Returns at most five hundred points of each line, in the order of x; points without a number are left out."""
    import polars as pl

    points = points.filter(pl.col("y").is_finite() & pl.col("x").is_not_null())
    parts = [_thinned(part.sort("x")) for part in points.partition_by("label", maintain_order=True)]
    return pl.concat(parts) if parts else points


def _thinned(line: pl.DataFrame) -> pl.DataFrame:
    if line.height <= MOST:
        return line
    downsampler = need("tsdownsample").LTTBDownsampler()
    kept = downsampler.downsample(line["x"].to_numpy(), line["y"].to_numpy(), n_out=MOST)
    numbers: list[int] = kept.tolist()
    return line[numbers]
