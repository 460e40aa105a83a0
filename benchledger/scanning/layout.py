"""The layout of a record: the meaning of each of its values, resolved once per layout and not once per line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from benchledger.definitions.log_format import FactDefinition, FieldDefinition, LogFormat, RecordDefinition
from benchledger.definitions.phases import UNKNOWN
from benchledger.definitions.vocabulary import vocabulary
from benchledger.redaction.redactor import Redactor

_LETTER_SCALES = {"K": 1e3, "M": 1e6, "G": 1e9}


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
