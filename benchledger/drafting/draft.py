"""Drafts a format from excerpts of logs, reads them with it, and repairs it until its samples prove it."""

from __future__ import annotations

import hashlib
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchledger.archives.opening import open_log
from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.redaction import read_redaction
from benchledger.definitions.template import TemplateError, parse_template
from benchledger.drafting import detection, meaning, records
from benchledger.drafting.classification import SortedTemplates, name_growing_counter, sorted_entries
from benchledger.drafting.lists import rates
from benchledger.drafting.masks import Shape, masked, number_type, shapes
from benchledger.drafting.repair import DraftRepair, divided
from benchledger.drafting.sampling import Excerpt, read_excerpt
from benchledger.drafting.template_drafts import Entry, entry_of
from benchledger.drafting.values import name_guesses
from benchledger.drafting.writing import Parts, written
from benchledger.errors import UsageError
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.rows import Pieces
from benchledger.scanning.samples import known_formats
from benchledger.scanning.values import ANSI

_SHAPES_TRIED = 150
_REJECTS_SHOWN, _REJECT_SHOWN = 5, 160
_NUMBER_TYPE = re.compile(r":((?:int|float),?)\}")
_NAME = re.compile(r"[A-Za-z_][\w ./%@()\[\]-]*\Z")
_LEAST_CELLS, _LEAST_ROWS = 2, 3
_FORMAT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")


@dataclass(frozen=True)
class Draft:
    """A drafted format, and the counts of its pieces in its excerpts; `rejected` holds some rejected lines as text."""

    name: str
    text: str
    steps: int
    records: int
    ignored: int
    rejects: int
    questions: int
    rejected: tuple[str, ...] = ()


