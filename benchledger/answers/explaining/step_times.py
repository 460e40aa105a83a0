"""The time from record to record, where a rule reads no printed speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.tables.grouping import Row

if TYPE_CHECKING:
    import polars as pl

_PLACE = ("part", "log_id", "line", "byte_offset", "step")
_SECOND_US = 1_000_000


def intervals_of(steps: pl.DataFrame) -> pl.DataFrame:
    """Each step record with the seconds since the one before it of its rank; `unread` says why there are none."""
    import polars as pl

    earlier = {name: pl.col(name).shift(1).over(rank_of()) for name in ("line", "step", "logged_at", "clock_s")}
    seconds = _seconds(earlier["logged_at"], earlier["clock_s"])
    unread = (
        pl.when(earlier["line"].is_null()).then(pl.lit("no step record before it"))
        .when(pl.col("step").is_null() | earlier["step"].is_null()).then(pl.lit("no step number"))
        .when(pl.col("step") < earlier["step"]).then(pl.lit("the step number falls back"))
        .when(seconds.is_null()).then(pl.lit("no time is logged"))
    )  # fmt: skip
    read = unread.is_null()
    # An iteration that overflowed repeats its step number; it was computed all the same.
    passed = (pl.col("step") - earlier["step"]).clip(lower_bound=1)
    return steps.select(
        *_PLACE, "rank", *_told("step", "interval", None), value=seconds, from_line=earlier["line"], unread=unread,
        since=pl.when(read).then(earlier["step"]), steps=pl.when(read).then(passed).otherwise(1),
    )  # fmt: skip


def rounds_of(steps: pl.DataFrame) -> pl.DataFrame:
    """The time between rounds: of so many records as there are ranks, in the order of their lines, the last."""
    import polars as pl

    ranks = steps.select(rank_of().n_unique()).item()
    ends = steps.gather_every(ranks, ranks - 1) if ranks else steps
    earlier = {name: pl.col(name).shift(1) for name in ("line", "step", "logged_at", "clock_s")}
    found = ends.select(
        *_PLACE, *_told("step", "round", None), rank=pl.lit(None, pl.Int32), since=earlier["step"],
        value=_seconds(earlier["logged_at"], earlier["clock_s"]), from_line=earlier["line"],
        steps=(pl.col("step") - earlier["step"]).clip(lower_bound=1),
    )  # fmt: skip
    return found.filter(pl.col("value").is_not_null() & pl.col("step").is_not_null() & pl.col("since").is_not_null())


def span_of(name: str, labelled: list[Row]) -> pl.DataFrame:
    """The time from the first record of one label to the last of another, `run_start to run_stop`, in one row."""
    import polars as pl

    first, last = name.split(" to ")
    starts = [row for row in labelled if row["label"] == first]
    stops = [row for row in labelled if row["label"] == last]
    columns = (*_PLACE, "rank", "line_before", "logged_at", "clock_s", "logged_before", "clock_before")
    whole = {"part": pl.Int32, "rank": pl.Int32, "logged_at": pl.Datetime, "clock_s": pl.Float64}
    whole |= {"logged_before": pl.Datetime, "clock_before": pl.Float64}
    rows = []
    if starts and stops:
        before, end = starts[0], stops[-1]
        place = [None if name == "step" else end[name] for name in (*_PLACE, "rank")]
        rows.append([*place, before["line"], end["logged_at"], end["clock_s"], before["logged_at"], before["clock_s"]])
    found = pl.DataFrame(rows, schema={column: whole.get(column, pl.Int64) for column in columns}, orient="row")
    seconds = _seconds(pl.col("logged_before"), pl.col("clock_before"))
    return found.select(
        *_PLACE, "rank", *_told("summary", "span", name), value=seconds, from_line="line_before",
        since=pl.lit(None, pl.Int64), steps=pl.lit(1, pl.Int64),
    ).filter(pl.col("value").is_not_null())  # fmt: skip


def rank_of() -> pl.Expr:
    """The rank that printed a record; programs without ranks have one."""
    import polars as pl

    return pl.col("rank").fill_null(-1)


def _seconds(logged_before: pl.Expr, clock_before: pl.Expr) -> pl.Expr:
    import polars as pl

    # By a column, since polars divides by one number as it multiplies with its reciprocal: the last digit is another.
    dated = (pl.col("logged_at") - logged_before).dt.total_microseconds() / (pl.col("line") * 0 + _SECOND_US)
    return pl.coalesce(dated, pl.col("clock_s") - clock_before)


def _told(kind: str, quantity: str, name: str | None) -> list[pl.Expr]:
    """What a shape says of values that are printed."""
    import polars as pl

    said = {
        "kind": kind, "phase": "train", "quantity": quantity, "unit": "s", "unit_logged": None, "scope": "global",
        "name": name,
    }  # fmt: skip
    texts = [pl.lit(text, pl.String).alias(column) for column, text in said.items()]
    return [pl.lit(0, pl.Int32).alias("ordinal"), *texts]
