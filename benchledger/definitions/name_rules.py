"""Reads one rule of ingest/names/*.toml: patterns of names, and the facts that their holes state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from benchledger.definitions.format_parts import fact_name
from benchledger.definitions.template import Hole, Literal, Tail, TemplateError, parse_template
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary

RULE_KEYS = ("patterns", "facts", "values", "products")
_HOLES = {"int": r"(\d{1,18})", "word": r"([^/\s]+?)", "text": r"([^/]+?)"}


@dataclass(frozen=True)
class Pattern:
    """One pattern: `text` is its regex, `literal` occurs in every name that matches, `counts` are its integer holes."""

    source: str
    parts: int
    text: str
    literal: str
    holes: tuple[str, ...]
    counts: frozenset[str]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        # Compiled late: most patterns are never tried, because no name has their literal.
        return re.compile(self.text)

    def match(self, end: str) -> re.Match[str] | None:
        """Returns the match of the end of a path; None if it does not match."""
        return self.regex.fullmatch(end) if self.literal in end else None

    def search(self, path: str) -> re.Match[str] | None:
        """Returns the first match of neighbouring parts of a path; None if there is none."""
        return self._anywhere.search(path) if self.literal in path else None

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        return re.compile(rf"(?:^|/){self.text}(?=/|$)")


@dataclass(frozen=True)
class NameRule:
    place: str
    patterns: tuple[Pattern, ...]
    facts: dict[str, str]
    values: dict[str, dict[str, str]]
    products: dict[str, tuple[str, ...]]


def read_rule(table: Table) -> NameRule:
    facts = {name: _value(table, "facts", name, stated) for name, stated in table.any_values("facts").items()}
    values: dict[str, dict[str, str]] = {}
    for name, spellings in table.any_values("values").items():
        if not isinstance(spellings, dict):
            table.fail(
                "values", f'values is a table of tables, such as {{ model = {{ b = "c" }} }}, not of {spellings!r}'
            )
        values[name] = {logged: _value(table, "values", name, value) for logged, value in spellings.items()}
    patterns = []
    for source in table.strings("patterns"):
        try:
            patterns.append(_pattern(source))
        except TemplateError as error:
            table.fail("patterns", f"pattern {source!r}: {error}")
    if not patterns:
        table.fail("", "patterns: at least one is needed")
    place = f"{table.file.path.name}:{table.file.line_of(table.place)}"
    return NameRule(place, tuple(patterns), facts, values, _products(table, patterns))


def _products(table: Table, patterns: list[Pattern]) -> dict[str, tuple[str, ...]]:
    # A fact that is the product of integers in the name: GPUs are nodes times GPUs per node.
    known = [fact.name for fact in vocabulary().facts.values() if fact.type == "count"]
    counts = {name for pattern in patterns for name in pattern.counts}
    products: dict[str, tuple[str, ...]] = {}
    for name, factors in table.any_values("products").items():
        table.known("products", "count", name, known)
        if not isinstance(factors, list) or not factors or not set(factors) <= counts:
            table.fail("products", f"{name} must list int holes of the patterns: {', '.join(sorted(counts))}")
        products[name] = tuple(factors)
    return products


def _value(table: Table, key: str, name: str, stated: object) -> str:
    fact = fact_name(table, key, name)
    value = fact.canonical(str(stated))
    if value is None:
        table.fail(key, f"{stated!r} is no value of {name}; known: {', '.join(fact.values) or fact.type}")
    return value


def _pattern(source: str) -> Pattern:
    regex, literals, holes, counts = list[str](), [""], list[str](), set[str]()
    for part in source.split("/"):
        template = parse_template(part, anywhere=True)
        text = ""
        for piece in template.parts:
            if isinstance(piece, Hole):
                if piece.type not in _HOLES:
                    raise TemplateError(f"a name has holes of type int, word and text, not {piece.type!r}")
                text += _HOLES[piece.type]
                holes.append(piece.name)
                counts |= {piece.name} if piece.type == "int" else set()
            elif isinstance(piece, Tail):
                raise TemplateError(f"a name has no {{{piece.kind}}}: write {{*}} for any text")
            else:
                text += re.escape(piece.text) if isinstance(piece, Literal) else r"[^/]*?"
                literals += [piece.text] if isinstance(piece, Literal) else []
        regex.append(text)
    longest = max(literals, key=len)
    return Pattern(source, source.count("/") + 1, "/".join(regex), longest, tuple(holes), frozenset(counts))
