"""Pseudonyms by the key of a ledger, and their real names, from its private files."""

from __future__ import annotations

import secrets
from pathlib import Path

from benchledger.errors import UsageError
from benchledger.redaction.real_names import RealNames
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, load_redaction
from benchledger.store.key_file import KEY_BYTES
from benchledger.store.private_file import key_of, names_in, places_in, private_path


def redactor_of(db: Path | str) -> Redactor:
    """Returns a redactor with the key of a ledger; a copy without the key gets new pseudonyms."""
    return Redactor(load_redaction(), key_of(db) or secrets.token_bytes(KEY_BYTES))


def read_real_names(db: Path | str) -> RealNames:
    """Returns the real names of a ledger. Raises UsageError without its private file, whose error says the cure."""
    path = private_path(db)
    key = key_of(db) if path.is_file() else None
    if key is None:
        raise UsageError(
            f"{path} or {db}.key is missing: only these files hold the real names. Copy both from where the logs were "
            "read, or leave out --reveal"
        )
    from benchledger.archives.member import CHAIN

    redactor = Redactor(known_redaction(), key)
    for place in places_in(db):
        # A member's path is redacted apart from that of its archive.
        for part in place.split(CHAIN):
            redactor.path(part)
    return RealNames({**redactor.real_names, **names_in(db)})
