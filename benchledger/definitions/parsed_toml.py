"""What the shipped TOML files say, and on which lines, kept as JSON, which is read ten times as fast.

Only the program's own: a facts.toml beside somebody's logs is copied nowhere.
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

# Edited files leave what they said before; above so many entries only those in use stay.
_MOST = 400


def toml_data(path: Path, raw: bytes, text: str) -> dict[str, Any]:
    """What a TOML text says. Raises tomllib.TOMLDecodeError."""
    return _made(path, raw, text, "toml", _parsed)


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def toml_lines(path: Path, text: str) -> dict[str, int]:
    """The line of each place of a text that is TOML."""
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
    """The files of one folder: a line with the hash of a file's bytes, and what was made of it."""

    def __init__(self, folder: Path, kind: str) -> None:
        # One for all checkouts and installs of a user: a text says the same wherever it lies.
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
