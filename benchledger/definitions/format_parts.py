"""Reads the parts of a format file from its tables: records, pairs, fields, facts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from benchledger.definitions import log_format as model
from benchledger.definitions.format_rows import JSON, read_json, read_row
from benchledger.definitions.template import Template, read_templates
from benchledger.definitions.toml_table import Table, is_number
from benchledger.definitions.vocabulary import CURRENT, PHASES, FactName, Mode, plain, vocabulary
from benchledger.errors import suggestion

PAIRS = ("assign", "between", "end", "closed", "means")
RECORD = (
    "name", "kind", "templates", "keys", "pairs", "json", "sqlite", "status", "phase", "begins_phase", "word_start",
    "unit", "line_start", "pick", "scope", "begins_scope", "names", "first_epoch",
)  # fmt: skip
IGNORE = ("templates", "reason")
FIELD = ("name", "record", "quantity", "unit", "units", "scope", "phase", "expand")
_WAYS = ("values", "contains", "always", "repeats", "items", "usual", "launcher")
FACT = ("name", "from", "record", "phase", "least", "unless", "related", "names", *_WAYS)

_OPERATOR = re.compile(r" +([*/]) +")
_NUMBERS = ("int", "int,", "float", "float,")
_COLUMN_TYPES = {
    "step": _NUMBERS,
    "epoch": _NUMBERS,
    "rank": _NUMBERS,
    "logged_at": ("time", "unix"),
    "clock_s": (*_NUMBERS, "duration", "stamp"),
    "device": (*_NUMBERS, "word", "text"),
    "label": (*_NUMBERS, "word", "text"),
}


def read_record(table: Table, style: model.PairsStyle | None, format_kind: str) -> model.RecordDefinition:
    """Returns a [[record]]; `style` is the format's own, which the record may replace."""
    name = table.text("name")
    kind = table.choice("kind", model.KINDS)
    status = table.choice_or_none("status", model.STATUSES)
    if status and kind != "event":
        table.fail("status", 'only a record of kind "event" can speak of a run\'s status')
    phase = table.choice_or_none("phase", (*PHASES, CURRENT))
    if format_kind != "lines":
        row = model.RecordDefinition(name, kind, (), status=status, phase=phase, first_epoch=read_first_epoch(table))
        return read_row(table, format_kind, row)
    own_style = read_pairs(table.table("pairs", PAIRS)) if "pairs" in table else style
    json = read_json(table.table("json", JSON)) if "json" in table else None
    unit, scale = _unit_of(table)
    line_start = table.flag("line_start")
    templates = read_templates(table, anywhere=line_start)
    begins = _read_begun(table, templates) if "begins_phase" in table else None
    pick = _read_pick(table, templates) if "pick" in table else None
    keys = tuple(table.strings("keys")) if "keys" in table else ()
    if keys and not all(template.has_pairs for template in templates):
        table.fail("keys", "keys are those of a list: each template must have {pairs}")
    for template in templates:
        shown = f"template {template.source!r}"
        if template.has_pairs and own_style is None:
            table.fail("templates", f"{shown} has {{pairs}}, but no [pairs] style is given")
        if (template.tail == "json") != (json is not None):
            table.fail("templates", "a template that ends in {json} and a [record.json] table belong together")
        for hole in template.holes:
            allowed = _COLUMN_TYPES.get(hole.name)
            if allowed is not None and hole.type not in allowed:
                table.fail(
                    "templates", f"{shown}: {hole.name} is a column and needs a hole of type {' or '.join(allowed)}"
                )
    return model.RecordDefinition(
        name,
        kind,
        templates,
        own_style,
        json,
        status,
        phase,
        begins,
        table.flag("word_start"),
        unit,
        scale,
        table.listed("scope", (*model.SCOPES, CURRENT)),
        line_start,
        pick,
        begins_scope=table.listed("begins_scope", model.SCOPES),
        first_epoch=read_first_epoch(table),
        keys=keys,
    )


