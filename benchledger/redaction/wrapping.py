"""What a log puts around each of its lines: times, names of processes and containers, JSON of Docker."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from benchledger.redaction.redactor import Redactor

_LEVEL = "(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_PART = rf"""(?:
    [\[(] [^\[\]()\r\n]{{1,80}} [\])] (?: <\w{{1,20}}> )? :?  # [pod/trainer-0/main], [1,0]<stdout>:, (worker pid=12)
  | \[? (?: \d{{4}}[-/]\d\d[-/]\d\d [T ] | [A-Z][a-z]{{2}} [ ]{{1,2}} \d{{1,2}} [ ] | [IWEF]\d{{4}} [ ] )?
    \d\d:\d\d:\d\d [\d.,]* (?: Z | [ ]? [+-]\d\d:?\d\d | [ ]{{1,8}} \d{{1,9}} [ ] [\w.]{{1,64}} :\d{{1,6}} )? \]?
  | std(?:out|err) [ ] [FP] (?=[ ])
  | (?: [\w.-]{{1,64}} [ ] )? [\w./-]{{1,64}} \[\d{{1,9}}\] :  # gpu7 python[12]:
  | {_LEVEL} (?: :[\w.]{{1,80}}: | [:\]]? (?=[ ]) )
  | - [ ] (?: [\w.]{{1,64}} [ ] - [ ] ){{0,3}} {_LEVEL} [ ] - (?=[ ])
  | \| [ ] {_LEVEL} [ ]{{1,8}} \| [ ] \S{{1,100}} [ ] - (?=[ ])
  | \d{{1,9}} : (?=[ ])
)"""
# The name of a service, host or process begins a line. Blanks of the text behind the lead belong to the text.
_LEAD = re.compile(
    rf"[ ]{{0,8}}(?:{_PART}|[\w./-]{{1,64}}(?:[ ]{{1,40}}\||:(?=[ ]+\S)))(?:[ ]{{0,8}}{_PART}){{0,7}}[ ]?", re.VERBOSE
)
_JSON = re.compile(r'"(?:log|line|msg|message|MESSAGE|text|textPayload)" ?: ?"((?:[^"\\\t]|\\.){0,4000}+)"')
_DIGITS = re.compile(r"\d+")
# At most this many lines of other processes may lie between the lines of a block or key.
OTHER_LINES = 3
Span = tuple[int, int]


class Block(Protocol):
    """What a line begins and other lines continue: a table, an open field."""

    @property
    def stays(self) -> bool:
        """Tells whether a further line may follow the one that was redacted."""

    def redact(self, line: str, redactor: Redactor) -> str | None:
        """Returns the redacted line; None if it does not belong to the block."""


class Wrapped:
    """A block whose lines stand alone, or behind leads that differ from that of its first line in digits only."""

    def __init__(self, alone: Block | None, behind: Block | None, lead: str, in_json: bool) -> None:
        self._alone, self._behind, self._in_json = alone, behind, in_json
        self._lead = re.compile(_DIGITS.sub(r"\\d+", re.escape(lead))) if behind else None
        self._others = 0
        self.stays = False

    def redact(self, line: str, redactor: Redactor) -> str | None:
        """Returns the redacted line; None if it does not belong to the block."""
        start, end = _text(line) if self._in_json else (0, len(line))
        is_other = self._in_json and not start
        block = None if is_other else self._alone
        if self._lead is not None and not is_other:
            lead = self._lead.match(line, start, end)
            is_other = lead is None
            block, start = (self._behind, lead.end()) if lead else (block, start)
        text = line[start:end]
        redacted = block.redact(_read(text) if self._in_json else text, redactor) if block else None
        if block and redacted is not None:
            self._others, self.stays = 0, block.stays
            return line[:start] + (_written(redacted) if self._in_json else redacted) + line[end:]
        # Other processes may print between the lines of a block, but not where its lines stand alone.
        self._alone = None
        self._others += 1
        self.stays = is_other and self._others <= OTHER_LINES
        return None


def wrapped(line: str, begin: Callable[[str], Block | None]) -> Wrapped | None:
    """Returns the block that a line begins, alone or behind a lead."""
    for start, middle, end in _places(line):
        alone = begin(_read(line[start:end]) if start else line)
        behind = begin(_read(line[middle:end]) if start else line[middle:]) if middle > start else None
        if alone or behind:
            return Wrapped(alone, behind, line[start:middle], start > 0)
    return None


# A line is asked for a table and for a field.
@lru_cache(maxsize=1)
def _places(line: str) -> list[tuple[int, int, int]]:
    # Where the text of a line begins, where its lead ends, and where the text ends: in JSON, then without
    found = []
    for start, end in dict.fromkeys((_text(line), (0, len(line)))):
        lead = _LEAD.match(line, start, end)
        found.append((start, lead.end() if lead else start, end))
    return found


def _text(line: str) -> Span:
    # Of JSON, the text without the end of its line; else all of the line
    if line[:1] != "{" or (match := _JSON.search(line)) is None:
        return 0, len(line)
    start, end = match.span(1)
    while line.endswith(("\\n", "\\r"), start, end):
        end -= 2
    return start, end


def _read(text: str) -> str:
    return text.replace('\\"', '"').replace("\\t", "\t")


def _written(text: str) -> str:
    return text.replace('"', '\\"').replace("\t", "\\t")
