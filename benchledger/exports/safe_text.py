"""Text that came from a log or a path, made harmless for a terminal: control characters are shown escaped."""

from __future__ import annotations

import unicodedata

# Cc: C0 and C1 controls. Cf: bidi overrides, zero-width and other invisible signs. Cs: bytes of a path that are no
# UTF-8. Zl, Zp: line and paragraph separators.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def is_unsafe(char: str) -> bool:
    """Whether a terminal might act on a character instead of showing it."""
    return not " " <= char <= "~" and unicodedata.category(char) in _UNSAFE


def escaped(text: str) -> str:
    r"""The text with every control character as \x1b, \u202e and so on; it stays on one line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(char) if is_unsafe(char) else char for char in text)


def escaped_lines(text: str) -> str:
    """As escaped, but line breaks stay."""
    return "\n".join(escaped(line) for line in text.split("\n"))


def _escape(char: str) -> str:
    code = ord(char)
    names = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
    if char in names:
        return names[char]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
