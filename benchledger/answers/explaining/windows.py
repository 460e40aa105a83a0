"""Which of the values that a rule reads it uses: those of its ranks within its window. Each is told its use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchledger.answers.explaining.read_values import Read
from benchledger.answers.explaining.roundings import rounded
from benchledger.answers.explaining.step_times import rank_of
from benchledger.answers.tables.grouping import Row

if TYPE_CHECKING:
    import polars as pl

KEPT = "kept"
# What is counted as skipped though no window could have taken it.
_NOT_FINITE, _NOT_POSITIVE = "dropped: not finite", "dropped: a time of 0 or less"
_NO_SPEED = "dropped: a speed below 0, or of 0 after a step"
UNUSABLE = (_NOT_FINITE, _NOT_POSITIVE, _NO_SPEED)
# The step that ranks share: some programs count anew in each epoch.
STEP_OF = ("epoch", "step")


def with_rates(rule: Row, read: Read) -> pl.DataFrame:
    """The values, each with the `candidate` that it belongs to, its rate if it can be one of speed, and its use."""
    import polars as pl

    value = pl.col("value")
    unusable = [(~value.is_finite(), _NOT_FINITE)]
    if read.quantity != "throughput":
        unusable.append((value <= 0, _NOT_POSITIVE))
    else:
        unusable.append(((value < 0) | ((value == 0) & (pl.col("step").fill_null(0) > 0)), _NO_SPEED))
    rows = read.rows.with_columns(use=_first_of(unusable).fill_null(KEPT))
    if rule["reading_rounding"] is not None:
        close = [rounded(one, rule["reading_rounding"], rule["reading_rounding_digits"]) for one in rows["value"]]
        value = pl.lit(pl.Series(close, dtype=pl.Float64))
    # Over nought a float is infinite.
    rate = value if read.quantity == "throughput" else pl.col("steps") / value
    return rows.with_columns(rate=pl.when(pl.col("use") == KEPT).then(rate)).with_row_index("candidate")


def by_rank(lines: pl.DataFrame, rule: Row) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The readings that the window counts: all, those of the lowest rank, or one a step; and the lines, with their use.

    Each line tells the reading that it is part of.
    """
    import polars as pl

    usable = pl.col("use") == KEPT
    if rule["ranks"] == "first":
        other = usable & (rank_of() != rank_of().min())
        why = pl.format("dropped: rank {}, not the lowest", rank_of())
        lines = lines.with_columns(use=pl.when(other).then(why).otherwise("use"))
    if rule["ranks"] != "median":
        return lines.filter(usable).select("candidate", "step", "since", "steps", "rate", "rank"), lines
    why = pl.lit("dropped: no step number")
    lines = lines.with_columns(
        use=pl.when(usable & pl.col("step").is_null()).then(why).otherwise("use"),
        candidate=pl.when(usable & pl.col("step").is_not_null()).then(pl.col("candidate").min().over(STEP_OF)),
    )
    # In the order in which each step first stands in the logs.
    steps = lines.filter(usable).group_by("candidate", maintain_order=True)
    found = steps.agg(pl.col("step").first(), pl.col("rate").median())
    return found.select(
        "candidate",
        "step",
        since=pl.col("step") - 1,
        steps=pl.lit(1, pl.Int64),
        rate="rate",
        rank=pl.lit(None, pl.Int32),
    ), lines


def window(candidates: pl.DataFrame, rule: Row, read: Read) -> tuple[pl.DataFrame, bool]:
    """The readings with their use, which is none within the window; and whether all of the window is there."""
    import polars as pl

    after, to, take = rule["after_step"], rule["to_step"], rule["take"]
    found = candidates.with_columns(use=_outside(after, to))
    within = pl.col("use").is_null()
    parted = rule["ranks"] in ("each", "mean")
    if parted:
        # One rank after the other.
        found = found.sort(rank_of(), maintain_order=True)
    part = rank_of() if parted else pl.lit(0)
    place = within.cum_sum().over(part).cast(pl.Int64) - 1
    found = found.with_columns(use=pl.coalesce("use", _cut(place, within.sum().over(part).cast(pl.Int64), rule)))
    chosen = found.filter(within)
    parts = candidates.filter(_outside(after, to).is_null())["rank"].fill_null(-1).n_unique() if parted else 1
    whole = rule["kind"] == "summary" or (take is not None and chosen.height == take * parts)
    if not whole and to is not None and chosen.height and chosen["step"][-1] == to:
        plain = rule["ranks"] == "all" and rule["average_of"] == "rates" and after is None and to is None
        begun = read.quantity not in ("interval", "round") or after is None or chosen["since"][0] == after
        whole = not plain and begun
    return found, whole


