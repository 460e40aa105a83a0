"""Reads the rules of ingest/names/*.toml: the facts that paths and file names state about a run."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from benchledger.definitions.campaign_folders import CampaignFolders, read_campaign_folders
from benchledger.definitions.definition_cache import Proofs, cached, files_in
from benchledger.definitions.folders import only_packed
from benchledger.definitions.name_rules import RULE_KEYS, NameRule, Pattern, read_rule
from benchledger.definitions.redaction import redaction_hash
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary, vocabulary_file

NAME_KEYS = ("document_endings", "document_names", "log_endings")
# No log begins so, whatever its name.
_NEVER_LOGS = ("web page", "notebook")


@dataclass(frozen=True)
class DocumentNames:
    endings: tuple[str, ...]
    names: tuple[str, ...]
    log_endings: tuple[str, ...]

    def kind(self, file_name: str, content: str) -> str | None:
        """Returns what document a file is, None for a log: by the last ending of its name, or by its `content`."""
        stem, ending = os.path.splitext(file_name.lower())  # noqa: PTH122 - once per file; Path is ten times slower
        if ending in self.endings:
            return f"a page or script by its ending {ending}"
        if ending in ("", ".txt") and stem in self.names:
            return "a page or script by its name"
        if content in _NEVER_LOGS or (content and ending not in self.log_endings):
            return f"a {content} by its content"
        return None


# The folders of rules and of the definitions that they use; `ingest` has the redaction rules, which affect names.
_READ_FROM = ("ingest", "ingest/names", "schema/vocabulary")
# No file system has longer names. An archive may have, and a regex with several holes is slow on them.
_MAX_NAME = 255
_CACHED = 50_000


@dataclass(frozen=True)
class NameFact:
    name: str
    value: str
    logged: str


@dataclass(frozen=True)
class NameMatch:
    """The facts of a path: the number of its last parts that a rule matched (0: no rule), the rule, and the facts."""

    parts: int
    rule: str | None
    facts: tuple[NameFact, ...]


NO_MATCH = NameMatch(0, None, ())


@dataclass(frozen=True, eq=False)
class Names:
    """All rules, and which folders name a campaign.

    `stem_suffixes` mark companions of a run's log: `x_monitor.csv` beside `x.txt`.
    """

    rules: tuple[NameRule, ...]
    folders: tuple[NameRule, ...]
    stem_suffixes: tuple[str, ...]
    documents: DocumentNames
    campaign_folders: CampaignFolders
    definitions_hash: str

    def match(self, path: str, root: str = "") -> NameMatch:
        """Returns the facts of a path (parts divided by `/`) below a root.

        The first rule that matches its end also tells where its campaign ends.
        """
        parts = [part if len(part) <= _MAX_NAME else "" for part in path.split("/")]
        found = self._match_end(parts)
        for part in parts[:-1]:
            found = _added(found, self._match_folder(part))
        whole = "/".join([root, *parts])
        for rule in self._neighbours:
            found = _added(found, _facts_within(rule, whole))
        return found

    @cached_property
    def _neighbours(self) -> tuple[NameRule, ...]:
        # The rules for several neighbouring folders.
        return tuple(rule for rule in self.folders if any(pattern.parts > 1 for pattern in rule.patterns))

    @cached_property
    def _by_length(self) -> dict[int, list[Pattern]]:
        # The patterns by their number of parts, the longest first.
        found: dict[int, list[Pattern]] = {}
        for rule in self.rules:
            for pattern in rule.patterns:
                found.setdefault(pattern.parts, []).append(pattern)
        return dict(sorted(found.items(), reverse=True))

    def _match_end(self, parts: list[str]) -> NameMatch:
        for count in self._by_length:
            # If no longer pattern matches, parts further left have no influence.
            if len(parts) >= count and (found := self._first_match("/".join(parts[-count:]), count)) is not None:
                return found
        return NO_MATCH

    # The same names occur in folder after folder.
    @lru_cache(_CACHED)  # noqa: B019 - there is one for all
    def _first_match(self, end: str, count: int) -> NameMatch | None:
        if not any(pattern.match(end) for pattern in self._by_length[count]):
            return None
        for rule in self.rules:
            if (fit := _fit(rule, end.split("/"))) is not None:
                return NameMatch(fit[0], rule.place, tuple(fit[1]))
        return NO_MATCH

    @lru_cache(_CACHED)  # noqa: B019 - as above
    def _match_folder(self, part: str) -> list[NameFact]:
        return [fact for rule in self.folders if (fit := _fit(rule, [part])) is not None for fact in fit[1]]

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
    names = cached("names", files_in(*_READ_FROM), _read_names)
    if not only_packed():
        _prove(names)
    return names


def _read_names() -> Names:
    digest = hashlib.blake2b(redaction_hash().encode(), digest_size=16)
    rules: list[NameRule] = []
    folders: list[NameRule] = []
    suffixes: list[str] = []
    documents: dict[str, list[str]] = {key: [] for key in NAME_KEYS}
    for file in _files():
        digest.update(file.path.read_bytes())
        top = _top(file)
        rules += [read_rule(table) for table in top.tables("name", RULE_KEYS)]
        folders += [read_rule(table) for table in top.tables("folder", RULE_KEYS)]
        suffixes += top.strings("stem_suffixes")
        for key, names in documents.items():
            names += [name.lower() for name in top.strings(key)]
    known = DocumentNames(*map(tuple, documents.values()))
    words = vocabulary_file("folders.toml")
    digest.update(words.path.read_bytes())
    folder_words = read_campaign_folders(words)
    return Names(tuple(rules), tuple(folders), tuple(suffixes), known, folder_words, digest.hexdigest())


def _files() -> Iterator[TomlFile]:
    return map(read_toml, files_in("ingest/names"))


def _prove(names: Names) -> None:
    # The facts of a name also depend on the vocabulary.
    digest = hashlib.blake2b(names.definitions_hash.encode(), digest_size=16)
    for path in files_in("schema/vocabulary"):
        digest.update(path.read_bytes())
    proofs = Proofs("names")
    if digest.hexdigest() in proofs:
        return
    for file in _files():
        _check_samples(file, names)
    proofs.add([digest.hexdigest()])


def _added(found: NameMatch, facts: list[NameFact]) -> NameMatch:
    if not facts:
        return found
    known = {fact.name for fact in found.facts}
    others = tuple(fact for fact in facts if fact.name not in known)
    return NameMatch(found.parts, found.rule, found.facts + others) if others else found


def _facts_within(rule: NameRule, path: str) -> list[NameFact]:
    for pattern in rule.patterns:
        if pattern.parts > 1 and (match := pattern.search(path)):
            facts = _facts(rule, dict(zip(pattern.holes, match.groups(), strict=True)))
            if facts is not None:
                return facts
    return []


def _fit(rule: NameRule, parts: list[str]) -> tuple[int, list[NameFact]] | None:
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


def _facts(rule: NameRule, holes: dict[str, str]) -> list[NameFact] | None:
    # If the text of a hole is not a value of its fact, the name follows another convention.
    known = vocabulary().facts
    facts = []
    for name, logged in holes.items():
        if name not in known:
            continue
        value = rule.values[name].get(logged) if name in rule.values else known[name].declared(logged)
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
    return Table(file, "", file.data, ("name", "folder", "stem_suffixes", "sample", "about", *NAME_KEYS))


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
    for table in _top(file).tables("name", RULE_KEYS):
        if read_rule(table).place not in matched:
            table.fail("", "no [[sample]] reaches this rule")
