"""Records as polars frames, and the check of their key in a frame, which costs far less than a key in DuckDB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError
from benchledger.scanning.arrow_calls import call

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

# Other texts are seldom needed, and slow to convert.
_FRAMED = ("log_id", "line", "byte_offset", "shape_id", "step", "epoch", "rank", "device", "label", "logged_at",
           "clock_s", "values")  # fmt: skip
_TEXTS = ("device", "label")


class BrokenKeyError(DatabaseError):
    """Records of a log break the key of table kept.record: a fault of the scanner."""

    def __init__(self, log_id: int, why: str) -> None:
        super().__init__(f"records of log {log_id} broke a key: {why}")
        self.log_id, self.why = log_id, why


def framed(table: pa.Table | pa.RecordBatch) -> pl.DataFrame:
    import polars as pl

    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame), "a table is a frame"
    return frame


def chosen(rows: pl.DataFrame, by: pl.Expr) -> pl.DataFrame:
    """The rows that fulfil a condition; not copied where all do."""
    is_chosen = rows.select(by).to_series()
    return rows if is_chosen.all(ignore_nulls=False) else rows.filter(is_chosen)


def are_alike(rows: pl.DataFrame, *columns: str) -> bool:
    """Whether there are rows, and all are equal in some columns of numbers: then no grouping is needed."""
    given = [rows[name] for name in columns]
    return rows.height > 0 and all(one.min() == one.max() and not one.null_count() for one in given)


def repeated(row: pl.DataFrame, times: int) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame([column.new_from_index(0, times) for column in row])


def without_numbers(rows: pl.DataFrame) -> pl.DataFrame:
    """Removes ranks that are line numbers: `grep -n` puts these in the place of ranks, and no two steps share one."""
    import polars as pl

    if rows["rank"].null_count() == rows.height:
        return rows
    rank, step = pl.col("rank"), pl.col("step")
    are_numbers = (pl.len() >= 3) & (rank.n_unique() == pl.len()) & (step.n_unique() > 1)
    ranked = rows.select("at", "rank", "step").filter(rank.is_not_null() & step.is_not_null())
    numbered = ranked.group_by("at").agg(are_numbers=are_numbers).filter("are_numbers")
    if not numbered.height:
        return rows
    return rows.with_columns(rank=pl.when(pl.col("at").is_in(numbered["at"].implode()).not_()).then("rank"))


def copied(rows: pl.DataFrame) -> pl.DataFrame:
    """A copy of a few rows: a slice would keep the whole frame in memory."""
    import polars as pl

    return rows[pl.int_range(rows.height, eager=True)]


def summed(rows: pl.DataFrame, of: str, **sums: pl.Expr) -> pl.DataFrame:
    """One row per number in column `of`, in order of appearance, with aggregates that are one value each."""
    import polars as pl

    if are_alike(rows, of):
        # The first value of a column is a slice of it.
        return copied(rows.select(pl.col(of).first(), **sums))
    return rows.group_by(of, maintain_order=True).agg(**sums)


def is_sorted(rows: pl.DataFrame, of: str, place: str) -> bool:
    """Whether the rows of each `of` are together, in the order of their places."""
    import polars as pl

    follows = pl.col(of) == pl.col(of).shift()
    falls = follows & (pl.col(place) < pl.col(place).shift())
    return not rows.select(falls.any() | (1 + (~follows).sum() > pl.col(of).n_unique())).item()


def numbers_of(rows: pa.Table) -> pl.DataFrame:
    """The numbers of rows of table kept.record as a frame."""
    import polars as pl

    # To convert a column of texts, even an empty one, takes longer than all the numbers.
    unstated = [name for name in _TEXTS if rows.column(name).null_count == rows.num_rows]
    frame = framed(rows.select([name for name in _FRAMED if name not in unstated]))
    return frame.with_columns(pl.lit(None, pl.String).alias(name) for name in unstated).select(_FRAMED)


def in_order(rows: pa.Table) -> tuple[pa.Table, pl.DataFrame]:
    """Rows of table kept.record, each log's together in the order of their places, and their numbers as a frame."""
    import polars as pl
    import pyarrow as pa

    frame = numbers_of(rows)
    # Most scanners give them in order.
    if not is_sorted(frame, "log_id", "byte_offset"):
        order = frame.select(pl.arg_sort_by("log_id", "byte_offset")).to_series()
        rows, frame = call("take", rows, pa.array(order.to_arrow())), frame[order]
    return rows, frame


class RecordKeys:
    """Checks the key of records, given in parts by `in_order`; the parts of a log follow one another."""

    def __init__(self, shapes: Iterable[int]) -> None:
        self._shapes = list(shapes)
        self._parts: list[pl.DataFrame] = []

    def add(self, frame: pl.DataFrame) -> None:
        import polars as pl

        place = pl.col("byte_offset")
        self._parts.append(
            summed(
                frame,
                "log_id",
                first=place.first(),
                last=place.last(),
                records=pl.len().cast(pl.Int64),
                # The records of one log are in order.
                places=pl.len() - (place == place.shift()).sum(),
                known=pl.col("shape_id").is_in(self._shapes).all(),
            )
        )

    def broken(self, counted: pl.DataFrame) -> tuple[int, str] | None:
        """The first log whose records break the key, and why; None as a rule.

        `counted`: how many records each log should have; columns log_id and counted.
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
        both = counted.join(per_log, on="log_id", how="full", coalesce=True)
        for why, is_wrong in (
            ("more than one record at one place", pl.col("places") < pl.col("records")),
            ("records of one part stand among those of another", pl.col("within")),
            ("log.records is not how many it has", pl.col("counted").ne_missing(pl.col("records").fill_null(0))),
            ("a record of an unknown shape", ~pl.col("known")),
        ):
            found = both.filter(is_wrong)
            if found.height:
                return found["log_id"][0], why
        return None
