"""Templates as bytes regexes. Every bound is possessive, so that a match costs time in proportion to its text."""

from __future__ import annotations

import re
from functools import lru_cache

from benchledger.definitions.template import Hole, Literal, Part, Skip, Tail, Template

# Numbers end where no digit and no .digit follows, nor a slash: `ips: 127.0.0.1` and `0/3` hold no float.
INT = rb"[+-]?+[0-9]{1,64}+"
THOUSANDS = rb"[+-]?+[0-9]{1,3}+(?:,[0-9]{3})*+"
WORDS = rb"[+-]?+(?:nan|NaN|NAN|inf|Inf|INF|infinity|Infinity|INFINITY)(?![A-Za-z0-9_])"
ABSENT = rb"(?:None|null|NULL)(?![A-Za-z0-9_])"
FLOAT = rb"[+-]?+(?:[0-9]{1,400}+(?:\.[0-9]{0,400}+)?+|\.[0-9]{1,400}+)(?:[eE][+-]?+[0-9]{1,8}+)?+"
NUMBER_END = rb"(?![0-9])(?!\.[0-9])(?!/)"
TIME = rb"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9}+)?+"
DURATION = rb"(?:[0-9]{1,9}+ days?,? )?+[0-9]{1,9}+:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9}+)?+)?+"
# glog's `0526 05:25:05.762720`: month, day and clock; the year is not said.
STAMP = rb"[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9}+)?+"
# Another process may print its words behind it, without a blank: `TrueWARNING:root:`.
BOOL = rb"True|False|true|false"
UNIX = rb"[0-9]{9,10}+(?:\.[0-9]{1,9}+)?+(?![0-9.])"
PADDING = rb"[ \t]{0,16}+"
SKIP_LIMIT = 4096

_CLOCKS = {"time": TIME, "duration": DURATION, "stamp": STAMP, "unix": UNIX}

_BLANKS = re.compile(r"[ \t]+")


@lru_cache(maxsize=8_192)
def compiled(pattern: bytes) -> re.Pattern[bytes]:
    """The regex of a pattern. `re` remembers 512, and all formats together have more."""
    return re.compile(pattern)


def literal_pattern(text: str) -> bytes:
    """n blanks stand for n or more blanks or tabs, at most 64."""
    pattern = b""
    position = 0
    for blanks in _BLANKS.finditer(text):
        pattern += re.escape(text[position : blanks.start()].encode())
        pattern += rb"[ \t]{%d,64}+" % len(blanks.group(0))
        position = blanks.end()
    return pattern + re.escape(text[position:].encode())


def parts_pattern(parts: tuple[Part, ...], following: Part | None = None) -> bytes:
    """The regex of a run of parts; each hole is one group. `following` is the part after the run."""
    pattern = b""
    for index, part in enumerate(parts):
        after = parts[index + 1] if index + 1 < len(parts) else following
        if isinstance(part, Literal):
            pattern += literal_pattern(part.text)
        elif isinstance(part, Skip):
            pattern += rb"(?![0-9])" if is_behind_number(parts, index) else b""
            pattern += _up_to(after, rb"[^\r\n]", b"{0,%d}+" % SKIP_LIMIT)
        elif isinstance(part, Hole):
            pattern += _hole_pattern(part, after)
    return pattern


def head_pattern(template: Template) -> bytes:
    """All before the first `{*}`, `{pairs}` or `{json}`: a record starts wherever it matches.

    A word, text or truth value at its end is left out: `training: {half:word}` must not swallow the head of the record
    that is glued to it (`training: Truedevice: cuda:7`).
    """
    return parts_pattern(*head_parts(template))


def head_parts(template: Template) -> tuple[tuple[Part, ...], Part | None]:
    """The parts of a template's head, and the part that follows them."""
    head = template.head
    following = template.parts[len(head)] if len(head) < len(template.parts) else None
    if isinstance(head[-1], Hole) and head[-1].type in ("word", "text", "bool") and not isinstance(following, Literal):
        head = head[:-1]
    return head, following


def whole_pattern(template: Template) -> bytes:
    """The head and what follows it up to a `{pairs}` or `{json}` tail, or to the end of the segment."""
    parts = template.parts
    if isinstance(parts[-1], Tail):
        return parts_pattern(parts[:-1], parts[-1])
    end = rb"" if isinstance(parts[-1], Skip) else rb"[ \t]*+\Z"
    return parts_pattern(parts) + end


def _hole_pattern(hole: Hole, after: Part | None) -> bytes:
    if hole.type in ("int", "float", "int,"):
        value = {"int": INT, "float": WORDS + b"|" + FLOAT, "int,": THOUSANDS}[hole.type]
        return PADDING + b"(" + ABSENT + b"|" + value + b")" + _number_end(after)
    if hole.type == "word":
        return b"(" + _up_to(after, rb"[^ \t\x1b\r\n]", b"{1,128}+") + b")"
    if hole.type == "text":
        return b"(" + _up_to(after, rb"[^\r\n]", b"{1,%d}+" % SKIP_LIMIT) + b")"
    if hole.type == "bool":
        return b"(" + BOOL + b")"
    return b"(" + _CLOCKS[hole.type] + b")"


def is_behind_number(parts: tuple[Part, ...], index: int) -> bool:
    """Whether a number and one character stand before a part, as in `steps={steps:int},{*}`: a digit may not follow."""
    if index < 2:
        return False
    hole, between = parts[index - 2 : index]
    if not isinstance(hole, Hole) or hole.type in ("word", "text") or not isinstance(between, Literal):
        return False
    return len(between.text.strip()) == len(between.text) == 1


def _number_end(after: Part | None) -> bytes:
    # A template may put the slash or the dot itself: `iteration {step:int}/{planned:int}`.
    if isinstance(after, Literal):
        if after.text.startswith("/"):
            return rb"(?![0-9])(?!\.[0-9])"
        if after.text.startswith("."):
            return rb"(?![0-9])(?!/)"
    return NUMBER_END


def _up_to(after: Part | None, character: bytes, times: bytes) -> bytes:
    # Up to the first place where the next literal stands; none: as far as the class goes.
    if isinstance(after, Literal):
        return rb"(?:(?!" + literal_pattern(after.text) + rb")" + character + rb")" + times
    return character + times
