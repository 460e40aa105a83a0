"""Encodes the JSON map of a record as native/json.c reads it."""

from __future__ import annotations

from typing import Any

from benchledger.definitions.file_maps import JsonMap
from benchledger.definitions.template import Template
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning.native_blob import TARGETS, listed, sized, u32

_WHERE, _UNLESS, _HAS = range(3)


def packed_map(asked: JsonMap, template: Template) -> bytes | None:
    """Returns the encoded map of a record; None if only the reference reader can read such objects."""
    whole = isinstance(asked.values, str)
    values: dict[str, str] = {} if isinstance(asked.values, str) else asked.values
    paths = [*values.values(), *asked.columns.values(), *asked.where, *asked.unless, *asked.has, *(asked.named or ())]
    paths += [asked.values] if isinstance(asked.values, str) else []
    texts = [*asked.where.values(), *asked.unless.values()]
    known = all(map(_is_plain, paths)) and all(map(_are_texts, texts))
    # One value would replace another: a column of a hole too, or `named` beside a whole object.
    twice = {hole.name for hole in template.holes} & set(asked.columns) or (whole and asked.named is not None)
    micros = _micros(asked.time_unit)
    if not known or twice or micros is None:
        return None
    conditions = [_condition(_WHERE, path, expected) for path, expected in asked.where.items()]
    conditions += [_condition(_UNLESS, path, expected) for path, expected in asked.unless.items()]
    conditions += [_condition(_HAS, path, []) for path in asked.has]
    return b"".join(
        [
            listed(conditions),
            u32(whole) + (sized(asked.values.encode()) if isinstance(asked.values, str) else b""),
            listed([sized(name.encode()) + sized(path.encode()) for name, path in values.items()]),
            u32(asked.named is not None) + b"".join(sized(path.encode()) for path in asked.named or ()),
            listed([u32(TARGETS.index(name)) + sized(path.encode()) for name, path in asked.columns.items()]),
            u32(micros),
        ]
    )


def _condition(kind: int, path: str, expected: Any) -> bytes:
    texts = expected if isinstance(expected, list) else [expected]
    return (
        u32(kind)
        + sized(path.encode())
        + u32(isinstance(expected, list))
        + listed([sized(one.encode()) for one in texts])
    )


def _is_plain(path: str) -> bool:
    # Python also accepts digits of other scripts as list indexes.
    return "*" not in path and not any(key.isdecimal() and not key.isascii() for key in path.split("."))


def _are_texts(expected: Any) -> bool:
    return isinstance(expected, str) or (isinstance(expected, list) and all(isinstance(one, str) for one in expected))


def _micros(unit: str | None) -> int | None:
    # Microseconds per unit of time; 0 without a numeric time.
    if unit is None:
        return 0
    micros = vocabulary().spellings[unit][1] * 1_000_000
    return int(micros) if 1 <= micros <= 1_000_000 and micros == int(micros) else None
