"""Turns a shape of lines into a template: its start, its holes with names, and the list at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchledger.definitions.log_format import COLUMNS, PairsStyle
from benchledger.drafting.lists import ListCut, find_list, pairs_reader, read_pairs
from benchledger.drafting.masks import NUMBERS, Masked, Shape
from benchledger.drafting.values import UNIT, Name, known_unit, name_guesses, plain, unit_behind
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.values import ANSI

_TOKEN = re.compile(r"(?:^|(?<=[\s\]):>|]))[^\s\])>|:,;.-][^\s]")
_LEAD_WORD = re.compile(r"\W*(?:\[[^\]]*\]|[A-Z]{2,8}:?)[\s:|-]*\Z")
_PHRASE = re.compile(r"([A-Za-z_][\w@./%-]*(?: [A-Za-z_][\w@./%-]*){0,4})[^A-Za-z_]*\Z")
_DIVIDES = re.compile(r"[,;|\[\](){}<>]|\s-\s|  |: (?=\S)|\t")
_OF_ALL = re.compile(r"[ \t]*[0-9]+/[0-9]+[ \t]")
_BLANKS = re.compile(r"[ \t]+")
_RATE = re.compile(r" ?([A-Za-z]+ per (?:second|sec|s)\b(?: per [A-Za-z]+)?)")
_LEAD_LIMIT = 200
_VALUES_READ = 60


@dataclass
class Entry:
    """A template, the shapes that it matches, and the values that it reads."""

    template: str
    style: PairsStyle | None
    line_start: bool
    shapes: list[Shape]
    names: dict[str, Name]
    start: int

    @property
    def count(self) -> int:
        return sum(shape.count for shape in self.shapes)

    @property
    def first(self) -> int:
        return min(shape.first for shape in self.shapes)

    @property
    def last(self) -> int:
        return max(shape.last for shape in self.shapes)


def entry_of(shape: Shape, leads: LeadReader, further: frozenset[str]) -> Entry | None:
    line = shape.lines[0]
    start, line_start = start_of(line, leads)
    if start is None:
        return None
    cut = find_list(shape, start, further)
    made = _template(shape, start, cut)
    if made is None:
        return None
    template, names = made
    if cut is not None:
        _read_list(shape, cut, further, names)
    return Entry(template, cut.style if cut else None, line_start, [shape], names, start)


def start_of(line: Masked, leads: LeadReader) -> tuple[int | None, bool]:
    """Returns the start of a line's record: behind a known lead, else at its first word.

    True: at the beginning of the line, because the time before the record is not a known lead.
    """
    ends = [0, *(mark.end for mark in line.marks)]
    if _OF_ALL.match(ANSI.sub(b"", line.text.encode()).decode()):
        # `50/250 [====>   ]`: only the beginning of the line marks the start.
        return 0, True
    places = [
        end + match.start()
        for end, literal in zip(ends, line.literals, strict=True)
        for match in _TOKEN.finditer(literal)
        if end + match.start() <= _LEAD_LIMIT
    ]
    found: int | None = None
    for place in places:
        if place and leads.read(line.text[:place].encode())[1] is None:
            if found is None or _LEAD_WORD.match(line.text[found:place]):
                found = place
            elif found is not None:
                break
    if found is not None and (line.text[:found].strip() or not line.text[:1].strip()):
        return found, False
    if places and places[0] == 0:
        return 0, False
    if any(mark.type == "time" and mark.start < (places[0] if places else 0) + 1 for mark in line.marks):
        return 0, True
    return (places[0] if places else None), False


def _template(shape: Shape, start: int, cut: ListCut | None) -> tuple[str, dict[str, Name]] | None:
    line = shape.lines[0]
    stop = cut.place(line) if cut else len(line.text)
    if stop is None:
        return None
    source, position = "", start
    names: dict[str, Name] = {}
    columns: set[str] = set()
    veiled = False
    for index, mark in enumerate(line.marks):
        if mark.start < start or mark.end > stop:
            continue
        before = line.text[position : mark.start]
        if veiled and not before.strip() and source.endswith("{*}"):
            # Text behind a bar or colour without a hole of its own belongs to the same `{*}`.
            position = mark.end
            continue
        if mark.type == "ansi":
            # Heads are matched before colours are removed, so a head ends at a colour.
            coloured = (
                "{*}" if "{*}" not in source and (source or before) and line.text[mark.end : stop].strip() else ""
            )
            if coloured and not before and source.endswith("}"):
                source, veiled = source[: source.rindex("{")], True
                names.popitem()
            source += escaped(before) + coloured
            position = mark.end
            continue
        if mark.type == "drawn":
            source, veiled, position = source + escaped(before) + "{*}", True, mark.end
            continue
        # Two holes must not touch, and one blank does not separate two texts.
        touches = not before.strip() and source.endswith("}")
        if touches and (mark.type in ("word", "text", "bar") or not before):
            return None
        after = line.text[mark.end : stop]
        number = shape.type_at(index) in NUMBERS
        # A padded number in brackets, `[   0/1251`, loses its padding as it grows: `[1000/1251`.
        source += escaped(re.sub(r"(?<=[\[(])[ \t]+\Z", "", before) if number else before)
        source += _hole(shape, index, _own(before, line, index, start), after, names, columns)
        position = mark.end
    source += escaped(line.text[position:stop])
    if cut is not None:
        source = _with_texts(source, cut, names) + "{pairs}"
    return source, names


def _with_texts(source: str, cut: ListCut, names: dict[str, Name]) -> str:
    # The texts of pairs before the list are values too: `{"model": "{model:word}", "{pairs}`.
    for key, text in cut.head:
        name, value = _unused(plain_hole(key), names, False), escaped(text)
        at = source.find(value, source.find(escaped(key)) + len(escaped(key)))
        if name and " " not in value and at >= 0:
            names[name] = Name(name, None, True, [], {text})
            source = f"{source[:at]}{{{name}:word}}{source[at + len(value) :]}"
    return source


def _hole(shape: Shape, index: int, before: str, after: str, names: dict[str, Name], columns: set[str]) -> str:
    mark = shape.lines[0].marks[index]
    if mark.type == "bar":
        return "|{*}|"
    if mark.type == "time" and "logged_at" not in columns:
        columns.add("logged_at")
        return "{logged_at:time}"
    kind = shape.type_at(index)
    number, whole = kind in NUMBERS, kind in ("int", "int,")
    phrase = _phrase(before)
    column = name_guesses().counter(phrase) if whole and not after.startswith("%") else None
    if whole and not phrase and re.match(r"\s*/\s*[0-9]", after) and "step" not in columns:
        column = "step"
    if whole and plain(phrase) == "rank":
        column = "rank"
    if column and column not in columns:
        columns.add(column)
        names[column] = Name(column, None, True, shape.numbers_at(index))
        return f"{{{column}:{kind}}}"
    if before.rstrip().endswith("/") and number:
        phrase = {"step": "planned", "epoch": "epochs_planned"}.get(_last_column(names), phrase)
    if not phrase and number:
        # `Loss: 6.94 (6.95)` has the mean behind the value; `149.9/s` states only that it is a rate.
        phrase = _by_its_place(before, after, names)
    unit = unit_behind(after) if number else None
    if number and (rate := _RATE.match(after)) and name_guesses().quantity(rate.group(1)):
        # `1045 sequences per second` names its value behind it.
        phrase, unit = rate.group(1), None
    if not phrase and unit:
        # `| 1567.1 ms |` measures a time, and no name says which.
        phrase = "time" if (known_unit(unit) or ("",))[0] == "s" and "/" not in unit else plain(unit)
    name = _unused(plain_hole(phrase), names, number)
    if not name:
        return "{*}"
    texts = {line.text[line.marks[index].start : line.marks[index].end] for line in shape.lines[:20]}
    names[name] = Name(name, unit, True, shape.numbers_at(index) if number else [], set() if number else texts)
    return f"{{{name}:{kind}}}"


def _own(before: str, line: Masked, index: int, start: int) -> str:
    # The unit of the previous value is not part of this name: `0.22s ips: 101.0`.
    unit = UNIT.match(before) if index and line.marks[index - 1].end > start else None
    return before[unit.end() :] if unit and unit_behind(before + line.text[line.marks[index].start :]) else before


def _by_its_place(before: str, after: str, names: dict[str, Name]) -> str:
    if after.startswith("%"):
        return "percent"
    last, unit = _last_column(names), unit_behind(after)
    # `1202 img/s (154 ms/upd)` is not a mean of the speed: another unit means another value.
    if before.strip() == "(" and (unit is None or not last or unit == names[last].unit):
        return last
    return "rate" if re.match(r"/s(?:ec)?\b", after) else ""


def plain_hole(phrase: str) -> str:
    """Returns a phrase as the name of a hole, never a column's name: only a counter of integers is a column."""
    name = re.sub(r"[^A-Za-z0-9_.\-]+", "_", phrase).strip("_.-")
    return f"{name}_value" if name in COLUMNS else name if re.match(r"[A-Za-z_]", name) else ""


