"""The outcome of each run, and all outcomes as a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from benchledger.running.failure import Exit, Failure
from benchledger.running.job import Job

if TYPE_CHECKING:
    import polars as pl

_Asked = ParamSpec("_Asked")


@dataclass(frozen=True)
class Outcome:
    """A run, or a run that was not made. `status`: ok, planned, there, not run, or the mark of its failure."""

    job: Job
    trial: int | None
    status: str
    end: Exit | None = None
    folder: Path | None = None
    failure: Failure | None = None
    command: str | None = None

    @property
    def is_failed(self) -> bool:
        return self.failure is not None


COLUMNS = ("case", "name", "trial", "status", "exit_code", "seconds", "folder", "why", "command")


def as_frame(made: Callable[_Asked, list[Outcome]]) -> Callable[_Asked, pl.DataFrame]:
    """Wraps a function so that it returns a frame; the original needs no polars, which training machines may lack."""

    @wraps(made)
    def framed(*args: _Asked.args, **kwargs: _Asked.kwargs) -> pl.DataFrame:
        return frame_of(made(*args, **kwargs))

    return framed


def frame_of(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    import polars as pl

    schema = dict.fromkeys(COLUMNS, pl.String) | {"trial": pl.Int64, "exit_code": pl.Int64, "seconds": pl.Float64}
    return pl.DataFrame([row_of(outcome) for outcome in outcomes], schema=schema, orient="row")


def row_of(outcome: Outcome) -> tuple[object, ...]:
    end, failure = outcome.end, outcome.failure
    return (
        outcome.job.case.name,
        outcome.job.name,
        outcome.trial,
        outcome.status,
        end.exit_code if end else None,
        round(end.seconds, 3) if end else None,
        str(outcome.folder) if outcome.folder else None,
        f"{failure.message}. {failure.cure}" if failure else None,
        outcome.command,
    )
