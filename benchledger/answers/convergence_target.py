"""The target of a convergence report: loss=6.5, accuracy=75.9%, or the name of a metric with its value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from benchledger.answers.grouping import Row
from benchledger.errors import UsageError

_EXAMPLES = "loss=6.5, accuracy=0.759, val.top1=75.9%, eval_wer=0.2"
_PERCENT = 100
_SHARES = ("accuracy", "error_rate")


@dataclass(frozen=True)
class Target:
    """Which metric tells the runs ('' for each run's main one), and what is to be reached ('' for nothing)."""

    metric: str = ""
    name: str = ""
    value: float | None = None
    said: str | None = None
    is_percentage: bool = False

    @property
    def wanted(self) -> str:
        """The metric that is asked for, by its name or the word for what it measures; '' if none is."""
        return self.metric if self.name in ("", "loss") else self.name

    @property
    def wants_metric(self) -> bool:
        """Whether only runs with a certain metric are asked for."""
        return bool(self.wanted)

    def check(self, rows: Iterable[Row]) -> None:
        """Raises UsageError for a percentage of what has none, and above 1 for a share: 75.9 may mean 0.759 or 75.9."""
        if self.name in ("", "loss") or self.value is None:
            return
        for row in rows:
            if self.is_percentage and row["metric_quantity"] not in _SHARES:
                raise UsageError(
                    f"{row['metric']} is no share of anything, so {self.said} says nothing: leave the % out"
                )
        if self.value <= 1:
            return
        for row in rows:
            if row["metric_unit"] is not None:
                raise UsageError(
                    f"{row['metric']} is a fraction or a percentage, so {self.said} is more than all: "
                    f"write {self.name}={self.value / _PERCENT:g} or {self.name}={self.value:g}%"
                )

    def may_be_of_another_unit(self, rows: Iterable[Row]) -> bool:
        """Whether it is a percentage, or a fraction, where rows whose logs do not say so look like the other."""
        if self.name in ("", "loss") or self.value is None:
            return False
        return any(
            row["metric_unit"] is None
            and row["metric_quantity"] in _SHARES
            and row["best_highest"] is not None
            and (self.value > 1) != (row["best_highest"] > 1)
            for row in rows
        )


NO_TARGET = Target()


def read_target(target: str | None, metric: str | None) -> Target:
    """Checks a target, and the metric that is to be shown. Raises UsageError with examples for anything else."""
    if target is None:
        return NO_TARGET if metric is None else Target(metric=metric)
    name, equals, number = (part.strip() for part in target.rpartition("="))
    if not equals or not name:
        raise UsageError(f"no target {target!r}: write what is to be reached, such as {_EXAMPLES}")
    if metric is not None and name != "loss":
        raise UsageError(f"--target {target} names its metric already: leave --metric out, or aim at a loss")
    try:
        value = float(number.removesuffix("%")) / (_PERCENT if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"the target of {name} must be a number, not {number!r}; such as {_EXAMPLES}")
    is_percentage = number.endswith("%")
    if name == "loss" and is_percentage:
        raise UsageError(f"a loss is no share of anything, so {target} says nothing: leave the % out")
    return Target(metric or "", name, value, f"{name} {number}", is_percentage)
