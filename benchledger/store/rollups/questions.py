"""What rules ask of streams."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """What some rules ask alike of streams (questions.sql)."""

    question: int
    skip: int
    take: int | None
    skip_last: int
    positive_only: bool
    statistic: str
    average_of: str
    trim: int | None
    trim_from: int | None
    is_mean_of_lanes: bool
    streams: list[int]

    @property
    def passes(self) -> bool:
        """Whether its window has all that lies between the ends of a long stream: a window without an end has."""
        return self.take is None and self.statistic != "last"
