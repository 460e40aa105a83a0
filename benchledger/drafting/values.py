"""A value of a drafted record: its name, its logged unit, and the quantity that both suggest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchledger.definitions.vocabulary import vocabulary
from benchledger.drafting.detection import name_guesses

UNIT = re.compile(r" ?([A-Za-z%][A-Za-z%/]*)")
# Not units of the vocabulary: some programs mean 1000 by them, some 1024.
_SIZE = re.compile(r"[KMGT]B\Z")
_BY_UNIT = dict.fromkeys(("samples/s", "items/s", "tokens/s", "steps/s"), "throughput")
_BY_UNIT["MiB"] = "memory_allocated"


@dataclass
class Name:
    """A value of a record: its logged name and unit, its numbers and texts."""

    name: str
    unit: str | None = None
    hole: bool = False
    numbers: list[float] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)


def unit_behind(after: str) -> str | None:
    match = UNIT.match(after)
    # `lr=3e-4 tokens/sec=119`: a word before an assignment is the next name, not a unit.
    if match is None or re.match(r"\s*=|:\S" if match.group().startswith(" ") else r"=", after[match.end() :]):
        return None
    token = match.group(1)
    known = token in vocabulary().spellings or _SIZE.match(token) or re.search(r"/(?:s|sec|second)\b", token)
    return token if known or time_of(token) else None


def time_of(unit: str) -> str | None:
    """Returns the time unit in the time of one step: ms for `ms/step` and `ms/upd`."""
    time, slash, each = unit.partition("/")
    known = vocabulary().spellings.get(time)
    return time if slash and known and known[0] == "s" and name_guesses().counter(each) else None


def quantity_of(name: Name) -> tuple[str, str] | None:
    """Returns the quantity of a value, by its name, or by its unit if the unit contradicts the name."""
    known = name_guesses().quantity(name.name)
    if name.unit is None:
        return known
    unit = (known_unit(name.unit) or ("", 1.0))[0]
    if known and (not unit or vocabulary().can_have(known[0], unit)):
        return known
    by_unit = "step_time" if time_of(name.unit) else _BY_UNIT.get(unit)
    return (by_unit, "") if by_unit else None


def known_unit(logged: str) -> tuple[str, float] | None:
    """Returns the unit and scale of a logged unit in the vocabulary: seq/s for `seq/s/gpu`, ms for `ms/step`."""
    spellings = vocabulary().spellings
    return (
        spellings.get(logged) or spellings.get("/".join(logged.split("/")[:2])) or spellings.get(time_of(logged) or "")
    )
