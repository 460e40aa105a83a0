"""Reads `key : value unit` lists, such as the values at the end of a step's line."""

from __future__ import annotations

import re

from benchledger.definitions.log_format import PairsStyle
from benchledger.scanning.patterns import ABSENT
from benchledger.scanning.rows import CUT_NUMBER, Pair, Refused, fits_float
from benchledger.scanning.values import NUMBER, NUMBER_WORD, decode, goes_on, to_number

KEY_LIMIT = 96
BRACKET_LIMIT = 16384
_PLAIN_NUMBER = rb"(-?+[0-9]{1,17}+(?:\.[0-9]{1,25}+)?+(?:[eE][+-]?+[0-9]{1,3}+)?+)"
_QUOTED_NUMBER = re.compile(rb"""(["'])(""" + NUMBER_WORD + rb""")\1""")
# Besides a blank, a unit and a separator, closing brackets and quotes and punctuation end a number.
_CLOSING = re.compile(rb"""[)\]}'"]*+[.,;]?+(?=[ \t]|\Z)|[)\]}'"]++""")
_NAME = re.compile(rb"(?=[^ \tA-Za-z]*+[A-Za-z])[0-9A-Za-z_.:/%+-]++(?:[ \t][ -~\t]*+)?+\Z")
_ABSENT = re.compile(ABSENT)
_TRUTH = re.compile(rb"(?:True|False|true|false)(?![A-Za-z0-9_])")
_QUOTED = re.compile(rb"""'[^'\r\n]{0,4096}+'|"[^"\r\n]{0,4096}+\"""")
_QUOTES = (b"'", b'"')
# Behind one of these a quote opens a text.
_BEFORE_QUOTE = (b" ", b"\t", b"=", b":", b",", b"(", b"[", b"{")
_BRACKETS = re.compile(rb"[()\[\]{}]")
# Behind its bracket stands nothing, a blank or a separator.
_MEAN = re.compile(rb" \((" + NUMBER_WORD + rb")\)(?=[ \t,;]|\Z)")
# The time or rank of another process's line may follow a unit directly.
_LINE = rb"(?:\[?20[0-9]{2}[-/][0-9]{2}[-/][0-9]{2}|\[rank[0-9])"
_BEGINS_LINE = re.compile(_LINE)
# The bracket that ends a list stands within a number: `tps=89]x7.0`.
_IS_CUT = re.compile(rb"(?:[^ \t]|[\x80-\xff]{2,4})?[0-9]")
_GLUED_UNIT = re.compile(rb"[A-Za-z%][A-Za-z%/]{0,15}+")
_IN_NUMBER = tuple(b"%c" % byte for byte in b"0123456789.")
_SCALE_LETTERS = (b"K", b"M", b"G")
_BLANK = (b" ", b"\t")


class _Unclosed(Exception):
    """Raised for a value of which the closing bracket or quote is missing: it was cut."""


