"""The layout of a record: the meaning of each of its values, resolved once per layout and not once per line."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from benchledger.definitions.file_maps import SelfDescribing
from benchledger.definitions.log_format import FactDefinition, FieldDefinition, LogFormat, RecordDefinition
from benchledger.definitions.vocabulary import UNKNOWN, vocabulary
from benchledger.redaction.redactor import Redactor

_LETTER_SCALES = {"K": 1e3, "M": 1e6, "G": 1e9}
# A dot is part of a word: `Acc.step` is the accuracy of a class named step, and `IoU.train` that of trains.
_BETWEEN_WORDS = re.compile(r"[^A-Za-z0-9.]+")
_PREFIX = re.compile(r"([a-z]++)[^a-z0-9]++(?=.)", re.DOTALL)
_SUFFIX = re.compile(r"(?<=[a-z0-9)])[_/ ]([a-z]++)\Z")


def stable_id(*parts: object) -> int:
    """Returns a positive 63-bit id of some values, which depends on nothing else."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


@dataclass(frozen=True)
class ShapeValue:
    """One row of table shape: the meaning of the value at one place of a layout."""

    name: str
    quantity: str | None
    unit: str | None
    unit_logged: str | None
    scope: str | None
    phase: str | None
    scale: float


@dataclass(frozen=True, eq=False)
class Layout:
    """A record with its value names and logged units in order; `shape_id` is a hash of its rows in table shape."""

    format: str
    record: RecordDefinition
    values: tuple[ShapeValue, ...]
    scales: tuple[float, ...]
    shape_id: int
    facts: tuple[tuple[int, FactDefinition, int], ...]
    bare: bool


def redacted_layout(layout: Layout, redactor: Redactor) -> Layout:
    """Returns the layout as it may be stored, since a key of a log may be an address; its id is that of these names."""
    values = tuple(
        replace(value, name=redactor.text(value.name), unit_logged=redactor.optional(value.unit_logged))
        for value in layout.values
    )
    if values == layout.values:
        return layout
    return replace(layout, values=values, shape_id=_shape_id(layout.format, layout.record, values))


def _shape_id(format_name: str, record: RecordDefinition, values: tuple[ShapeValue, ...]) -> int:
    identity = [format_name, record.name, record.kind]
    for value in values:
        identity += [
            str(part) for part in (value.name, value.quantity, value.unit, value.unit_logged, value.scope, value.phase)
        ]
    return stable_id(*identity)


class Layouts:
    """The layouts of one format that occurred so far."""

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self._known: dict[tuple[object, ...], Layout] = {}
        words = vocabulary()
        self._spellings = dict(words.spellings)
        self._absent = words.absent_units
        tokens = set(words.spellings) | set(words.absent_units)
        for field in log_format.fields.values():
            for spelling in field.units:
                tokens.update(spelling.split())
        self.unit_tokens = frozenset(tokens)

    def get(self, record: RecordDefinition, names: tuple[str, ...], units: tuple[str | None, ...]) -> Layout:
        key = (record.name, record.phase, record.scope, names, units)
        layout = self._known.get(key)
        if layout is None:
            layout = self._known[key] = self._resolve(record, names, units)
        return layout

    def is_unit(self, text: str) -> bool:
        """Tells whether vocabulary or format know a unit; a letter of scale may precede it or stand alone."""
        return text in self.unit_tokens or (text[:1] in _LETTER_SCALES and text[1:] in ("", *self.unit_tokens))

    def is_measured(self, record: RecordDefinition, name: str) -> bool:
        field = self.field_of(record, name)
        return record.unit is not None or (field is not None and (field.quantity or field.unit) is not None)

    def field_of(self, record: RecordDefinition, name: str) -> FieldDefinition | None:
        return self.format.field_of(record.name, name)

    def _resolve(self, record: RecordDefinition, names: tuple[str, ...], units: tuple[str | None, ...]) -> Layout:
        # A record without values, such as an event, has one value under its own name.
        shown = tuple(zip(names, units, strict=True)) or ((record.name, None),)
        values = tuple(self._value(record, name, unit) for name, unit in shown)
        facts = tuple(
            (ordinal, fact, trust)
            for trust, fact in enumerate(self.format.facts)
            for ordinal, (name, _) in enumerate(shown)
            if (fact.source == name or name in fact.joined)
            and fact.record in (None, record.name)
            and fact.phase in (None, values[ordinal].phase)
        )
        scales = tuple(value.scale for value in values)
        shape_id = _shape_id(self.format.name, record, values)
        return Layout(self.format.name, record, values, scales, shape_id, facts, bare=not names)

    def _value(self, record: RecordDefinition, name: str, logged: str | None) -> ShapeValue:
        field = self.field_of(record, name) or FieldDefinition(name)
        unit, scale = (field.unit, field.scale) if field.unit is not None else (record.unit, record.scale)
        if logged is not None and logged not in self._absent:
            unit, scale = self._unit(field, logged)
        phase = field.phase or record.phase or (None if record.kind == "sample" else "train")
        spelling = None if logged in self._absent else logged
        return ShapeValue(
            name,
            field.quantity,
            unit,
            spelling,
            field.scope or (record.scope if field.quantity else None),
            None if phase == UNKNOWN else phase,
            scale,
        )

    def _unit(self, field: FieldDefinition, logged: str) -> tuple[str | None, float]:
        if logged in field.units:
            return field.units[logged]
        if logged in self._spellings:
            return self._spellings[logged]
        if logged[:1] in _LETTER_SCALES:
            # `111.0K tks/s`, or a bare `K` whose unit the field declares.
            rest = logged[1:].strip()
            unit, scale = self._unit(field, rest) if rest else (field.unit, field.scale)
            # `Gbyte/second` is not a known unit, so its scale is unknown too.
            return unit, scale * _LETTER_SCALES[logged[0]] if unit or not rest else 1.0
        return None, 1.0


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
        part, _, own = name.partition(": ")
        if part.lower() in self._definition.parts:
            return replace(self._named(own), name=name)
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
