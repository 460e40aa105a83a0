"""Reads the redaction rules of ingest/redact.toml: what is private in a log, and what only looks private."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from benchledger.definitions.folders import definition_files
from benchledger.definitions.template import Literal, Template, TemplateError, parse_template
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table

REDACTION_FILE = "redact.toml"
# The kinds of private names, and the first part of the pseudonym of each.
KINDS = {
    "address": "ip", "host": "host", "user": "user", "group": "group", "job": "job", "hardware": "mac",
    "device": "device", "bucket": "bucket", "path": "path", "secret": "secret",
}  # fmt: skip
LISTS = {"hosts": "host"}
# Kinds of holes only, because other words may stand there: a `node` counts as a host if it has a digit or dash, a
# `project` as a group and an `owner` as a user if its name does not begin with a word of `folders`, a `repo` as two
# groups if its first part is none of `organisations`.
STRICT = {"node": "host", "project": "group", "repo": "group", "owner": "user"}
HOLES = (*KINDS, *LISTS, *STRICT)
SHAPE_HOLES = {
    "digits": r"\d{1,20}+",
    "letters": r"[A-Za-z]{1,20}+",
    "id": r"(?=[a-z]{0,32}\d)[a-z0-9]{6,32}+",
    "hex": r"(?=[a-f]{0,64}\d)[0-9a-f]{12,64}+",
    "name": r"[\w-]{1,64}?",
    "rest": r"[\w-]{1,128}+",
    "token": r"(?=[A-Z0-9]{0,512}[a-z])(?=[a-z0-9]{0,512}[A-Z])[A-Za-z0-9]{16,512}+",
    "upper": r"(?=[A-Z]{0,64}\d|[A-Z]{16})[A-Z0-9]{16,64}+",
    "key": r"(?=[A-Za-z_-]{0,1024}\d|[a-z_-]{0,1024}[A-Z])[\w-]{16,1024}+",
    "parts": r"[\w-]{4,4096}+(?:\.[\w=-]{2,4096}+){1,8}",
}
_ADDRESS = ("address_words", "version_words", "version_beginnings", "interfaces")
_PUBLIC = ("names", "domains", "top_level", "internal", "folders", "buckets", "operations", "services", "organisations")
_TOP = ("about", "address", "public", "key", "context", "shape", "sample")
_HOLE = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Key:
    """Names before `=` or `:` whose value is of a kind."""

    kind: str
    names: tuple[str, ...]
    # Only values of at least this length that mix letters and digits; 0: any value.
    least: int
    # Also names of what is no secret: only a value made by chance counts, and only after `=` or `:`.
    common: bool


@dataclass(frozen=True)
class Context:
    """A template with a private text in each hole named after a kind; its other holes only have to match."""

    place: str
    template: Template

    @property
    def literals(self) -> str:
        """All literal text of the template, without blanks: a blank may be a tab in a text."""
        return "".join(part.text.replace(" ", "") for part in self.template.parts if isinstance(part, Literal))

    @property
    def literal(self) -> str:
        """The longest literal of the template: a text without it cannot match."""
        texts = [word for part in self.template.parts if isinstance(part, Literal) for word in part.text.split(" ")]
        return max(texts, key=len, default="")


@dataclass(frozen=True)
class Shape:
    """The form of names of a kind: literal text with holes such as `{digits}`."""

    place: str
    kind: str
    source: str

    @property
    def literal(self) -> str:
        """The longest literal: a text without it cannot match."""
        return max(_HOLE.split(self.source)[::2], key=len)


@dataclass(frozen=True)
class Sample:
    """A text, and its redacted form with `<host>` and the like for pseudonyms; None if it must not change."""

    place: str
    text: str
    expect: str | None


@dataclass(frozen=True)
class RedactionRules:
    """All rules: the shipped ones, then the user's own."""

    address_words: frozenset[str]
    version_words: frozenset[str]
    version_beginnings: tuple[str, ...]
    interfaces: tuple[str, ...]
    public_names: frozenset[str]
    public_domains: tuple[str, ...]
    top_level: frozenset[str]
    internal: frozenset[str]
    folders: frozenset[str]
    public_buckets: frozenset[str]
    operations: frozenset[str]
    services: frozenset[str]
    organisations: frozenset[str]
    keys: tuple[Key, ...]
    contexts: tuple[Context, ...]
    shapes: tuple[Shape, ...]
    samples: tuple[Sample, ...]