class Drafter:
    """Drafts one format. `private` tells which texts must not be in it."""

    def __init__(self, name: str, excerpts: list[Excerpt], known: dict[str, LogFormat], redactor: Redactor) -> None:
        self._name = name
        self._excerpts = excerpts
        self._known = known
        self._redactor = redactor
        self._leads = LeadReader()
        self._places = {
            part for excerpt in excerpts for part in re.split(r"[/\\]", excerpt.name)
            if len(part) >= 6 and re.search(r"[0-9_-]", part)
        }  # fmt: skip

    def draft(self) -> Draft:
        lines = tuple(line for excerpt in self._excerpts for line in excerpt.lines)
        found = self._sorted(lines)
        if (whole := divided(lines, found.steps)) != lines:
            found, lines = self._sorted(whole), whole
            found.glued = True
        parts = self._parts(found, lines)
        pieces, problem = DraftRepair(
            parts, found, self._excerpts, self._redactor, self._leads, self._allowed
        ).repaired()
        read = {value.name for row in pieces.rows for value in row.layout.values}
        parts.fields = [field for field in parts.fields if field.keys["name"] in read]
        text = written(parts)
        steps = sum(row.layout.record.kind == "step" for row in pieces.rows)
        if not steps and not found.only_results:
            problem = problem or "what looks like a step cannot be told by a template"
        if problem or self._redactor.fresh(text) != text:
            raise UsageError(
                f"no valid format could be drafted from these logs: {problem or 'it would contain private names'}"
            )
        return Draft(
            self._name, text, steps, len(pieces.rows), sum(pieces.ignored.values()), len(pieces.rejects),
            text.count("# ? "), tuple(itertools.islice(self._rejected(pieces), _REJECTS_SHOWN)),
        )  # fmt: skip

    def _rejected(self, pieces: Pieces) -> Iterator[str]:
        # One reject of each shape: each needs a template or an ignore.
        seen: set[tuple[str, ...]] = set()
        for reject in pieces.rejects:
            line = ANSI.sub(b"", reject.text.encode()).decode().strip()
            shape = tuple(masked(1, line).literals)
            if shape not in seen:
                seen.add(shape)
                yield self._redactor.fresh(line)[:_REJECT_SHOWN]

    def _sorted(self, lines: tuple[str, ...]) -> SortedTemplates:
        found = shapes(lines)
        further = rates(lines)
        # The most frequent shapes, and the last ones: summaries are at the end.
        ranked = sorted(found.values(), key=lambda shape: (-shape.count, -shape.last))
        tried = ranked[:_SHAPES_TRIED] + sorted(ranked[_SHAPES_TRIED:], key=lambda shape: -shape.last)[:_SHAPES_TRIED]
        entries = self._merged(tried, further)
        for entry in entries:
            name_growing_counter(entry)
        result = sorted_entries(entries, lines)
        if result is None:
            refuse_csv(lines)
            seen = "; ".join(f"{shape.count} x {shape.lines[0].text[:60]!r}" for shape in ranked[:3])
            raise UsageError(
                "no repeated line looks like a training step: a counter that counts up, and a speed, a loss"
                f" or a time by a name or unit of schema/vocabulary/name_guesses.toml. What repeats most:"
                f" {self._redactor.fresh(seen)}. Give a log of more steps, or write the format by hand: docs/formats.md"
            )
        return result

    def _merged(self, tried: list[Shape], further: frozenset[str]) -> list[Entry]:
        merged: dict[tuple[object, ...], Entry] = {}
        for shape in tried:
            entry = entry_of(shape, self._leads, further)
            if entry is None or not self._allowed(entry.template):
                continue
            key = (_NUMBER_TYPE.sub("}", entry.template), entry.style, entry.line_start)
            if key not in merged:
                merged[key] = entry
                continue
            kept = merged[key]
            kept.shapes += entry.shapes
            kept.template = _of_both(kept.template, entry.template)
            for name, value in entry.names.items():
                if name in kept.names:
                    kept.names[name].numbers += value.numbers
                else:
                    kept.names[name] = value
        return list(merged.values())

    def _allowed(self, template: str) -> bool:
        # A record must begin with two characters and contain a word. A line that begins with a time needs no such
        # beginning.
        literals = re.sub(r"\{[^{}]*\}", " ", template)
        if len(re.sub(r"[^A-Za-z]", "", literals)) < 2:
            return False
        try:
            parse_template(template, anywhere=template.startswith("{") and not template.startswith("{{"))
        except TemplateError:
            return False
        return not self._private(literals) and not self._private(template)

    def _private(self, text: str) -> bool:
        return any(part in text for part in self._places) or self._redactor.fresh(text) != text

    def _parts(self, found: SortedTemplates, lines: tuple[str, ...]) -> Parts:
        chosen, question = self._proofs(found)
        own = detection.prefixes([*found.steps, *found.lists, *found.summaries], lines, self._private)
        anchors = [anchor for entry in found.steps if (anchor := detection.anchor_of(entry, self._private))]
        anchors = [anchor for anchor in anchors if not any(prefix in anchor for prefix in own)] + own
        made = records.records_of(found, anchors)
        head, top = (
            records.head_of(found, len(self._excerpts)),
            records.top_of(
                self._name, found, made, lines, list(itertools.accumulate(len(one.lines) for one in self._excerpts))
            ),
        )
        return Parts(
            self._name, head, top, chosen, question, list(dict.fromkeys(anchors)), made,
            fields=meaning.fields(found), facts=meaning.facts(found),
        )  # fmt: skip

    def _proofs(self, found: SortedTemplates) -> tuple[list[tuple[str, ...]], str | None]:
        chosen: list[tuple[str, ...]] = []
        weak: list[tuple[str, ...]] = []
        for entry in (*found.steps, *found.lists, *found.summaries):
            if entry not in found.steps and (chosen or weak):
                break
            proof = detection.proof_of(entry, self._private, long=False)
            if proof and self._takes_others(proof):
                proof = detection.proof_of(entry, self._private, long=True)
            if not proof or proof in (*chosen, *weak) or self._takes_others(proof):
                continue
            (weak if detection.is_weak(proof) else chosen).append(proof)
        if chosen:
            return (
                chosen,
                "do all logs of the program have such a line, and no other program's? Settings prove a crashed run",
            )
        if weak:
            return weak[
                :1
            ], "plain words, which other programs may print too: is there a line that only this one prints?"
        raise UsageError(
            "its step lines have no distinctive text: each text in them also occurs in lines of a known format."
            " Write the proof by hand: docs/formats.md, Proof"
        )

    def _takes_others(self, proof: tuple[str, ...]) -> bool:
        return any(
            detection.stands_in(proof, sample.text) for known in self._known.values() for sample in known.samples
        )


