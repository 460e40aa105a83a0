"""A rule applied to the values of a run in polars, apart from view run_speed, so that each can check the other.

docs/rules.md says what each word of a rule means; here it is done, and of every value it is told whether it was kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchledger.answers.explaining.factors import TIMES, factor_of
from benchledger.answers.explaining.read_values import Read, read_by
from benchledger.answers.explaining.roundings import rounded
from benchledger.answers.explaining.run_values import IN_THE_LOGS, RunValues
from benchledger.answers.explaining.unread import not_read
from benchledger.answers.explaining.windows import (
    STEP_OF,
    UNUSABLE,
    by_rank,
    counted,
    over,
    statistic,
    told,
    window,
    with_rates,
)
from benchledger.answers.tables.grouping import Row, sort_key

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Applied:
    """What a rule makes of a run in one unit; `readings` has every value that it could have read, with its use.

    `value` is `rate`, the statistic of the kept rates, times `factor`, rounded; None where `reason` says why.
    """

    value: float | None
    unit: str | None
    records_used: int
    records_skipped: int
    rate: float | None
    factor: float | None
    factor_words: str
    reads: str
    reason: str | None
    readings: pl.DataFrame


def apply_rule(rule: Row, run: RunValues, phase: str | None = "train") -> list[Applied]:
    """The outcomes of a rule for a run, one a unit; none where it finds nothing that it could read."""
    best: dict[str | None, tuple[tuple[Any, ...], Read]] = {}
    for read in read_by(rule, run, phase):
        rank = (read.yields != read.base_unit, read.preference, sort_key((read.unit,)))
        if read.yields not in best or rank < best[read.yields][0]:
            best[read.yields] = (rank, read)
    return [_outcome(rule, run, read, phase) for _, read in best.values()]


def _outcome(rule: Row, run: RunValues, read: Read, phase: str | None) -> Applied:
    candidates, lines = by_rank(with_rates(rule, read), rule)
    chosen, whole = window(candidates, rule, read)
    chosen = counted(chosen, rule)
    used = chosen.filter(chosen["use"].is_null())
    rate = statistic(used, rule)
    factor, words, missing = factor_of(rule, read, run.case)
    reason = read.mixture or _why_not(rule, candidates.height, used.height, whole) or missing
    value = None
    if reason is None and rate is not None and factor is not None:
        raw = rate * factor
        if read.yields in TIMES and read.yields != read.base_unit:
            raw = over(1, raw) / TIMES[read.yields]
        value = rounded(raw, rule["rounding"], rule["rounding_digits"])
        if rule["zero_fails"] and abs(value) < 1:
            reason = "its owner takes a result below 1 for a failure"
            value = None if value == 0 else value
    skipped = _readable(lines, rule) - used.height
    readings = _in_order([told(lines, chosen), *not_read(rule, run, read, phase)])
    return Applied(value, read.yields, used.height, skipped, rate, factor, words, _named(read), reason, readings)


def _readable(lines: pl.DataFrame, rule: Row) -> int:
    """How many readings there are: steps where ranks share them, and what no window could have taken."""
    unusable = lines["use"].is_in(UNUSABLE)
    if rule["ranks"] != "median":
        return lines.height
    return lines.filter(~unusable & lines["step"].is_not_null()).n_unique(STEP_OF) + int(unusable.sum())


def _in_order(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """What is read and what is not, in the order of the logs' lines."""
    import polars as pl

    filled = [frame for frame in frames if frame.height]
    if len(filled) < 2:
        return (filled or frames)[0]
    return pl.concat(filled, how="diagonal_relaxed").sort(IN_THE_LOGS, maintain_order=True)


def _named(read: Read) -> str:
    """What is read, as the log calls it: its name, unit and scope."""
    scope = {"gpu": ", per GPU", "node": ", per node", "global": ", of all GPUs"}.get(read.scope or "", "")
    if read.quantity == "interval":
        return "the time between step records"
    if read.quantity == "round":
        return "the time between rounds of all ranks"
    if read.quantity == "span":
        return f"the time from {read.name}"
    return f"{read.name} in {read.unit or 'an unknown unit'}{scope if read.quantity == 'throughput' else ''}"


def _why_not(rule: Row, candidates: int, used: int, whole: bool) -> str | None:
    if not used:
        return f"none of {candidates} records is left; the rule skips {rule['skip']}"
    if rule["complete"] and not whole:
        return f"{used} records in the window; the rule wants the whole of it"
    return None
