"""The redactor: one object that turns text into text that may be stored, shown and published."""

from __future__ import annotations

from collections import Counter

from benchledger.definitions.redaction import RedactionRules
from benchledger.redaction.addresses import Addresses
from benchledger.redaction.forms import STYLE, plain_text
from benchledger.redaction.line_filter import LineFilter
from benchledger.redaction.names import Names
from benchledger.redaction.pseudonyms import Pseudonyms

# Texts repeat (leads, labels, notes): results are cached, up to this many texts of up to this length.
_KEPT = 50_000
_KEPT_LENGTH = 2_000
_KEPT_PATHS = 1_000
_MOST_PASSES = 4


class Redactor:
    """Replaces private text by pseudonyms of a key. One per process. Text that is already redacted stays as it is."""

    def __init__(self, rules: RedactionRules, key: bytes) -> None:
        self._pseudonyms = Pseudonyms(key)
        self._addresses = Addresses(rules, self._pseudonyms)
        self._names = Names(rules, self._pseudonyms)
        self._line_filter = LineFilter(self._names.rule_set, self._names.patterns, self._names.domains.ending)
        self._known: dict[str, str] = {}
        self._paths: dict[tuple[str, str], str] = {}

    def is_own_key(self, key: bytes | None) -> bool:
        return key == self._pseudonyms.key

    @property
    def counts(self) -> Counter[str]:
        """Returns how often each kind was replaced; a cached text is not counted again."""
        return self._pseudonyms.counts

    @property
    def distinct(self) -> Counter[str]:
        return self._pseudonyms.distinct

    @property
    def real_names(self) -> dict[str, str]:
        """Returns the names that were replaced so far, by their pseudonyms. They are private."""
        return self._pseudonyms.real_names

    def text(self, text: str) -> str:
        known = self._known.get(text)
        if known is not None:
            return known
        redacted = self.fresh(text)
        if len(text) <= _KEPT_LENGTH:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[text] = redacted
        return redacted

    def fresh(self, text: str) -> str:
        """Like `text`, without the cache, so that every occurrence is counted."""
        plain = clean = plain_text(text)
        # Repeated after a replacement: the text next to it may be a name of its own now.
        for _ in range(_MOST_PASSES):
            before, clean = clean, self._addresses.redact(self._names.redact(clean))
            if clean == before:
                break
        return text if clean == plain else clean

    def lines_to_check(self, text: str) -> set[int]:
        """Returns the starts of the lines in which something may need replacement.

        `fresh` leaves all other lines as they are.
        """
        return self._line_filter.starts(text)

    @property
    def met(self) -> set[tuple[str, str]]:
        """Returns the hosts and users that were replaced since `forget_names`, each with its kind."""
        return self._pseudonyms.met

    def forget_names(self) -> None:
        self._pseudonyms.met.clear()

    def recall_names(self) -> None:
        """Adds all hosts and users that were replaced so far to `met`."""
        for pseudonym, name in self.real_names.items():
            if (kind := pseudonym.partition("-")[0]) in ("host", "user"):
                self.met.add((kind, name))

    def recurs(self, kind: str, name: str) -> bool:
        """Tells whether a host's or user's name can be replaced everywhere: it is not also an ordinary word."""
        return self._names.private.recurs(kind, name)

    def is_distinct(self, name: str) -> bool:
        """Tells whether a user's name is no word, so that it can be replaced wherever it stands."""
        return self._names.private.is_distinct(name)

    def pseudonym(self, kind: str, name: str) -> str:
        return self._pseudonyms.of(kind, name)

    def optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def kind_of(self, name: str) -> str | None:
        """Returns the kind of a field's whole value (host, user, group) if the field's name states it."""
        return self._names.kind_of(name)

    def value(self, name: str, text: str) -> str:
        """Returns the redacted value of a field, whose name may say that all of it is a host or a user."""
        named = self._names.value(name, STYLE.sub("", text))
        return self.text(text if named is None else named)

    def title(self, title: str) -> str | None:
        """Returns the name of a field that the title of a column ends with, if it tells a kind."""
        return self._names.title(title)

    def cell(self, name: str, text: str) -> str:
        """Returns the redacted cell of a column, or the value in another line than its name; numbers stay."""
        return self._names.cell(name, text)

    def open_name(self, line: str) -> str | None:
        """Returns the name of a field at the end of a line, if it tells a kind."""
        return self._names.open_name(line)

    def is_secret(self, name: str) -> bool:
        return self._names.kind_of(name) == "secret"

    def path(self, path: str, place: str = "") -> str:
        """Redacts a path relative to its root.

        `place`, the whole path, shows that `crim/x.log` below /home names a user. Without `place`, the path counts as
        absolute: tar stores `/home/crim/x.log` as `home/crim/x.log`.
        """
        # Cached, because each file asks several times in a row: for its outcome and for its sighting.
        known = self._paths.get((path, place))
        if known is None:
            if len(self._paths) >= _KEPT_PATHS:
                self._paths.clear()
            known = self._paths[path, place] = self._path(path, place)
        return known

    def _path(self, path: str, place: str) -> str:
        if not place.endswith(path) or place == path:
            place = path if path.startswith("/") else f"/{path}"
        scheme, sign, rest = place.partition("://")
        if sign and scheme.isalnum():
            # An address of a file: as a text, all of it would be one name.
            place = f"/{rest}"
        # Folders are shared by many files, so they are cached. Only the nearest folders decide what a file name is.
        folder, _, name = place.rpartition("/")
        near = "/".join(folder.rsplit("/", 2)[-2:])
        name = self.fresh(f"/{near}/{name}").rpartition("/")[2]
        parts = [*self.text(f"{folder}/").split("/")[:-1], name]
        return "/".join(parts[-(path.count("/") + 1) :])
