"""Reads the rules of ingest/names/*.toml: the facts that paths and file names state about a run."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

from benchledger.definitions.cache import Proofs
from benchledger.definitions.folders import definition_files, only_packed
from benchledger.definitions.kept_definitions import known_or_read
from benchledger.definitions.redaction import redaction_hash
from benchledger.definitions.template import Hole, Literal, Tail, Template, TemplateError, parse_template
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary

# The folders of rules and of the definitions that they use; `ingest` has the redaction rules, which affect names.
_READ_FROM = ("ingest", "ingest/names", "schema/vocabulary")
_RULE = ("patterns", "facts", "values", "products")
# No file system has longer names. An archive may have, and a regex with several holes is slow on them.
_LONGEST = 255
_KEPT = 50_000
_HOLES = {"int": r"(\d{1,18})", "word": r"([^/\s]+?)", "text": r"([^/]+?)"}


@dataclass(frozen=True)
class NameFact:
    """A fact that a name states: its value in the ledger, and its spelling in the name."""

    name: str
    value: str
    logged: str


@dataclass(frozen=True)
class NameMatch:
    """The facts of a path: the number of its last parts that a rule matched (0: no rule), the rule, and the facts."""

    parts: int
    rule: str | None
    facts: tuple[NameFact, ...]


_NOTHING = NameMatch(0, None, ())


@dataclass(frozen=True)
class _Pattern:
    source: str
    parts: int
    text: str
    # Occurs in every name that matches.
    literal: str
    holes: tuple[str, ...]
    counts: frozenset[str]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        # Compiled late: most patterns are never tried, because no name has their literal.
        return re.compile(self.text)

    def match(self, end: str) -> re.Match[str] | None:
        return self.regex.fullmatch(end) if self.literal in end else None


@dataclass(frozen=True)
class _Rule:
    place: str
    patterns: tuple[_Pattern, ...]
    facts: dict[str, str]
    values: dict[str, dict[str, str]]
    products: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Names:
    """All rules. `stem_suffixes` mark companions of a run's log: `x_monitor.csv` beside `x.txt`."""

    rules: tuple[_Rule, ...]
    folders: tuple[_Rule, ...]
    stem_suffixes: tuple[str, ...]
    definitions_hash: str
    _ends: dict[str, NameMatch | None] = field(default_factory=dict, compare=False, repr=False)
    _folders: dict[str, tuple[NameFact, ...]] = field(default_factory=dict, compare=False, repr=False)

    def match(self, path: str) -> NameMatch:
        """Returns the facts of a path (parts divided by `/`).

        The first rule that matches its end also tells where its campaign ends.
        """
        parts = [part if len(part) <= _LONGEST else "" for part in path.split("/")]
        found = self._of_its_end(parts)
        for part in parts[:-1]:
            if told := self._of_a_folder(part):
                known = {fact.name for fact in found.facts}
                others = tuple(fact for fact in told if fact.name not in known)
                found = NameMatch(found.parts, found.rule, found.facts + others)
        return found

    @cached_property
    def _screens(self) -> tuple[tuple[int, list[_Pattern]], ...]:
        # The patterns by their number of parts, the longest first.
        found: dict[int, list[_Pattern]] = {}
        for rule in self.rules:
            for pattern in rule.patterns:
                found.setdefault(pattern.parts, []).append(pattern)
        return tuple(sorted(found.items(), key=lambda screen: screen[0], reverse=True))

    # The same names occur in folder after folder, so results are cached.

    def _of_its_end(self, parts: list[str]) -> NameMatch:
        for count, screen in self._screens:
            if len(parts) < count:
                continue
            # If no longer pattern matches, parts further left have no influence.
            end = "/".join(parts[-count:])
            if end not in self._ends:
                if len(self._ends) >= _KEPT:
                    self._ends.clear()
                fits = any(pattern.match(end) for pattern in screen)
                self._ends[end] = self._told(parts[-count:]) if fits else None
            if (found := self._ends[end]) is not None:
                return found
        return _NOTHING

    def _told(self, parts: list[str]) -> NameMatch:
        for rule in self.rules:
            if (fit := _first_fit(rule, parts)) is not None:
                return NameMatch(fit[0], rule.place, tuple(fit[1]))
        return _NOTHING

    def _of_a_folder(self, part: str) -> tuple[NameFact, ...]:
        if part not in self._folders:
            if len(self._folders) >= _KEPT:
                self._folders.clear()
            fits = [fit for rule in self.folders if (fit := _first_fit(rule, [part])) is not None]
            self._folders[part] = tuple(fact for fit in fits for fact in fit[1])
        return self._folders[part]

    def stem(self, file_name: str) -> str:
        """Returns the file name without its suffix and without a companion's suffix."""
        stem = os.path.splitext(file_name)[0]  # noqa: PTH122 - once per file, and Path is ten times slower
        if not stem.endswith(self.stem_suffixes):
            return stem
        for suffix in self.stem_suffixes:
            if stem.endswith(suffix) and len(stem) > len(suffix):
                return stem.removesuffix(suffix)
        return stem


