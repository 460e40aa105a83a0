"""Redacts the lines of one log."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from typing import cast

from benchledger.archives.magic_bytes import behind_text, is_text
from benchledger.archives.streams import SPOOL_MEMORY, Source
from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from benchledger.store.key_file import holds_keys, key_in

_TEXT_CHUNK = 1024 * 1024
# A longer line is cut at a blank or comma: memory stays bounded and no name is cut in two.
_LONGEST = 16 * _TEXT_CHUNK


class NotRedactable(Exception):
    """Raised for a file that cannot be redacted; the message says why."""


def redact_text(
    source: Source, write: Callable[[bytes], object], redactor: Redactor, on_secret: Callable[[int], object]
) -> None:
    """Copies a log, redacted, and calls `on_secret` with the number of each line that held a secret.

    A name is also replaced in the lines before the one that identifies it: a log of several parts is read twice.
    Raises NotRedactable for bytes that are not text.
    """
    lines = LineRedactor(redactor, on_secret)
    head = source.read(_TEXT_CHUNK)
    if not (is_text(head[: 64 * 1024]) or _log_reader().has_lines(head)):
        raise NotRedactable("binary: private names in it cannot be found or replaced")
    # Damage after the head is raised here.
    more = source.read(_TEXT_CHUNK)
    if not more and (holds_keys(head) or redactor.is_own_key(key_in(head))):
        raise NotRedactable("a key of pseudonyms: whoever has it can find the names behind them")
    if not more:
        _refuse_other_than_utf8(head)
        write(lines.redact(head))
        return
    with tempfile.SpooledTemporaryFile(SPOOL_MEMORY) as held:
        for part in _parts(head + more, source):
            _refuse_other_than_utf8(part)
            held.write(lines.redact(part))
        held.seek(0)
        for part in _parts(b"", cast("Source", held)):
            write(lines.redact_known(part))


def _refuse_other_than_utf8(part: bytes) -> None:
    if (other := behind_text(part)) is not None:
        raise NotRedactable(f"{other[1]} follows text and cannot be redacted: split the file there")


def _parts(rest: bytes, source: Source) -> Iterator[bytes]:
    # Whole lines, of about 1 MiB together.
    while chunk := source.read(_TEXT_CHUNK):
        rest += chunk
        cut = rest.rfind(b"\n") + 1
        if not cut:
            if len(rest) < _LONGEST:
                continue
            cut = max(rest.rfind(b" "), rest.rfind(b",")) + 1 or len(rest)
        yield rest[:cut]
        rest = rest[cut:]
    yield rest


@cache
def _log_reader() -> LogReader:
    return LogReader(load_formats())