def _of_both(template: str, other: str) -> str:
    # Two templates that differ only in their types of numbers.
    types = iter(_NUMBER_TYPE.findall(other))
    return _NUMBER_TYPE.sub(lambda hole: f":{number_type((hole.group(1), next(types)))}}}", template)


def refuse_csv(lines: tuple[str, ...]) -> None:
    """Raises UsageError for the lines of a CSV file with a header, and describes the format that it needs."""
    header = [cell.strip().strip('"') for cell in lines[0].split(",")]
    rows = [line.split(",") for line in lines[1:]]
    fitting = sum(len(row) == len(header) and any(_is_number(cell) for cell in row) for row in rows)
    if len(header) < _LEAST_CELLS or not all(map(_NAME.match, header)) or fitting < max(_LEAST_ROWS, 0.9 * len(rows)):
        return
    columns = ", ".join(
        f'"{name}" = "{column}"' for name in header if (column := name_guesses().counter(name)) in ("step", "epoch")
    )
    names = ", ".join(f'"{name}"' for name in header)
    raise UsageError(
        'this is a CSV table, but drafts need lines of text. Write a format with `kind = "csv"`, a table'
        f" [csv] with `headers = [[{names}]]`"
        + (f" and `columns = {{ {columns} }}`" if columns else "")
        + ', one [[record]] without templates (name = "step", kind = "step"), a [[field]] for each value, and a'
        " [[sample]] of the header and a row: docs/formats-reference.md, CSV"
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def draft_format(*logs: Path | str, name: str = "draft", force: bool = False) -> Draft:
    """Returns a definition with samples, drafted from logs of one program, with a question at each guess.

    Of a long log only the first MB and the end are used. Raises UsageError if no format can be drafted, for a file that
    cannot be read, for a name that exists, and, without `force`, for a log that a known format already reads.
    """
    if not logs:
        raise UsageError("give at least one log of the program")
    known = known_formats()
    if not _FORMAT_NAME.match(name):
        raise UsageError(f"{name!r} is not a valid format name: use lower-case letters, digits, '-', '_' and '.'")
    if name in known:
        raise UsageError(f"format {name!r} exists already ({known[name].path}): choose another --name")
    excerpts: list[Excerpt] = []
    others = dict(known)
    for log in logs:
        try:
            with open_log(Path(log)) as stream:
                excerpts.append(read_excerpt(stream, str(log)))
        except (OSError, ValueError) as error:
            raise UsageError(f"{log}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
        found = LogReader(known).read(io.BytesIO(excerpts[-1].data), RecordColumns(), lambda _: False).format
        # A reader of last resort reads what has no format of its own yet.
        if found is not None and known[found].kind != "self_describing" and not force:
            raise UsageError(
                f"{log}: format {found} already reads it. `bench explain {log}` shows why; --force drafts another"
            )
        others.pop(found or "", None)
    # The key comes from the logs: without them, nobody can tell whose names the pseudonyms replace.
    key = hashlib.blake2b(b"".join(excerpt.data for excerpt in excerpts), digest_size=32).digest()
    return Drafter(name, excerpts, others, Redactor(read_redaction(), key)).draft()
