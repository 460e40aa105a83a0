"""The redactor: one object that turns text into text that may be kept, shown and published."""

from __future__ import annotations

from collections import Counter

from benchledger.definitions.redaction import RedactionRules
from benchledger.redaction.addresses import Addresses
from benchledger.redaction.names import Names
from benchledger.redaction.pseudonyms import Pseudonyms
from benchledger.redaction.suspects import Suspects

# Leads, labels and notes come again and again: what a text became is kept, up to this many texts of this length.
_KEPT = 50_000
_KEPT_LENGTH = 2_000
_MOST_PASSES = 4


class Redactor:
    """Replaces what is private by pseudonyms of a key. Made once per process; what it gives, it leaves as it is."""

    def __init__(self, rules: RedactionRules, key: bytes) -> None:
        self._pseudonyms = Pseudonyms(key)
        self._addresses = Addresses(rules, self._pseudonyms)
        self._names = Names(rules, self._pseudonyms)
        self._suspects = Suspects(rules, self._names.literals, self._names.patterns, self._names.key_hints)
        self._known: dict[str, str] = {}
        self._last_path: tuple[tuple[str, str], str] = (("", ""), "")

    @property
    def counts(self) -> Counter[str]:
        """How often each kind was replaced so far, a text that was met before not counted again."""
        return self._pseudonyms.counts

    @property
    def distinct(self) -> Counter[str]:
        """How many names of each kind were replaced so far."""
        return self._pseudonyms.distinct

    def says_what(self, name: str) -> bool:
        """Whether the name of a field says that its value names a host, a user or the like."""
        return self._names.kind_of(name) is not None

    def text(self, text: str) -> str:
        """The text with every private name and address replaced."""
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
        """The same without looking at what was met before, so that everything is counted."""
        # Once more where something was replaced: what stood glued to it may be a name of its own now.
        for _ in range(_MOST_PASSES):
            before, text = text, self._addresses.redact(self._names.redact(text))
            if text == before:
                break
        return text

    def suspects(self, text: str) -> set[int]:
        """Where those lines of a text begin in which something may have to be replaced: `fresh` leaves all others."""
        return self._suspects.starts(text)

    def optional(self, text: str | None) -> str | None:
        """The text redacted, None as it is."""
        return None if text is None else self.text(text)

    def kind_of(self, name: str) -> str | None:
        """What all of a field's value is, if its name says so: a host, a user, a group."""
        return self._names.kind_of(name)

    def value(self, name: str, text: str) -> str:
        """The value of a field: its name may say that all of it names a host or a user."""
        named = self._names.value(name, text)
        return self.text(text if named is None else named)

    def path(self, path: str, place: str = "") -> str:
        """A path below what was ingested; `place`, the whole path, tells `crim/x.log` below /home from a folder.

        Without it, the path is taken to begin at the root: tar stores `/home/crim/x.log` as `home/crim/x.log`.
        """
        # Asked for twice a file in a row, for its outcome and for its sighting.
        if self._last_path[0] != (path, place):
            self._last_path = (path, place), self._path(path, place)
        return self._last_path[1]

    def _path(self, path: str, place: str) -> str:
        if not place.endswith(path) or place == path:
            place = path if path.startswith("/") else f"/{path}"
        # The folders are those of many files. What a name is, the nearest ones tell.
        folder, _, name = place.rpartition("/")
        near = "/".join(folder.rsplit("/", 2)[-2:])
        name = self.fresh(f"/{near}/{name}").rpartition("/")[2]
        parts = [*self.text(f"{folder}/").split("/")[:-1], name]
        return "/".join(parts[-(path.count("/") + 1) :])
