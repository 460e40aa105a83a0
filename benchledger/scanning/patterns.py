"""Turns templates into bytes regexes.

Every quantifier is bounded and possessive, so that the time of a match is proportional to its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from benchledger.definitions.template import LIST, Hole, Literal, Part, Skip, Tail, Template

# Numbers end where no digit and no .digit follows, nor a slash: `ips: 127.0.0.1` and `0/3` hold no float.
INT = rb"[+-]?+[0-9]{1,64}+"
THOUSANDS = rb"[+-]?+[0-9]{1,3}+(?:,[0-9]{3})*+"
WORDS = rb"[+-]?+(?:nan|NaN|NAN|inf|Inf|INF|infinity|Infinity|INFINITY)(?![A-Za-z0-9_])"
ABSENT = rb"(?:None|null|NULL)(?![A-Za-z0-9_])"
FLOAT = rb"[+-]?+(?:[0-9]{1,400}+(?:\.[0-9]{0,400}+)?+|\.[0-9]{1,400}+)(?:[eE][+-]?+[0-9]{1,8}+)?+"
NUMBER_END = rb"(?![0-9])(?!\.[0-9])(?!/)"
# A clock ends where no digit follows, nor a dot or colon and a digit: `12:345` and `1:02:03:04` hold no duration.
_CLOCK_END = rb"(?![0-9])(?![.:][0-9])"
TIME = rb"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9}+)?+" + _CLOCK_END
DURATION = rb"(?:[0-9]{1,9}+ days?,? )?+[0-9]{1,9}+:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9}+)?+)?+" + _CLOCK_END
# glog's `0526 05:25:05.762720`: month, day and clock without the year.
STAMP = rb"[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9}+)?+" + _CLOCK_END
# Text of another process may follow without a blank: `TrueWARNING:root:`.
BOOL = rb"True|False|true|false"
UNIX = rb"[0-9]{9,10}+(?:\.[0-9]{1,9}+)?+(?![0-9.])"
PADDING = rb"[ \t]{0,16}+"
SKIP_LIMIT = 4096

_NUMBERS = {
    "int": INT, "int,": THOUSANDS, "float": WORDS + b"|" + FLOAT, "float,": THOUSANDS + rb"(?:\.[0-9]{0,400}+)?+",
}  # fmt: skip
_CLOCKS = {"time": TIME, "duration": DURATION, "stamp": STAMP, "unix": UNIX}

_BLANKS = re.compile(r"[ \t]+")

# Text behind which a line begins besides its start: the prefix of a rank (`[1,0]<stdout>:`, `0: `, `[default0]:`), of a
# container (`[pod/trainer-0/main] `, `trainer-1  | `, `stdout F `), of a time (`2024-01-01T00:00:00.123456789Z `,
# `2024-01-01 00:00:00,123 `) or of a logger (`INFO - `), the `+ ` of a shell's trace (`set -x`), and a colour code.
_BLANK_PREFIXES = (
    rb"[A-Za-z0-9]  \| ", rb"std(?:out|err) F ", rb"std(?:out|err): ",
    rb"[0-9]Z ", rb":[0-9]{2} ", rb":[0-9]{2}[.,][0-9]{3} ", rb":[0-9]{2}[.,][0-9]{6} ",
    rb"INFO ", rb"INFO: ", rb"INFO - ",
    # Ray's prefix of a process: `(train pid=1234) `, `(train pid=1234, ip=10.0.0.4) `.
    *(rb" pid=[0-9]{%d}\) " % length for length in range(1, 9)),
    *(rb", ip=(?=[0-9.]*\.)[0-9.]{%d}\) " % length for length in range(7, 16)),
)  # fmt: skip
_LINE_PREFIXES = (
    rb"[>\]]:", rb"[>\]0-9]: ", rb"\] ", rb"INFO:root:", *_BLANK_PREFIXES,
    rb"\A\+ ", rb"[\r\n>\]:]\+ ", rb"[>\]:] \+ ", *(prefix + rb"\+ " for prefix in _BLANK_PREFIXES),
)  # fmt: skip
# The letter that ends a colour code belongs to no word: `ESC[0mbatch_size: 2`. A look-behind has a fixed length.
_COLOUR_CODES = tuple(rb"\x1b\[[0-9;]{%d}[mK]" % length for length in range(9))


@lru_cache(maxsize=8_192)
def compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Returns the compiled regex. The cache of `re` holds 512, and all formats together have more."""
    return re.compile(pattern)


