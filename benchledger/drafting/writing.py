"""Writes a drafted format as TOML, in the style of the shipped formats, with a question above each guess."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from typing import Any

from benchledger.definitions.log_format import PairsStyle
from benchledger.drafting.meaning import Meaning
from benchledger.scanning.sample_toml import MOST_CHARACTERS, expect_lines, value


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
    lines = [part for line in parts.head for part in _comment(line)]
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
    lines += _comment(f"? {parts.proof_question}") if parts.proof_question else []
    lines += ["proof = [", *(f"    {value(list(proof))}," for proof in parts.proofs), "]"]
    for record in parts.records:
        lines += ["", *_record(record, style)]
    for template, reason in parts.ignores.items():
        lines += ["", "[[ignore]]", *_templates([template]), f"reason = {value(reason)}"]
    for text, expect in parts.samples:
        lines += [
            "",
            "[[sample]]",
            f"text = {value(text)}",
            *expect_lines(expect),
        ]
    return "\n".join([*lines, ""])


def _keys(meaning: Meaning) -> list[str]:
    asked = _comment(f"? {meaning.question}") if meaning.question else []
    return [*asked, *(f"{key} = {value(one)}" for key, one in meaning.keys.items())]


def _listed(meaning: Meaning) -> list[str]:
    asked = _comment(f"? {meaning.question}", "    ") if meaning.question else []
    return [*asked, f"    {value(meaning.keys)},"]


def _record(record: DraftedRecord, style: PairsStyle | None) -> list[str]:
    lines = _comment(f"? {record.question}") if record.question else []
    lines += ["[[record]]", f"name = {value(record.name)}", f"kind = {value(record.kind)}"]
    lines += [f"phase = {value(record.phase)}"] if record.phase else []
    lines += ["line_start = true"] if record.line_start else []
    lines += ["word_start = true"] if record.word_start else []
    lines += _templates(record.templates)
    if record.style is not None and record.style != style:
        lines.append(f"pairs = {_style(record.style)}")
    return lines


def _comment(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, MOST_CHARACTERS, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ", break_long_words=False
    )


def _templates(templates: list[str]) -> list[str]:
    line = f"templates = {value(templates)}"
    if len(templates) == 1 and len(line) <= MOST_CHARACTERS:
        return [line]
    return ["templates = [", *(part for template in templates for part in _text_lines(template)), "]"]


def _text_lines(text: str) -> list[str]:
    # A text that is too long goes on behind a backslash, at a blank.
    line = f"    {value(text)},"
    if len(line) <= MOST_CHARACTERS:
        return [line]
    words = re.findall(r"\S+\s*|\s+", value(text)[1:-1])
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) > MOST_CHARACTERS - 12:
            lines.append("")
        lines[-1] += word
    return [*(f"    {start}{one}{end}" for start, one, end in _ends(lines))]


def _ends(lines: list[str]) -> list[tuple[str, str, str]]:
    last = len(lines) - 1
    return [('"""' * (at == 0), one, "\\" if at < last else '""",') for at, one in enumerate(lines)]


def _style(style: PairsStyle) -> str:
    keys: dict[str, Any] = {"assign": style.assign, "between": list(style.between)}
    return value(keys | ({"end": style.end} if style.end else {}))
