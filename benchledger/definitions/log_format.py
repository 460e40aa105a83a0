"""A log format as its TOML file defines it: what the engine reads, with every mistake already refused."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchledger.definitions.template import Template, Written
from benchledger.definitions.toml_file import TomlFile

FORMAT_KINDS = ("lines", "csv", "columns", "table", "json", "sqlite")
KINDS = ("step", "summary", "parameter", "event", "sample", "kernel")
ROLES = ("train", "duplicate_stream", "telemetry", "profile", "manifest", "sidecar")
PHASES = ("train", "validation", "inference")
# The phase of a record whose line looks alike in all: that which a record before it has begun.
CURRENT = "current"
SCOPES = ("global", "gpu", "node")
STATUSES = ("oom", "nan", "timeout", "failed")

# Holes and columns with these names are columns of a record; every other one is a value of it.
COLUMNS = ("step", "epoch", "rank", "device", "label", "logged_at", "clock_s")


@dataclass(frozen=True)
class PairsStyle:
    """How a `key : value unit` list is written: `end` is a literal at which the list stops.

    `closed` lists have what stands between two pairs behind the last one too: what lacks it there is cut.
    """

    assign: str
    between: tuple[str, ...]
    end: str | None = None
    closed: bool = False


@dataclass(frozen=True)
class JsonMap:
    """Where the JSON object of a `{json}` template, or a JSON document, holds what, as dotted paths.

    `where` names values that must stand somewhere (a list: one of them), `has` paths that must be there, `unless`
    values that must not: else the record is another one. `values` is the path of an object of values (`.`: the whole
    object), or names and their paths; `named` are the paths of a further value's name and of that value. `time_unit` is
    the unit of a `logged_at` that is a number, the time since 1970. Documents only: `each` is the path of a list whose
    objects are the records, `units` where a value's unit stands, `logged_units` units that stand nowhere, `clock_unit`
    that of `clock_s`, and `steps` values and the paths of objects that hold one under the number of each step.
    """

    values: str | dict[str, str]
    columns: dict[str, str]
    where: dict[str, Any]
    has: tuple[str, ...] = ()
    unless: dict[str, Any] = field(default_factory=dict)
    each: str | None = None
    units: dict[str, str] = field(default_factory=dict)
    logged_units: dict[str, str] = field(default_factory=dict)
    clock_unit: str | None = None
    named: tuple[str, str] | None = None
    time_unit: str | None = None
    steps: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pick:
    """Of a list of pairs only the one counts whose key is the number at the end of a hole's text; under this name."""

    hole: str
    name: str


