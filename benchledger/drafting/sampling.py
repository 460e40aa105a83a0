"""Makes the samples of a draft: a redacted line per template, with everything that the draft reads in it."""

from __future__ import annotations

import re
from typing import Any

from benchledger.definitions.log_format import LogFormat
from benchledger.drafting.classification import SortedTemplates
from benchledger.drafting.writing import Parts
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.lines import LineReader
from benchledger.scanning.sample_toml import entries_of
from benchledger.scanning.values import ANSI

_TRIED, _COMPARED = 30, 4
_PAIRS_SHOWN = 12

Samples = list[tuple[str, list[dict[str, Any]]]]


def samples_of(
    parts: Parts, found: SortedTemplates, log_format: LogFormat, redactor: Redactor
) -> tuple[Samples, str | None]:
    """Returns samples that reach every template, or the template that none reaches."""
    wanted = [(record.name, template) for record in parts.records for template in record.templates]
    wanted += [(reason, template) for template, reason in parts.ignores.items()]
    lines = _lines(parts, found)
    made: Samples = []
    reached: set[tuple[str, str]] = set()
    for owner, template in wanted:
        if (owner, template) in reached:
            continue
        sample = _sample(owner, template, lines.get(template, []), log_format, redactor)
        if sample is None:
            return made, template
        text, expect, also = sample
        made.append((text, expect))
        reached |= also
    return made, None


def _lines(parts: Parts, found: SortedTemplates) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for entry in (*found.steps, *found.summaries, *found.lists):
        texts = [line.text for shape in entry.shapes for line in shape.lines[1:4] + shape.lines[:1] + shape.lines[4:20]]
        lines[entry.template] = texts
    for setting in found.settings:
        lines.setdefault(setting.template, []).append(setting.line)
    for template in parts.ignores:
        # An ignored line is made up from its template, so that no text of the log is needed.
        lines[template] = [template.replace("{*}", "0").replace("{{", "{").replace("}}", "}")]
    return lines


def _sample(
    owner: str, template: str, lines: list[str], log_format: LogFormat, redactor: Redactor
) -> tuple[str, list[dict[str, Any]], set[tuple[str, str]]] | None:
    fitting = []
    for line in lines[:_TRIED]:
        full = redactor.text(ANSI.sub(b"", line.strip().encode()).decode())
        for text in dict.fromkeys((_short(full, log_format), full)):
            reader = LineReader(log_format)
            pieces = reader.read(text.encode())
            if not pieces.rejects and (owner, template) in reader.reached and redactor.fresh(text) == text:
                fitting.append((text, entries_of(pieces, log_format), reader.reached))
                break
        if len(fitting) == _COMPARED:
            break
    # The shortest sample reads best: 2511.2 ms are 2.5111999999999997 s, 2508.75 ms are 2.50875.
    return min(fitting, key=lambda sample: len(str(sample[1])), default=None)


def _short(text: str, log_format: LogFormat) -> str:
    # A printed Namespace has hundreds of pairs; a dozen show their style.
    for record in log_format.records:
        style = record.pairs
        if style is None or record.kind != "parameter":
            continue
        for between in style.between:
            pairs = text.split(between)
            if len(pairs) > _PAIRS_SHOWN and style.assign in pairs[1]:
                return between.join(pairs[:_PAIRS_SHOWN]) + (style.end or "")
    return re.sub(r"\s+\Z", "", text)
