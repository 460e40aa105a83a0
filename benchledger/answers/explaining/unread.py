"""The values of a run that a rule does not read, each with why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.explaining.read_values import Read
from benchledger.answers.explaining.run_values import RunValues
from benchledger.answers.tables.grouping import Row

if TYPE_CHECKING:
    import polars as pl


def not_read(rule: Row, run: RunValues, read: Read, phase: str | None) -> list[pl.DataFrame]:
    """The values of the run that the rule does not read, with why; of those without a value no line is listed twice."""
    import polars as pl

    def other(column: str, wanted: str | None, words: str) -> tuple[pl.Expr, pl.Expr]:
        why = pl.format(f"not read: {words}", pl.col(column).fill_null("None"))
        return pl.col(column).ne_missing(pl.lit(wanted)), why

    # What none of these holds for is read.
    reasons = [
        other("phase", phase, "another phase, {}"),
        other("kind", rule["kind"], "of a {} record"),
        *(other(column, getattr(read, column), f"another {column}, {{}}") for column in _ORDER),
    ]
    use = pl.coalesce(pl.when(is_other).then(why) for is_other, why in reasons)
    found = [run.printed.with_columns(use=use).filter(pl.col("use").is_not_null())]
    if read.quantity == "interval":
        lost = run.intervals.filter(pl.col("unread").is_not_null())
        found.append(lost.with_columns(use=pl.format("not read: {}", "unread")))
    return found


_ORDER = ("quantity", "name", "unit", "scope")
