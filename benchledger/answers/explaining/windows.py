"""Which of the values that a rule reads it uses: those of its ranks within its window. Each is told its use."""

from __future__ import annotations

import math
from statistics import median

from benchledger.answers.explaining.read_values import Read
from benchledger.answers.explaining.roundings import rounded
from benchledger.answers.grouping import Row

KEPT = "kept"
# What is counted as skipped though no window could have taken it.
_NOT_FINITE, _NOT_POSITIVE = "dropped: not finite", "dropped: a time of 0 or less"
UNUSABLE = (_NOT_FINITE, _NOT_POSITIVE)


def is_usable(row: Row, rule: Row, read: Read) -> bool:
    """Whether a value is one of speed; its rate is set where it is."""
    value = row["value"]
    row["rate"] = None
    if not math.isfinite(value):
        row["use"] = _NOT_FINITE
    elif read.quantity != "throughput" and value <= 0:
        row["use"] = _NOT_POSITIVE
    else:
        row["use"] = KEPT
        close = rounded(value, rule["reading_rounding"], rule["reading_rounding_digits"])
        row["rate"] = close if read.quantity == "throughput" else over(row["steps"], close)
    return bool(row["use"] == KEPT)


def over(one: float, other: float) -> float:
    """One over the other as floats are divided: over nought it is infinite."""
    return one / other if other else math.copysign(math.inf, one) if one else math.nan


def by_rank(usable: list[Row], every: list[Row], rule: Row) -> list[Row]:
    """The readings that the window counts: all, those of the lowest rank, or one a step. Each leads to its lines."""
    if rule["ranks"] == "first":
        lowest = min(_rank(row) for row in every) if every else -1
        for row in usable:
            if _rank(row) != lowest:
                row["use"] = f"dropped: rank {_rank(row)}, not the lowest"
        usable = [row for row in usable if _rank(row) == lowest]
    if rule["ranks"] != "median":
        return [{**row, "lines": [row]} for row in usable]
    steps: dict[tuple[int | None, int], list[Row]] = {}
    for row in usable:
        if row["step"] is None:
            row["use"] = "dropped: no step number"
        else:
            steps.setdefault(step_of(row), []).append(row)
    found = [
        {"step": step, "since": step - 1, "steps": 1, "rate": median(row["rate"] for row in rows), "lines": rows}
        for (_, step), rows in steps.items()
    ]
    # In the order in which each step first stands in the logs.
    return sorted(found, key=lambda one: min((row["part"], row["log_id"], row["byte_offset"]) for row in one["lines"]))


def step_of(row: Row) -> tuple[int | None, int]:
    """The step that ranks share: some programs count anew in each epoch."""
    return row["epoch"], row["step"]


def _rank(row: Row) -> int:
    return -1 if row["rank"] is None else int(row["rank"])


def window(candidates: list[Row], rule: Row, read: Read) -> tuple[list[Row], bool]:
    """The readings within the window, and whether all of the window is there."""
    after, to, take = rule["after_step"], rule["to_step"], rule["take"]
    within = candidates
    if after is not None or to is not None:
        within = []
        for one in candidates:
            why = _outside(one, after, to)
            _use(one, why) if why else within.append(one)
    parts = [within]
    if rule["ranks"] in ("each", "mean"):
        parts = [[one for one in within if _rank(one) == rank] for rank in sorted({_rank(one) for one in within})]
    chosen = [one for part in parts for one in _slice(part, rule)]
    whole = rule["kind"] == "summary" or (take is not None and len(chosen) == take * len(parts))
    if not whole and to is not None and chosen and chosen[-1]["step"] == to:
        plain = rule["ranks"] == "all" and rule["average_of"] == "rates" and after is None and to is None
        begun = read.quantity not in ("interval", "round") or after is None or chosen[0]["since"] == after
        whole = not plain and begun
    return chosen, whole


def _slice(within: list[Row], rule: Row) -> list[Row]:
    """Of a list the part between the first and the last that the rule leaves out, and no more than it takes."""
    skip, last, take = rule["skip"], rule["skip_last"], rule["take"]
    for one in within[:skip]:
        _use(one, f"dropped: before the window, one of the first {skip}")
    end = len(within) if take is None else skip + take
    for one in within[end:]:
        _use(one, f"dropped: after the window, which ends with the {end}th")
    if last and len(within) - last < end:
        for one in within[max(len(within) - last, skip) : end]:
            _use(one, f"dropped: after the window, one of the last {last}")
        end = max(len(within) - last, 0)
    return within[skip:end]


def _outside(one: Row, after: int | None, to: int | None) -> str | None:
    if one["step"] is None or one["since"] is None:
        return "dropped: no step number"
    if after is not None and one["since"] < after:
        return f"dropped: before the window, not after step {after}"
    if to is not None and one["step"] > to:
        return f"dropped: after the window, which ends with step {to}"
    return None


def _use(one: Row, use: str) -> None:
    for row in one["lines"]:
        row["use"] = use


def counted(chosen: list[Row], rule: Row) -> list[Row]:
    """Of the readings within the window those that the statistic is made of."""
    if rule["statistic"] == "last":
        for one in chosen[:-1]:
            _use(one, "dropped: before the last")
        chosen = chosen[-1:]
    if rule["statistic"] == "trimmed" and len(chosen) >= rule["trim_from"]:
        return _without_extremes(chosen, rule["trim"])
    if not rule["positive_only"]:
        return chosen
    for one in chosen:
        if one["rate"] <= 0:
            _use(one, "dropped: 0 or less")
    return [one for one in chosen if one["rate"] > 0]


def _without_extremes(chosen: list[Row], trim: int) -> list[Row]:
    ordered = sorted(range(len(chosen)), key=lambda place: chosen[place]["rate"])
    for places, which in ((ordered[:trim], "lowest"), (ordered[-trim:], "highest")):
        for place in places:
            _use(chosen[place], f"dropped: one of the {trim} {which}")
    return [chosen[place] for place in sorted(ordered[trim:-trim])]


def statistic(used: list[Row], rule: Row) -> float | None:
    """One speed of all that is used; None of none."""
    if not used:
        return None
    if rule["ranks"] == "mean":
        means = [_mean([one for one in used if _rank(one) == rank], rule) for rank in {_rank(one) for one in used}]
        return math.fsum(means) / len(means)
    rates = [one["rate"] for one in used]
    if rule["statistic"] == "last":
        return float(rates[-1])
    if rule["statistic"] in ("mean", "trimmed"):
        return _mean(used, rule)
    if rule["average_of"] == "times":
        return over(1, median(over(1, rate) for rate in rates))
    return float(median(rates))


def _mean(used: list[Row], rule: Row) -> float:
    if rule["average_of"] == "times":
        seconds = math.fsum(over(one["steps"], one["rate"]) for one in used)
        return over(math.fsum(one["steps"] for one in used), seconds)
    return math.fsum(one["rate"] for one in used) / len(used)