def read_first_epoch(table: Table) -> int | None:
    """The number of the first epoch, where steps begin anew in each; None: they count on."""
    if "first_epoch" not in table:
        return None
    first = table.whole_number("first_epoch")
    if first not in (0, 1):
        table.fail("first_epoch", f"first_epoch is 0 or 1, not {first}")
    return first


def _read_begun(table: Table, templates: tuple[Template, ...]) -> str | Mode:
    if not isinstance(table.data["begins_phase"], dict):
        return table.choice("begins_phase", PHASES)
    stated = table.table("begins_phase", ("from", "values"))
    source, values = stated.text("from"), stated.texts("values")
    for phase in values.values():
        stated.known("values", "phase", phase, PHASES)
    if not any(part.tail or part.has_pairs or source in {hole.name for hole in part.holes} for part in templates):
        stated.fail("from", f"no template states {source}: {{{source}:word}}, or {{pairs}} at its end")
    return Mode(source, {plain(mode): phase for mode, phase in values.items()})


def _read_pick(table: Table, templates: tuple[Template, ...]) -> tuple[str, str]:
    hole, *names = table.strings("pick")
    if len(names) != 1 or not all(
        one.tail == "pairs" and hole in {part.name for part in one.holes} for one in templates
    ):
        table.fail(
            "pick", "pick names a hole of each template, each of which ends in {pairs}, and the kept pair's new name"
        )
    return hole, names[0]


def read_ignore(table: Table) -> model.IgnoreDefinition:
    reason = table.text("reason")
    templates = read_templates(table)
    for template in templates:
        if template.tail or template.has_pairs:
            table.fail("templates", f"an ignored line states nothing: end {template.source!r} in {{*}}")
    return model.IgnoreDefinition(templates, reason)


def read_pairs(table: Table) -> model.PairsStyle:
    between = tuple(table.strings("between"))
    if not between:
        table.fail("between", '`between` lists what stands between two pairs, for example [", "]')
    closed, means = table.flag("closed"), table.flag("means")
    if closed and means:
        table.fail("means", "a closed list has no means")
    return model.PairsStyle(table.text("assign"), between, table.text_or_none("end"), closed, means)


def read_fields(tables: list[Table]) -> dict[model.FieldKey, model.FieldDefinition]:
    """Returns every [[field]], by the record that it is limited to (None: all) and its name."""
    found: dict[model.FieldKey, model.FieldDefinition] = {}
    words = vocabulary()
    for table in tables:
        names, record = table.text_or_texts("name"), table.text_or_none("record")
        unit, scale = _unit_of(table)
        means = model.FieldDefinition(
            name=names[0] if names else table.text("name"),
            record=record,
            quantity=table.listed("quantity", words.quantities),
            unit=unit,
            scale=scale,
            units=_read_units(table),
            scope=table.listed("scope", model.SCOPES),
            phase=table.listed("phase", PHASES),
            expand=_read_expansion(table.table("expand", ("after", *PAIRS))) if "expand" in table else None,
        )
        _refuse_unit(table, means)
        for name in names:
            if (record, name) in found:
                table.fail("name", f"field {name!r} occurs twice")
            found[record, name] = replace(means, name=name)
    return found


def _refuse_unit(table: Table, field: model.FieldDefinition) -> None:
    for key, unit in (("unit", field.unit), *(("units", unit) for unit, _ in field.units.values())):
        if not vocabulary().can_have(field.quantity, unit):
            allowed = ", ".join(sorted(vocabulary().quantity_units[field.quantity or ""]))
            table.fail(key, f"{field.quantity} cannot be in {unit}; its units: {allowed}")


def _read_units(table: Table) -> dict[str, tuple[str, float]]:
    units: dict[str, tuple[str, float]] = {}
    for logged, meaning in table.any_values("units").items():
        units[logged] = _unit(table, "units", f"units maps {logged!r} to", meaning)
    return units


def _unit_of(table: Table) -> tuple[str | None, float]:
    return _unit(table, "unit", "unit is", table.data["unit"]) if "unit" in table else (None, 1.0)


