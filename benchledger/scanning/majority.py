"""Recognises a log without a proof by its body: nine of ten lines are records of one format, and of no other's.

An excerpt, or a release that leaves out one word, prints the lines of a program without those that prove it. Another
program may print similar lines under another name: so each step lacks one literal of a proof, and no name is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.detection import BLOCK, Detected
from benchledger.scanning.lines import LineReader
from benchledger.scanning.literal_search import LiteralSearch
from benchledger.scanning.rows import Pieces, Row

# Begins the evidence of such a log.
BY_MAJORITY = "by majority: "
# A step of training says at least one of these.
_MEASURED = frozenset({"loss", "throughput", "step_time", "perplexity"})
_LEAST_STEPS = 10
_SHARE = 0.9
# Another format that reads so many of these lines makes the log ambiguous.
_OTHER_SHARE = 0.1
# So many lines are looked at before a format with fewer than half of them is given up.
_FIRST_LINES = 20
_LINES = re.compile(rb"[^\r\n]*[^\s][^\r\n]*")


class Majority:
    """Finds the format whose steps are the body of a log; `reader_of` is the reference reader of a format."""

    def __init__(self, formats: dict[str, LogFormat], reader_of: Callable[[LogFormat], LineReader]) -> None:
        self._reader_of = reader_of
        self._formats = [one for one in formats.values() if one.kind == "lines" and one.proofs]
        self._firsts: dict[bytes, list[LogFormat]] = {}
        for one in self._formats:
            if not one.generic and not one.alone and one.role == "train":
                steps = [template for record in one.records if record.kind == "step" for template in record.templates]
                for first in {template.first_literal for template in steps if template.first_literal}:
                    self._firsts.setdefault(first, []).append(one)
        self._search = LiteralSearch(self._firsts)
        self._names: dict[str, frozenset[str]] = {}

    def verdict(self, head: bytes) -> Detected | None:
        """Returns the format that reads nine of ten lines of a log's beginning, from its first step on, or None."""
        firsts: dict[str, list[bytes]] = {}
        for first in self._search.found_in(head):
            for one in self._firsts[first]:
                firsts.setdefault(one.name, []).append(first)
        for log_format in self._formats:
            if log_format.name not in firsts:
                continue
            lines = _body(head, firsts[log_format.name])
            taken = self._steps_and_others(log_format, lines)
            if taken is None:
                continue
            others = (one for one in self._formats if one is not log_format and not one.generic)
            if any(self._reads(other, lines) for other in others):
                return None
            shown = f"{taken} of {len(lines)} lines from the first step on are of {log_format.name}, without its proof"
            return Detected(log_format, BY_MAJORITY + shown)
        return None

    def _steps_and_others(self, log_format: LogFormat, lines: list[bytes]) -> int | None:
        # The number of lines that are its records or ignored; None if these are too few.
        reader, steps, taken = self._reader_of(log_format), 0, 0
        for number, line in enumerate(lines):
            pieces = Pieces()
            reader.read_subline(line, 0, len(line), 1, 0, pieces)
            is_own = not pieces.rejects and all(self._is_known(log_format, row) for row in pieces.rows)
            taken += is_own and bool(pieces.rows or pieces.ignored)
            steps += is_own and any(_is_step(row) for row in pieces.rows) and _begins_like_proof(log_format, line)
            if number >= _FIRST_LINES and taken < number / 2:
                return None
        return taken if steps >= max(_LEAST_STEPS, len(lines) / 2) and taken >= _SHARE * len(lines) else None

    def _is_known(self, log_format: LogFormat, row: Row) -> bool:
        if log_format.name not in self._names:
            self._names[log_format.name] = _names(log_format)
        return all(value.name in self._names[log_format.name] for value in row.layout.values)

    def _reads(self, log_format: LogFormat, lines: list[bytes]) -> bool:
        reader, taken = self._reader_of(log_format), 0
        for line in lines:
            if not any(first in line for first in reader.first_literals):
                continue
            pieces = Pieces()
            reader.read_subline(line, 0, len(line), 1, 0, pieces)
            taken += bool(pieces.rows) and all(
                row.lead is None and self._is_known(log_format, row) for row in pieces.rows
            )
        return taken >= _OTHER_SHARE * len(lines)


def _body(head: bytes, firsts: list[bytes]) -> list[bytes]:
    start = min(head.find(first) for first in firsts)
    start = max(head.rfind(b"\n", 0, start), head.rfind(b"\r", 0, start)) + 1
    return [match.group(0) for match in _LINES.finditer(head, start, start + BLOCK)]


def _is_step(row: Row) -> bool:
    measured = any(value.quantity in _MEASURED for value in row.layout.values)
    return measured and row.layout.record.kind == "step" and row.lead is None and row.note is None


def _begins_like_proof(log_format: LogFormat, line: bytes) -> bool:
    # With the first and last literal of a proof, and all others but one.
    if any(text.encode() in line for text in log_format.unproved):
        return False
    return any(
        proof[0].encode() in line
        and proof[-1].encode() in line
        and sum(text.encode() in line for text in proof) >= len(proof) - 1
        for proof in log_format.proofs
    )


def _names(log_format: LogFormat) -> frozenset[str]:
    """Returns the names that the format knows: those of its fields, facts, holes and samples."""
    names = {name for _, name in log_format.fields} | {one.name for one in log_format.records}
    for fact in log_format.facts:
        names |= {fact.source, *fact.joined}
    for record in log_format.records:
        names |= {hole.name for template in record.templates for hole in template.holes}
    for sample in (*log_format.samples, *log_format.base_samples):
        names.update(name for entry in sample.expect for name in entry)
    return frozenset(names)
