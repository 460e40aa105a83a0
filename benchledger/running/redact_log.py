"""Redacts the output of a run before it is staged: launchers print the addresses of their machines."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path

from benchledger.redaction.key_block import KeyBlock
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction

_KEY_BYTES = 32


def clean(log: Path) -> None:
    """Replaces private text in a log, as `bench redact` does, with a key that is not kept.

    Raises OSError if the log cannot be rewritten.
    """
    if not log.exists():
        return
    text = log.read_bytes().decode("utf-8", "surrogateescape")
    starts = _redactor().lines_to_check(text)
    cleaned = _lines(text, starts) if starts else text
    if cleaned == text:
        return
    # Replaced completely or not at all.
    aside = log.with_name(f"{log.name}.cleaned")
    aside.write_bytes(cleaned.encode("utf-8", "surrogateescape"))
    aside.replace(log)


def _lines(text: str, starts: set[int]) -> str:
    found, place, key = [], 0, KeyBlock()
    for line in text.split("\n"):
        body = key.body(line)
        if body is not None:
            found.append(line[: body[0]] + _redactor().secret(line[slice(*body)]) + line[body[1] :])
        else:
            found.append(_redactor().text(line) if place in starts else line)
        place += len(line) + 1
    return "\n".join(found)


@cache
def _redactor() -> Redactor:
    return Redactor(known_redaction(), secrets.token_bytes(_KEY_BYTES))
