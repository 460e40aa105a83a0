"""What a report is made of: tables whose numbers share their facts, unit and rule, and what each table misses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from benchledger.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.prose import Line

MISSING_SHOWN = 8


@dataclass(frozen=True)
class Coverage:
    """How many of a table's cases have a number, and what became of each other one; `said` as a layout says it."""

    present: int
    total: int
    missing: tuple[str, ...] = ()
    said: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        text = f"{self.present} of {self.total} cases"
        if self.missing:
            more = len(self.missing) - MISSING_SHOWN
            text += "; missing: " + ", ".join(self.missing[:MISSING_SHOWN])
            text += f" and {more} more" if more > 0 else ""
        return text


@dataclass(frozen=True)
class Above:
    """What a layout prints above a table in place of its facts: headings of two levels, and the line of the unit.

    `align` says where its cells stand: left, center or right; `lang` in which language the words around it are, `depth`
    the level of its first heading, and `says` the facts that its title names.
    """

    section: str | None = None
    title: str | None = None
    unit: str | None = None
    align: str | None = None
    lang: str | None = None
    depth: int = 3
    says: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Above()


@dataclass(frozen=True)
class Table:
    """One table as it is printed.

    `facts` holds what all its numbers share (campaign, framework, ..., unit, rule), `rows_split_by` the columns that
    had to be added so that no two series share a cell, `frame` the cells as text, `trials` every trial behind them.
    `remarks` are quoted under it: a heading, and what is remarkable about its cells. `texts` are the heads of the
    columns that hold words, in `frame` or `trials`: a version 2.10 is no number, nor is a campaign called 2026.
    """

    facts: dict[str, str | None]
    coverage: Coverage | None
    frame: pl.DataFrame
    rows_split_by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trials: pl.DataFrame | None = None
    above: Above = Above()
    remarks: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Report:
    """An answer of one or more tables, and all its numbers in one frame, unrounded, one row each.

    `notes` say what no single table can, such as which tables are left out. `prose` is what a layout prints in place of
    the tables, where it is no table. A `bare` one is printed without notes.
    """

    name: str
    tables: tuple[Table, ...]
    cells: pl.DataFrame
    notes: tuple[str, ...] = ()
    prose: tuple[Line, ...] = ()
    bare: bool = False

    def without_notes(self, bare: bool = True) -> Report:
        """The same report of which nothing but titles, units, tables and remarks is printed."""
        return replace(self, bare=bare)

    def noted(self, notes: tuple[str, ...]) -> Report:
        """The same report with these notes behind its own."""
        return replace(self, notes=(*self.notes, *notes))

    @cached_property
    def split_by(self) -> tuple[str, ...]:
        """The facts in which the report's tables differ from each other; each of them is asked for it."""
        names = dict.fromkeys(name for table in self.tables for name in table.facts)
        return tuple(name for name in names if len({table.facts.get(name) for table in self.tables}) > 1)


def text_frame(columns: list[str], rows: list[list[str]]) -> pl.DataFrame:
    """A frame of text columns from rows of cells. Raises UsageError for two columns with one head."""
    import polars as pl

    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise UsageError(
            f"two columns of this table would be headed {twice!r}: ask for one of them, or head them apart in a layout"
        )

    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
