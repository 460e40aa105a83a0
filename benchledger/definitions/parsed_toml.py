"""Caches the data and line numbers of shipped TOML files as JSON, which is read ten times as fast.

Only for the program's own files: a facts.toml beside a user's logs is never copied.
"""

from __future__ import annotations

import atexit
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from benchledger.definitions.cache import keep, kept
from benchledger.definitions.folders import KINDS, shipped_root
from benchledger.definitions.toml_places import places

# Edited files leave old entries; above this many entries only those in use stay.
_MOST = 400


def toml_data(path: Path, raw: bytes, text: str) -> dict[str, Any]:
    """Returns the data of a TOML text. Raises tomllib.TOMLDecodeError."""
    return _made(path, raw, text, "toml", _parsed)


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def toml_lines(path: Path, text: str) -> dict[str, int]:
    """Returns the line of each place of a TOML text."""
    return _made(path, text.encode(), text, "toml-lines", places)


def _made(path: Path, raw: bytes, text: str, kind: str, make: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    root = shipped_root()
    if not any(path.is_relative_to(root / shipped) for shipped in KINDS):
        return make(text)
    return _of_folder(path.parent, kind).data(raw, text, make)


@cache
def _of_folder(folder: Path, kind: str) -> _Parsed:
    parsed = _Parsed(folder, kind)
    atexit.register(parsed.save)
    return parsed


class _Parsed:
    """The files of one folder: one line per file, with the hash of its bytes and its cached result."""

    def __init__(self, folder: Path, kind: str) -> None:
        # Shared by all checkouts and installs of a user: equal text gives equal results.
        self._name = f"{kind}-{folder.name}"
        lines = (kept(self._name) or b"").splitlines()
        self._known = dict(line.split(b" ", 1) for line in lines)
        self._used: set[bytes] = set()
        self._is_new = False

    def data(self, raw: bytes, text: str, make: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
        key = hashlib.blake2b(raw, digest_size=16).hexdigest().encode()
        self._used.add(key)
        if key in self._known:
            known: dict[str, Any] = json.loads(self._known[key])
            return known
        data = make(text)
        # JSON has no dates, so a file with a date is parsed each time.
        with suppress(TypeError):
            self._known[key] = json.dumps(data).encode()
            self._is_new = True
        return data

    def save(self) -> None:
        """Stores the results of this process for later ones."""
        if self._is_new:
            wanted = self._known.keys() if len(self._known) <= _MOST else self._used & self._known.keys()
            keep(self._name, b"".join(b"%s %s\n" % (key, self._known[key]) for key in wanted))
