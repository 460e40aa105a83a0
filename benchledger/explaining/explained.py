"""The answers of `explain`: a cell, a run or a file, each with its evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import polars as pl

from benchledger.answers.notebook import Answer
from benchledger.answers.tables.grouping import Row

if TYPE_CHECKING:
    from benchledger.answers.run_detail import RunDetail


@dataclass(frozen=True)
class Check:
    """A number of a table beside the same number, recomputed from the stored records."""

    value: float | None
    recomputed: float | None

    @property
    def agrees(self) -> bool:
        """Whether both are one number, but for the last digits of a sum of floats, or both are none."""
        if self.value is None or self.recomputed is None:
            return self.value is self.recomputed
        return math.isclose(self.value, self.recomputed, rel_tol=1e-12)


@dataclass(frozen=True, repr=False)
class ExplainedCell(Answer):
    """A number of a table and all that it is made of.

    `number` is its row in the table; `sentences` say what was done; `trials` has every run of its series, those that
    do not count too; `logs` where these runs were logged; `readings` every value that could have been read, with its
    place and its `use`; `facts` and `conflicts` what was stated of the runs. Of a speed-up `sides` explains both
    speeds, its own and its base's, and `bases` lists what could have been the base.
    """

    cell: str
    table: str
    number: Row
    rule: Row | None
    sentences: tuple[str, ...]
    check: Check
    trials: pl.DataFrame
    logs: pl.DataFrame
    readings: pl.DataFrame
    facts: pl.DataFrame
    conflicts: pl.DataFrame
    bases: pl.DataFrame | None = None
    sides: tuple[ExplainedCell, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        check = {"value": self.check.value, "recomputed": self.check.recomputed, "agrees": self.check.agrees}
        values = {"check": check, "sides": [side.to_dict() for side in self.sides]}
        return _plain(self) | values | ({"bases": []} if self.bases is None else {})


@dataclass(frozen=True, repr=False)
class ExplainedRun(Answer):
    """A run and where it stands.

    `detail` is all that `show_run` tells; `chain` the rules of its format's default, in order, with what each gives;
    `cells` the numbers of tables that its series has, and whether the run counts in each.
    """

    run_key: str
    sentences: tuple[str, ...]
    detail: RunDetail
    conflicts: pl.DataFrame
    chain: pl.DataFrame
    cells: pl.DataFrame

    def to_dict(self) -> dict[str, Any]:
        values = _plain(self) | _plain(self.detail)
        return {name: value for name, value in values.items() if name not in ("detail", "convergence")}


@dataclass(frozen=True, repr=False)
class ExplainedFile(Answer):
    """A file and what became of it.

    `log` is what the ledger keeps of its content, None where it knows none; `sightings` where that was seen; `runs`
    those it belongs to; `ignored` and `rejects` the pieces that are no records, with why. `now` is how a file on disk
    would be recognised by today's definitions, `nearest` the formats that it almost has and what they lack.
    """

    file: str
    sentences: tuple[str, ...]
    log: Row | None
    now: Row | None
    sightings: pl.DataFrame
    runs: pl.DataFrame
    ignored: pl.DataFrame
    rejects: pl.DataFrame
    nearest: pl.DataFrame

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)


def _plain(answer: Any) -> dict[str, Any]:
    values = {field.name: getattr(answer, field.name) for field in fields(answer)}
    return {name: value.to_dicts() if hasattr(value, "to_dicts") else value for name, value in values.items()}
