"""The key of the pseudonyms: in the key file of a ledger, or in one that several ledgers or published logs share."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.regular_file import ledger_place, need_regular
from benchledger.errors import DatabaseError, UsageError, cure_of_writing

if TYPE_CHECKING:
    import duckdb

KEY_BYTES = 32
LEAST_BYTES = 32
# Binary, so that no report ever quotes the file as text; no answer is written over a file that begins so.
KEY_MAGIC = b"benchledger key\x00"
_HEX_KEY = re.compile(rb"\s*(?:\w+\s*=\s*)?[0-9A-Fa-f]{64}\s*")
_LONGEST_LINE = 200
_HOW = "Make one: `(umask 077; openssl rand -hex 32 > FILE)`"


def read_key_file(path: Path) -> bytes:
    """Returns the key in a file, or that of a ledger in its own key file.

    Raises UsageError if it is missing, readable by other users, or too short.
    """
    need_regular(path)
    try:
        mode, content = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: the key file cannot be read: {error.strerror}. {_HOW}") from error
    if os.name == "posix" and mode & 0o077:
        raise UsageError(f"{path}: other users may read this key file and could undo the pseudonyms: chmod 600 {path}")
    key = key_in(content)
    if key is None:
        size = len(content.strip())
        raise UsageError(f"{path}: a key of {size} bytes is too short; it needs {LEAST_BYTES}. {_HOW}")
    return key


def key_in(content: bytes) -> bytes | None:
    """Returns the key that a key file of this content gives; None if it is too short."""
    if content.startswith(KEY_MAGIC) and len(content) == len(KEY_MAGIC) + KEY_BYTES:
        return content.removeprefix(KEY_MAGIC)
    content = content.strip()
    return None if len(content) < LEAST_BYTES else hashlib.blake2b(content, digest_size=KEY_BYTES).digest()


def holds_keys(text: bytes) -> bool:
    """Whether a file holds nothing but keys of 64 hex digits, as docs/privacy.md makes them, with or without names."""
    lines = [line for line in text.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip() and line[:1] != b"#"]
    return bool(lines) and all(len(line) < _LONGEST_LINE and _HEX_KEY.fullmatch(line) for line in lines)


def key_path(db_path: Path | str) -> Path:
    return Path(f"{ledger_place(db_path)}.key")


def stored_key(db_path: Path | str) -> bytes | None:
    """Returns the key in a ledger's key file, None without one. Raises DatabaseError if it holds no key."""
    path = key_path(db_path)
    need_regular(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DatabaseError(
            f"{path}: the key file cannot be read: {error.strerror}. Give yourself the right to read it"
        ) from error
    if not content.startswith(KEY_MAGIC) or len(content) != len(KEY_MAGIC) + KEY_BYTES:
        raise DatabaseError(
            f"{path}: is no key of a ledger. Restore it from a backup, or move it away: a new key is made, every file "
            f"is read again, and hosts get new pseudonyms"
        )
    return content.removeprefix(KEY_MAGIC)


def need_key(db_path: Path, given: bytes | None, con: duckdb.DuckDBPyConnection | None) -> None:
    """Raises UsageError for a ledger with logs but no private files and no key, such as one published from a lake."""
    private = Path(f"{ledger_place(db_path)}.private")
    if con is None or given is not None or key_path(db_path).exists() or private.exists():
        return
    if con.execute("from log limit 1").fetchone() is not None:
        raise UsageError(
            f"{db_path}: has logs but no key, and another key gives other pseudonyms. Copy {private.name} and "
            f"{key_path(db_path).name} from the machine that read the logs, or name a key with --key-file FILE"
        )


def store_key(db_path: Path | str, key: bytes) -> None:
    """Writes a ledger's key file, with owner-only permissions. Raises DatabaseError if it cannot be written."""
    path = key_path(db_path)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    try:
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(KEY_MAGIC + key)
        try:
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise DatabaseError(
            f"{path}: the key file cannot be written: {error.strerror}. {cure_of_writing(error)}"
        ) from error