def literal_pattern(text: str) -> bytes:
    """Returns the regex of literal text; n blanks match n to 64 blanks or tabs."""
    pattern = b""
    position = 0
    for blanks in _BLANKS.finditer(text):
        pattern += re.escape(text[position : blanks.start()].encode())
        pattern += rb"[ \t]{%d,64}+" % len(blanks.group(0))
        position = blanks.end()
    return pattern + re.escape(text[position:].encode())


def parts_pattern(parts: tuple[Part, ...], following: Part | None = None) -> bytes:
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
    """Returns the regex of the parts before the first `{*}`, `{pairs}` or `{json}`: a record starts where it matches.

    A word, text or truth value at its end is left out: `training: {half:word}` must not match the head of the next
    record in `training: Truedevice: cuda:7`.
    """
    return parts_pattern(*head_parts(template))


def heads_pattern(templates: list[Template], starts: Mapping[Template, Callable[[bytes], bytes]]) -> bytes:
    """Returns the regex of the heads of templates; of those that match at one place, the first one counts.

    `starts` has the function that makes the look-behinds of a template: `line_start` or `word_start` (absent: it may
    start anywhere). Heads with the same start share its look-behinds: the regex compiles four times as fast.
    """
    patterns = []
    for begins, some in groupby(_groups(templates, starts), key=lambda group: b"" not in group.rests):
        groups = list(some)
        # `re` searches fast only if all alternatives begin with one character, or one of a class.
        firsts = _class(dict.fromkeys(first for group in groups for first in group.rests)) if begins else b""
        patterns.append(firsts + b"(?:" + b"|".join(group.pattern() for group in groups) + b")")
    return b"|".join(patterns)


@dataclass
class _Group:
    """Heads with the same start: by first character, what follows it; by b"", heads that begin with a hole."""

    start: Callable[[bytes], bytes] | None
    rests: dict[bytes, list[bytes]]

    def takes(self, start: Callable[[bytes], bytes] | None, first: bytes) -> bool:
        # Before a digit other look-behinds hold, since a rank is never glued to a digit.
        alone = not first or first.isdigit() or any(not other or other.isdigit() for other in self.rests)
        return self.start is start and (not alone or first in self.rests)

    def may_precede(self, first: bytes) -> bool:
        """Whether a head with this first character never matches where one of these heads does."""
        return first != b"" and b"" not in self.rests and first not in self.rests

    def pattern(self) -> bytes:
        """The regex of what follows the first character."""
        first = _class(self.rests)
        behind = {each: rb"(?<=" + each + rb")" if each else b"" for each in (first, *self.rests)}
        rests = [behind[each] + b"(?:" + b"|".join(dict.fromkeys(some)) + b")" for each, some in self.rests.items()]
        start = self.start(first) if self.start is not None else b""
        # The first character is tested before the many look-behinds.
        return behind[first] + start + b"(?:" + b"|".join(rests) + b")"


def _groups(templates: list[Template], starts: Mapping[Template, Callable[[bytes], bytes]]) -> list[_Group]:
    groups: list[_Group] = []
    for template in templates:
        head, start = head_pattern(template), starts.get(template)
        first = head[: 2 if head.startswith(b"\\") else 1] if template.first_literal else b""
        place = len(groups)
        while place and not groups[place - 1].takes(start, first) and groups[place - 1].may_precede(first):
            place -= 1
        if place and groups[place - 1].takes(start, first):
            groups[place - 1].rests.setdefault(first, []).append(head[len(first) :])
        else:
            groups.append(_Group(start, {first: [head[len(first) :]]}))
    return groups


def _class(characters: Iterable[bytes]) -> bytes:
    some = list(characters)
    return some[0] if len(some) == 1 else b"[" + b"".join(some) + b"]"


