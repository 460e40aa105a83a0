"""A rule: a named, sourced way to turn a run's records, or a series' trials, into one number."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Rule:
    """One rule; docs/rules.md explains each of its keys.

    It reads records of `kind` with steps above `after_step` and up to `to_step`. Of these, `skip` are dropped at the
    start and `skip_last` at the end; `take` are used (all, if None).
    """

    rule: str
    source: str
    description: str
    kind: str
    statistic: str
    trial_statistic: str
    formats: tuple[str, ...] | None = None
    name: str | None = None
    skip: int = 0
    take: int | None = None
    positive_only: bool = False
    ranks: str = "all"
    rounding: str | None = None
    rounding_digits: int | None = None
    trial_rounding: str | None = None
    trial_rounding_digits: int | None = None
    quantity: str | None = None
    unit: str | None = None
    average_of: str = "rates"
    batch: str = "global"
    after_step: int | None = None
    to_step: int | None = None
    complete: bool = False
    reading_rounding: str | None = None
    reading_rounding_digits: int | None = None
    zero_fails: bool = False
    fallback: str | None = None
    speedup_rounding: str | None = None
    speedup_rounding_digits: int | None = None
    trial_count_offset: float | None = None
    trial_drop: int | None = None
    trial_factor: str | None = None
    skip_last: int = 0
    trim: int | None = None
    trim_from: int | None = None
    volume: str = "step"
    per: str | None = None

    @property
    def window(self) -> str:
        """The records that are used, in words: of the steps within the limits, those counted from the first."""
        first = "from" if self.quantity in ("interval", "round") else "above"
        within = [f"{first} {self.after_step}"] * (self.after_step is not None)
        ends = " ".join([*within, *[f"up to {self.to_step}"] * (self.to_step is not None)])
        return f"{self._records}, of the steps {ends}" if ends else self._records

    @property
    def _records(self) -> str:
        whole = ", whole or nothing" if self.complete else ""
        if self.take is not None:
            return f"numbers {self.skip + 1} to {self.skip + self.take}{whole}"
        if self.statistic == "last":
            return "the last" + whole
        ends = [f"the first {self.skip}"] * (self.skip > 0) + [f"the last {self.skip_last}"] * (self.skip_last > 0)
        if self.skip_last:
            return f"all without {' and '.join(ends)}{whole}"
        return (f"all after {ends[0]}" if ends else "all") + whole

    def row(self) -> tuple[Any, ...]:
        values = {column: getattr(self, column) for column in COLUMNS}
        return tuple(list(value) if isinstance(value, tuple) else value for value in values.values())


# The columns of table rule: the keys of a rule, and its window in words.
COLUMNS = (*(field.name for field in fields(Rule)), "window")
