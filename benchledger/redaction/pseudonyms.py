"""Makes pseudonyms: keyed hashes, so that one host has one name in a whole ledger and nobody can reverse it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from benchledger.definitions.redaction import KINDS

# 32 bits: among 1,000 hosts two share a pseudonym in one of 8,000 ledgers.
_HEX_DIGITS = 8
PSEUDONYM = re.compile(rf"(?:{'|'.join(KINDS.values())})-[0-9a-f]{{{_HEX_DIGITS}}}(?![0-9A-Za-z])")


class Pseudonyms:
    """Gives each private name its pseudonym, and counts the replacements."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self._given: dict[tuple[str, str], str] = {}
        # By their pseudonym, as they were met first.
        self.real_names: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        # Hosts and users that were replaced since the set was last cleared.
        self.met: set[tuple[str, str]] = set()

    @property
    def distinct(self) -> Counter[str]:
        return Counter(kind for kind, _ in self._given)

    def of(self, kind: str, name: str) -> str:
        if PSEUDONYM.fullmatch(name):
            return name
        self.counts[kind] += 1
        if kind in ("host", "user"):
            self.met.add((kind, name))
        same = name.lower() if kind in ("host", "address", "hardware") else name
        if kind == "host":
            same = same.split(".", 1)[0]
        known = self._given.get((kind, same))
        if known is None:
            data = f"{kind}:{same}".encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(data, digest_size=_HEX_DIGITS // 2, key=self.key).hexdigest()
            known = self._given[kind, same] = f"{KINDS[kind]}-{digest}"
            # A secret is no name: its owner changes it, and nobody asks for it again.
            if kind != "secret":
                self.real_names[known] = name
        return known
