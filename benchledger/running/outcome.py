"""What came of each run, and all of them as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.running.failure import Exit, Failure
from benchledger.running.job import Job

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Outcome:
    """One run, or one that was not made. `status`: ok, planned, there, not run, or the mark of its failure."""

    job: Job
    trial: int | None
    status: str
    end: Exit | None = None
    folder: Path | None = None
    failure: Failure | None = None
    command: str | None = None

    @property
    def is_failed(self) -> bool:
        """Whether it ran and did not end well."""
        return self.failure is not None


def frame_of(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row an outcome."""
    import polars as pl

    schema = {
        "case": pl.String, "name": pl.String, "trial": pl.Int64, "status": pl.String, "exit_code": pl.Int64,
        "seconds": pl.Float64, "folder": pl.String, "why": pl.String, "command": pl.String,
    }  # fmt: skip
    return pl.DataFrame([_row(outcome) for outcome in outcomes], schema=schema, orient="row")


def _row(outcome: Outcome) -> tuple[object, ...]:
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
