"""The classes that say where the records of a file without lines stand: JSON, SQLite, CSV, columns, tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class JsonMap:
    """The dotted paths of a record's parts in the JSON object of a `{json}` template, or in a JSON document.

    The record matches if the values of `where` are there (a list: one of them), the paths of `has` exist, and the
    values of `unless` are absent. `values` is the path of an object of values (`.`: the whole object), or names with
    their paths. `named` has the paths of a further value's name and of that value. `time_unit` is the unit of a numeric
    `logged_at`, the time since 1970, and of `clock_s`. An object may lack its time.

    For documents only: `each` is the path of a list whose objects are the records. `units` has the paths of units.
    `steps` has the paths of objects that hold a value under the number of each step.
    """

    values: str | dict[str, str]
    columns: dict[str, str]
    where: dict[str, Any]
    has: tuple[str, ...] = ()
    unless: dict[str, Any] = field(default_factory=dict)
    each: str | None = None
    units: dict[str, str] = field(default_factory=dict)
    named: tuple[str, str] | None = None
    time_unit: str | None = None
    steps: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SqliteMap:
    """The tables of an SQLite file that hold a record: one row, with times `start` and `end` in `unit`.

    Its value `duration` is the time between the two. `names` has the table, id column and text column that translate
    the label's number; `values` has names with their columns. `span`: one record from the first start to the last end
    of all the tables.
    """

    tables: tuple[str, ...]
    start: str
    end: str
    unit: str
    duration: str
    label: str | None
    names: tuple[str, ...]
    device: str | None
    values: dict[str, str]
    span: bool


@dataclass(frozen=True)
class CsvColumn:
    """One column of a headerless CSV file: a number with this unit within these bounds."""

    name: str
    unit: str | None = None
    least: float = float("-inf")
    most: float = float("inf")


@dataclass(frozen=True)
class CsvDefinition:
    """CSV files: columns named by a header, or column lists for files without a header.

    The first line is the header if it has all names of one list of `headers`. A line with those of `search` is a header
    anywhere, for files that also contain program output. `long` names the columns of name, unit and value where a row
    holds one value; `drop` lists columns that are not stored. `command` names the options of a command line before
    the rows: the one that lists their columns, and those for no header and no units. `units` then states the units.
    """

    columns: dict[str, str]
    headers: tuple[tuple[str, ...], ...]
    headerless: tuple[tuple[CsvColumn, ...], ...]
    search: tuple[tuple[str, ...], ...] = ()
    long: dict[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    command: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnsDefinition:
    """Blank-separated columns below a `#` line with their names and one with their units.

    A `#` line in which all names of one list of `headers` stand side by side is the header.
    """

    columns: dict[str, str]
    headers: tuple[tuple[str, ...], ...]
    date: str | None
    time: str | None


@dataclass(frozen=True)
class SelfDescribing:
    """Lines that name their values: `lines` is how each is written, "json", "dict" (of Python) or "csv".

    `columns` maps names to record columns, the first one that a line has counts; `modes` are names of values that state
    the phase of their line. `phases` are words at the start or end of a name, `units` ends of names. `parts` are words
    for one of several networks that are trained together. Case is ignored.
    """

    lines: str
    columns: dict[str, str]
    modes: tuple[str, ...]
    phases: dict[str, str]
    units: dict[str, str]
    parts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class TableDefinition:
    """Tables between lines of dashes; their headings have all names of one list of `headers`."""

    columns: dict[str, str]
    headers: tuple[tuple[str, ...], ...]
