"""Redacts the bytes of a log, some lines at a time: line numbers stay, and bytes that are not UTF-8 survive."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchledger.redaction.known_names import KnownNames
from benchledger.redaction.redactor import Redactor

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


_CELL = re.compile(r'"((?:[^"]|"")*+)"|([^,"\r\n]++)|(?=,)|(?<=,)$')


class LineRedactor:
    """Redacts a log part by part, and calls `on_secret` with the number of each line that held a secret.

    Earlier parts count: the header of a CSV table names its private cells, a private key continues over lines, and
    hosts and users that rules found are replaced in the rest of this part and in later ones.
    """

    def __init__(self, redactor: Redactor, on_secret: Callable[[int], object] = lambda _: None) -> None:
        self._redactor = redactor
        self._on_secret = on_secret
        self._header: list[str] = []
        self._key = KeyBlock()
        self._known = KnownNames(redactor)
        self._lines = 0

    def redact(self, data: bytes) -> bytes:
        self._redactor.forget_names()
        text = self._known.replace(self._redacted(data.decode("utf-8", "surrogateescape")))
        return text.encode("utf-8", "surrogateescape")

    def redact_known(self, redacted: bytes) -> bytes:
        """Replaces, in a part that is redacted already, the names that later parts identified."""
        self._redactor.forget_names()
        text = redacted.decode("utf-8", "surrogateescape")
        return self._known.replace(text).encode("utf-8", "surrogateescape")

    def _redacted(self, text: str) -> str:
        suspects = self._redactor.lines_to_check(text)
        parts: list[str] = []
        if self._header or '"' in text or self._key.is_open or MARK in text:
            start = 0
            for number, line in enumerate(text.split("\n"), start=1):
                clean = self._cells(line) if line.count(",") >= 2 and (self._header or '"' in line) else line
                body = self._key.body(line)
                is_suspect = start in suspects or clean is not line or body is not None
                parts.append(self._line(clean, number, body) if is_suspect else line)
                start += len(line) + 1
            self._lines += text.count("\n")
            return "\n".join(parts)
        last = number = 0
        for start in sorted(suspects):
            end = text.find("\n", start) % (len(text) + 1)
            number += text.count("\n", last, start)
            parts += (text[last:start], self._line(text[start:end], number + 1))
            last = end
        self._lines += text.count("\n")
        return "".join([*parts, text[last:]])

    def _line(self, line: str, number: int, body: tuple[int, int] | None = None) -> str:
        before = self._redactor.counts["secret"]
        if body is not None:
            start, end = body
            line = line[:start] + self._redactor.pseudonym("secret", line[start:end]) + line[end:]
        # A zero byte is part of no name: it stays, and the text on either side is redacted.
        line = "\x00".join(map(self._redactor.fresh, line.split("\x00")))
        if self._redactor.counts["secret"] > before:
            self._on_secret(self._lines + number)
        return line

    def _cells(self, line: str) -> str:
        cells = list(_CELL.finditer(line))
        names = [cell.group(1) or cell.group(2) or "" for cell in cells]
        if any(self._redactor.kind_of(name) for name in names):
            self._header = names
        elif len(cells) == len(self._header):
            out, last = "", 0
            for name, cell, text in zip(self._header, cells, names, strict=True):
                if text and self._redactor.kind_of(name):
                    group = 1 if cell.group(1) is not None else 2
                    out += line[last : cell.start(group)] + self._redactor.value(name, text)
                    last = cell.end(group)
            return out + line[last:]
        return line
