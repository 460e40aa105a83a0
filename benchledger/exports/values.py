"""One value of a frame as text or JSON, with nothing that a terminal or a spreadsheet would act on."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


# Cc: C0 and C1 controls. Cf: bidi overrides, zero-width and other invisible characters. Cs: bytes of a path that are
# not UTF-8. Zl, Zp: line and paragraph separators. The last two codes of each plane are no characters.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_NONCHARACTER = 0xFFFE
# To look at each character of a long answer takes longer than to make it.
_NO_PLAIN_ASCII = re.compile(r"[^\n -~]")
_FORMULA_SIGNS = frozenset("=+-@\N{MINUS SIGN}")


def is_unsafe(char: str) -> bool:
    """Tells whether a terminal might act on a character instead of showing it."""
    if " " <= char <= "~":
        return False
    return unicodedata.category(char) in _UNSAFE or ord(char) & _NONCHARACTER == _NONCHARACTER


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


def json_text(value: Any) -> str:
    """Returns JSON of any answer. Characters that a terminal would act on are JSON escapes: they read back the same."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=2)
    return _NO_PLAIN_ASCII.sub(lambda found: json.dumps(found[0])[1:-1] if is_unsafe(found[0]) else found[0], text)


def plain(value: Any, shown: Callable[[str], str] = str) -> Any:
    """Converts a value to a type that JSON has: a dataclass to an object, a frame to a list; `shown` to each text."""
    if isinstance(value, dict):
        return {shown(str(key)): plain(one, shown) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one, shown) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        # JSON has no infinity and no NaN, and null would claim that there is no number.
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name), shown) for field in fields(value)}
    if hasattr(value, "to_dicts"):
        return plain(value.to_dicts(), shown)
    return value.isoformat() if isinstance(value, date) else shown(str(value))


def value_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(plain(value), ensure_ascii=False)
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)


def text_rows(frame: pl.DataFrame) -> list[list[str]]:
    return [[value_text(value) for value in row] for row in frame.iter_rows()]
