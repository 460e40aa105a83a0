"""A value of a drafted record: its name, its logged unit, and what it measures by both."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchledger.definitions.hints import hints
from benchledger.definitions.vocabulary import vocabulary

UNIT = re.compile(r" ?([A-Za-z%][A-Za-z%/]*)")
# Which are no units of the vocabulary: some programs mean 1000 by them and some 1024.
_SIZE = re.compile(r"[KMGT]B\Z")
_BY_UNIT = dict.fromkeys(("samples/s", "items/s", "tokens/s", "steps/s"), "throughput")


@dataclass
class Name:
    """A value of a record: how its line spells it, its logged unit, its numbers and texts."""

    name: str
    unit: str | None = None
    hole: bool = False
    numbers: list[float] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)


def unit_behind(after: str) -> str | None:
    """The unit that a text behind a number begins with."""
    match = UNIT.match(after)
    # `lr=3e-4 tokens/sec=119`: what assigns follows the name of the next value, not a unit.
    if match is None or re.match(r"\s*=|:\S" if match.group().startswith(" ") else r"=", after[match.end() :]):
        return None
    token = match.group(1)
    known = token in vocabulary().spellings or _SIZE.match(token) or re.search(r"/(?:s|sec|second)\b", token)
    return token if known or time_of(token) else None


def time_of(unit: str) -> str | None:
    """The unit of time in the time of one step: ms of `ms/step` and `ms/upd`."""
    time, slash, each = unit.partition("/")
    known = vocabulary().spellings.get(time)
    return time if slash and known and known[0] == "s" and hints().counter(each) else None


def quantity_of(name: Name) -> tuple[str, str] | None:
    """What a value measures, by its name, else by its unit; of a name that its unit contradicts, the unit counts."""
    known = hints().quantity(name.name)
    if name.unit is None:
        return known
    unit = (known_unit(name.unit) or ("", 1.0))[0]
    if known and (not unit or vocabulary().can_have(known[0], unit)):
        return known
    by_unit = "step_time" if time_of(name.unit) else _BY_UNIT.get(unit)
    return (by_unit, "") if by_unit else None


def known_unit(logged: str) -> tuple[str, float] | None:
    """The unit of the vocabulary, and its scale, that a logged one is: seq/s of `seq/s/gpu`, ms of `ms/step`."""
    spellings = vocabulary().spellings
    return (
        spellings.get(logged) or spellings.get("/".join(logged.split("/")[:2])) or spellings.get(time_of(logged) or "")
    )
