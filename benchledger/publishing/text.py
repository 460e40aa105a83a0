"""Redacts the bytes of a log line by line: line numbers stay, and bytes that are not UTF-8 survive."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from benchledger.archives.magic_bytes import is_text
from benchledger.archives.streams import Source
from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats

CHUNK = 1024 * 1024
# A longer line is cut at a blank or comma: memory stays bounded and no name is cut in two.
_LONGEST = 16 * CHUNK


class NotRedactable(Exception):
    """Raised for a file that cannot be redacted; the message says why."""


def redact_text(
    source: Source, write: Callable[[bytes], object], redactor: Redactor, on_secret: Callable[[int], object]
) -> None:
    """Copies a log, redacted, and calls `on_secret` with the number of each line that held a secret.

    Raises NotRedactable for bytes that are not text.
    """
    lines = LineRedactor(redactor, on_secret)
    rest = source.read(CHUNK)
    if not (is_text(rest[: 64 * 1024]) or _log_reader().has_lines(rest)):
        raise NotRedactable("binary: what is private in it cannot be told or replaced")
    while chunk := source.read(CHUNK):
        rest += chunk
        cut = rest.rfind(b"\n") + 1
        if not cut:
            if len(rest) < _LONGEST:
                continue
            cut = max(rest.rfind(b" "), rest.rfind(b",")) + 1 or len(rest)
        write(lines.redact(rest[:cut]))
        rest = rest[cut:]
    write(lines.redact(rest))


@cache
def _log_reader() -> LogReader:
    return LogReader(load_formats())