@cache
def load_names() -> Names:
    """Returns every rule, proved by its samples (now or cached). Raises DefinitionError with file and line."""
    files = [path for folder in _READ_FROM for path in definition_files(folder, ".toml")]
    names = known_or_read("names", files, _read_names)
    if not only_packed():
        _prove(names)
    return names


def _read_names() -> Names:
    digest = hashlib.blake2b(redaction_hash().encode(), digest_size=16)
    rules: list[_Rule] = []
    folders: list[_Rule] = []
    suffixes: list[str] = []
    for file in _files():
        digest.update(file.path.read_bytes())
        top = _top(file)
        rules += [_rule(table) for table in top.tables("name", _RULE)]
        folders += [_rule(table) for table in top.tables("folder", _RULE)]
        suffixes += top.strings("stem_suffixes")
    return Names(tuple(rules), tuple(folders), tuple(suffixes), digest.hexdigest())


def _files() -> Iterator[TomlFile]:
    return map(read_toml, definition_files("ingest/names", ".toml"))


def _prove(names: Names) -> None:
    # The facts of a name also depend on the vocabulary.
    digest = hashlib.blake2b(names.definitions_hash.encode(), digest_size=16)
    for path in definition_files("schema/vocabulary", ".toml"):
        digest.update(path.read_bytes())
    proofs = Proofs("names")
    if digest.hexdigest() in proofs:
        return
    for file in _files():
        _check_samples(file, names)
    proofs.add([digest.hexdigest()])


def _first_fit(rule: _Rule, parts: list[str]) -> tuple[int, list[NameFact]] | None:
    for pattern in rule.patterns:
        if len(parts) < pattern.parts:
            continue
        match = pattern.match("/".join(parts[-pattern.parts :]))
        if match is None:
            continue
        facts = _facts(rule, dict(zip(pattern.holes, match.groups(), strict=True)))
        if facts is not None:
            return pattern.parts, facts
    return None


def _facts(rule: _Rule, holes: dict[str, str]) -> list[NameFact] | None:
    # If the text of a hole is not a value of its fact, the name follows another convention.
    known = vocabulary().facts
    facts = []
    for name, logged in holes.items():
        if name not in known:
            continue
        value = rule.values[name].get(logged) if name in rule.values else known[name].canonical(logged)
        if value is None:
            return None
        facts.append(NameFact(name, value, logged))
    for name, factors in rule.products.items():
        if all(factor in holes for factor in factors):
            value = known[name].canonical(str(math.prod(int(holes[factor]) for factor in factors)))
            if value is None:
                return None
            facts.append(NameFact(name, value, " x ".join(holes[factor] for factor in factors)))
    facts += [NameFact(name, value, value) for name, value in rule.facts.items()]
    return facts


def _top(file: TomlFile) -> Table:
    return Table(file, "", file.data, ("name", "folder", "stem_suffixes", "sample", "about"))


def _rule(table: Table) -> _Rule:
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
    return _Rule(place, tuple(patterns), facts, values, _products(table, patterns))


def _products(table: Table, patterns: list[_Pattern]) -> dict[str, tuple[str, ...]]:
    # A fact that is the product of integers in the name: GPUs are nodes times GPUs per node.
    known, counts = vocabulary().facts, {name for pattern in patterns for name in pattern.counts}
    products: dict[str, tuple[str, ...]] = {}
    for name, factors in table.any_values("products").items():
        if name not in known or known[name].type != "count":
            names = ", ".join(fact.name for fact in known.values() if fact.type == "count")
            table.fail("products", f"no count {name!r}; known: {names}")
        if not isinstance(factors, list) or not factors or not set(factors) <= counts:
            table.fail("products", f"{name} must list int holes of the patterns: {', '.join(sorted(counts))}")
        products[name] = tuple(factors)
    return products


def _value(table: Table, key: str, name: str, stated: object) -> str:
    known = vocabulary().facts
    if name not in known:
        table.fail(key, f"no fact {name!r}; known: {', '.join(known)}")
    value = known[name].canonical(str(stated))
    if value is None:
        table.fail(key, f"{stated!r} is no value of {name}; known: {', '.join(known[name].values) or known[name].type}")
    return value


def _pattern(source: str) -> _Pattern:
    regex, literals, holes, counts = list[str](), [""], list[str](), set[str]()
    for part in source.split("/"):
        template: Template = parse_template(part, anywhere=True)
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
    return _Pattern(source, source.count("/") + 1, "/".join(regex), longest, tuple(holes), frozenset(counts))


def _check_samples(file: TomlFile, names: Names) -> None:
    matched = set()
    for sample in _top(file).tables("sample", ("path", "expect")):
        path = sample.text("path")
        found = names.match(path)
        matched.add(found.rule)
        facts = {fact.name: fact.value for fact in found.facts}
        expected = {name: str(value) for name, value in sample.any_values("expect").items()}
        if facts != expected:
            sample.fail("", f"{path!r} tells {facts}, expected {expected}")
    for table in _top(file).tables("name", _RULE):
        if _rule(table).place not in matched:
            table.fail("", "no [[sample]] reaches this rule")