def _unused(name: str, names: dict[str, Name], number: bool) -> str:
    if not name:
        name = "value" if number else ""
    if not name or name not in names:
        return name
    return next(f"{name}_{count}" for count in range(2, 1000) if f"{name}_{count}" not in names)


def _last_column(names: dict[str, Name]) -> str:
    return next(reversed(names), "")


def _phrase(before: str) -> str:
    # The text between the last divider and the value: `, lm loss: ` gives lm loss, `Epoch [` gives Epoch.
    text = before.rstrip(" \t:=.[({|'\"#~-")
    piece = _DIVIDES.split(text)[-1]
    match = _PHRASE.search(piece)
    if match is None or re.search(r"[0-9]", piece[match.end(1) :]):
        return ""
    # `Trainer is initialized with local batch size 8`: only the known words at its end are the name. `ms per step` is
    # no counter.
    words, guesses = match.group(1).split(), name_guesses()
    tails = [" ".join(words[start:]) for start in range(len(words))]
    counter = len(words) > 1 and words[-2] not in ("per", "each", "every") and guesses.counter(words[-1])
    known = (tail for tail in tails if guesses.fact(tail) or (counter and tail == words[-1]))
    return next(known, match.group(1))


def escaped(text: str) -> str:
    """Returns text as a template contains it: blanks reduced to one, braces doubled."""
    return _BLANKS.sub(" ", text).replace("{", "{{").replace("}", "}}")


def _read_list(shape: Shape, cut: ListCut, further: frozenset[str], names: dict[str, Name]) -> None:
    reader = pairs_reader(cut.style, further)
    for line in shape.lines[:_VALUES_READ]:
        at = cut.place(line)
        pairs = read_pairs(reader, line.tail(at))[0] if at is not None else []
        for key, number, text, unit in pairs:
            name = names.setdefault(key, Name(key, unit))
            if number is not None:
                name.numbers.append(number)
            elif text is not None and len(name.texts) < 20:
                name.texts.add(text)