def line_start(first: bytes) -> bytes:
    """Returns the regex of the place behind `first`, the first character of a line (or nothing: its start)."""
    # A rank may be glued to its line (`0:step`), but the digits of a time are not a line (`12:34`).
    glued = rb"(?<=[0-9]:" + first + rb")" + (b"" if first else rb"(?![0-9])")
    looks = [rb"(?<![^\r\n]" + first + rb")", *(rb"(?<=" + prefix + first + rb")" for prefix in _LINE_PREFIXES)]
    looks += [_behind_colour(text, after=rb"[0-9.,]") for text in (first, b" " + first)]
    return b"(?:" + b"|".join(looks if first.isdigit() else [*looks, glued]) + b")"


def word_start(first: bytes) -> bytes:
    """Returns the regex of the place behind `first`, the first character of a word (or nothing: its start)."""
    return rb"(?:(?<![A-Za-z0-9_]" + first + rb")|" + _behind_colour(first) + rb")"


def _behind_colour(text: bytes, after: bytes = b"") -> bytes:
    # `19 ESC[0m 2` is one number in two colours: no line begins within it. `after`: behind what no code counts.
    nots = [rb"(?<!" + after + code + text + rb")" if after else b"" for code in _COLOUR_CODES]
    codes = b"|".join(rb"(?<=" + code + text + rb")" + no for code, no in zip(_COLOUR_CODES, nots, strict=True))
    return rb"(?<=[mK]" + text + rb")(?:" + codes + rb")"


def head_parts(template: Template) -> tuple[tuple[Part, ...], Part | None]:
    head = template.head
    following = template.parts[len(head)] if len(head) < len(template.parts) else None
    if isinstance(head[-1], Hole) and head[-1].type in ("word", "text", "bool") and not isinstance(following, Literal):
        head = head[:-1]
    return head, following


def whole_pattern(template: Template) -> bytes:
    """Returns the regex of a template up to its `{pairs}` or `{json}` tail, or to the end of the piece."""
    parts = template.parts
    if isinstance(parts[-1], Tail):
        return parts_pattern(parts[:-1], parts[-1])
    end = rb"" if isinstance(parts[-1], Skip) else rb"[ \t]*+\Z"
    return parts_pattern(parts) + end


def _hole_pattern(hole: Hole, after: Part | None) -> bytes:
    if hole.type in _NUMBERS:
        return PADDING + b"(" + ABSENT + b"|" + _NUMBERS[hole.type] + b")" + _number_end(after)
    if hole.type == "word":
        return b"(" + _up_to(after, rb"[^ \t\x1b\r\n]", b"{1,128}+") + b")"
    if hole.type == "text":
        return b"(" + _up_to(after, rb"[^\r\n]", b"{1,%d}+" % SKIP_LIMIT) + b")"
    if hole.type == LIST:
        return b"(" + _up_to(after, rb"[^\r\n]", b"{0,%d}+" % SKIP_LIMIT) + b")"
    if hole.type == "bool":
        return b"(" + BOOL + b")"
    return b"(" + _CLOCKS[hole.type] + b")"


def is_behind_number(parts: tuple[Part, ...], index: int) -> bool:
    """Tells whether a number and one character precede a part, as in `steps={steps:int},{*}`: no digit may follow."""
    if index < 2:
        return False
    hole, between = parts[index - 2 : index]
    if not isinstance(hole, Hole) or hole.type in ("word", "text") or not isinstance(between, Literal):
        return False
    return len(between.text.strip()) == len(between.text) == 1


def _number_end(after: Part | None) -> bytes:
    # A template may contain the slash or the dot itself: `iteration {step:int}/{planned:int}`.
    if isinstance(after, Literal):
        if after.text.startswith("/"):
            return rb"(?![0-9])(?!\.[0-9])"
        if after.text.startswith("."):
            return rb"(?![0-9])(?!/)"
    return NUMBER_END


def _up_to(after: Part | None, character: bytes, times: bytes) -> bytes:
    # Up to the next literal; without one, as far as the class matches.
    if isinstance(after, Literal):
        return rb"(?:(?!" + literal_pattern(after.text) + rb")" + character + rb")" + times
    return character + times
