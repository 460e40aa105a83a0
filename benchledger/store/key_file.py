"""A key file: the key of the pseudonyms that several ledgers, or published logs, share."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from benchledger.errors import UsageError

LEAST_BYTES = 32
_HOW = "Make one: `(umask 077; openssl rand -hex 32 > FILE)`"


def read_key_file(path: Path) -> bytes:
    """Returns the key in a file. Raises UsageError if it is missing, readable by other users, or too short."""
    try:
        mode, content = path.stat().st_mode, path.read_bytes().strip()
    except OSError as error:
        raise UsageError(f"{path}: the key file cannot be read: {error.strerror}. {_HOW}") from error
    if os.name == "posix" and mode & 0o077:
        raise UsageError(f"{path}: other users may read this key file and could undo the pseudonyms: chmod 600 {path}")
    if len(content) < LEAST_BYTES:
        raise UsageError(f"{path}: a key of {len(content)} bytes is too short; it needs {LEAST_BYTES}. {_HOW}")
    return hashlib.blake2b(content, digest_size=32).digest()
