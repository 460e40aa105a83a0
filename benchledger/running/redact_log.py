"""Redacts the output of a run before it is staged: launchers print the addresses of their machines."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path

from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction

_KEY_BYTES = 32


def clean(log: Path) -> None:
    """Replaces private text in a log, as `bench redact` does, with a key that is not kept.

    Raises OSError if the log cannot be rewritten.
    """
    if not log.exists():
        return
    content = log.read_bytes()
    cleaned = LineRedactor(_redactor()).redact(content)
    if cleaned == content:
        return
    # Replaced completely or not at all.
    aside = log.with_name(f"{log.name}.cleaned")
    aside.write_bytes(cleaned)
    aside.replace(log)


@cache
def _redactor() -> Redactor:
    return Redactor(known_redaction(), secrets.token_bytes(_KEY_BYTES))
