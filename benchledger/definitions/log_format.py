"""The classes of a log format, as read and checked from its TOML file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchledger.definitions.file_maps import (
    ColumnsDefinition,
    CsvDefinition,
    JsonMap,
    SelfDescribing,
    SqliteMap,
    TableDefinition,
)
from benchledger.definitions.template import Template, Written
from benchledger.definitions.toml_file import TomlFile
from benchledger.definitions.vocabulary import Mode

FORMAT_KINDS = ("lines", "csv", "columns", "table", "json", "sqlite", "self_describing", "tracker")
KINDS = ("step", "summary", "parameter", "event", "sample", "kernel")
ROLES = ("train", "duplicate_stream", "telemetry", "profile", "tracker", "manifest", "sidecar")
SCOPES = ("global", "gpu", "node")
# Statuses that a line of a log indicates; early_stop: the run ended before the plan, as it was configured to.
EARLY_STOP = "early_stop"
STATUSES = ("oom", "nan", "timeout", "failed", EARLY_STOP)

# The strength of a statement: a total that is printed, repeated lines (a lower bound), the value of most lines, a
# command line that stands in the log without a sign that it was executed, or a value of another thing of the run.
STATED, COUNTED, USUAL, QUOTED, RELATED = "stated", "counted", "usual", "quoted", "related"

# The files of trackers, each with a reader of its own (scanning/trackers).
TRACKER_FILES = (
    "tensorboard", "wandb", "wandb-summary", "wandb-config", "mlflow-run", "mlflow-experiment", "mlflow-value",
    "lightning-metrics", "lightning-hparams",
)  # fmt: skip

# Whose command lines state GPUs and nodes (scanning/launchers.py).
LAUNCHERS = ("torchrun", "paddle", "deepspeed", "accelerate", "horovodrun", "mpirun", "srun")

# Holes and columns with these names become columns of a record; all others become values.
COLUMNS = ("step", "epoch", "rank", "device", "label", "logged_at", "clock_s")


@dataclass(frozen=True)
class PairsStyle:
    """How a `key : value unit` list is written; `end` is a literal at which the list stops.

    A `closed` list also has a separator behind its last pair: without it, that pair is cut off. With `means` a number
    in brackets behind a number, `loss: 0.5 (0.7)`, is the value of `mean_loss`.
    """

    assign: str
    between: tuple[str, ...]
    end: str | None = None
    closed: bool = False
    means: bool = False


@dataclass(frozen=True)
class RecordDefinition:
    """One kind of record that a format finds; its templates are tried in order.

    `keys`: a list of the record must have these; another template is tried if it lacks one.
    `begins_phase`: later records of phase "current" have this phase, or that of the mode that the record states.
    `begins_scope`: later records of scope "current" have this scope. `word_start`: no letter, digit or `_` precedes the
    record. `line_start`: it begins where a line begins, possibly with a hole. `unit`, `scale` and `scope` apply to
    values whose field states none. `pick`: a hole and a name. Only the pair whose key is the number at the end of the
    hole counts, under this name.
    """

    name: str
    kind: str
    templates: tuple[Template, ...]
    pairs: PairsStyle | None = None
    json: JsonMap | None = None
    status: str | None = None
    phase: str | None = None
    begins_phase: str | Mode | None = None
    word_start: bool = False
    unit: str | None = None
    scale: float = 1.0
    scope: str | None = None
    line_start: bool = False
    pick: tuple[str, str] | None = None
    first_epoch: int | None = None
    keys: tuple[str, ...] = ()
    sqlite: SqliteMap | None = None
    begins_scope: str | None = None


@dataclass(frozen=True)
class IgnoreDefinition:
    """Anchored lines that are not records, and the reason."""

    templates: tuple[Template, ...]
    reason: str


@dataclass(frozen=True)
class Expansion:
    """A text value that is itself a list of pairs, such as a printed Namespace of argparse."""

    after: str
    style: PairsStyle


@dataclass(frozen=True)
class FieldDefinition:
    """What a logged name measures: `units` maps logged spellings to unit and scale; `unit` applies if none is logged.

    `record` limits the field to that record, where it overrules the field for all records.
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


# The record to which a field is limited (None: all records), and its name.
FieldKey = tuple[str | None, str]


