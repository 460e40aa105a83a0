"""Finds the lines of private keys in PEM form, which no line shows by itself."""

from __future__ import annotations

import re

MARK = "PRIVATE KEY"
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,32}PRIVATE KEY")
# Base64, the headers of an encrypted key, and what a log may put before each line.
_BODY = re.compile(r"(?P<lead>.{0,80}?)(?P<body>[A-Za-z0-9+/]{16,80}={0,2}|[A-Za-z0-9+/]{2,80}={1,2})\s*")
_HEADER = re.compile(r".{0,80}?(?:Proc-Type|DEK-Info|Comment|Version): .{0,120}|\s*")


class KeyBlock:
    """Follows the lines of one log. `is_open` is true between the first and the last line of a key."""

    def __init__(self) -> None:
        self.is_open = False

    def body(self, line: str) -> tuple[int, int] | None:
        """Returns where a line holds a part of a key, or None. Lines come in their order."""
        if not self.is_open:
            begin = _BEGIN.search(line) if MARK in line else None
            self.is_open = begin is not None and not _END.search(line, begin.end())
            return None
        match = _BODY.fullmatch(line)
        # Anything else ends the key, so that a key without an end costs no more than itself.
        self.is_open = match is not None or (_HEADER.fullmatch(line) is not None and not _END.search(line))
        return None if match is None else match.span("body")
