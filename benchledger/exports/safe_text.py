"""Makes text from a log or a path harmless: control characters are shown escaped, formulas are found."""

from __future__ import annotations

import unicodedata

# Cc: C0 and C1 controls. Cf: bidi overrides, zero-width and other invisible characters. Cs: bytes of a path that are
# not UTF-8. Zl, Zp: line and paragraph separators.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_FORMULA_SIGNS = frozenset("=+-@\N{MINUS SIGN}")


def is_unsafe(char: str) -> bool:
    """Tells whether a terminal might act on a character instead of showing it."""
    return not " " <= char <= "~" and unicodedata.category(char) in _UNSAFE


def escaped(text: str) -> str:
    r"""Returns the text on one line, with every control character as \x1b, \u202e and so on."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(char) if is_unsafe(char) else char for char in text)


def escaped_lines(text: str) -> str:
    """Like `escaped`, but line breaks stay."""
    return "\n".join(escaped(line) for line in text.split("\n"))


def is_formula(text: str) -> bool:
    """Tells whether a spreadsheet may take a text for a formula, also by a sign of full width or after blanks."""
    first = text.lstrip()[:1]
    return first != "" and (first in _FORMULA_SIGNS or unicodedata.normalize("NFKC", first) in _FORMULA_SIGNS)


def _escape(char: str) -> str:
    code = ord(char)
    names = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
    if char in names:
        return names[char]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
