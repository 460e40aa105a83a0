"""What steps took, added up from loss to loss: the time of runs whose logs date nothing."""

from __future__ import annotations

import polars as pl

from benchledger.store.rollups.frames import quotient

_PS = 1e12
_TOOK = pl.col("took_ps")


class StepTimes:
    """`times`: where shapes have the time of a step. `undated`: the runs that are told by them."""

    def __init__(self, times: pl.DataFrame, undated: pl.Series) -> None:
        self._times, self._undated = times, undated
        self._is_asked = undated.len() > 0 and times.height > 0
        self._last_ps: int | None = None

    def sums(self, rows: pl.DataFrame, run_ids: pl.Series, losses: pl.DataFrame) -> pl.Series:
        """What steps took from each run's first loss to each other, where they say so, as view loss_curve adds it up.

        `losses`: of each its record in `rows` (`index`), its run in `run_ids` (`stretch`), whether it is the first of
        that, its step and that of the one before. To be asked of every part, since a run may go on in the next.
        """
        earlier_ps, self._last_ps = None if losses["is_first"][0] else self._last_ps, None
        none = pl.Series("sum_ps", [None], pl.Int128).new_from_index(0, losses.height)
        if not self._is_asked:
            return none
        is_told = run_ids.is_in(self._undated.implode())[losses["stretch"]]
        if not is_told.any():
            return none
        told = losses.with_row_index("pos").filter(is_told)
        # As macro step_ps has it: sums of whole picoseconds are the same in any order.
        steps = pl.max_horizontal(pl.col("step") - pl.col("step_before"), 1)
        took = (self._seconds(rows, told["index"]) * steps * _PS).round(mode="half_away_from_zero")
        took = took.cast(pl.Int64, strict=False).cast(pl.Int128)
        told = told.select("pos", "nth_run", took_ps=pl.when(~pl.col("is_first")).then(took))
        if earlier_ps is not None:
            since = _TOOK.fill_null(0) + pl.lit(earlier_ps, pl.Int128)
            told = told.with_columns(took_ps=pl.when(pl.col("pos") == 0).then(since).otherwise(_TOOK))
        is_known = _TOOK.is_not_null().cum_sum().over("nth_run") > 0
        told = told.select("pos", sum_ps=pl.when(is_known).then(_TOOK.fill_null(0).cum_sum().over("nth_run")))
        if is_told[-1]:
            self._last_ps = told["sum_ps"][-1]
        return none.scatter(told["pos"], told["sum_ps"])

    def _seconds(self, rows: pl.DataFrame, index: pl.Series) -> pl.Expr:
        own = rows.select("shape_id", "values")[index]
        at = own.select("shape_id").join(self._times, on="shape_id", how="left", maintain_order="left")["at"]
        return pl.lit(own.select(pl.col("values").list.get(pl.lit(at), null_on_oob=True)).to_series())


def seconds(sum_ps: pl.Expr) -> pl.Expr:
    """A sum of StepTimes in seconds."""
    return quotient(sum_ps.cast(pl.Float64), _PS)
