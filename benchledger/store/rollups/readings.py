"""What the records of some runs say of their speed, and how often: before a rule is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from benchledger.store.rollups.frames import are_alike, chosen

# What a reading is counted by: of a run, all that its shapes call alike.
OF_READING = ("run_id", "reading_key")
READING = {
    "run_id": pl.Int64, "reading_key": pl.Int64, "epoch": pl.Int64, "rank": pl.Int32, "since": pl.Int64,
    "step": pl.Int64, "value": pl.Float64, "is_usable": pl.Boolean,
}  # fmt: skip
_NO_RANK = -1
_COUNTED = {
    "run_id": pl.Int64, "reading_key": pl.Int64, "records": pl.Int64, "usable": pl.Int64, "lowest_rank": pl.Int32,
    "highest_rank": pl.Int32,
}  # fmt: skip
RANKS = {"run_id": pl.Int64, "lane": pl.Int32}


def values_of(rows: pl.DataFrame, said: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """One row for each value that `said` names by shape_id and place in the list, in the order of records and `said`.

    Columns of the records that are wanted beside those of `said`, then value; values that are not there are left out.
    """
    shapes = rows["shape_id"]
    said = said.filter(
        said["shape_id"].is_in((shapes[:1] if are_alike(rows, "shape_id") else shapes.unique()).implode())
    )
    told = [name for name in said.columns if name not in ("shape_id", "ordinal")]
    if said["shape_id"].n_unique() > 1:
        found = _of_shapes(rows, said, columns, told)
    elif said.height:
        found = _of_one(rows, said, columns, told)
    else:
        schema = {**{name: rows.schema[name] for name in columns}, **{name: said.schema[name] for name in told}}
        return pl.DataFrame(schema={**schema, "value": pl.Float64})
    return found.filter(pl.col("value").is_not_null()) if found["value"].null_count() else found


def _of_one(rows: pl.DataFrame, said: pl.DataFrame, columns: tuple[str, ...], told: list[str]) -> pl.DataFrame:
    # As in most parts of a long run, where nothing has to be found out for each of its records.
    own = rows["shape_id"] == said["shape_id"][0]
    beside = rows.select(columns)
    values = [rows["values"].list.get(ordinal - 1, null_on_oob=True) for ordinal in said["ordinal"]]
    if not own.all():
        beside, values = beside.filter(own), [found.filter(own) for found in values]
    if len(values) == 1:
        return beside.hstack(
            [*(said[name].new_from_index(0, beside.height) for name in told), values[0].alias("value")]
        )
    # The values of one record stand together.
    nth = pl.int_range(beside.height * len(values), dtype=pl.UInt32, eager=True)
    value = pl.select(pl.concat_arr(values).explode().alias("value"))
    at, of = nth // len(values), nth % len(values)
    return beside[at].hstack([*(said[name].gather(of) for name in told), *value])


def _of_shapes(rows: pl.DataFrame, said: pl.DataFrame, columns: tuple[str, ...], told: list[str]) -> pl.DataFrame:
    lists = rows["values"]
    count = lists.list.len().fill_null(0).cast(pl.Int64)
    # The lists themselves are not joined: each would be copied.
    flat = lists.explode(empty_as_null=False, keep_nulls=False)
    own = rows.select("shape_id", *columns).with_columns(count.alias("count"), (count.cum_sum() - count).alias("start"))
    found = own.join(said, on="shape_id", maintain_order="left_right").filter(pl.col("ordinal") <= pl.col("count"))
    value = flat.gather(found["start"] + found["ordinal"] - 1).alias("value")
    return found.select(*columns, *told).with_columns(value)


def printed(rows: pl.DataFrame, printable: pl.DataFrame) -> pl.DataFrame:
    """The readings that records print, in their order; an unusable one is of no speed, but is counted."""
    found = values_of(rows, printable, "run_id", "part", "epoch", "rank", "step")
    if found.is_empty():
        return pl.DataFrame(schema=READING)
    found = chosen(found, pl.col("part").is_not_null())
    is_usable = pl.col("value").is_finite() & (pl.col("is_speed") | (pl.col("value") > 0))
    return found.select(
        *OF_READING, "epoch", "rank", (pl.col("step") - 1).alias("since"), "step", "value", is_usable.alias("is_usable")
    )


def among(rows: pl.DataFrame, column: str, numbers: pl.Series) -> pl.DataFrame:
    """The rows of which a column is one of some numbers."""
    if are_alike(rows, column):
        return rows if (numbers == rows[column][0]).any() else rows.clear()
    return chosen(rows, pl.col(column).is_in(numbers.implode()))


def apart(rows: pl.DataFrame, *columns: str) -> Iterator[tuple[tuple[Any, ...], pl.DataFrame]]:
    """The rows by what they say in some columns of numbers."""
    if are_alike(rows, *columns):
        yield tuple(rows[name][0] for name in columns), rows
    else:
        yield from rows.partition_by(columns, as_dict=True).items()


def lane() -> pl.Expr:
    """A record's rank as a number that is always there."""
    return pl.col("rank").fill_null(_NO_RANK)


def ranks_of(rows: pl.DataFrame, runs: pl.Series, steps: pl.Series) -> pl.DataFrame:
    """Which ranks print the training steps of these runs."""
    own = rows.filter(
        pl.col("part").is_not_null(), pl.col("run_id").is_in(runs.implode()), pl.col("shape_id").is_in(steps.implode())
    )
    return own.select("run_id", lane=lane()).unique()


class Count:
    """How many readings a run has of each kind, and of which ranks."""

    def __init__(self) -> None:
        self._parts = [pl.DataFrame(schema=_COUNTED)]

    def add(self, readings: pl.DataFrame) -> None:
        """Takes readings."""
        if readings.is_empty():
            return
        counts = {
            "records": pl.len().cast(pl.Int64),
            "usable": pl.col("is_usable").sum().cast(pl.Int64),
            "lowest_rank": lane().min(),
            "highest_rank": lane().max(),
        }
        if are_alike(readings, *OF_READING):
            self._parts.append(readings.select(pl.col(OF_READING).first(), **counts))
        else:
            self._parts.append(readings.group_by(OF_READING).agg(**counts))

    def result(self) -> pl.DataFrame:
        """One row for each run and reading_key."""
        return (
            pl.concat(self._parts)
            .group_by(OF_READING)
            .agg(
                pl.col("records").sum(),
                pl.col("usable").sum(),
                pl.col("lowest_rank").min(),
                has_one_rank=pl.col("lowest_rank").min() == pl.col("highest_rank").max(),
            )
        )