def _outside(after: int | None, to: int | None) -> pl.Expr:
    import polars as pl

    if after is None and to is None:
        return pl.lit(None, pl.String)
    reasons = [(pl.col("step").is_null() | pl.col("since").is_null(), "dropped: no step number")]
    if after is not None:
        reasons.append((pl.col("since") < after, f"dropped: before the window, not after step {after}"))
    if to is not None:
        reasons.append((pl.col("step") > to, f"dropped: after the window, which ends with step {to}"))
    return _first_of(reasons)


def _cut(place: pl.Expr, size: pl.Expr, rule: Row) -> pl.Expr:
    """Why a reading at a place of so many is left out: before the first, or behind the last, that the rule takes."""

    skip, last, take = rule["skip"], rule["skip_last"], rule["take"]
    reasons = [(place < skip, f"dropped: before the window, one of the first {skip}")]
    if take is not None:
        reasons.append((place >= skip + take, f"dropped: after the window, which ends with the {skip + take}th"))
    if last:
        reasons.append((place >= size - last, f"dropped: after the window, one of the last {last}"))
    return _first_of(reasons)


def _first_of(reasons: list[tuple[pl.Expr, str]]) -> pl.Expr:
    """The words of the first condition that holds."""
    import polars as pl

    return pl.coalesce(pl.when(holds).then(pl.lit(words)) for holds, words in reasons)


def counted(candidates: pl.DataFrame, rule: Row) -> pl.DataFrame:
    """The readings; of those within the window only those that the statistic is made of are without a use."""
    import polars as pl

    use, within = pl.col("use"), pl.col("use").is_null()
    if rule["statistic"] == "last":
        place = within.cum_sum()
        before = pl.when(place < place.max()).then(pl.lit("dropped: before the last"))
        candidates = candidates.with_columns(use=pl.coalesce(use, before))
    if rule["statistic"] == "trimmed" and candidates.select(within.sum()).item() >= rule["trim_from"]:
        return _without_extremes(candidates, rule["trim"])
    if not rule["positive_only"]:
        return candidates
    negative = pl.when(pl.col("rate") <= 0).then(pl.lit("dropped: 0 or less"))
    return candidates.with_columns(use=pl.coalesce(use, negative))


def _without_extremes(candidates: pl.DataFrame, trim: int) -> pl.DataFrame:
    import polars as pl

    place = pl.when(pl.col("use").is_null()).then("rate").rank("ordinal").cast(pl.Int64)
    lowest = pl.when(place <= trim).then(pl.lit(f"dropped: one of the {trim} lowest"))
    highest = pl.when(place > place.max() - trim).then(pl.lit(f"dropped: one of the {trim} highest"))
    return candidates.with_columns(use=pl.coalesce("use", highest, lowest))


def told(lines: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """The lines, each with the use of the reading that it is part of."""
    import polars as pl

    uses = candidates.select("candidate", own=pl.col("use").fill_null(KEPT))
    joined = lines.join(uses, on="candidate", how="left", maintain_order="left")
    return joined.with_columns(use=pl.coalesce("own", "use")).drop("own", "candidate")


def statistic(used: pl.DataFrame, rule: Row) -> float | None:
    """One speed of all that is used; None of none."""
    import polars as pl

    if not used.height:
        return None
    if rule["ranks"] == "mean":
        means = [_mean(own, rule) for own in used.partition_by("rank")]
        return math.fsum(means) / len(means)
    if rule["statistic"] == "last":
        return float(used["rate"][-1])
    if rule["statistic"] in ("mean", "trimmed"):
        return _mean(used, rule)
    if rule["average_of"] == "times":
        return over(1, float(used.select((1 / pl.col("rate")).median()).item()))
    return float(used.select(pl.col("rate").median()).item())


def _mean(used: pl.DataFrame, rule: Row) -> float:
    # Of lists: to go through a column one by one takes ten times as long.
    if rule["average_of"] == "times":
        return over(float(used["steps"].sum()), math.fsum((used["steps"] / used["rate"]).to_list()))
    return math.fsum(used["rate"].to_list()) / used.height


def over(one: float, other: float) -> float:
    """One over the other as floats are divided: over nought it is infinite."""
    return one / other if other else math.copysign(math.inf, one) if one else math.nan