@dataclass(frozen=True)
class SqliteMap:
    """Which tables of an SQLite file hold a record: a row from `start` to `end`, counted in `unit`.

    Its value `duration` is the time between the two.
    `names` are table, id and text columns in which the label's number is looked up, `values` names and their columns.
    `span`: one record from the first start to the last end in all of the tables.
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
class RecordDefinition:
    """One thing that a format finds: its templates are tried in order.

    `begins_phase`: records of phase "current" after it are of this phase. `word_start`: no letter, digit or `_` stands
    before it. `unit`, `scale`, `scope` are for the values whose field says none. `line_start`: it begins
    where a line does, maybe with a hole.
    """

    name: str
    kind: str
    templates: tuple[Template, ...]
    pairs: PairsStyle | None = None
    json: JsonMap | None = None
    status: str | None = None
    phase: str | None = None
    begins_phase: str | None = None
    word_start: bool = False
    unit: str | None = None
    scale: float = 1.0
    scope: str | None = None
    line_start: bool = False
    pick: Pick | None = None
    sqlite: SqliteMap | None = None


@dataclass(frozen=True)
class IgnoreDefinition:
    """Anchored lines that are no records, and why."""

    templates: tuple[Template, ...]
    reason: str


@dataclass(frozen=True)
class Expansion:
    """A text value that is itself a list of pairs, as argparse prints its Namespace."""

    after: str
    style: PairsStyle


@dataclass(frozen=True)
class FieldDefinition:
    """What a logged name measures: `units` maps logged spellings to unit and scale; `unit` is for where none is.

    `record`: only in that record, where it is known better than by the field for all.
    """

    name: str
    record: str | None = None
    quantity: str | None = None
    unit: str | None = None
    scale: float = 1.0
    units: dict[str, tuple[str, float]] = field(default_factory=dict)
    scope: str | None = None
    phase: str | None = None
    expand: Expansion | None = None


# The record in which a field holds (None: in all), and its name.
FieldKey = tuple[str | None, str]


@dataclass(frozen=True)
class FactDefinition:
    """What a logged value says of its run. Of one fact, definitions further up are trusted more.

    Just one of the ways to read it is set; none of them: the value itself is the fact. `total` adds a run's values up,
    `repeats` counts how often one and the same value is stated at most, `usual` is that value; the count holds only if
    the run states `confirmed`, a value of the other end of its log, as often. `record`, `phase`: only
    values of that record, of that phase speak; `least`: the least of all such statements of a run counts (steps by
    epochs, and their bound). `joined`: the values of these names, in this order and with commas between them, are what
    `values` translates, what `product` multiplies, or the first of which `quotient` divides by the others. `names`: the
    value makes a path of this text, at its `{}`, of which ingest/names tells facts.
    """

    name: str
    source: str
    record: str | None = None
    phase: str | None = None
    least: bool = False
    values: dict[str, str] | None = None
    contains: dict[str, str] | None = None
    ranges: tuple[tuple[float, float, str], ...] | None = None
    always: str | None = None
    total: bool = False
    repeats: bool = False
    unless: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    names: str | None = None
    product: bool = False
    quotient: bool = False
    usual: bool = False
    confirmed: str | None = None

    @cached_property
    def is_plain(self) -> bool:
        """Whether each value states it by itself."""
        several = self.total or self.repeats or self.usual or self.joined
        return not several and self.names is None


@dataclass(frozen=True)
class CsvColumn:
    """One column of a headerless CSV file: a number with this unit within these bounds, or (unit None) any text."""

    name: str
    number: bool
    unit: str | None = None
    least: float = float("-inf")
    most: float = float("inf")


@dataclass(frozen=True)
class CsvDefinition:
    """CSV files: column names known by header, or column lists of files without one.

    `search` lists of names make any line that has all of one the header: such a file is mixed with program output.
    `together` lists of names make the first line that has all of one the header. `long` says which columns hold name,
    unit and value where a row holds one value; `drop` lists columns not kept.
    """

    columns: dict[str, str]
    headers: tuple[str, ...]
    headerless: tuple[tuple[CsvColumn, ...], ...]
    search: tuple[tuple[str, ...], ...] = ()
    long: dict[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    together: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class ColumnsDefinition:
    """Columns between blanks under a `#` line that names them and one that names their units.

    A `#` line with all names of one list of `headers`, and none of `without`, is the header.
    """

    columns: dict[str, str]
    headers: tuple[tuple[str, ...], ...]
    without: tuple[str, ...]
    texts: tuple[str, ...]
    date: str | None
    time: str | None


@dataclass(frozen=True)
class TableDefinition:
    """Tables between rules of dashes: headings (all of one list), and what stands below as `name: value`."""

    columns: dict[str, str]
    headings: tuple[tuple[str, ...], ...]
    footers: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """Real text of the format, or the tables of an SQLite file, and every record that it holds."""

    place: str
    text: str
    expect: tuple[dict[str, Any], ...]
    tables: dict[str, list[list[Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class LogFormat:
    """How one program's log lines look. Own definitions stand before those of the base.

    `base_samples` are what the bases' samples are, unless the pairs are written in another style here. `own_templates`
    says of which record or ignore and which template where the file has it.
    """

    name: str
    path: Path
    version: int
    kind: str
    role: str
    framework: str | None
    implementation: str | None
    default_rule: str | None
    generic: bool
    anchors: tuple[str, ...]
    pairs: PairsStyle | None
    proofs: tuple[tuple[str, ...], ...]
    unproved: tuple[str, ...]
    records: tuple[RecordDefinition, ...]
    ignores: tuple[IgnoreDefinition, ...]
    fields: dict[FieldKey, FieldDefinition]
    facts: tuple[FactDefinition, ...]
    run_starts: frozenset[str]
    run_each: str | None
    closing: tuple[str, ...]
    closing_after: str | None
    csv: CsvDefinition | None
    columns: ColumnsDefinition | None
    table: TableDefinition | None
    keys: tuple[tuple[str, ...], ...]
    embedded: bool
    alone: bool
    tables: tuple[tuple[str, ...], ...]
    samples: tuple[Sample, ...]
    base_samples: tuple[Sample, ...]
    own_templates: dict[tuple[str, str], tuple[Written, ...]]
    definitions_hash: str
    file: TomlFile = field(repr=False, hash=False, compare=False)

    def field_of(self, record: str, name: str) -> FieldDefinition | None:
        """What a name measures in a record: the field for that record, else the one for all."""
        return self.fields.get((record, name)) or self.fields.get((None, name))

    @property
    def detectable(self) -> bool:
        """Whether a log can be of this format; a mere base has no proof, no keys and no columns."""
        return any((self.proofs, self.keys, self.tables, self.csv, self.columns, self.table))


def all_formats_hash(formats: dict[str, LogFormat]) -> str:
    """What an unrecognised log was read under: any new or changed format may recognise it."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(formats):
        digest.update(formats[name].definitions_hash.encode())
    return digest.hexdigest()
