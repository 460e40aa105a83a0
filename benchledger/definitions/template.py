"""Templates: literal text with typed, bounded holes. This module parses them; scanning compiles them.

A template looks like the line that it matches: `DLL {logged_at:time} - Training Epoch: {epoch:int} {pairs}`.
docs/formats.md teaches the language.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table

HOLE_TYPES = ("int", "int,", "float", "float,", "bool", "word", "text", "time", "duration", "stamp", "unix")
TAILS = ("pairs", "json")
# A `{pairs}` that does not end its template: a list up to the next literal.
LIST = "pairs"

# In a template for several names: the name, and the value of this name. `{value.min}` is the value of name.min.
NAME, VALUE = "name", "value"

_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*\Z")


@dataclass(frozen=True)
class Literal:
    """Constant text; n blanks match n or more blanks or tabs."""

    text: str


@dataclass(frozen=True)
class Hole:
    """A typed value with a name; a list of pairs (LIST) has no name."""

    name: str
    type: str


@dataclass(frozen=True)
class Skip:
    """`{*}`: at most 4,096 bytes up to the next literal."""


@dataclass(frozen=True)
class Tail:
    """`{pairs}` or `{json}`: ends a template."""

    kind: str


Part = Literal | Hole | Skip | Tail


class TemplateError(ValueError):
    """Raised for a template that the language does not allow; the message says why."""


@dataclass(frozen=True)
class Written:
    """A template or a name as a definition file writes it, and its place there."""

    what: str
    text: str
    place: str


@dataclass(frozen=True)
class Template:
    source: str
    parts: tuple[Part, ...]
    # Its place in the definition file: the template, and the name that was inserted.
    written: tuple[Written, ...] = field(default=(), compare=False, repr=False)

    @property
    def first_literal(self) -> bytes:
        """The first bytes of the template up to its first blank, which a search looks for."""
        first = self.parts[0]
        return re.split(r"[ \t]", first.text)[0].encode() if isinstance(first, Literal) else b""

    @property
    def head(self) -> tuple[Part, ...]:
        """The parts before the first `{*}`, `{pairs}` or `{json}`: a record starts wherever they match."""
        for index, part in enumerate(self.parts):
            if isinstance(part, Skip | Tail) or (isinstance(part, Hole) and part.type == LIST):
                return self.parts[:index]
        return self.parts

    @property
    def tail(self) -> str | None:
        last = self.parts[-1]
        return last.kind if isinstance(last, Tail) else None

    @property
    def has_pairs(self) -> bool:
        return self.tail == "pairs" or any(hole.type == LIST for hole in self.holes)

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The typed holes and the lists before the end, in order."""
        return tuple(part for part in self.parts if isinstance(part, Hole))


def parse_template(source: str, *, anywhere: bool = False) -> Template:
    """Returns a parsed template. `anywhere` is for leads, which may begin with a hole.

    Raises TemplateError if the language does not allow it.
    """
    parts = _parts(source)
    if not parts:
        raise TemplateError("an empty template matches nothing")
    parts = [Hole("", LIST) if part == Tail("pairs") else part for part in parts[:-1]] + parts[-1:]
    for before, after in itertools.pairwise(parts):
        if isinstance(before, Tail):
            raise TemplateError(f"{{{before.kind}}} must end the template")
        # A truth value needs no text behind it to end.
        ends = isinstance(before, Hole) and before.type == "bool" and isinstance(after, Skip)
        if not isinstance(before, Literal) and not isinstance(after, Literal) and not ends:
            raise TemplateError("two holes may not touch: put the literal text between them")
    if parts[-1] == Tail("json") and any(isinstance(part, Hole) and part.type == LIST for part in parts):
        raise TemplateError("{pairs} and {json} do not stand in one template")
    names = [part.name for part in parts if isinstance(part, Hole) and part.type != LIST]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise TemplateError(f"hole {min(doubled)!r} occurs twice")
    template = Template(source, tuple(parts))
    if not anywhere and len(template.first_literal) < 2:
        raise TemplateError(
            "a template begins with a literal of at least two non-blank characters; a record with `line_start = true`"
            " and an anchor may begin with less"
        )
    return template


def has_anchor(template: Template, anchors: Iterable[str]) -> bool:
    """Whether one of a format's anchors stands in each line that the template takes."""
    literals = [part.text for part in template.parts if isinstance(part, Literal)]
    return any(anchor in text for anchor in anchors for text in literals)


def needs_anchor(template: Template, anchors: Iterable[str]) -> bool:
    """Whether a template of a `line_start` record is found by its anchor, not by the literal that it begins with."""
    return not template.first_literal or has_anchor(template, anchors)


