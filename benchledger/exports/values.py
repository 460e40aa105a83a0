"""Turns one value of a frame into text or JSON."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from benchledger.exports.safe_text import is_unsafe

if TYPE_CHECKING:
    import polars as pl


def json_text(value: Any) -> str:
    """Returns JSON of any answer. Characters that a terminal would act on are JSON escapes: they read back the same."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=2)
    return "".join(json.dumps(char)[1:-1] if char != "\n" and is_unsafe(char) else char for char in text)


def plain(value: Any) -> Any:
    """Converts a value to a type that JSON has: a dataclass to an object, a frame to a list of objects."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        # JSON has no infinity and no NaN, and null would claim that there is no number.
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "to_dicts"):
        return plain(value.to_dicts())
    return value.isoformat() if isinstance(value, date) else str(value)


def value_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(plain(value), ensure_ascii=False)
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)


def text_rows(frame: pl.DataFrame) -> list[list[str]]:
    return [[value_text(value) for value in row] for row in frame.iter_rows()]
