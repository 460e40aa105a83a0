"""What a run printed, before it is staged: launchers print the addresses of their machines."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction

_KEY_BYTES = 32


def clean(log: Path) -> None:
    """Replaces what is private in a log, as `bench redact` does, under a key that is forgotten.

    Raises OSError if it cannot be written again.
    """
    if not log.exists():
        return
    text = log.read_bytes().decode("utf-8", "surrogateescape")
    starts = _redactor().suspects(text)
    cleaned = _lines(text, starts) if starts else text
    if cleaned == text:
        return
    # Whole or not at all.
    aside = log.with_name(f"{log.name}.cleaned")
    aside.write_bytes(cleaned.encode("utf-8", "surrogateescape"))
    aside.replace(log)


def _lines(text: str, starts: set[int]) -> str:
    found, place = [], 0
    for line in text.split("\n"):
        found.append(_redactor().text(line) if place in starts else line)
        place += len(line) + 1
    return "\n".join(found)


@cache
def _redactor() -> Redactor:
    return Redactor(known_redaction(), secrets.token_bytes(_KEY_BYTES))