def redaction_files() -> list[TomlFile]:
    """Returns the files ingest/redact.toml: the shipped one first, then the user's own."""
    return [read_toml(path) for path in definition_files("ingest", ".toml") if path.name == REDACTION_FILE]


def redaction_hash() -> str:
    """Returns a hash of the redaction rules, which is part of every definitions hash."""
    digest = hashlib.blake2b(digest_size=16)
    for path in definition_files("ingest", ".toml"):
        if path.name == REDACTION_FILE:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def read_redaction(files: list[TomlFile] | None = None) -> RedactionRules:
    """Returns the rules of all files together. Raises DefinitionError with file and line."""
    words: dict[str, list[str]] = {name: [] for name in (*_ADDRESS, *_PUBLIC)}
    keys: list[Key] = []
    contexts: list[Context] = []
    shapes: list[Shape] = []
    samples: list[Sample] = []
    for file in redaction_files() if files is None else files:
        top = Table(file, "", file.data, _TOP)
        for group, names in (("address", _ADDRESS), ("public", _PUBLIC)):
            table = top.table(group, names)
            for name in names:
                words[name] += [word.lower() for word in table.strings(name)]
        keys += [_key(table) for table in top.tables("key", ("kind", "names", "least", "common"))]
        for table in top.tables("context", ("templates",)):
            contexts += _contexts(table)
        for table in top.tables("shape", ("kind", "shapes")):
            shapes += _shapes(table)
        samples += [_sample(table) for table in top.tables("sample", ("text", "expect"))]
    return RedactionRules(
        frozenset(words["address_words"]), frozenset(words["version_words"]), tuple(words["version_beginnings"]),
        tuple(words["interfaces"]), frozenset(words["names"]), tuple(words["domains"]), frozenset(words["top_level"]),
        frozenset(words["internal"]), frozenset(words["folders"]), frozenset(words["buckets"]),
        frozenset(words["operations"]), frozenset(words["services"]), frozenset(words["organisations"]),
        tuple(keys), tuple(contexts), tuple(shapes), tuple(samples),
    )  # fmt: skip


def _key(table: Table) -> Key:
    names = table.strings("names")
    if not names:
        table.fail("", "names: at least one is needed")
    least = table.whole_number("least") if "least" in table else 0
    return Key(table.choice("kind", (*KINDS, *STRICT)), tuple(names), least, table.flag("common"))


def _contexts(table: Table) -> list[Context]:
    found = []
    for source in table.strings("templates"):
        try:
            template = parse_template(source, anywhere=True)
        except TemplateError as error:
            table.fail("templates", f"template {source!r}: {error}")
        if not any(hole.name in HOLES for hole in template.holes):
            table.fail("templates", f"template {source!r} has no hole named {', '.join(HOLES)}")
        context = Context(_place(table, source), template)
        if template.tail is not None:
            table.fail("templates", f"template {source!r}: no {{{template.tail}}} here: a text is looked at, no line")
        if len(context.literal) < 2:
            table.fail("templates", f"template {source!r} needs a literal of at least two characters")
        found.append(context)
    if not found:
        table.fail("", "templates: at least one is needed")
    return found


def _shapes(table: Table) -> list[Shape]:
    kind = table.choice("kind", tuple(KINDS))
    sources = table.strings("shapes")
    if not sources:
        table.fail("", "shapes: at least one is needed")
    for source in sources:
        for hole in _HOLE.findall(source):
            table.known("shapes", "hole", hole, SHAPE_HOLES)
        if not _HOLE.sub("", source).strip("-_. "):
            table.fail("shapes", f"shape {source!r} has no literal text, and so fits anything")
        if re.search(r"[\s{}]", _HOLE.sub("", source)):
            table.fail("shapes", f"shape {source!r}: a name has neither blanks nor single braces")
    return [Shape(_place(table, source), kind, source) for source in sources]


def _sample(table: Table) -> Sample:
    return Sample(_place(table, ""), table.text("text"), table.text_or_none("expect"))


def _place(table: Table, source: str) -> str:
    line = table.file.line_of(table.place)
    if source:
        # A list can have several lines: the error names the line of the entry.
        lines = table.file.text_lines
        escaped = source.replace("\\", "\\\\").replace('"', '\\"')
        line = next((n for n, text in enumerate(lines[line - 1 :], start=line) if f'"{escaped}"' in text), line)
    return f"{table.file.path}:{line}"
