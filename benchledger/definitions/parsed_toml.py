"""What the shipped TOML files say, kept as JSON, which is read ten times as fast.

Only the program's own: a facts.toml beside somebody's logs is copied nowhere.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from benchledger.definitions.cache import keep, kept
from benchledger.definitions.folders import KINDS, shipped_root

# Edited files leave what they said before; above so many entries only those in use stay.
_MOST = 400


def toml_data(path: Path, raw: bytes, text: str) -> dict[str, Any]:
    """What a TOML text says. Raises tomllib.TOMLDecodeError."""
    root = shipped_root()
    if not any(path.is_relative_to(root / kind) for kind in KINDS):
        return tomllib.loads(text)
    return _of_folder(path.parent).data(raw, text)


@cache
def _of_folder(folder: Path) -> _Parsed:
    parsed = _Parsed(folder)
    atexit.register(parsed.save)
    return parsed


class _Parsed:
    """The files of one folder: a line with the hash of a file's bytes, and what it says."""

    def __init__(self, folder: Path) -> None:
        # One for all checkouts and installs of a user: a text says the same wherever it lies.
        self._name = f"toml-{folder.name}"
        lines = (kept(self._name) or b"").splitlines()
        self._known = dict(line.split(b" ", 1) for line in lines)
        self._used: set[bytes] = set()
        self._is_new = False

    def data(self, raw: bytes, text: str) -> dict[str, Any]:
        key = hashlib.blake2b(raw, digest_size=16).hexdigest().encode()
        self._used.add(key)
        if key in self._known:
            known: dict[str, Any] = json.loads(self._known[key])
            return known
        data = tomllib.loads(text)
        # A date, which JSON does not have, is parsed each time.
        with suppress(TypeError):
            self._known[key] = json.dumps(data).encode()
            self._is_new = True
        return data

    def save(self) -> None:
        """Keeps what was parsed in this process for the next ones."""
        if self._is_new:
            wanted = self._known.keys() if len(self._known) <= _MOST else self._used & self._known.keys()
            keep(self._name, b"".join(b"%s %s\n" % (key, self._known[key]) for key in wanted))
