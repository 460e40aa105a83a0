"""Reads lines that are one object: JSON, or a dict of Python."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

from benchledger.scanning import rows
from benchledger.scanning.json_values import DECODER
from benchledger.scanning.rows import Refused, exact
from benchledger.scanning.values import decode

NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)\Z", re.IGNORECASE)


def json_line(text: bytes) -> dict[str, Any] | None:
    if text[:1] != b"{":
        return None
    try:
        data = DECODER.decode(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        raise Refused(rows.BAD_JSON) from None
    return data or None


def dict_line(text: bytes) -> dict[str, Any] | None:
    """Returns the dict of Python that a line is, without running it; else as `json_line`."""
    if text[:1] != b"{":
        return None
    source = decode(text)
    try:
        with warnings.catch_warnings():
            # An escape that Python does not know, as in a path.
            warnings.simplefilter("ignore")
            body = ast.parse(source, mode="eval").body
            found = _literal(body, source)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise Refused(rows.BAD_DICT) from None
    if not isinstance(found, dict):
        raise Refused(rows.BAD_DICT)
    return found or None


def _literal(node: ast.expr, source: str) -> Any:
    # A value that is no literal, such as `tensor(0.5)`, is its text.
    match node:
        case ast.Constant(value=float()):
            return exact((ast.get_source_segment(source, node) or "").replace("_", ""))
        case ast.Constant(value=str() | int() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value = _literal(operand, source)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return -value if isinstance(sign, ast.USub) else value
        case ast.Name(id=name) if NOT_FINITE.match(name):
            return float(name)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_literal(element, source) for element in elements]
        case ast.Dict(keys=keys, values=values):
            names = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
            if len(names) != len(keys) or len(set(names)) != len(names):
                raise Refused(rows.BAD_DICT)
            return {name: _literal(value, source) for name, value in zip(names, values, strict=True)}
    return ast.get_source_segment(source, node) or ""