@dataclass(frozen=True)
class FactDefinition:
    """How a logged value states a fact of its run. Of several definitions of one fact, earlier ones are trusted more.

    At most one of the ways to read the value is set; with none, the value itself is the fact. `repeats` counts how
    often each value is stated, `usual` is the most frequent value. `items` counts the items of a list, such as the GPUs
    of `[0, 1, 2]`. `related`: the value is of another thing of the run, such as its tokenizer. `record` and `phase`
    limit the statements to values of that record and phase. `least`: the lowest of all such statements of a run counts
    (steps by epochs, and their bound). `joined` names several values: `operators` (`*`, `/`) compute with them from
    left to right, or joined by commas they are translated by `values`. `names`: the value, inserted at `{}`, makes a
    path whose facts ingest/names tells. `launcher`: the value is the rest of a command line of this launcher, which
    states GPUs or nodes.
    """

    name: str
    source: str
    record: str | None = None
    phase: str | None = None
    least: bool = False
    values: dict[str, str] | None = None
    contains: dict[str, str] | None = None
    always: str | None = None
    repeats: bool = False
    items: bool = False
    unless: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    names: str | None = None
    operators: tuple[str, ...] = ()
    usual: bool = False
    related: bool = False
    launcher: str | None = None

    @cached_property
    def is_plain(self) -> bool:
        several = self.repeats or self.usual or self.joined or self.launcher
        return not several and self.names is None

    @property
    def strength(self) -> str:
        """The strength of its statements: lines can be lost, so a count of lines is a lower bound."""
        if self.related:
            return RELATED
        return COUNTED if self.repeats else USUAL if self.usual else STATED


@dataclass(frozen=True)
class Sample:
    """Real text of the format, the tables of an SQLite file or the bytes of a binary one, and every record in it.

    `name`: the end of the file's path, for files of which it says what they hold.
    """

    place: str
    text: str
    expect: tuple[dict[str, Any], ...]
    tables: dict[str, list[list[Any]]] = field(default_factory=dict)
    data: bytes = b""
    name: str = ""


@dataclass(frozen=True)
class LogFormat:
    """How one program's log lines look. Own definitions come before those of the base.

    `base_samples` are the samples of the bases, unless this format writes pairs in another style. `own_templates` has
    the place in the file of each template, by its record or ignore. `documents`: it also reads pages and scripts.
    `constants` are facts of any run of the program, which no line states. `has_planned_speed`: the closing throughput
    counts all planned steps, also those before a resumed start. `steps_are_passes`: each step is one pass, also
    where an optimizer step takes the gradients of several.
    """

    name: str
    path: Path
    version: int
    file: TomlFile = field(repr=False, hash=False, compare=False)
    kind: str = "lines"
    role: str = "train"
    framework: str | None = None
    implementation: str | None = None
    default_rule: str | None = None
    generic: bool = False
    anchors: tuple[str, ...] = ()
    pairs: PairsStyle | None = None
    proofs: tuple[tuple[str, ...], ...] = ()
    unproved: tuple[str, ...] = ()
    records: tuple[RecordDefinition, ...] = ()
    ignores: tuple[IgnoreDefinition, ...] = ()
    fields: dict[FieldKey, FieldDefinition] = field(default_factory=dict)
    facts: tuple[FactDefinition, ...] = ()
    constants: dict[str, str] = field(default_factory=dict)
    run_starts: frozenset[str] = frozenset()
    closing: tuple[str, ...] = ()
    closing_after: str | None = None
    has_planned_speed: bool = False
    steps_are_passes: bool = False
    csv: CsvDefinition | None = None
    columns: ColumnsDefinition | None = None
    table: TableDefinition | None = None
    self_describing: SelfDescribing | None = None
    tracker: str | None = None
    keys: tuple[tuple[str, ...], ...] = ()
    embedded: bool = False
    alone: bool = False
    documents: bool = False
    tables: tuple[tuple[str, ...], ...] = ()
    samples: tuple[Sample, ...] = ()
    base_samples: tuple[Sample, ...] = ()
    own_templates: dict[tuple[str, str], tuple[Written, ...]] = field(default_factory=dict)
    definitions_hash: str = ""

    def __hash__(self) -> int:
        # Formats are keys of caches, and the hash of all their parts would take long.
        return hash((self.name, self.definitions_hash))

    def field_of(self, record: str, name: str) -> FieldDefinition | None:
        """Returns what a name measures in a record: the field for that record, else the one for all."""
        return self.fields.get((record, name)) or self.fields.get((None, name))

    @property
    def detectable(self) -> bool:
        """Tells whether a log can be of this format; a mere base has no proof, no keys and no columns."""
        files = (self.csv, self.columns, self.table, self.self_describing, self.tracker)
        return any((self.proofs, self.keys, self.tables, *files))


def all_formats_hash(formats: dict[str, LogFormat]) -> str:
    """Returns the definitions hash of an unrecognised log: any new or changed format may recognise it."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(formats):
        digest.update(formats[name].definitions_hash.encode())
    return digest.hexdigest()
