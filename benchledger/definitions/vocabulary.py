"""The vocabulary of schema/vocabulary: units, quantities, modes, and facts about a run."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property

from benchledger.definitions.definition_cache import cached, files_in
from benchledger.definitions.gpu_names import GpuNames, read_gpu_names
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError

# The last group holds facts that only a manifest states.
GROUPS = ("case", "options", "environment", "run", "manifest")
_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
PHASES = ("train", "validation", "inference")
# The phase of a record whose line looks the same in all phases: that of the last record that began a phase.
CURRENT = "current"
# The phase that an unknown mode begins: its values are in no table of training.
UNKNOWN = "unknown"
# All phases that a place of a log can be in.
BEGUN = (*PHASES, UNKNOWN)
_CLASS = re.compile(r"[A-Za-z_]\w*\.(?=\w)")
_BETWEEN = re.compile(r"[-_\s]+")


@dataclass(frozen=True)
class FactName:
    """A fact about a run, and the spellings of its values."""

    name: str
    group: str
    type: str
    values: tuple[str, ...]
    aliases: dict[str, str]
    known: tuple[str, ...] = ()
    is_open: bool = False
    vague: frozenset[str] = frozenset()
    gpus: GpuNames | None = None

    def canonical(self, logged: str) -> str | None:
        """Returns the value as the ledger spells it, or None if it is not a value of this fact."""
        text = logged.strip()
        if self.vague and self._is_cut(text):
            return None
        if self.type in ("size", "count", "integer", "factor"):
            return self._number(text)
        if self.type == "time":
            return _time(text)
        text = self.aliases.get(text.lower(), text)
        if self.gpus is not None:
            name = self.gpus.name(text)
            return self.aliases.get(name.lower(), name) or None
        if self.values and not self.is_open:
            return text.lower() if text.lower() in self.values else None
        return (text.lower() if self.is_open or self.known else text) or None

    def declared(self, logged: str) -> str | None:
        """Returns the value as the ledger spells it, or None if it is none that the vocabulary lists."""
        value = self.canonical(logged)
        return value if not self.values or value in self.values else None

    def words(self) -> list[str] | None:
        """Returns the values that are known, or globs of them, in lower case; None of a fact that any value suits."""
        if self.gpus is None and not self.is_open and not self.known:
            return None
        known = [*self.values, *self.known, *self.aliases.values(), *(self.gpus.known if self.gpus else [])]
        return sorted({value.lower() for value in known})

    @property
    def wanted(self) -> str:
        """What a value must be, for an error message."""
        return ", ".join(self.values) or f"a {self.type}" + (" that is a whole name" if self.vague else "")

    def _number(self, text: str) -> str | None:
        try:
            number = float(text)
        except ValueError:
            return None
        if self.type == "factor":
            return repr(number) if 0 < number < math.inf else None
        if not (-(2**31) if self.type == "integer" else 1) <= number < 2**62:
            return None
        # Programs print rounded sizes such as 1.7Ti, which need not be whole MiB, and counts as 120.0 too. Another
        # count that is not whole states nothing.
        return str(round(number)) if self.type == "size" or number == int(number) else None

    def _is_cut(self, text: str) -> bool:
        # `GeForce`, `NVIDIA_RTX`, `Quadro(R)`: only a family. `V100-SXM2...`: a truncated name.
        words = re.sub(r"\((?:r|tm)\)|[®™]", " ", text.lower())
        return text.rstrip().endswith(("..", "…")) or self._one_vague.fullmatch(words) is not None

    @cached_property
    def _one_vague(self) -> re.Pattern[str]:
        words = "|".join(map(re.escape, sorted(self.vague)))
        return re.compile(rf"(?:{words}|[\W_])*")


@dataclass(frozen=True)
class Vocabulary:
    """Units by logged spelling, quantities, facts by name ("precision", "options.optimizer"), and modes by phase.

    `measure_words` and `measure_units` tell a line with a measurement.
    """

    units: frozenset[str]
    spellings: dict[str, tuple[str, float]]
    absent_units: frozenset[str]
    quantities: frozenset[str]
    quantity_units: dict[str, frozenset[str]]
    facts: dict[str, FactName]
    phases: dict[str, tuple[str, ...]]
    measure_words: tuple[str, ...]
    measure_units: tuple[str, ...]
    setting_ends: tuple[str, ...]
    setting_lines: tuple[str, ...]

    def can_have(self, quantity: str | None, unit: str | None) -> bool:
        allowed = self.quantity_units.get(quantity or "")
        return allowed is None or unit is None or unit in allowed

    def group(self, group: str) -> list[FactName]:
        return [fact for fact in self.facts.values() if fact.group == group]


@cache
def vocabulary() -> Vocabulary:
    return cached("vocabulary", files_in("schema/vocabulary"), _read)


def _read() -> Vocabulary:
    units = vocabulary_file("units.toml")
    quantities = vocabulary_file("quantities.toml")
    facts = vocabulary_file("facts.toml")
    measures = vocabulary_file("measures.toml")
    known_units = frozenset(units.data["units"])
    spellings: dict[str, tuple[str, float]] = {}
    for logged, (unit, scale) in units.data["spellings"].items():
        if unit not in known_units:
            units.fail(f"spellings.{logged}", f"unit {unit!r} is not in `units`: {', '.join(sorted(known_units))}")
        spellings[logged] = (unit, float(scale))
    return Vocabulary(
        units=known_units,
        spellings=spellings,
        absent_units=frozenset(units.data.get("absent", [])),
        quantities=frozenset(quantities.data["quantities"]),
        quantity_units=_quantity_units(quantities, known_units),
        facts=_with_own(_facts(facts, read_gpu_names(vocabulary_file("gpus.toml").data))),
        phases={phase: tuple(modes) for phase, modes in vocabulary_file("phases.toml").data.items()},
        measure_words=tuple(measures.data["words"]),
        measure_units=tuple(measures.data["units"]),
        setting_ends=tuple(measures.data["settings"]),
        setting_lines=tuple(measures.data["setting_lines"]),
    )


def _quantity_units(file: TomlFile, known: frozenset[str]) -> dict[str, frozenset[str]]:
    for quantity, units in file.data["units"].items():
        if quantity not in file.data["quantities"] or not set(units) <= known:
            file.fail(f"units.{quantity}", f"units of {quantity!r} must be known, and itself one of `quantities`")
    return {quantity: frozenset(units) for quantity, units in file.data["units"].items()}


def _facts(file: TomlFile, gpus: GpuNames) -> dict[str, FactName]:
    found: dict[str, FactName] = {}
    file.refuse_unknown("", file.data, set(GROUPS))
    for group in GROUPS:
        for name, table in file.data.get(group, {}).items():
            place = f"{group}.{name}"
            file.refuse_unknown(place, table, {"type", "values", "aliases", "open", "known", "vague"})
            if table.get("type") not in ("text", "count", "size", "integer", "factor", "time"):
                file.fail(f"{place}.type", f"type of {name} must be text, count, size, integer, factor or time")
            full_name = f"options.{name}" if group == "options" else name
            found[full_name] = FactName(
                name=full_name,
                group=group,
                type=table["type"],
                values=tuple(table.get("values", ())),
                aliases={key.lower(): value for key, value in table.get("aliases", {}).items()},
                known=tuple(table.get("known", ())),
                is_open=table.get("open", False),
                vague=frozenset(table.get("vague", ())),
                gpus=gpus if name == "gpu_model" else None,
            )
    return found


def _with_own(facts: dict[str, FactName]) -> dict[str, FactName]:
    # The aliases and known values of facts.toml files in the user's folders.
    for path in [path for path in files_in("schema/vocabulary") if path.name == "facts.toml"][1:]:
        file = read_toml(path)
        file.refuse_unknown("", file.data, set(GROUPS))
        for group, tables in file.data.items():
            for name, table in tables.items():
                full_name = f"options.{name}" if group == "options" else name
                if full_name not in facts:
                    file.fail(f"{group}.{name}", f"no fact {name!r}; known: {', '.join(facts)}")
                file.refuse_unknown(f"{group}.{name}", table, {"aliases", "known"})
                fact = facts[full_name]
                aliases = {logged.lower(): value for logged, value in table.get("aliases", {}).items()}
                known = (*fact.known, *table.get("known", ()))
                facts[full_name] = replace(fact, aliases={**fact.aliases, **aliases}, known=known)
    return facts


def vocabulary_file(name: str) -> TomlFile:
    for path in files_in("schema/vocabulary"):
        if path.name == name:
            return read_toml(path)
    raise DefinitionError(f"schema/vocabulary/{name}:1: missing. Reinstall benchledger")


def _time(text: str) -> str | None:
    # Without a time zone, as in logs: the time of the machine's own clock.
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None).isoformat(sep=" ")
    except ValueError:
        return None


def setting_words() -> list[tuple[str, bool]]:
    """Returns each name or word of schema/vocabulary/settings.toml, and whether it makes another case; in order.

    Raises DefinitionError with file and line for a word that is both, or not in lower case with _.
    """
    file = vocabulary_file("settings.toml")
    top = Table(file, "", file.data, ("case", "volatile"))
    case, volatile = (top.strings(key) for key in ("case", "volatile"))
    for key, words in (("case", case), ("volatile", volatile)):
        for word in words:
            if not _NAME.fullmatch(word):
                top.fail(key, f"{word!r} must be in lower case, with _ between words")
    for word in set(case) & set(volatile):
        top.fail("case", f"{word!r} is volatile, too")
    return sorted([*((word, True) for word in set(case)), *((word, False) for word in set(volatile))])


def plain(mode: str) -> str:
    """Returns a mode without the differences between spellings."""
    text = mode.strip().strip("'\"")
    return _BETWEEN.sub("", _CLASS.sub("", text, count=1) if _CLASS.match(text) else text).casefold()


@dataclass(frozen=True)
class Mode:
    """The value of a record that tells which phase begins; `values` holds the format's own words."""

    source: str
    values: dict[str, str] = field(default_factory=dict)

    def phase_of(self, mode: str) -> str:
        """Returns the phase of a mode: by the format's words, then by the vocabulary's, else unknown."""
        word = plain(mode)
        return self.values.get(word) or _modes().get(word) or UNKNOWN


@cache
def _modes() -> dict[str, str]:
    return {plain(mode): phase for phase, modes in vocabulary().phases.items() for mode in modes}
