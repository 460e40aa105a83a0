"""Writes a drafted format as TOML, in the style of the shipped formats, with a question above each guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from benchledger.definitions.log_format import PairsStyle
from benchledger.drafting.meaning import Meaning
from benchledger.scanning.sample_toml import expect_lines, value


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
    lines = [f"# {line}".rstrip() for line in parts.head]
    lines += [f"format = {value(parts.name)}", "version = 1", 'base = "events"']
    for meaning in parts.top:
        lines += _keys(meaning)
    lines += [f"anchors = {value(parts.anchors)}"]
    style = next((record.style for record in parts.records if record.style is not None), None)
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
            *expect_lines(expect),
        ]
    return "\n".join([*lines, ""])


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


def _style(style: PairsStyle) -> str:
    keys: dict[str, Any] = {"assign": style.assign, "between": list(style.between)}
    return value(keys | ({"end": style.end} if style.end else {}))
