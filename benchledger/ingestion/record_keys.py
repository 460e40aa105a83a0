"""What keys on table record would have kept: asked of the records while they are written, which costs far less."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from benchledger.ingestion.frames import framed, stands, summed
from benchledger.scanning.arrow_calls import call

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

# Texts are seldom asked for, and slow to take over.
_FRAMED = ("log_id", "line", "byte_offset", "shape_id", "step", "epoch", "rank", "device", "label", "logged_at",
           "clock_s", "values")  # fmt: skip
_TEXTS = ("device", "label")


def numbers_of(rows: pa.Table) -> pl.DataFrame:
    """The numbers of rows of table record as a frame."""
    import polars as pl

    # To take a column of texts over, even one that none of them states, takes longer than all the numbers.
    unstated = [name for name in _TEXTS if rows.column(name).null_count == rows.num_rows]
    frame = framed(rows.select([name for name in _FRAMED if name not in unstated]))
    return frame.with_columns(pl.lit(None, pl.String).alias(name) for name in unstated).select(_FRAMED)


def in_order(rows: pa.Table) -> tuple[pa.Table, pl.DataFrame]:
    """Rows of table record, each log's together in the order of their places, and their numbers as a frame."""
    import polars as pl
    import pyarrow as pa

    frame = numbers_of(rows)
    # As most scanners hand them over.
    if not stands(frame, "log_id", "byte_offset"):
        order = frame.select(pl.arg_sort_by("log_id", "byte_offset")).to_series()
        rows, frame = call("take", rows, pa.array(order.to_arrow())), frame[order]
    return rows, frame


class RecordKeys:
    """Takes parts of records as `in_order` gives them; a part of a log begins behind the part before it."""

    def __init__(self, shapes: Iterable[int]) -> None:
        self._shapes = list(shapes)
        self._parts: list[pl.DataFrame] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Takes a part."""
        import polars as pl

        place = pl.col("byte_offset")
        self._parts.append(
            summed(
                frame,
                "log_id",
                first=place.first(),
                last=place.last(),
                records=pl.len().cast(pl.Int64),
                # Those of one log stand in order.
                places=pl.len() - (place == place.shift()).sum(),
                known=pl.col("shape_id").is_in(self._shapes).all(),
            )
        )

    def broken(self, said: pl.DataFrame) -> tuple[int, str] | None:
        """A log that a key would not have let in, and why: none is what is expected.

        `said`: the logs whose records came, and how many there should be; columns log_id and said.
        """
        import polars as pl

        nothing = {"log_id": pl.Int64, "first": pl.Int64, "last": pl.Int64, "records": pl.Int64, "places": pl.UInt32,
                   "known": pl.Boolean}  # fmt: skip
        parts = pl.concat([pl.DataFrame(schema=nothing), *self._parts]).sort("log_id", "first")
        per_log = parts.group_by("log_id").agg(
            pl.col("records", "places").sum(),
            pl.col("known").all(),
            within=(pl.col("first") <= pl.col("last").shift()).any(),
        )
        counted = said.join(per_log, on="log_id", how="full", coalesce=True)
        for why, is_wrong in (
            ("more than one record at one place", pl.col("places") < pl.col("records")),
            ("records of one part stand among those of another", pl.col("within")),
            ("log.records is not how many it has", pl.col("said").ne_missing(pl.col("records").fill_null(0))),
            ("a record of an unknown shape", ~pl.col("known")),
        ):
            found = counted.filter(is_wrong)
            if found.height:
                return found["log_id"][0], why
        return None