def _unit(table: Table, key: str, subject: str, meaning: Any) -> tuple[str, float]:
    unit, scale = (meaning, 1.0) if not isinstance(meaning, list) else (*meaning, None, None)[:2]
    if not isinstance(unit, str) or not is_number(scale) or scale <= 0:
        table.fail(key, f"{subject} a unit or [unit, scale], not {meaning!r}")
    return table.known(key, "unit", unit, vocabulary().units), float(scale)


def _read_expansion(table: Table) -> model.Expansion:
    style = {key: value for key, value in table.data.items() if key != "after"}
    return model.Expansion(table.text("after"), read_pairs(Table(table.file, table.place, style, PAIRS)))


def read_fact(table: Table) -> model.FactDefinition:
    if "names" in table:
        return _read_names(table)
    fact = fact_name(table, "name", table.text("name"))
    if len(ways := [key for key in _WAYS if key in table]) > 1:
        table.fail(ways[1], f"one way to read a value is enough, not {' and '.join(ways)}")
    joined, operators = _read_source(table)
    if joined and not operators and ways != ["values"]:
        table.fail("from", 'several names go together: give `values`, such as { "24, 1024" = "gpt" }')
    if operators and (ways or fact.type != "count"):
        table.fail("from", f"* and / compute a count, by no other way: {fact.name} is a {fact.type}")
    if ways in (["repeats"], ["items"]) and fact.type != "count":
        table.fail(ways[0], f"{ways[0]} counts, and {fact.name} is no count but a {fact.type}")
    if ways == ["launcher"] and fact.name not in ("gpus", "nodes"):
        table.fail("launcher", f"a launcher states gpus and nodes, not {fact.name}")
    values, contains, always = table.texts("values"), table.texts("contains"), table.text_or_none("always")
    for key, stated in (
        ("values", values.values()),
        ("contains", contains.values()),
        ("always", [always] if always is not None else []),
    ):
        for value in stated:
            fact_value(table, key, fact, value)
    return model.FactDefinition(
        name=fact.name,
        source="" if joined else table.text("from"),
        joined=joined,
        operators=operators,
        record=table.text_or_none("record"),
        phase=table.choice_or_none("phase", PHASES),
        least=table.flag("least"),
        values=values if "values" in table else None,
        contains=contains if "contains" in table else None,
        always=always,
        repeats=table.flag("repeats"),
        items=table.flag("items"),
        usual=table.flag("usual"),
        related=table.flag("related"),
        launcher=table.choice_or_none("launcher", model.LAUNCHERS),
        unless=tuple(table.strings("unless")),
    )


def read_constants(table: Table) -> dict[str, str]:
    constants = table.texts("constants")
    for name, value in constants.items():
        fact_value(table, "constants", fact_name(table, "constants", name), value)
    return constants


def _read_names(table: Table) -> model.FactDefinition:
    path = table.text("names")
    if path.count("{}") != 1:
        table.fail("names", f"names is a path with {{}} where the value stands, not {path!r}")
    if others := sorted(set(table.data) - {"from", "names", "record"}):
        table.fail(
            others[0], f"{others[0]} has no effect beside names: the rules of ingest/names say which facts they are"
        )
    return model.FactDefinition("", table.text("from"), table.text_or_none("record"), names=path)


def _read_source(table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    # The names that `from` puts together, and the operators between them: ["a", "b"], or "a * b / c".
    if isinstance(table.data.get("from"), list):
        return tuple(table.strings("from")), ()
    first, *rest = _OPERATOR.split(table.text("from"))
    return ((first, *rest[1::2]), tuple(rest[::2])) if rest else ((), ())


def fact_name(table: Table, key: str, name: str) -> FactName:
    facts = vocabulary().facts
    if name not in facts:
        table.fail(key, f"no fact {name!r}{suggestion(name, facts)}; known: {', '.join(facts)}")
    return facts[name]


def fact_value(table: Table, key: str, fact: FactName, value: str) -> None:
    """Raises DefinitionError if the value is none of the fact, or not its canonical spelling."""
    if fact.canonical(value) != value:
        known = ", ".join(fact.values) or fact.type
        table.fail(key, f"{value!r} is no value of {fact.name}; known: {known}")
