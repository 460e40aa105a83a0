"""A rule applied to the values of a run in plain Python, apart from view run_speed, so that each can check the other.

docs/rules.md says what each word of a rule means; here it is done, and of every value it is told whether it was kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchledger.answers.explaining.read_values import Read, read_by
from benchledger.answers.explaining.roundings import rounded
from benchledger.answers.explaining.run_values import RunValues
from benchledger.answers.explaining.unread import not_read
from benchledger.answers.grouping import Row, sort_key

KEPT = "kept"


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
    readings: list[Row]


def apply_rule(rule: Row, run: RunValues, phase: str | None = "train") -> list[Applied]:
    """The outcomes of a rule for a run, one a unit; none where it finds nothing that it could read."""
    best: dict[str | None, tuple[tuple[Any, ...], Read]] = {}
    for read in read_by(rule, run, phase):
        rank = (read.yields != read.base_unit, read.preference, sort_key((read.unit,)))
        if read.yields not in best or rank < best[read.yields][0]:
            best[read.yields] = (rank, read)
    return [_outcome(rule, run, read, phase) for _, read in best.values()]


def _outcome(rule: Row, run: RunValues, read: Read, phase: str | None) -> Applied:
    lines = [dict(row) for row in read.rows]
    usable = [row for row in lines if _usable(row, rule, read)]
    candidates = _by_rank(usable, lines, rule)
    chosen, whole = _window(candidates, rule, read)
    used = _counted(chosen, rule)
    rate = _statistic(used, rule)
    factor, words, missing = _factor(rule, read, run.case)
    reason = read.mixture or _why_not(rule, candidates, used, whole) or missing
    value = None
    if reason is None and rate is not None and factor is not None:
        raw = over(1, rate * factor) / _TIMES[read.yields] if read.yields in _TIMES else rate * factor
        value = rounded(raw, rule["rounding"], rule["rounding_digits"])
        if rule["zero_fails"] and abs(value) < 1:
            reason = "its owner takes a result below 1 for a failure"
            value = None if value == 0 else value
    count = len({row["step"] for row in usable} - {None}) if rule["ranks"] == "median" else len(usable)
    skipped = count + sum(row["use"] in _UNUSABLE for row in lines) - len(used)
    rest = not_read(rule, run, read, phase)
    ordered = sorted([*lines, *rest], key=lambda row: (row["part"], row["log_id"], row["byte_offset"], row["ordinal"]))
    return Applied(value, read.yields, len(used), skipped, rate, factor, words, _named(read), reason, ordered)


# Units of time in seconds.
_TIMES = {"s": 1, "min": 60}
# What is counted as skipped though no window could have taken it.
_NOT_FINITE, _NOT_POSITIVE = "dropped: not finite", "dropped: a time of 0 or less"
_UNUSABLE = (_NOT_FINITE, _NOT_POSITIVE)


def _named(read: Read) -> str:
    """What is read, as the log calls it: its name, unit and scope."""
    scope = {"gpu": ", per GPU", "node": ", per node", "global": ", of all GPUs"}.get(read.scope or "", "")
    if read.quantity == "interval":
        return "the time between step records"
    if read.quantity == "span":
        return f"the time from {read.name}"
    return f"{read.name} in {read.unit or 'an unknown unit'}{scope if read.quantity == 'throughput' else ''}"


def _usable(row: Row, rule: Row, read: Read) -> bool:
    value = row["value"]
    row["rate"] = None
    if not math.isfinite(value):
        row["use"] = _NOT_FINITE
    elif read.quantity != "throughput" and value <= 0:
        row["use"] = _NOT_POSITIVE
    else:
        row["use"] = KEPT
        close = rounded(value, rule["reading_rounding"], rule["reading_rounding_digits"])
        row["rate"] = _rate(close, row["steps"], read.quantity)
    return bool(row["use"] == KEPT)


def over(one: float, other: float) -> float:
    """One over the other as floats are divided: over nought it is infinite."""
    return one / other if other else math.copysign(math.inf, one) if one else math.nan


def _rate(value: float, steps: float, quantity: str) -> float:
    if quantity == "throughput":
        return value
    return over(steps, value)


def _by_rank(usable: list[Row], every: list[Row], rule: Row) -> list[Row]:
    """The readings that the window counts: all, those of the lowest rank, or one a step. Each leads to its lines."""
    if rule["ranks"] == "first":
        lowest = min(_rank(row) for row in every) if every else -1
        for row in usable:
            if _rank(row) != lowest:
                row["use"] = f"dropped: rank {_rank(row)}, not the lowest"
        usable = [row for row in usable if _rank(row) == lowest]
    if rule["ranks"] != "median":
        return [{**row, "lines": [row]} for row in usable]
    steps: dict[int, list[Row]] = {}
    for row in usable:
        if row["step"] is None:
            row["use"] = "dropped: no step number"
        else:
            steps.setdefault(row["step"], []).append(row)
    found = [
        {"step": step, "since": step - 1, "steps": 1, "rate": median(row["rate"] for row in rows), "lines": rows}
        for step, rows in steps.items()
    ]
    # In the order in which each step first stands in the logs.
    return sorted(found, key=lambda one: min((row["part"], row["log_id"], row["byte_offset"]) for row in one["lines"]))


def _rank(row: Row) -> int:
    return -1 if row["rank"] is None else int(row["rank"])


def _window(candidates: list[Row], rule: Row, read: Read) -> tuple[list[Row], bool]:
    """The readings within the window, and whether all of the window is there."""
    after, to, skip, take = rule["after_step"], rule["to_step"], rule["skip"], rule["take"]
    within = candidates
    if after is not None or to is not None:
        within = []
        for one in candidates:
            why = _outside(one, after, to)
            _use(one, why) if why else within.append(one)
    for one in within[:skip]:
        _use(one, f"dropped: before the window, one of the first {skip}")
    end = len(within) if take is None else skip + take
    for one in within[end:]:
        _use(one, f"dropped: after the window, which ends with the {end}th")
    chosen = within[skip:end]
    whole = rule["kind"] == "summary" or (take is not None and len(chosen) == take)
    if not whole and to is not None and chosen and chosen[-1]["step"] == to:
        plain = rule["ranks"] == "all" and rule["average_of"] == "rates" and after is None and to is None
        whole = not plain and (read.quantity != "interval" or after is None or chosen[0]["since"] == after)
    return chosen, whole


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


def _counted(chosen: list[Row], rule: Row) -> list[Row]:
    if rule["statistic"] == "last":
        for one in chosen[:-1]:
            _use(one, "dropped: before the last")
        chosen = chosen[-1:]
    if not rule["positive_only"]:
        return chosen
    for one in chosen:
        if one["rate"] <= 0:
            _use(one, "dropped: 0 or less")
    return [one for one in chosen if one["rate"] > 0]


def _statistic(used: list[Row], rule: Row) -> float | None:
    rates = [one["rate"] for one in used]
    if not rates:
        return None
    if rule["statistic"] == "last":
        return float(rates[-1])
    if rule["average_of"] == "times":
        if rule["statistic"] == "median":
            return over(1, median(over(1, rate) for rate in rates))
        seconds = math.fsum(over(one["steps"], one["rate"]) for one in used)
        return over(math.fsum(one["steps"] for one in used), seconds)
    return float(median(rates)) if rule["statistic"] == "median" else math.fsum(rates) / len(rates)


def _factor(rule: Row, read: Read, case: Row) -> tuple[float | None, str, str | None]:
    """What the statistic is multiplied by, in words too; or the fact that is missing for it."""
    factor, words = 1.0, []
    if read.quantity == "throughput" and (read.scope == "gpu" or (read.scope is None and case["gpus"] != 1)):
        if read.scope is None:
            return None, "", "missing fact: scope"
        if case["gpus"] is None:
            return None, "", "missing fact: gpus"
        factor, words = float(case["gpus"]), [f"times {case['gpus']} GPUs, for it is printed per GPU"]
    if read.quantity == "throughput" and read.scope == "node":
        if case["nodes"] is None:
            return None, "", "missing fact: nodes"
        factor, words = float(case["nodes"]), [f"times {case['nodes']} nodes, for it is printed per node"]
    if read.quantity != "throughput" and read.unit != "s":
        return None, "", "missing fact: unit"
    needs = _conversion(rule, read)
    for name, power in needs:
        if case[name] is None:
            return None, "", f"missing fact: {name}"
        factor *= float(case[name]) ** power
        words.append(f"{'times' if power > 0 else 'over'} {name} {case[name]}")
    return factor, ", ".join(words), None


def _conversion(rule: Row, read: Read) -> list[tuple[str, int]]:
    if read.yields == read.base_unit:
        return []
    if read.yields in _TIMES:
        lengths = {"steps/s": [], "samples/s": ["global_batch_size"], "tokens/s": ["global_batch_size", "seq_len"]}
        return [(name, -1) for name in lengths[read.base_unit or "steps/s"]]
    if read.base_unit == "steps/s":
        batch = ["batch_size_per_gpu", "gpus"] if rule["batch"] == "pass" else ["global_batch_size"]
        return [(name, 1) for name in batch + ["seq_len"] * (read.yields == "tokens/s")]
    return [("seq_len", -1 if read.base_unit == "tokens/s" else 1)]


def _why_not(rule: Row, candidates: list[Row], used: list[Row], whole: bool) -> str | None:
    if not used:
        return f"none of {len(candidates)} records is left; the rule skips {rule['skip']}"
    if rule["complete"] and not whole:
        return f"{len(used)} records in the window; the rule wants the whole of it"
    return None