class PairsReader:
    """Reads lists in one style; only the tokens in `units` (closed) may be units. Numbers are as logged, unscaled."""

    def __init__(self, style: PairsStyle, units: frozenset[str]) -> None:
        self._assign = style.assign.encode()
        self._assign_start = self._assign.strip(b" \t'\"") or self._assign
        self._between = tuple(text.encode() for text in style.between)
        self._next = re.compile(b"|".join(re.escape(text) for text in self._between))
        # Only separators such as ` | `: a comma or two blanks occur in any sentence.
        visible = [re.escape(text) for text in self._between if text.strip() and text[:1] == text[-1:] == b" "]
        self._visible = re.compile(b"|".join(visible)) if visible else None
        # `mAP_copypaste: 0.215 0.410, segm_mAP: 0.2`: several numbers, of which the first is the value.
        stops = b"|".join(re.escape(text) for text in self._between if text.strip()) or rb"(?!)"
        self._more = re.compile(
            rb"(?:[ \t]-?+[0-9]{1,17}+(?:\.[0-9]{1,25}+)?+){1,64}+(?=(%b)[ \t]*+['\"A-Za-z_])" % stops
        )
        self._token = re.compile(
            rb" ((?:(?!%b|%b)[^ \t]){1,32}+)(?=[ \t]|\Z|%b|%b)" % (self._next.pattern, _LINE, self._next.pattern, _LINE)
        )
        # The separators that are blanks only.
        self._blanks = tuple(text for text in self._between if not text.strip())
        self._ends = (*_BLANK, *self._between)
        self._closers = {text.strip() for text in self._between}
        # What may close the last number without a blank before it: of ` - ` no dash.
        self._glued = {text.strip() for text in self._between if text[:1] not in _BLANK}
        self._end = style.end.encode() if style.end else None
        self._marks = re.compile(rb"['\"(\[{]|" + re.escape(self._end or b"'"))
        self._closed = style.closed
        self._mean = _MEAN if style.means else None
        self._units = {unit.encode() for unit in units}
        self._brackets: tuple[bytes, dict[int, int]] = (b"", {})
        # One regex for the form of most pairs. All others are read step by step, with the same result. One blank does
        # not end a pair here, since a unit may follow it.
        ends = [re.escape(text) for text in self._between if text != b" "]
        self._plain = re.compile(
            rb"([A-Za-z_][A-Za-z0-9_.]{0,63}+)"
            + re.escape(self._assign)
            + rb"(?:"
            + _PLAIN_NUMBER
            + rb"(?![:,-]\.?[0-9])"
            + rb"|'((?![-+.0-9nNiI])[^'\r\n]{0,512}+)'|(True|False)|None)"
            rb"(?:" + b"|".join([*ends, rb"\Z"]) + rb")"
        )

    def read(self, tail: bytes) -> tuple[list[Pair], bytes]:
        """Returns the pairs of a tail, and the rest of its text, which becomes a note of the record."""
        pairs: list[Pair] = []
        left: list[bytes] = []
        if self._end is not None:
            until = self._end_of(tail)
            tail, rest = tail[:until], tail[until + len(self._end) :]
            if self._end[:1] not in _BLANK and tail[-1:] in _IN_NUMBER and (goes_on(rest) or _IS_CUT.match(rest)):
                raise Refused(CUT_NUMBER)
        position = begin = self._past_blanks(tail, 0)
        while position < len(tail):
            begin = position
            match = self._plain.match(tail, position)
            if match and (match.group(2) is None or fits_float(match.group(2))):
                name, raw, quoted, truth = match.groups()
                words = quoted if quoted is not None else truth
                text = None if words is None else decode(words)
                pairs.append((name.decode(), None if raw is None else float(raw), text, None))
                position = self._past_blanks(tail, match.end())
                continue
            assign = tail.find(self._assign, position, position + KEY_LIMIT + len(self._assign))
            if assign < 0:
                break
            key = decode(tail[position:assign].strip(b" \t{'\""))
            if not key or "  " in key or "\t" in key:
                break
            try:
                number, text, unit, end = self._value_behind(tail, assign + len(self._assign))
            except _Unclosed:
                break
            pairs.append((key, number, text, unit))
            if self._mean and number is not None and (mean := self._mean.match(tail, end)):
                pairs.append((f"mean_{key}", to_number(mean.group(1)), None, unit))
                end = mean.end()
            following = self._separator(tail, end, unit is not None)
            if following is None:
                # `153.8GB/255.9GB | lm loss: 2.1`: text that belongs to no pair ends before the next pair.
                again = self._visible.search(tail, end) if self._visible else None
                more = self._more.match(tail, end) if again is None and number is not None and unit is None else None
                if again is None and more is None:
                    position = end
                    break
                until, behind = again.span() if again else more.span(1)  # type: ignore[union-attr]
                left.append(tail[end:until].strip())
                following = self._past_blanks(tail, behind)
            position = following
        if self._closed and pairs and position >= len(tail) and not tail.rstrip().endswith(tuple(self._closers)):
            # `time: 152` of `time: 15232.8 |`: a truncated number is another number.
            del pairs[-1]
            position = begin
        return pairs, b" ".join([*left, tail[position:]]).strip()

    def _end_of(self, tail: bytes) -> int:
        # The first `end` outside of quotes and brackets: `Namespace(betas='(0.9, 0.999)', lr=0.1)`.
        assert self._end is not None
        position = 0
        for place in self._marks.finditer(tail):
            at = place.start()
            if at < position:
                continue
            if tail.startswith(self._end, at):
                return at
            if place.group(0) in _QUOTES:
                opened = _QUOTED.match(tail, at) if tail[at - 1 : at] in _BEFORE_QUOTE else None
                position = opened.end() if opened else at
            else:
                position = self._closing(tail, at) or at
        return len(tail)

    def _value_behind(self, tail: bytes, position: int) -> tuple[float | None, str | None, str | None, int]:
        start = self._past_blanks(tail, position)
        number, text, end = self._value(tail, start)
        # `pretrained_weights :   fp16 : True`: the value is empty if only a separator precedes the next key.
        if text and self._assign in text.encode() and tail.startswith(self._blanks, position):
            return None, "", None, position
        if text is not None:
            return None, text, None, end
        shown = tail[start:end].strip(b"'\"")
        unit, end = self._unit(tail, end)
        if number is None or self._ends_number(tail, end) or (unit is not None and _BEGINS_LINE.match(tail, end)):
            if number is not None and not fits_float(shown):
                # Perhaps a hash: a number only where one is measured.
                return None, decode(shown), None, end
            return number, None, unit, end
        text, end = self._text(tail, start)
        # A name, a version or an address may begin with digits (`3dunet`); `1'151.4` is no name.
        if not _NAME.match(tail, start, end):
            raise Refused(CUT_NUMBER)
        return None, text, None, end

    def _ends_number(self, tail: bytes, end: int) -> bool:
        if end == len(tail) or tail.startswith(self._ends, end) or tail[end:].rstrip(b" \t") in self._glued:
            return True
        closing = _CLOSING.match(tail, end)
        return closing is not None and (closing.end() == len(tail) or tail.startswith(self._ends, closing.end()))

    def _value(self, tail: bytes, start: int) -> tuple[float | None, str | None, int]:
        first = tail[start : start + 1]
        if match := NUMBER.match(tail, start):
            return float(match.group(0)), None, match.end()
        if first in (b"'", b'"'):
            if match := _QUOTED_NUMBER.match(tail, start):
                return float(match.group(2)), None, match.end()
            if match := _QUOTED.match(tail, start):
                return None, decode(match.group(0)[1:-1]), match.end()
            raise _Unclosed
        if match := _TRUTH.match(tail, start):
            return None, decode(match.group(0)), match.end()
        if match := _ABSENT.match(tail, start):
            return None, None, match.end()
        if first in (b"(", b"[", b"{"):
            if (end := self._closing(tail, start)) is None:
                raise _Unclosed
            return None, decode(tail[start:end]), end
        return None, *self._text(tail, start)

    def _text(self, tail: bytes, start: int) -> tuple[str, int]:
        until = self._next.search(tail, start)
        end = until.start() if until else len(tail)
        return decode(tail[start:end].strip()), end

    def _unit(self, tail: bytes, end: int) -> tuple[str | None, int]:
        if match := _GLUED_UNIT.match(tail, end):
            unit, end = match.group(0), match.end()
            if unit in _SCALE_LETTERS and (token := self._token.match(tail, end)) and token.group(1) in self._units:
                return decode(unit + b" " + token.group(1)), token.end()
            if unit in self._units or unit in _SCALE_LETTERS:
                return decode(unit), end
            return None, match.start()
        token = self._token.match(tail, end)
        if token and token.group(1) in self._units:
            rest = tail[token.end() :].lstrip(b" \t")
            if not rest.startswith(self._assign_start):
                return decode(token.group(1)), token.end()
        return None, end

    def _separator(self, tail: bytes, end: int, after_unit: bool) -> int | None:
        past = self._past_blanks(tail, end)
        if past == len(tail):
            return past
        for between in self._between:
            if tail.startswith(between, end):
                return self._past_blanks(tail, end + len(between))
            if not between.strip() and past - end >= len(between):
                return past
        # Megatron writes its separator ` |` behind the last pair too.
        if tail[past:].rstrip() in self._closers:
            return len(tail)
        # DLLogger puts two blanks between pairs, but one after a unit.
        return past if after_unit and past > end else None

    def _past_blanks(self, tail: bytes, position: int) -> int:
        while tail[position : position + 1] in _BLANK:
            position += 1
        return position

    def _closing(self, tail: bytes, start: int) -> int | None:
        # All brackets of a tail at once: a search from each unclosed bracket would be quadratic.
        if self._brackets[0] is not tail:
            self._brackets = (tail, _closings(tail))
        end = self._brackets[1].get(start)
        return end if end is not None and end - start <= BRACKET_LIMIT else None


def _closings(tail: bytes) -> dict[int, int]:
    opened: list[int] = []
    found: dict[int, int] = {}
    for bracket in _BRACKETS.finditer(tail):
        if bracket.group(0) in b"([{":
            opened.append(bracket.start())
        elif opened:
            found[opened.pop()] = bracket.end()
    return found
