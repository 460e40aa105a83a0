"""Finds what a value measures by the words of its name: its phase, its unit, and the field of the rest."""

from __future__ import annotations

import re
from dataclasses import replace

from benchledger.definitions.file_maps import SelfDescribing
from benchledger.definitions.log_format import FieldDefinition, LogFormat, RecordDefinition
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning.layout import Layouts

# A dot is part of a word: `Acc.step` is the accuracy of a class named step, and `IoU.train` that of trains.
_BETWEEN_WORDS = re.compile(r"[^A-Za-z0-9.]+")
_PREFIX = re.compile(r"([a-z]++)[^a-z0-9]++(?=.)", re.DOTALL)
_SUFFIX = re.compile(r"(?<=[a-z0-9)])[_/ ]([a-z]++)\Z")


class NamedLayouts(Layouts):
    """Finds the field of a name without its phase and unit: `val_step_time_ms` is `step_time` of validation in ms."""

    def __init__(self, log_format: LogFormat, definition: SelfDescribing) -> None:
        super().__init__(log_format)
        self._definition = definition
        self._units = sorted(definition.units.items(), key=lambda unit: -len(unit[0]))
        self._fields: dict[str, FieldDefinition] = {}

    def field_of(self, record: RecordDefinition, name: str) -> FieldDefinition | None:  # noqa: ARG002 - a Layouts
        """Returns what a name measures, by its words."""
        field = self._fields.get(name)
        if field is None:
            field = self._fields[name] = self._named(name)
        return field

    def phase_of(self, name: str) -> str | None:
        """Returns the phase that a name states, or None."""
        return self._split(name)[0]

    def _named(self, name: str) -> FieldDefinition:
        phase, plain = self._split(name)
        found = self.format.fields.get((None, plain))
        spelling, rest = self._unit_in(name)
        if found is None and spelling is not None:
            found = self.format.fields.get((None, self._split(rest)[1]))
        field = replace(found or FieldDefinition(name), name=name, phase=phase)
        if spelling is None:
            return field
        unit, scale = vocabulary().spellings[spelling]
        known = vocabulary().can_have(field.quantity, unit)
        return replace(field, quantity=field.quantity if known else None, unit=unit, scale=scale)

    def _split(self, name: str) -> tuple[str | None, str]:
        # The phase, and the other words in small letters, joined by `_`.
        phases, phase, rest = self._definition.phases, None, name.lower()
        if (match := _PREFIX.match(rest)) and match.group(1) in phases:
            phase, rest = phases[match.group(1)], rest[match.end() :]
        elif (match := _SUFFIX.search(rest)) and match.group(1) in phases:
            phase, rest = phases[match.group(1)], rest[: match.start()]
        return phase, "_".join(word for word in _BETWEEN_WORDS.split(rest) if word)

    def _unit_in(self, name: str) -> tuple[str | None, str]:
        lower = name.lower()
        for end, spelling in self._units:
            rest = lower[: -len(end)]
            # Of `rows_per_s` the unit is no second.
            if lower.endswith(end) and not (end[0].isalpha() and rest[-1:].isalnum()) and not rest.endswith("per"):
                return spelling, rest
        return None, name
