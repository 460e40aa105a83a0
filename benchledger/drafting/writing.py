"""Writes a drafted format as TOML, in the style of the shipped formats, with a question above each guess."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from benchledger.definitions.log_format import PairsStyle
from benchledger.drafting.meaning import Meaning

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


@dataclass
class DraftedRecord:
    """A record to write: its templates in the order in which they are tried, and a question about it."""

    name: str
    kind: str
    templates: list[str]
    style: PairsStyle | None = None
    phase: str | None = None
    line_start: bool = False
    word_start: bool = False
    question: str | None = None


@dataclass
class Parts:
    """All parts of a drafted format."""

    name: str
    head: list[str]
    top: list[Meaning]
    proofs: list[tuple[str, ...]]
    proof_question: str | None
    anchors: list[str]
    records: list[DraftedRecord]
    ignores: dict[str, str] = field(default_factory=dict)
    fields: list[Meaning] = field(default_factory=list)
    facts: list[Meaning] = field(default_factory=list)
    samples: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)


def written(parts: Parts) -> str:
    """Returns the TOML of a drafted format."""
    lines = [f"# {line}".rstrip() for line in parts.head]
    lines += [f"format = {value(parts.name)}", "version = 1", 'base = "events"']
    for meaning in parts.top:
        lines += _keys(meaning)
    lines += [f"anchors = {value(parts.anchors)}"]
    style = _main_style(parts.records)
    if style is not None:
        lines.append(f"pairs = {_style(style)}")
    for table, entries in (("field", parts.fields), ("fact", parts.facts)):
        lines += [f"{table} = [", *(line for meaning in entries for line in _listed(meaning)), "]"] if entries else []
    lines += ["", "[detect]"]
    lines += [f"# ? {parts.proof_question}"] if parts.proof_question else []
    lines += ["proof = [", *(f"    {value(list(proof))}," for proof in parts.proofs), "]"]
    for record in parts.records:
        lines += ["", *_record(record, style)]
    for template, reason in parts.ignores.items():
        lines += ["", "[[ignore]]", f"templates = {value([template])}", f"reason = {value(reason)}"]
    for text, expect in parts.samples:
        lines += [
            "",
            "[[sample]]",
            f"text = {value(text)}",
            "expect = [",
            *(f"    {value(one)}," for one in expect),
            "]",
        ]
    return "\n".join([*lines, ""])


def value(of: Any) -> str:
    """Returns a value as TOML."""
    if isinstance(of, bool):
        return str(of).lower()
    if isinstance(of, float):
        return _float(of)
    if isinstance(of, int):
        return str(of)
    if isinstance(of, datetime):
        return f'"{of}"'
    if isinstance(of, dict):
        return "{ " + ", ".join(f"{_key(key)} = {value(one)}" for key, one in of.items()) + " }" if of else "{}"
    if isinstance(of, list | tuple):
        return "[" + ", ".join(value(one) for one in of) + "]"
    return json.dumps(str(of), ensure_ascii=False).replace("\x7f", "\\u007f")


def _float(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def _key(key: str) -> str:
    return key if _BARE.match(key) else value(key)


def _keys(meaning: Meaning) -> list[str]:
    asked = [f"# ? {meaning.question}"] if meaning.question else []
    return [*asked, *(f"{key} = {value(one)}" for key, one in meaning.keys.items())]


def _listed(meaning: Meaning) -> list[str]:
    asked = [f"    # ? {meaning.question}"] if meaning.question else []
    return [*asked, f"    {value(meaning.keys)},"]


def _record(record: DraftedRecord, style: PairsStyle | None) -> list[str]:
    lines = [f"# ? {record.question}"] if record.question else []
    lines += ["[[record]]", f"name = {value(record.name)}", f"kind = {value(record.kind)}"]
    lines += [f"phase = {value(record.phase)}"] if record.phase else []
    lines += ["line_start = true"] if record.line_start else []
    lines += ["word_start = true"] if record.word_start else []
    if len(record.templates) == 1:
        lines.append(f"templates = {value(record.templates)}")
    else:
        lines += ["templates = [", *(f"    {value(template)}," for template in record.templates), "]"]
    if record.style is not None and record.style != style:
        lines.append(f"pairs = {_style(record.style)}")
    return lines


def _main_style(records: list[DraftedRecord]) -> PairsStyle | None:
    return next((record.style for record in records if record.style is not None), None)


def _style(style: PairsStyle) -> str:
    keys: dict[str, Any] = {"assign": style.assign, "between": list(style.between)}
    return value(keys | ({"end": style.end} if style.end else {}))
