"""Redacts the bytes of a log, some lines at a time: line numbers stay, and bytes that are not UTF-8 survive."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchledger.redaction.forms import STYLE
from benchledger.redaction.known_names import KnownNames
from benchledger.redaction.open_fields import open_field
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.tables import table_of
from benchledger.redaction.wrapping import OTHER_LINES, Block, Wrapped, wrapped

_MARK, _PUTTY = "PRIVATE KEY", "-Lines: "
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----|(?:Public|Private)-Lines: \d++")
_END = re.compile(r"-----END [A-Z0-9 ]{0,32}PRIVATE KEY")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{2,160}={0,2}")
_END_OF_LEAD = re.compile(r"[A-Za-z_]*+[^A-Za-z0-9_]*+\Z")
# The headers of an encrypted key
_HEADER = re.compile(r".{0,400}?(?:Proc-Type|DEK-Info|Comment|Version|Key-Derivation|Argon2-\w+): .{0,400}|\s*")
# What a log may put before each line
_LONGEST_LEAD = 400
_FULL = 64


class KeyBlock:
    """Follows the lines of one log. `is_open` is true between the first and the last line of a key."""

    def __init__(self) -> None:
        self.is_open = False
        self._is_full = False
        self._others = 0
        self._before = self._behind = ""

    def body(self, line: str) -> tuple[int, int] | None:
        """Returns where a line holds a part of a key, or None. Lines come in their order."""
        found = None
        if self.is_open and _END.search(line):
            self.is_open = False
        elif self.is_open:
            found = self._body(line)
            if found is not None:
                self._is_full, self._others = found[1] - found[0] >= _FULL, 0
            elif not _HEADER.fullmatch(line):
                # So that a key without an end costs no more than itself.
                self._others += 1
                self.is_open = self._others <= OTHER_LINES
        if (_MARK in line or _PUTTY in line) and (begin := _BEGIN.search(line)) is not None:
            self.is_open = not _END.search(line, begin.end())
            # In JSON a name and a quote precede each line, and a quote or an escape follows it; in CSV commas.
            lead = _END_OF_LEAD.search(line, max(0, begin.start() - 40), begin.start())
            self._before = lead[0] if lead else ""
            self._behind, self._others, self._is_full = line[begin.end() :].strip()[:1], 0, False
        return found

    def _body(self, line: str) -> tuple[int, int] | None:
        # The base64 between what is around the first line of the key, else the longest of the line.
        start, end = max(
            (
                token.span()
                for token in _BASE64.finditer(line, 0, _LONGEST_LEAD + 2 * _FULL)
                if (line.startswith(self._behind, token.end()) if self._behind else not line[token.end() :].strip())
            ),
            key=lambda span: (line.endswith(self._before, 0, span[0]), span[1] - span[0]),
            default=(0, 0),
        )
        text = line[start:end]
        if self._others:
            is_body = len(text) >= _FULL or text.endswith("=")
        else:
            # The last line is shorter.
            is_rest = self._is_full and len(text) % 4 == 0 and not text.isdigit()
            is_body = len(text) >= 16 or text.endswith("=") or is_rest
        return (start, end) if text and is_body else None


class LineRedactor:
    """Redacts a log part by part, and calls `on_secret` with the number of each line that held a secret.

    Earlier lines count: titles of a table name its private cells, a name at the end of a line that of a value below
    it, a private key continues over lines, and hosts and users that rules found are replaced everywhere in the log.
    """

    def __init__(self, redactor: Redactor, on_secret: Callable[[int], object] = lambda _: None) -> None:
        self._redactor = redactor
        self._on_secret = on_secret
        self._table: Wrapped | None = None
        self._open: Wrapped | None = None
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
        to_come = iter(sorted(suspects))
        parts: list[str] = []
        last = number = 0
        start = 0 if self._continues else next(to_come, len(text))
        while start < len(text):
            end = text.find("\n", start) % (len(text) + 1)
            number += text.count("\n", last, start)
            parts += (text[last:start], self._line(text[start:end], self._lines + number + 1, start in suspects))
            last = end
            start = end + 1 if self._continues else next((one for one in to_come if one > end), len(text))
        self._lines += text.count("\n")
        return "".join([*parts, text[last:]])

    @property
    def _continues(self) -> bool:
        return self._table is not None or self._open is not None or self._key.is_open

    def _line(self, line: str, number: int, is_suspect: bool) -> str:
        plain = STYLE.sub("", line)
        redacted = self._plain_line(plain, number, is_suspect)
        return line if redacted == plain else redacted

    def _plain_line(self, line: str, number: int, is_suspect: bool) -> str:
        before, given = self._redactor.counts["secret"], line
        body = self._key.body(line)
        if body is not None:
            start, end = body
            line = line[:start] + self._redactor.pseudonym("secret", line[start:end]) + line[end:]
        row, self._table = self._continued(self._table, line, table_of)
        value, self._open = self._continued(self._open, line, open_field)
        line = row or value or line
        if is_suspect or line != given:
            # A zero byte is part of no name: it stays, and the text on either side is redacted.
            line = "\x00".join(map(self._redactor.fresh, line.split("\x00")))
        if self._redactor.counts["secret"] > before:
            self._on_secret(number)
        return line

    def _continued(
        self, block: Wrapped | None, line: str, begin: Callable[[str, Redactor], Block | None]
    ) -> tuple[str | None, Wrapped | None]:
        redacted = block.redact(line, self._redactor) if block else None
        if block and block.stays and redacted is not None:
            return redacted, block
        new = wrapped(line, lambda text: begin(text, self._redactor))
        return redacted, new or (block if block and block.stays else None)
