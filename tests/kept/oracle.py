"""The words of a rule carried out record by record in Python, with no code of the kept numbers: each checks the other.

docs/rules.md says what each word means. Of a run the records are those of view `run_record`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import duckdb

from benchledger.answers.rows import rows_asked

Row = dict[str, Any]
# The ways of saying how fast a step is, the first choice first.
QUANTITIES = ("throughput", "step_time", "interval", "round", "epoch_time", "span")
CONVERSIONS = {
    ("steps/s", "samples/s"), ("steps/s", "tokens/s"), ("steps/s", "s"), ("steps/s", "min"), ("steps/s", "TFLOP/s"),
    ("samples/s", "tokens/s"), ("tokens/s", "samples/s"), ("samples/s", "s"), ("tokens/s", "s"),
}  # fmt: skip
RECORDS = """
select record.* exclude (run_id, label), coalesce(rank, -1) as lane, coalesce(record.label, '') as label
from kept.run_record as record
where run_id = $run_id
order by part, log_id, byte_offset
"""
SHAPES = "select * from kept.shape where kind in ('step', 'summary')"
CASE = """
select bench_case.*, run_format.format, (
    select min(try_cast(value as double)) from fact where run_id = $run_id and name = 'params_b' and used
) as params_b
from run
join bench_case using (case_id)
join kept.run_format using (run_id)
where run_id = $run_id
"""


@dataclass(frozen=True)
class Reading:
    """A value that can tell a speed. A time between records is that of the later one, with ordinal 0."""

    log_id: int
    byte_offset: int
    ordinal: int
    kind: str
    phase: str | None
    quantity: str
    unit: str | None
    name: str | None
    scope: str | None
    value: float
    lane: int
    epoch: int | None
    step: int | None
    since: int | None
    steps: int
    is_again: bool

    @property
    def told(self) -> tuple[str, str | None, str | None, str | None]:
        return self.quantity, self.unit, self.name, self.scope


@dataclass(frozen=True)
class Outcome:
    """What a rule makes of a run in one unit, and the readings that this number is made of."""

    value: float | None
    unit: str | None
    records_used: int
    records_skipped: int
    used: frozenset[tuple[int, int, int]]


class Run:
    """The readings of a run."""

    def __init__(self, con: duckdb.DuckDBPyConnection, run_id: int) -> None:
        records = rows_asked(con, RECORDS, run_id=run_id)
        shapes: dict[int, list[Row]] = {}
        for row in rows_asked(con, SHAPES):
            shapes.setdefault(row["shape_id"], []).append(row)
        self.case: Row = next(iter(rows_asked(con, CASE, run_id=run_id)), {"format": None})
        self.records = records
        ranks = [one["rank"] for one in records if None not in (one["rank"], one["step"])]
        steps = {one["step"] for one in records if one["rank"] is not None}
        if len(ranks) >= 3 and len(set(ranks)) == len(ranks) and len(steps - {None}) > 1:
            # They are the numbers of lines.
            for one in records:
                one["lane"] = -1
        mark_repeats(records, shapes)
        part_unnamed_ranks(records, shapes)
        self.printed = [
            reading(record, shape, record["values"][shape["ordinal"] - 1])
            for record in records
            for shape in shapes.get(record["shape_id"], [])
            if shape["quantity"] in ("throughput", "step_time", "epoch_time")
            and record["values"][shape["ordinal"] - 1] is not None
        ]
        train = {
            one for one, rows in shapes.items() for row in rows if (row["kind"], row["phase"]) == ("step", "train")
        }
        self.steps = [one for one in records if one["shape_id"] in train and not one["is_again"] and one["lane"] >= -1]

    def intervals(self) -> Iterator[Reading]:
        """From each step record to the next one of its rank."""
        before: dict[int, Row] = {}
        for record in self.steps:
            last = before.get(record["lane"])
            before[record["lane"]] = record
            if last is None or None in (record["step"], last["step"]) or record["step"] < last["step"]:
                continue
            yield from between(last, record, "step", "interval", None)

    def rounds(self) -> Iterator[Reading]:
        """From round to round: of so many records as there are ranks the last."""
        ranks = len({record["lane"] for record in self.steps})
        ends = self.steps[ranks - 1 :: ranks] if ranks else []
        for last, record in pairwise(ends):
            if None not in (record["step"], last["step"]):
                yield from between(last, {**record, "lane": -1}, "step", "round", None)

    def span(self, name: str) -> Iterator[Reading]:
        """From the first record of one label to the last of another."""
        first, last = name.split(" to ")
        starts = [record for record in self.records if record["label"] == first]
        stops = [record for record in self.records if record["label"] == last]
        if starts and stops:
            yield from between(starts[0], {**stops[-1], "step": None, "lane": -1}, "summary", "span", name)


def mark_repeats(records: list[Row], shapes: dict[int, list[Row]]) -> None:
    """A line says again what the one before it said of a step, less than a second later, as every line of its rank."""
    lanes: dict[int, list[Row]] = {}
    told = ("shape_id", "step", "epoch", "label", "device", "values")
    for record in records:
        record["is_again"] = False
        if record["shape_id"] not in shapes or (record["step"] is None and record["epoch"] is None):
            continue
        lane = lanes.setdefault(record["lane"], [])
        if lane and all(lane[-1][name] == record[name] for name in told):
            seconds = seconds_from(lane[-1], record)
            record["is_again"] = seconds is None or seconds < 1
        lane.append(record)
    for lane in lanes.values():
        # Each line begins a group of equal ones. The last may be missing its repeat.
        firsts = [n for n, one in enumerate(lane) if not one["is_again"]]
        alone = [n for n in firsts if n + 1 == len(lane) or not lane[n + 1]["is_again"]]
        if len(alone) > min(1, len(firsts) - len(alone) - 1):
            for one in lane:
                one["is_again"] = False


def part_unnamed_ranks(records: list[Row], shapes: dict[int, list[Row]]) -> None:
    """If most steps have several lines, they are of ranks without a name: the second of each step is of lane -2."""
    for shape_id, values in shapes.items():
        if not any((value["kind"], value["phase"]) == ("step", "train") for value in values):
            continue
        own = [one for one in records if one["shape_id"] == shape_id and one["lane"] == -1 and one["step"] is not None]
        of_step: dict[Any, list[int]] = {}
        for nth, one in enumerate(one for one in own if not one["is_again"]):
            of_step.setdefault((one["epoch"], one["step"]), []).append(nth)
        together = [lines[-1] - lines[0] < 2 * len(lines) for lines in of_step.values()]
        # Epochs of a few lines, which no line numbers, return to their steps as soon.
        follow = any(1 < len(lines) > lines[-1] - lines[0] for lines in of_step.values())
        if (
            len(of_step) < 2
            or (len(of_step) < 4 and not follow)
            or median(map(len, of_step.values())) < 2
            or sum(together) < 0.9 * len(together)
        ):
            continue
        printed = [one for one in own if not one["is_again"]]
        for lines in of_step.values():
            for n, nth in enumerate(lines[1:], 2):
                printed[nth]["lane"] = -n


def reading(record: Row, shape: Row, value: float, since: int | None = None, steps: int = 1) -> Reading:
    step = record["step"]
    return Reading(
        record["log_id"], record["byte_offset"], shape["ordinal"], shape["kind"], shape["phase"], shape["quantity"],
        shape["unit"], shape["name"], shape["scope"], value, record["lane"], record["epoch"], step,
        since if shape["ordinal"] == 0 else None if step is None else step - 1, steps, record["is_again"],
    )  # fmt: skip


def seconds_from(last: Row, record: Row) -> float | None:
    if record["logged_at"] is not None and last["logged_at"] is not None:
        return float((record["logged_at"] - last["logged_at"]).total_seconds())
    if record["clock_s"] is not None and last["clock_s"] is not None:
        return float(record["clock_s"] - last["clock_s"])
    return None


def between(last: Row, record: Row, kind: str, quantity: str, name: str | None) -> Iterator[Reading]:
    """The seconds from one record to another, by their dates, else by their clocks; nothing where they have neither."""
    seconds = seconds_from(last, record)
    if seconds is None:
        return
    shape = {
        "ordinal": 0,
        "kind": kind,
        "phase": "train",
        "quantity": quantity,
        "unit": "s",
        "name": name,
        "scope": "global",
    }
    since = None if record["step"] is None else last["step"]
    # An iteration that overflowed repeats its step number; it was computed all the same.
    yield reading(record, shape, seconds, since, 1 if since is None else max(record["step"] - since, 1))


def apply_rule(rule: Row, run: Run, phase: str | None = "train") -> list[Outcome]:
    """The outcomes of a rule for a run, one a unit; none where it finds nothing that it could read."""
    best: dict[str | None, tuple[Any, ...]] = {}
    if rule["formats"] is not None and run.case["format"] not in rule["formats"]:
        return []
    readings = [one for one in run.printed if (one.kind, one.phase) == (rule["kind"], phase)]
    if phase == "train" and rule["kind"] == "step":
        if is_wanted(rule, "interval", "s", {one.told for one in readings}):
            readings += run.intervals()
        if rule["quantity"] == "round":
            readings += run.rounds()
    if phase == "train" and rule["quantity"] == "span":
        readings += run.span(rule["name"])
    told = {one.told for one in readings}
    for quantity, unit in {(quantity, unit) for quantity, unit, *_ in told if is_wanted(rule, quantity, unit, told)}:
        names = sorted(name for one, other, name, _ in told if (one, other) == (quantity, unit) and name is not None)
        name = rule["name"] or (names[0] if names else None)
        scopes = sorted(
            (one[3] for one in told if one[:3] == (quantity, unit, name)), key=lambda one: (one is None, one)
        )
        base = unit if quantity == "throughput" else "steps/s"
        yields = rule["unit"] or (unit if quantity == "throughput" else "samples/s")
        if not scopes or not (yields == base or (base, yields) in CONVERSIONS):
            continue
        units = [other for one, other, *_ in told if one == quantity]
        is_mixed = (unit is None and any(units)) or (not rule["name"] and len(set(names)) > 1) or len(scopes) > 1
        rank = (yields != base, QUANTITIES.index(quantity), unit is None, unit or "")
        own = [one for one in readings if one.told == (quantity, unit, name, scopes[0])]
        best[yields] = min(
            best.get(yields, (rank, own, base, is_mixed)), (rank, own, base, is_mixed), key=lambda x: x[0]
        )
    return [outcome(rule, run.case, own, base, yields, is_mixed) for yields, (_, own, base, is_mixed) in best.items()]


def is_wanted(rule: Row, quantity: str, unit: str | None, told: Iterable[tuple[str | None, ...]]) -> bool:
    """Whether a rule reads a quantity where these are told: printed speeds before printed times before the clock."""
    if rule["quantity"] is not None:
        return bool(quantity == rule["quantity"])
    speeds = {one[1] for one in told if one[0] == "throughput"} & {None, "samples/s", "tokens/s", "steps/s"}
    if quantity == "throughput":
        return unit != "steps/s" or speeds <= {None, "steps/s"}
    if quantity == "step_time":
        return not speeds
    return quantity == "interval" and not speeds and all(one[0] != "step_time" for one in told)


def outcome(
    rule: Row, case: Row, readings: list[Reading], base: str | None, yields: str | None, is_mixed: bool
) -> Outcome:
    is_speed = readings[0].quantity == "throughput"
    usable = [one for one in readings if is_usable(one)]
    # One value a step, or a rank's or all of them in the order of their lines: of each its rate and what it is made of.
    lines = [([one], one.since, one.step, one.steps, rate_of(rule, one), one.lane) for one in usable]
    if rule["ranks"] == "first":
        lanes = {one.lane for one in readings}
        lines = [line for line in lines if line[-1] == (max(lanes) if max(lanes) < 0 else min(lanes))]
    if rule["ranks"] == "median":
        of_step: dict[Any, list[Reading]] = {}
        for one in usable:
            if one.step is not None:
                of_step.setdefault((one.epoch, one.step), []).append(one)
        lines = [
            (own, own[0].step - 1, own[0].step, 1, median(rate_of(rule, one) for one in own), -1)  # type: ignore[operator]
            for own in of_step.values()
        ]
    skipped = len(readings) - len(usable) + (len(lines) if rule["ranks"] == "median" else len(usable))
    parts: dict[int, list[Any]] = {}
    after, to = rule["after_step"], rule["to_step"]
    for line in lines:
        _, since, step, *_ = line
        is_bounded = after is not None or to is not None
        if is_bounded and (
            None in (since, step) or since < (since if after is None else after) or step > (step if to is None else to)
        ):
            continue
        parts.setdefault(line[-1] if rule["ranks"] in ("each", "mean") else -1, []).append(line)
    size = {lane: len(own) - rule["skip_last"] for lane, own in parts.items()}
    end = None if rule["take"] is None else rule["skip"] + rule["take"]
    windows = [own[: max(size[lane], 0)][rule["skip"] : end] for lane, own in sorted(parts.items())]
    chosen = [line for window in windows for line in window]
    is_whole = rule["kind"] == "summary" or (end is not None and len(chosen) == rule["take"] * max(len(windows), 1))
    if not is_whole and to is not None and chosen and chosen[-1][2] == to:
        is_whole = readings[0].quantity not in ("interval", "round") or after is None or chosen[0][1] == after
    windows = [window for window in windows if window]
    if rule["statistic"] == "last":
        windows = [windows[-1][-1:]] if windows else []
    windows = [[line for line in window if line[4] > 0 or not rule["positive_only"]] for window in windows]
    windows = [window for window in windows if window]
    if rule["statistic"] == "trimmed":
        windows = [trimmed(rule, [line for window in windows for line in window])]
    used = [line for window in windows for line in window]
    value, factor = None, factor_of(rule, case, readings[0], base, yields)
    if used and not is_mixed and factor is not None and (is_whole or not rule["complete"]):
        exact = statistic(rule, windows if rule["ranks"] == "mean" else [used]) * factor
        if yields in ("s", "min") and yields != base:
            exact = over(1, exact) / (60 if yields == "min" else 1)
        value = rounded(exact, rule["rounding"], rule["rounding_digits"])
        failed = rule["zero_fails"] and value == 0
        value = None if failed or not math.isfinite(value) else value
    places = {(one.log_id, one.byte_offset, one.ordinal) for line in used for one in line[0]}
    assert is_speed or all(one.quantity != "throughput" for one in readings)
    return Outcome(value, yields, len(used), skipped - len(used), frozenset(places))


def is_usable(one: Reading) -> bool:
    is_nought = one.quantity == "throughput" and one.value == 0 and (one.step or 0) <= 0
    return not one.is_again and math.isfinite(one.value) and (one.value > 0 or is_nought)


def rate_of(rule: Row, one: Reading) -> float:
    value = rounded(one.value, rule["reading_rounding"], rule["reading_rounding_digits"])
    return value if one.quantity == "throughput" else over(one.steps, value)


def trimmed(rule: Row, lines: list[Any]) -> list[Any]:
    order = sorted(range(len(lines)), key=lambda n: lines[n][4])
    inner = set(order[rule["trim"] : len(order) - rule["trim"]])
    return [line for n, line in enumerate(lines) if n in inner] if len(lines) >= rule["trim_from"] else lines


def statistic(rule: Row, parts: list[list[Any]]) -> float:
    """One speed a part; over several parts their mean."""
    found = []
    for lines in parts:
        rates = [line[4] for line in lines]
        if rule["statistic"] == "last":
            found.append(rates[-1])
        elif rule["statistic"] == "median":
            found.append(
                over(1, median(over(1, rate) for rate in rates)) if rule["average_of"] == "times" else median(rates)
            )
        elif rule["average_of"] == "times":
            found.append(
                over(math.fsum(line[3] for line in lines), math.fsum(over(line[3], line[4]) for line in lines))
            )
        else:
            found.append(math.fsum(rates) / len(rates))
    return math.fsum(found) / len(found)


def factor_of(rule: Row, case: Row, read: Reading, base: str | None, yields: str | None) -> float | None:
    """The product of the facts that lead from what is read to the unit of the rule; None where one is missing."""
    if read.quantity != "throughput" and read.unit != "s":
        return None
    facts: list[tuple[str, int]] = [("gpus", -1)] if rule["per"] == "gpu" else []
    if rule["per"] == "gpu" and read.quantity == "throughput" and read.scope == "gpu":
        # It is of one GPU already, however many there are.
        facts = []
    elif read.quantity == "throughput" and (read.scope == "gpu" or (read.scope is None and case["gpus"] != 1)):
        if read.scope is None:
            return None
        facts.append(("gpus", 1))
    if read.quantity == "throughput" and read.scope == "node":
        facts.append(("nodes", 1))
    batch = ["batch_size_per_gpu", "gpus"] if rule["batch"] == "pass" else ["global_batch_size"]
    if yields != base:
        facts += {
            ("steps/s", "samples/s"): [(name, 1) for name in batch],
            ("steps/s", "tokens/s"): [(name, 1) for name in (*batch, "seq_len")],
            ("steps/s", "TFLOP/s"): [("global_batch_size", 1), ("params_b", 1), ("seq_len", 1)],
            ("samples/s", "tokens/s"): [("seq_len", 1)],
            ("tokens/s", "samples/s"): [("seq_len", -1)],
            ("samples/s", "s"): [("global_batch_size", -1)],
            ("tokens/s", "s"): [("global_batch_size", -1), ("seq_len", -1)],
        }.get((base or "", yields or ""), [])
    if any(case[name] is None for name, _ in facts):
        return None
    # 8 FLOP a parameter and token, of 10^9 parameters, in 10^12.
    factor = 8 / 1000 if yields == "TFLOP/s" and base == "steps/s" else 1.0
    factor *= math.prod(float(case[name]) ** power for name, power in facts)
    return factor * (rule["take"] if rule["volume"] == "window" else 1)


def rounded(value: float, method: str | None, digits: int | None) -> float:
    """A value by one of the roundings; as it is without one, and where a double has no decimals."""
    if method is None or digits is None or not abs(value) < 1e15:
        return value
    scale = 10.0**digits
    return float({
        "round_exact": lambda: float(f"{value:.{digits}f}"),
        "significant": lambda: float(f"{value:.{digits}g}"),
        "truncate": lambda: math.trunc(value * scale) / scale,
        "round2_truncate": lambda: math.trunc(round(value * 100) / 100 * scale) / scale,
        "round_even": lambda: round(value * scale) / scale,
    }[method]())  # fmt: skip


def over(one: float, other: float) -> float:
    """One over the other as floats are divided: over nought it is infinite."""
    return one / other if other else math.copysign(math.inf, one) if one else math.nan
