"""Finds where the steps of a segment begin again: a second run may have been appended to the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.ingestion.record_frames import are_alike, chosen, copied, repeated

if TYPE_CHECKING:
    import polars as pl

# Lines of one shape are compared: a tracker counts some of its tags in steps, and others in epochs.
LANE = ("at", "shape_id", "rank")


class Restarts:
    """Takes records in parts, ordered by log and place; the parts of a log follow one another."""

    def __init__(self) -> None:
        self._begun: pl.DataFrame | None = None

    def of(self, found: pl.DataFrame, trained: pl.DataFrame) -> pl.DataFrame:
        """Returns, by `at`, the first line on which training returns to its first step after it has passed the next.

        `trained`: the steps of training of a part, as progress returns them.
        """
        import polars as pl

        steps = chosen(trained, pl.col("reached").is_not_null())
        begun = _summed(
            steps, first_epoch=pl.col("epoch").first(), first_reached=pl.col("reached").first(), was_ahead=pl.lit(False)
        )
        new = begun.height
        if self._begun is not None:
            same_log = self._begun.filter(pl.col("at").is_in(found["at"].unique().implode()))
            new = begun.join(same_log, on=LANE, how="anti").height
            begun = pl.concat([same_log, begun]).unique(LANE, keep="first", maintain_order=True)
        beyond, same = pl.col("epoch") > pl.col("first_epoch"), pl.col("epoch") == pl.col("first_epoch")
        # A step that overflowed may be counted back. So training is ahead only if it is more than one
        # step beyond its first step.
        least = pl.col("first_reached") + pl.col("counts_steps")
        told = _joined(steps, begun).with_columns(
            is_ahead=beyond | (same & (pl.col("reached") > least)),
            is_back=~beyond & (~same | (pl.col("reached") <= pl.col("first_reached"))),
        )
        now = _summed(told, now=pl.col("is_ahead").any())
        self._begun = begun.join(now, on=LANE, how="left").select(
            *LANE, "first_epoch", "first_reached", was_ahead=pl.col("was_ahead") | pl.col("now").fill_null(False)
        )
        # The first step of a lane is no restart. In most logs no later step returns to it.
        if told["is_back"].sum() > new:
            came = pl.col("is_ahead").cum_max().over(LANE) | pl.col("was_ahead")
            told = told.filter(pl.col("is_back") & came)
        else:
            told = told.head(0)
        return told.group_by("at", maintain_order=True).agg(restart_line=pl.col("line").first())


def progress(found: pl.DataFrame) -> pl.DataFrame:
    """The steps of training, each with the epoch, step and micro step that it reached; NULL where it states no step.

    `found` needs columns `trains` (a step of training) and `epoch_at`, `rate_at` and `micro_at` (which values state the
    epoch, the speed and the micro step).
    """
    import polars as pl

    columns = ("at", "shape_id", "lane", "rank", "line", "step", "epoch")
    steps = chosen(found.select(*columns, "values", "epoch_at", "rate_at", "micro_at", "trains"), pl.col("trains"))
    # Where a line states no step, it may state how many epochs are done: 0.25.
    done = pl.lit(None, pl.Float64)
    if steps["epoch_at"].null_count() < steps.height:
        done = pl.col("values").list.get(pl.col("epoch_at"), null_on_oob=True)
    micro = pl.lit(0.0)
    if steps["micro_at"].null_count() < steps.height:
        micro = pl.col("values").list.get(pl.col("micro_at"), null_on_oob=True).fill_null(0.0)
    reached = pl.coalesce(pl.col("step").cast(pl.Float64), "done", pl.when(pl.col("epoch").is_not_null()).then(0.0))
    return steps.with_columns(done=done).select(
        "at",
        "shape_id",
        "lane",
        pl.col("rank").fill_null(-1),
        "line",
        epoch=pl.coalesce(pl.col("epoch").cast(pl.Float64), pl.col("done").floor(), 0.0),
        reached=reached,
        micro=micro,
        counts_steps=pl.col("step").is_not_null().cast(pl.Int64),
        speed=pl.col("values").list.get(pl.col("rate_at"), null_on_oob=True),
    )


def _summed(steps: pl.DataFrame, **sums: pl.Expr) -> pl.DataFrame:
    # Grouping by three columns takes longer than all other steps together.
    if are_alike(steps, *LANE):
        return copied(steps.select(*(steps[name].head(1) for name in LANE), **sums))
    return steps.group_by(LANE, maintain_order=True).agg(**sums)


def _joined(steps: pl.DataFrame, begun: pl.DataFrame) -> pl.DataFrame:
    if are_alike(steps, *LANE):
        own = steps[:1, list(LANE)].join(begun, on=LANE, how="left")
        return steps.hstack(repeated(own.drop(LANE), steps.height))
    return steps.join(begun, on=LANE, how="left", maintain_order="left")