def names_asked(source: str) -> set[str]:
    """Returns which of `{name}` and `{value}` a template has."""
    holes = {(token.group(1) or "").partition(".")[0] for token in _TOKEN.finditer(source)}
    return holes & {NAME, VALUE}


def with_name(source: str, name: str, kind: str) -> str:
    """Returns a template with the name in place of `{name}`, and a typed hole of this name in place of `{value}`."""

    def put(token: re.Match[str]) -> str:
        hole, dot, part = (token.group(1) or "").partition(".")
        if hole == VALUE:
            return f"{{{name}{dot}{part}:{kind}}}"
        return name if token.group(1) == NAME else token.group(0)

    return _TOKEN.sub(put, source)


def _parts(source: str) -> list[Part]:
    parts: list[Part] = []
    literal = ""
    position = 0
    for token in _TOKEN.finditer(source):
        literal += source[position : token.start()]
        position = token.end()
        text = token.group(0)
        if text in ("{{", "}}"):
            literal += text[0]
            continue
        if text in ("{", "}"):
            raise TemplateError(
                f"a single {text!r} at column {token.start() + 1}: write {text * 2} for the brace itself"
            )
        if literal:
            parts.append(Literal(literal))
            literal = ""
        parts.append(_hole(token.group(1)))
    literal += source[position:]
    if literal:
        parts.append(Literal(literal))
    if any("\n" in part.text or "\r" in part.text for part in parts if isinstance(part, Literal)):
        raise TemplateError("a template is one line: it holds a line end")
    return parts


def _hole(inner: str) -> Part:
    if inner == "*":
        return Skip()
    if inner in TAILS:
        return Tail(inner)
    name, colon, kind = inner.partition(":")
    if not colon and inner.partition(".")[0] in (NAME, VALUE):
        raise TemplateError(f"{{{inner}}} stands for one of `names`, but none are given")
    if not colon:
        raise TemplateError(
            f"hole {{{inner}}} has no type; types: {', '.join(HOLE_TYPES)}, or {{*}}, {{pairs}}, {{json}}"
        )
    if kind not in HOLE_TYPES:
        raise TemplateError(f"hole {{{inner}}}: no type {kind!r}; types: {', '.join(HOLE_TYPES)}")
    if not _NAME.match(name):
        raise TemplateError(f"hole {{{inner}}}: a name is letters, digits, '_', '.' or '-', and begins with a letter")
    return Hole(name, kind)


def leads_files() -> list[TomlFile]:
    """Returns the files ingest/leads.toml: the shipped one first, then the user's own."""
    return [read_toml(path) for path in definition_files("ingest", ".toml") if path.name == "leads.toml"]


@cache
def leads() -> tuple[Template, ...]:
    found = []
    for file in leads_files():
        table = Table(file, "", file.data, ("templates", "sample"))
        for source in table.strings("templates"):
            try:
                found.append(parse_template(source.rstrip(" "), anywhere=True))
            except TemplateError as error:
                table.fail("templates", f"template {source!r}: {error}")
    return tuple(found)


def read_templates(table: Table, *, anywhere: bool = False) -> tuple[Template, ...]:
    """Returns the templates with each name inserted; `anywhere`: they may begin with a hole."""
    names = _names(table)
    found: dict[Template, None] = {}
    used = False
    for index, source in enumerate(table.strings("templates")):
        place = f"templates.{index}"
        written = Written("template", source, table.where(place))
        holes = names_asked(source) if names else set()
        used = used or bool(holes)
        if holes and holes != {NAME, VALUE}:
            table.fail(place, f"template {source!r} needs both {{{NAME}}} and {{{VALUE}}}")
        for name, kind in names if holes else [(written, "")]:
            shown = with_name(source, name.text, kind) if holes else source
            try:
                template = parse_template(shown, anywhere=anywhere)
            except TemplateError as error:
                table.fail(place, f"template {shown!r}: {error}")
            if template in found:
                table.fail(place, f"template {shown!r} occurs twice")
            found[replace(template, written=(written, name) if holes else (written,))] = None
    if not found:
        table.fail("templates", "at least one template is needed")
    if names and not used:
        table.fail("names", f"no template has a {{{NAME}}} in which these names would stand")
    return tuple(found)


def _names(table: Table) -> list[tuple[Written, str]]:
    """Returns `names` in the order of the file, each with the type of its value."""
    if "names" not in table:
        return []
    by_type = table.table("names", HOLE_TYPES)
    found: dict[str, tuple[Written, str]] = {}
    for kind in by_type.data:
        for index, name in enumerate(by_type.strings(kind)):
            if name in found:
                by_type.fail(f"{kind}.{index}", f"name {name!r} occurs twice")
            found[name] = (Written("name", name, by_type.where(f"{kind}.{index}")), kind)
    if not found:
        table.fail("names", 'names lists names by the type of their values: { int = ["batch_size"] }')
    return list(found.values())
