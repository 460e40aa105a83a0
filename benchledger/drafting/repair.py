"""Reads the excerpts with the draft and repairs it until its samples prove it: ignores, omissions, samples."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from benchledger.definitions.format_file import read_formats
from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.template import TemplateError, parse_template
from benchledger.drafting import records
from benchledger.drafting.classification import SortedTemplates
from benchledger.drafting.masks import masked
from benchledger.drafting.sampling import Excerpt, samples_of
from benchledger.drafting.template_drafts import Entry, escaped, start_of
from benchledger.drafting.writing import Parts, written
from benchledger.errors import DefinitionError, counted
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.lines import LineReader
from benchledger.scanning.patterns import compiled, head_pattern, whole_pattern
from benchledger.scanning.rows import NO_HEAD, Pieces, RejectedPiece
from benchledger.scanning.samples import check_format, known_formats
from benchledger.scanning.values import ANSI

_T = TypeVar("_T")
_ROUNDS = 12
_MOST_IGNORES = 12
_HOLES = re.compile(r"(?:\{\*\} ?){2,}")
# `ckpt/50.pt`, `step_50`: a word with a counter in it.
_NUMBERED = re.compile(r"[^\s{}]*[0-9][^\s{}]*")
_TEMPLATE = re.compile(r"template (['\"])(.*)\1 of ")
_COUNTER = re.compile(r"(.*?)\{(?:step|epoch):")
_STEP = re.compile(r"(.*?)\{step:")


class DraftRepair:
    """Repairs a draft, one change per round. `allowed` tells whether it may contain a template."""

    def __init__(
        self, parts: Parts, found: SortedTemplates, excerpts: list[Excerpt], redactor: Redactor, leads: LeadReader,
        allowed: Callable[[str], bool],
    ) -> None:  # fmt: skip
        self._parts = parts
        self._found = found
        self._data = b"\n".join(excerpt.data for excerpt in excerpts)
        self._redactor = redactor
        self._leads = leads
        self._allowed = allowed
        self._may_ignore = True

    def repaired(self) -> tuple[Pieces, str | None]:
        """Returns what the repaired draft finds in the excerpts, and the problem that is left, or None."""
        pieces, problem = self._round()
        for _ in range(_ROUNDS):
            if problem is None:
                break
            pieces, problem = self._round()
        self._asked(pieces)
        return pieces, problem

    def _round(self) -> tuple[Pieces, str | None]:
        parts, pieces = self._parts, Pieces()
        parts.samples = []
        try:
            log_format = _with_file(parts, lambda read: read)
        except DefinitionError as error:
            return pieces, str(error)
        reader = LineReader(log_format)
        pieces = reader.read(self._data)
        if lost := records.unreached(parts, reader.reached):
            return pieces, self._leave_out(lost)
        if pieces.rejects and self._open(pieces):
            return pieces, "records are followed by others in their lines"
        if pieces.rejects and self._ignore(pieces):
            return pieces, "lines with its anchors are no records"
        parts.samples, missing = samples_of(parts, self._found, log_format, self._redactor)
        if missing is not None:
            records.drop(parts, missing)
            return pieces, f"no sample shows template {missing!r}"
        for problem in _with_file(parts, check_format):
            if (match := _TEMPLATE.search(problem)) is not None:
                records.drop(parts, match.group(2))
            return pieces, problem
        return pieces, None

    def _leave_out(self, template: str) -> str:
        if self._parts.ignores:
            # An ignore matches lines of a record. It is better to leave such lines as rejects.
            self._parts.ignores, self._may_ignore = {}, False
            return "what is ignored takes records"
        records.drop(self._parts, template)
        return f"template {template!r} takes no line"

    def _is_measured(self, reject: RejectedPiece) -> bool:
        # What begins like a step or a summary holds measured values.
        measured = {record.name for record in self._parts.records if record.kind in ("step", "summary")}
        begins = begins_of(self._found.steps)
        return reject.record in measured or any(begin.search(reject.text.encode()) for begin in begins)

    def _asked(self, pieces: Pieces) -> None:
        count = sum(map(self._is_measured, pieces.rejects))
        if count:
            self._parts.head.append(
                f"? {counted(count, 'line')} with measured values {'is a reject' if count == 1 else 'are rejects'}:"
                " which templates do they need?"
            )

    def _open(self, pieces: Pieces) -> bool:
        """Ends templates in `{*}` that the beginning of another line follows without a line break."""
        before = {(row.line, row.byte_offset) for row in pieces.rows}
        starts = [
            reject
            for reject in pieces.rejects
            if any(line == reject.line and at > reject.byte_offset for line, at in before)
        ]
        opened = False
        for entry in (*self._found.steps, *self._found.summaries):
            template = entry.template
            if template.endswith("}"):
                # Where a number ends the line, `loss 2.3` and `2026-11-20 step 4` would be loss 2.32026.
                continue
            pattern = compiled(whole_pattern(parse_template(template + "{*}", anywhere=True)))
            if any(pattern.match(reject.text.encode()) for reject in starts):
                for record in self._parts.records:
                    record.templates = [one + "{*}" if one == template else one for one in record.templates]
                entry.template, opened = template + "{*}", True
        return opened

    def _ignore(self, pieces: Pieces) -> bool:
        ignores = self._parts.ignores
        before = len(ignores)
        if not self._may_ignore:
            return False
        skipped = Counter(
            self._skipped(reject.text, reject.reason == NO_HEAD)
            for reject in pieces.rejects
            if not self._is_measured(reject)
        )
        for template, _ in _alike(skipped).most_common(_MOST_IGNORES):
            if len(ignores) < _MOST_IGNORES and template and self._allowed(template):
                ignores.setdefault(template, "no record: say why")
        return len(ignores) > before

    def _skipped(self, text: str, whole: bool) -> str:
        # The line with `{*}` in place of each value, from the start of its record.
        line = masked(1, ANSI.sub(b"", text.encode()).decode().rstrip())
        start = (start_of(line, self._leads)[0] or 0) if whole else 0
        source, position = "", start
        for mark in line.marks:
            if mark.start >= start:
                source += escaped(line.text[position : mark.start]) + "{*}"
                position = mark.end
        source += escaped(line.text[position:])
        return _HOLES.sub("{*}", source).rstrip()


def _alike(counted: Counter[str]) -> Counter[str]:
    """Merges templates that differ only in the numbers within a word."""
    loose = {template: _HOLES.sub("{*}", _NUMBERED.sub("{*}", template)).rstrip() for template in counted}
    sharing = Counter(loose.values())
    alike: Counter[str] = Counter()
    for template, count in counted.items():
        alike[template if sharing[loose[template]] == 1 else loose[template]] += count
    return alike


def _with_file(parts: Parts, use: Callable[[LogFormat], _T]) -> _T:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{parts.name}.toml"
        path.write_text(written(parts), encoding="utf-8")
        known = {name: log_format for name, log_format in known_formats().items() if name != parts.name}
        return use(read_formats([path], known)[parts.name])


def divided(lines: tuple[str, ...], steps: Iterable[Entry]) -> tuple[str, ...]:
    """Returns the lines, but "" in place of one in which a step begins twice; its last piece, if most are so."""
    for pattern in begins_of(steps):
        begins = [[match.start() for match in pattern.finditer(line.encode())] for line in lines]
        glued = sum(len(found) > 1 for found in begins)
        keep = 2 * glued > sum(map(bool, begins))
        lines = tuple(
            line if len(found) < 2 else line.encode()[found[-1] :].decode() if keep else ""
            for line, found in zip(lines, begins, strict=True)
        )
    return lines


def begins_of(steps: Iterable[Entry]) -> list[re.Pattern[bytes]]:
    """Returns the patterns of the beginnings of steps, up to their counters."""
    return [compiled(begin) for entry in steps if (begin := _begin(entry.template))]


def _begin(template: str) -> bytes | None:
    # Of `[rank{rank:int}] e{epoch:int} s{step:int}/40 | {pairs}` all before `/40`.
    match = _STEP.match(template) or _COUNTER.match(template)
    try:
        return head_pattern(parse_template(match.group(1), anywhere=True)) + b"[0-9]" if match else None
    except TemplateError:
        return None
