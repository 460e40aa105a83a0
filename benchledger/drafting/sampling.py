"""The part of a log that a draft uses, and its samples: a redacted line per template, with all that it reads there."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Any

from benchledger.archives.magic_bytes import is_archive, is_text
from benchledger.archives.streams import Source
from benchledger.definitions.log_format import LogFormat
from benchledger.drafting.classification import SortedTemplates
from benchledger.drafting.writing import Parts
from benchledger.errors import UsageError, counted
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.lines import LineReader
from benchledger.scanning.sample_toml import entries_of
from benchledger.scanning.values import ANSI

_TRIED, _COMPARED = 30, 4
_PAIRS_SHOWN = 12

Samples = list[tuple[str, list[dict[str, Any]]]]
HEAD = 1024 * 1024
TAIL = 256 * 1024
_PIECE = 1024 * 1024
_LINE_LIMIT = 8192
_LEAST_LINES = 5


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


@dataclass(frozen=True)
class Excerpt:
    """The lines of a log, or of its beginning and end, cut at line ends and carriage returns; `data`: their bytes."""

    name: str
    data: bytes
    lines: tuple[str, ...]


def read_excerpt(stream: Source, name: str) -> Excerpt:
    """Returns the excerpt of a log. Raises UsageError, with the reason, if no format can be drafted from it."""
    head = stream.read(HEAD)
    _refuse(head, name)
    tail: deque[bytes] = deque(maxlen=TAIL // _PIECE + 1)
    while piece := stream.read(_PIECE):
        tail.append(piece)
    end = b"".join(tail)[-TAIL:]
    # The parts of lines at the two cuts are dropped.
    data = head[: head.rfind(b"\n") + 1] + end[end.find(b"\n") + 1 :] if end else head
    lines, foreign = [], 0
    for raw in data.replace(b"\r", b"\n").split(b"\n"):
        if not raw.strip() or len(raw) > _LINE_LIMIT:
            continue
        try:
            lines.append(raw.decode().rstrip())
        except UnicodeDecodeError:
            foreign += 1
    if foreign > len(lines):
        raise UsageError(
            f"{name}: most of its lines are not UTF-8; convert it first, as `iconv -f GB18030 -t UTF-8` does"
        )
    if len(lines) < _LEAST_LINES:
        raise UsageError(
            f"{name}: {counted(len(lines), 'line')} of text: too few to find repeated lines. Name a log with some steps"
        )
    return Excerpt(name, data, tuple(lines))


def _refuse(head: bytes, name: str) -> None:
    if not head.strip():
        raise UsageError(f"{name}: empty file. Name a log with some steps")
    if is_archive(head[:512]):
        raise UsageError(f"{name}: archive with several files: unpack it and name one log")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UsageError(f"{name}: UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`")
    if not is_text(head[:65536]) or b"\x00" in head[:512]:
        raise UsageError(f"{name}: binary file (NUL bytes, no lines of text)")
