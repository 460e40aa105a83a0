"""Compiles a format's templates into a program of the native scanner, which native/program.c loads."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from benchledger.definitions.log_format import (
    COLUMNS,
    KINDS,
    Expansion,
    LogFormat,
    PairsStyle,
    RecordDefinition,
)
from benchledger.definitions.template import LIST, Hole, Literal, Part, Skip, Tail, Template, needs_anchor
from benchledger.definitions.vocabulary import CURRENT, PHASES
from benchledger.scanning.native_blob import CLOCKS, NONE, STEPS, TARGETS, TEXTS, listed, sized, target_of, u32
from benchledger.scanning.native_json import packed_map
from benchledger.scanning.patterns import head_parts, is_behind_number
from benchledger.scanning.unread import measure_units, measure_words, setting_ends, setting_lines

_MARK = 0x62656E31
_WORD_START, _LINE_START, _ANY_LINE_START = 1, 2, 3
_MOST_BETWEEN = 8
_MOST_HOLES = 64
_MOST_STEPS = 256
_BLANKS = re.compile(rb"([ \t]+)")
# Such a character behind a number makes it a text or a number with a unit.
_JOINING = re.compile(r"[0-9A-Za-z./:%-]")


@dataclass(frozen=True)
class Matcher:
    """One template of a record, with names and logged units of the values of its holes."""

    record: RecordDefinition
    template: Template
    names: tuple[tuple[str, str | None], ...]
    # The values whose text may be a list to be read: pairs, or the last hole.
    expanded: dict[str, Expansion]

    @property
    def list_hole(self) -> int | None:
        """Returns the hole whose text may be a list."""
        holes = self.template.holes
        return len(holes) - 1 if self.template.tail is None and self.expanded else None


@dataclass(frozen=True)
class CompiledFormat:
    """The program, and the matchers and reasons that its numbers refer to."""

    blob: bytes
    matchers: tuple[Matcher, ...]
    reasons: tuple[str, ...]


@lru_cache(maxsize=256)
def compiled_format(log_format: LogFormat, units: frozenset[str]) -> CompiledFormat | None:
    """Returns the program of a format; None if its templates are too long for one."""
    templates = [template for record in log_format.records for template in record.templates]
    templates += [template for ignore in log_format.ignores for template in ignore.templates]
    starts = _starts(log_format)
    firsts = list(dict.fromkeys(one.first_literal for one in templates if starts.get(one) != _LINE_START))
    anchors = [anchor.encode() for anchor in log_format.anchors]
    lines = [template.source.encode() for template, start in starts.items() if start == _LINE_START]
    if any(len(text) < 2 for text in (*firsts, *anchors)) or not all(_head(template)[0] for template in templates):
        return None
    if any(len(_steps(template.parts)) >= _MOST_STEPS or len(template.holes) > _MOST_HOLES for template in templates):
        return None
    styles: list[PairsStyle] = []
    maps: list[bytes] = []
    matchers = [
        Matcher(record, template, _names(template), _expanded(log_format, record, template))
        for record in log_format.records
        for template in record.templates
    ]
    reasons = tuple(dict.fromkeys(ignore.reason for ignore in log_format.ignores))
    heads = {template: number for number, template in enumerate(dict.fromkeys(templates))}
    packed_matchers = [_matcher(matcher, heads, log_format, styles, maps) for matcher in matchers]
    packed_ignores = [
        u32(reasons.index(ignore.reason)) + sized(template.first_literal) + _template(*_whole(template))
        for ignore in log_format.ignores
        for template in ignore.templates
    ]
    # A literal that contains another one need not be searched for.
    sought = {text for text in (*firsts, *anchors) if not any(o in text for o in (*firsts, *anchors) if o != text)}
    head_literals = [text for text in firsts if not any(text.startswith(other) for other in firsts if other != text)]
    blob = b"".join(
        [
            u32(_MARK),
            listed([sized(anchor) for anchor in anchors]),
            listed([sized(anchor) for anchor in anchors if any(anchor in line for line in lines)]),
            listed([sized(text) for text in sorted(sought)]),
            listed([sized(text) for text in head_literals]),
            listed([sized(unit) for unit in sorted(unit.encode() for unit in units if unit)]),
            listed([_style(style) for style in styles]),
            listed(maps),
            listed([u32(starts.get(template, 0)) + _template(*_head(template)) for template in heads]),
            listed(packed_matchers),
            u32(len(reasons)),
            listed(packed_ignores),
            _measures(),
        ]
    )
    return CompiledFormat(blob, tuple(matchers), reasons)


@cache
def _measures() -> bytes:
    words = [*((word, 0) for word in measure_words()), *((unit, 1) for unit in measure_units())]
    return b"".join(
        [
            listed([sized(text) + u32(is_unit) for text, is_unit in sorted(words)]),
            listed([sized(end) for end in setting_ends()]),
            listed([sized(text) for text in setting_lines()]),
        ]
    )


def _starts(log_format: LogFormat) -> dict[Template, int]:
    # Templates that match only at certain places.
    words = {one: _WORD_START for record in log_format.records if record.word_start for one in record.templates}
    at_lines = [one for record in log_format.records if record.line_start for one in record.templates]
    lines = {one: _LINE_START if needs_anchor(one, log_format.anchors) else _ANY_LINE_START for one in at_lines}
    return {**words, **lines}


def _matcher(
    matcher: Matcher, heads: dict[Template, int], log_format: LogFormat, styles: list[PairsStyle], maps: list[bytes]
) -> bytes:
    record, template = matcher.record, matcher.template
    style = record.pairs if template.tail == "pairs" else None
    # A list before the end of a template ends with it.
    inner = (
        replace(record.pairs, end=None) if record.pairs and any(hole.type == LIST for hole in template.holes) else None
    )
    targets = [target_of(hole) for hole in template.holes]
    # Each of which is a run, or which speaks of a run's end, is judged in the order of the log.
    reference = (
        (record.name in log_format.run_starts and record.kind == "summary")
        or record.status is not None
        or record.pick is not None
        # Scopes that go from record to record are the reference reader's.
        or record.begins_scope is not None
        or bool({hole.name for hole in template.holes} & {fact.source for fact in log_format.facts if fact.launcher})
        or record.scope == CURRENT
        or (record.pairs is not None and record.pairs.means and any(key.startswith("mean_") for key in record.keys))
        or any(one is not None and not _is_plain(one) for one in (style, inner))
        or None in targets
    )
    for one in (style, inner):
        if one is not None and not reference and one not in styles:
            styles.append(one)
    # Which object is a record at all is told here too, for what only the reference reader may take.
    packed = packed_map(record.json, template) if record.json is not None and template.tail == "json" else None
    if record.pick is not None or None in targets:
        packed = None
    reference = reference or (template.tail == "json" and packed is None)
    if packed is not None:
        maps.append(packed)
    return b"".join(
        [
            sized(template.first_literal),
            _template(*_whole(template)),
            u32(heads[template]),
            u32(reference),
            u32(KINDS.index(record.kind)),
            u32(NONE if style is None or reference else styles.index(style)),
            u32(NONE if inner is None or reference else styles.index(inner)),
            listed([sized(key.encode()) for key in record.keys]),
            u32(NONE if packed is None else len(maps) - 1),
            u32(record.phase == CURRENT),
            u32(record.name in log_format.run_starts),
            u32(1 + PHASES.index(record.begins_phase) if isinstance(record.begins_phase, str) else 0),
            listed([_expansion(name, expansion, styles) for name, expansion in matcher.expanded.items()]),
            u32(NONE if matcher.list_hole is None else matcher.list_hole),
            *(u32(0 if target is None else TARGETS.index(target)) for target in targets),
        ]
    )


def _expanded(log_format: LogFormat, record: RecordDefinition, template: Template) -> dict[str, Expansion]:
    if template.tail == "json":
        return {}
    lists = dict.fromkeys(name for (_, name), field in log_format.fields.items() if field.expand is not None)
    fields = {name: log_format.field_of(record.name, name) for name in lists}
    found = {name: field.expand for name, field in fields.items() if field is not None and field.expand is not None}
    if template.tail is None:
        names = {hole.name for hole in template.holes[-1:] if target_of(hole) == "text"}
    else:
        names = set(found) - {hole.name for hole in template.holes}
    return {name: found[name] for name in found if name in names and _is_plain(found[name].style)}


def _expansion(name: str, expansion: Expansion, styles: list[PairsStyle]) -> bytes:
    if expansion.style not in styles:
        styles.append(expansion.style)
    return sized(name.encode()) + sized(expansion.after.encode()) + u32(styles.index(expansion.style))


def _is_plain(style: PairsStyle) -> bool:
    return (
        0 < len(style.between) <= _MOST_BETWEEN
        and bool(style.assign)
        and not any(not text or _JOINING.match(text) for text in style.between)
    )


def _names(template: Template) -> tuple[tuple[str, str | None], ...]:
    holes = [hole for hole in template.holes if hole.name not in COLUMNS and hole.type != LIST]
    return tuple((hole.name, "s" if hole.type in CLOCKS else None) for hole in holes)


def _head(template: Template) -> tuple[tuple[Part, ...], bool]:
    return head_parts(template)[0], False


def _whole(template: Template) -> tuple[tuple[Part, ...], bool]:
    last = template.parts[-1]
    if isinstance(last, Tail):
        return template.parts[:-1], False
    return template.parts, not isinstance(last, Skip)


def _template(parts: tuple[Part, ...], to_end: bool) -> bytes:
    steps = _steps(parts)
    return listed([*steps, _step("end")] if to_end else steps)


def _steps(parts: tuple[Part, ...]) -> list[bytes]:
    steps: list[bytes] = []
    for index, part in enumerate(parts):
        after = parts[index + 1] if index + 1 < len(parts) else None
        behind = _literal(after.text) if isinstance(after, Literal) else ()
        if isinstance(part, Literal):
            steps += _literal(part.text)
        elif isinstance(part, Skip):
            steps.append(_step("skip", len(behind), b"0" if is_behind_number(parts, index) else b""))
        elif isinstance(part, Hole):
            number = len(behind) if part.type in (*TEXTS, LIST) else _end(after)
            steps.append(_step(part.type, number))
    return steps


def _end(after: Part | None) -> int:
    # A template may contain the slash or the dot itself: `iteration {step:int}/{planned:int}`.
    if isinstance(after, Literal):
        return {"/": 1, ".": 2}.get(after.text[:1], 0)
    return 0


@cache
def _literal(text: str) -> tuple[bytes, ...]:
    return tuple(
        _step("blanks", len(part)) if part[:1] in b" \t" else _step("literal", 0, part)
        for part in _BLANKS.split(text.encode())
        if part
    )


def _style(style: PairsStyle) -> bytes:
    assign = style.assign.encode()
    start = assign.strip(b" \t'\"") or assign
    end = style.end.encode() if style.end else b""
    between = listed([sized(text.encode()) for text in style.between])
    return sized(assign) + sized(start) + sized(end) + u32(style.closed) + u32(style.means) + between


# Cached, because the templates of a format share most of their steps.
@cache
def _step(name: str, number: int = 0, literal: bytes = b"") -> bytes:
    return u32(STEPS.index(name)) + u32(number) + sized(literal)
