"""Tells the author of a format how far a line matches the nearest template, and what does not match there."""

from __future__ import annotations

from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.template import Hole, Literal, Part, Template
from benchledger.scanning.patterns import compiled, parts_pattern
from benchledger.scanning.rows import NO_HEAD, NO_TEMPLATE, RejectedPiece

_SHOWN = 40


def near_misses(log_format: LogFormat, rejects: list[RejectedPiece]) -> list[str]:
    """Returns a sentence about each reject that begins like one of the format's own templates."""
    lines = [reject.text for reject in rejects if reject.reason in (NO_HEAD, NO_TEMPLATE)]
    own = [
        template
        for record in log_format.records
        for template in record.templates
        if (record.name, template.source) in log_format.own_templates
    ]
    found = [max((_match(template, line) for template in own), default=(0, "")) for line in lines]
    return list(dict.fromkeys(said for length, said in found if length))


def _match(template: Template, line: str) -> tuple[int, str]:
    # How much of the line matches, and a sentence that says where it ends.
    raw = line.encode()
    for count in range(len(template.parts), 1, -1):
        following = template.parts[count] if count < len(template.parts) else None
        match = compiled(parts_pattern(template.parts[:count], following)).search(raw)
        if match:
            begin = match.group(0).decode(errors="replace")[-_SHOWN:]
            rest = raw[match.end() :].decode(errors="replace")[:_SHOWN]
            missing = f"{_shown(following)} does not match" if following else "the template ends before"
            return match.end() - match.start(), f"{template.source!r} matches up to {begin!r}, but {missing} {rest!r}"
    return 0, ""


def _shown(part: Part) -> str:
    if isinstance(part, Literal):
        return repr(part.text)
    return f"{{{part.name}:{part.type}}}" if isinstance(part, Hole) else "{*}"
