"""Lines in which a record begins more than once, because several processes write into one log."""

from __future__ import annotations

import re
from collections.abc import Iterable

from benchledger.definitions.template import TemplateError, parse_template
from benchledger.drafting.template_drafts import Entry
from benchledger.scanning.patterns import compiled, head_pattern

_COUNTER = re.compile(r"(.*?)\{(?:step|epoch):")
_STEP = re.compile(r"(.*?)\{step:")


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
