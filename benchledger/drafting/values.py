"""A value of a drafted record: its name, its logged unit, and what both suggest, by name_guesses.toml."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from benchledger.definitions.toml_file import TomlFile
from benchledger.definitions.vocabulary import vocabulary, vocabulary_file

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OTHER = re.compile(r"[^a-z0-9]+")
_GROUPS = {"counters", "phases", "quantities", "units", "facts", "frameworks"}
UNIT = re.compile(r" ?([A-Za-z%][A-Za-z%/]*)")
# Not units of the vocabulary: some programs mean 1000 by them, some 1024.
_SIZE = re.compile(r"[KMGT]B\Z")
_BY_UNIT = dict.fromkeys(("samples/s", "items/s", "tokens/s", "steps/s"), "throughput")
_BY_UNIT["MiB"] = "memory_allocated"


@dataclass(frozen=True)
class NameGuesses:
    """Names, in lower case with `_`, and what they suggest: quantity and unit, or fact and whether it is sure."""

    counters: dict[str, str]
    validation: frozenset[str]
    quantities: tuple[tuple[str, dict[str, str]], ...]
    units: dict[str, str]
    facts: dict[str, tuple[str, bool]]
    frameworks: dict[str, str]

    def counter(self, name: str) -> str | None:
        return self.counters.get(plain(name))

    def quantity(self, name: str) -> tuple[str, str] | None:
        """Returns the quantity and unit ("" if unknown) of a value with this name."""
        spelt = f"_{plain(name)}_"
        for quantity, names in self.quantities:
            for known, unit in names.items():
                if f"_{known}_" in spelt:
                    return quantity, unit
        return None

    def unit(self, name: str) -> str | None:
        spelt = f"_{plain(name)}_"
        return next((unit for known, unit in self.units.items() if f"_{known}_" in spelt), None)

    def fact(self, name: str) -> tuple[str, bool] | None:
        """Returns the fact that a setting with this name states, and whether it means that in every program."""
        return self.facts.get(plain(name))


def plain(name: str) -> str:
    """Returns a name as the file spells it: `lm loss`, `lm-loss` and `LmLoss` become lm_loss."""
    return _OTHER.sub("_", _CAMEL.sub("_", name).lower()).strip("_")


@cache
def name_guesses() -> NameGuesses:
    file = vocabulary_file("name_guesses.toml")
    data = file.data
    file.refuse_unknown("", data, _GROUPS)
    words = vocabulary()
    for quantity, names in data["quantities"].items():
        if quantity not in words.quantities:
            file.fail(f"quantities.{quantity}", f"no quantity {quantity!r} in quantities.toml")
        _check_units(file, f"quantities.{quantity}", names)
    _check_units(file, "units", data["units"])
    facts: dict[str, tuple[str, bool]] = {}
    for fact, names in data["facts"].items():
        if fact not in words.facts:
            file.fail(f"facts.{fact}", f"no fact {fact!r} in facts.toml")
        for sure in (True, False):
            facts |= dict.fromkeys(names.get("sure" if sure else "unsure", ()), (fact, sure))
    return NameGuesses(
        {name: column for column, names in data["counters"].items() for name in names},
        frozenset(data["phases"]["validation"]),
        tuple(data["quantities"].items()),
        data["units"],
        facts,
        {word: framework for framework, words_ in data["frameworks"].items() for word in words_},
    )


def _check_units(file: TomlFile, place: str, names: dict[str, str]) -> None:
    for name, unit in names.items():
        if unit and unit not in vocabulary().spellings:
            file.fail(f"{place}.{name}", f"no unit {unit!r} in units.toml")


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
