"""The target of a convergence report: loss=6.5, accuracy=75.9%, or a metric's name with a value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from benchledger.answers.tables.grouping import Row
from benchledger.errors import UsageError

_EXAMPLES = "loss=6.5, accuracy=0.759, val.top1=75.9%, eval_wer=0.2"
_PERCENT = 100
_SHARES = ("accuracy", "error_rate")


@dataclass(frozen=True)
class Target:
    """A target: the metric of each run ('' for its main one), and the name and value to reach ('' for none)."""

    metric: str = ""
    name: str = ""
    value: float | None = None
    said: str | None = None
    is_percentage: bool = False

    @property
    def wanted(self) -> str:
        """Returns the requested metric, by its name or the word for its quantity; '' without one."""
        return self.metric if self.name in ("", "loss") else self.name

    @property
    def wants_metric(self) -> bool:
        return bool(self.wanted)

    def check(self, rows: Iterable[Row]) -> None:
        """Raises UsageError for a percentage of a quantity without one, or a fraction above 1 (75.9 or 75.9%?)."""
        if self.name in ("", "loss") or self.value is None:
            return
        for row in rows:
            if self.is_percentage and row["metric_quantity"] not in _SHARES:
                raise UsageError(f"{row['metric']} is not a percentage: write {self.said} without %")
        if self.value <= 1:
            return
        for row in rows:
            if row["metric_unit"] is not None:
                raise UsageError(
                    f"{row['metric']} is a fraction or a percentage, so {self.said} is too large: "
                    f"write {self.name}={self.value / _PERCENT:g} or {self.name}={self.value:g}%"
                )

    def may_be_of_another_unit(self, rows: Iterable[Row]) -> bool:
        """Tells whether the target may be a percentage and the logged values fractions, or the reverse.

        Only for rows whose logs do not state the unit.
        """
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
    """Checks a target, and the metric to show. Raises UsageError with examples for anything else."""
    if target is None:
        return NO_TARGET if metric is None else Target(metric=metric)
    name, equals, number = (part.strip() for part in target.rpartition("="))
    if not equals or not name:
        raise UsageError(f"no target {target!r}: write a target such as {_EXAMPLES}")
    if metric is not None and name != "loss":
        raise UsageError(f"--target {target} already names a metric: remove --metric")
    try:
        value = float(number.removesuffix("%")) / (_PERCENT if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"the target of {name} must be a number, not {number!r}; such as {_EXAMPLES}")
    is_percentage = number.endswith("%")
    if name == "loss" and is_percentage:
        raise UsageError(f"a loss is not a percentage: write {target} without %")
    return Target(metric or "", name, value, f"{name} {number}", is_percentage)
