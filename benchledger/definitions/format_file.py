"""Reads ingest/formats/*.toml into LogFormat; every error names file and line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchledger.definitions import format_detect, format_rows
from benchledger.definitions import format_parts as parts
from benchledger.definitions import log_format as model
from benchledger.definitions.file_maps import CsvDefinition, SelfDescribing
from benchledger.definitions.folders import definition_files
from benchledger.definitions.format_dependencies import SharedDefinitions
from benchledger.definitions.template import Written, has_anchor
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Problems, Table
from benchledger.definitions.vocabulary import vocabulary
from benchledger.errors import known as nearest
from benchledger.errors import suggestion

_TOP = {
    "format", "version", "framework", "implementation", "kind", "role", "base", "generic", "anchors", "pairs", "detect",
    "record", "ignore", "field", "fact", "run_starts", "closing", "closing_after", "default_rule", "csv",
    "columns", "table", "sample", "about", "json", "first_epoch", "documents", "self_describing", "tracker",
    "constants", "has_planned_speed", "steps_are_passes",
}  # fmt: skip


def read_formats(
    paths: list[Path] | None = None, known: Mapping[str, model.LogFormat] | None = None
) -> dict[str, model.LogFormat]:
    """Returns the formats of these files (by default all) by name, bases before their users.

    `known` formats may be their bases. Raises DefinitionError with file and line.
    """
    known = known or {}
    files: dict[str, TomlFile] = {}
    for path in definition_files("ingest/formats", ".toml") if paths is None else paths:
        file = read_toml(path)
        name = _top(file).text("format")
        if (other := files.get(name) or known.get(name)) is not None:
            file.fail("format", f"format {name!r} is defined in {other.path} too; give one another name")
        files[name] = file
    formats: dict[str, model.LogFormat] = {}
    shared = SharedDefinitions()

    def build(name: str, users: tuple[str, ...]) -> model.LogFormat:
        if name in known:
            return known[name]
        if name not in formats:
            file = files[name]
            base_name = _top(file).text_or_none("base")
            base = None
            if base_name is not None:
                if base_name not in files and base_name not in known:
                    file.fail("base", f"no format {base_name!r}; known: {', '.join(sorted({*files, *known}))}")
                if base_name in (*users, name):
                    file.fail("base", f"bases go in a circle: {' -> '.join((*users, name, base_name))}")
                base = build(base_name, (*users, name))
            formats[name] = _read(file, base, shared)
        return formats[name]

    for name in files:
        build(name, ())
    return formats


def _top(file: TomlFile) -> Table:
    # Unknown keys are told with all other problems of the file.
    return Table(file, "", {key: value for key, value in file.data.items() if key in _TOP}, _TOP)


def _read(file: TomlFile, base: model.LogFormat | None, shared: SharedDefinitions) -> model.LogFormat:
    top = _top(file)
    # A format without a base inherits nothing.
    inherited = base or model.LogFormat("", file.path, 0, file)
    kind = top.choice("kind", model.FORMAT_KINDS, default=inherited.kind)
    problems = Problems()
    with problems.collected():
        file.refuse_unknown("", file.data, set(_TOP))
    with problems.collected():
        _refuse_keys_of_other_kinds(top, kind, inherited)
    # Stands for a wrong style, so that no list is refused for the lack of one.
    own_style: model.PairsStyle | None = model.PairsStyle(": ", (", ",))
    with problems.collected():
        own_style = parts.read_pairs(top.table("pairs", parts.PAIRS)) if "pairs" in top else None
    style = own_style or inherited.pairs
    sample_keys = format_detect.sample_keys(kind)
    own: dict[str, Any] = {}
    for read in (_plain_values, _recognition):
        with problems.collected():
            own |= read(top, kind, inherited)
    own_records: list[model.RecordDefinition] = []
    own_ignores: list[model.IgnoreDefinition] = []
    own_fields: dict[model.FieldKey, model.FieldDefinition] = {}
    own_facts: list[model.FactDefinition] = []
    samples: list[model.Sample] = []
    with problems.collected():
        own_records = _records(top, style, kind)
    with problems.collected():
        own_ignores = top.each("ignore", parts.IGNORE, parts.read_ignore)
    with problems.collected():
        # Each by itself, and then whether one name stands twice.
        top.each("field", parts.FIELD, lambda table: parts.read_fields([table]))
        own_fields = parts.read_fields(top.tables("field", parts.FIELD))
    with problems.collected():
        own_facts = top.each("fact", parts.FACT, parts.read_fact)
    with problems.collected():
        samples = top.each("sample", sample_keys, format_detect.read_sample)
    problems.check()
    records = _with_inherited(top, own_records, inherited, own_style)
    anchors = list(dict.fromkeys([*top.strings("anchors"), *inherited.anchors]))
    _check_names(top, records, anchors, shared)
    _check_count(top, kind, len(records))
    return model.LogFormat(
        path=file.path,
        file=file,
        kind=kind,
        anchors=tuple(anchors),
        pairs=style,
        records=tuple(records),
        ignores=(*own_ignores, *inherited.ignores),
        fields={**inherited.fields, **own_fields},
        facts=(*own_facts, *inherited.facts),
        csv=_csv(top, {**inherited.fields, **own_fields}) if "csv" in top else inherited.csv,
        samples=tuple(samples),
        base_samples=() if own_style is not None else (*inherited.samples, *inherited.base_samples),
        own_templates=_written(own_records, own_ignores),
        definitions_hash=shared.hash_of(file, base),
        **own,
    )


def _plain_values(top: Table, kind: str, inherited: model.LogFormat) -> dict[str, Any]:
    # Keys of the top that stand for themselves; all their problems are told at once.
    readers: dict[str, Callable[[], Any]] = {
        "name": lambda: top.text("format"),
        "version": lambda: top.whole_number("version"),
        "role": lambda: top.choice("role", model.ROLES, default=inherited.role),
        "framework": lambda: top.text_or_none("framework"),
        "implementation": lambda: top.text_or_none("implementation"),
        "default_rule": lambda: top.text_or_none("default_rule") or inherited.default_rule,
        "generic": lambda: top.flag("generic"),
        "documents": lambda: top.flag("documents"),
        "constants": lambda: {**inherited.constants, **parts.read_constants(top)},
        "run_starts": lambda: frozenset(top.strings("run_starts", sorted(inherited.run_starts))),
        "closing": lambda: top.text_or_texts("closing") or inherited.closing,
        "closing_after": lambda: top.choice_or_none("closing_after", model.KINDS) or inherited.closing_after,
        "has_planned_speed": lambda: top.flag("has_planned_speed") or inherited.has_planned_speed,
        "steps_are_passes": lambda: top.flag("steps_are_passes") or inherited.steps_are_passes,
        "self_describing": lambda: _self_describing(top, inherited.self_describing),
        "tracker": lambda: (
            top.table("tracker", ("file",)).choice("file", model.TRACKER_FILES) if kind == "tracker" else None
        ),
    }
    problems = Problems()
    values: dict[str, Any] = {}
    for name, read in readers.items():
        with problems.collected():
            values[name] = read()
    problems.check()
    return values


def _recognition(top: Table, kind: str, _: model.LogFormat) -> dict[str, Any]:
    # The parts of a LogFormat by which a log of this kind is recognised.
    detect = top.table("detect", format_detect.DETECT.get(kind, ()))
    if kind == "lines":
        meaning = "a proof is a list of literals that stand in one line, in this order"
        proofs = format_detect.lists_of_texts(detect, "proof", meaning)
        return {"proofs": proofs, "unproved": tuple(detect.strings("unless")), "alone": detect.flag("alone")}
    if kind == "json":
        keys = format_detect.read_keys(detect)
        return {"keys": keys, "embedded": detect.flag("embedded"), "alone": detect.flag("alone")}
    if kind == "sqlite":
        # A file is of the format if it has all tables of one list.
        return {"tables": format_detect.lists_of_texts(detect, "tables", "tables is a list of lists of table names")}
    if kind == "columns":
        return {"columns": format_rows.read_columns(top.table("columns", format_rows.COLUMNS))}
    if kind == "table":
        return {"table": format_rows.read_table(top.table("table", format_rows.TABLE))}
    return {}


def _with_inherited(
    top: Table, own: list[model.RecordDefinition], base: model.LogFormat, style: model.PairsStyle | None
) -> list[model.RecordDefinition]:
    own_names = {record.name for record in own}
    records = [*own, *(_restyled(record, base, style) for record in base.records if record.name not in own_names)]
    first_epoch = parts.read_first_epoch(top)
    return records if first_epoch is None else [_within_epochs(record, first_epoch) for record in records]


def _check_count(top: Table, kind: str, records: int) -> None:
    if kind in ("csv", "columns") and records != 1:
        shown = "CSV" if kind == "csv" else kind
        top.fail("record.1", f"a {shown} format has one [[record]]: its row")
    if kind == "table" and records not in (1, 2):
        top.fail("record.1", "a table format has one [[record]] for its rows, and may have one for the lines below")


def _check_names(
    top: Table, records: list[model.RecordDefinition], anchors: list[str], shared: SharedDefinitions
) -> None:
    names = {record.name for record in records}
    for table in (*top.tables("fact", parts.FACT), *top.tables("field", parts.FIELD)):
        if "record" in table:
            table.known("record", "record", table.text("record"), names)
    for record in records:
        for template in record.templates if record.line_start else ():
            if not template.first_literal and not has_anchor(template, anchors):
                top.fail("anchors", f"{template.source!r} begins with a hole: it is found by an anchor, and needs one")
    for name in top.strings("run_starts"):
        top.known("run_starts", "record", name, names)
    if (framework := top.text_or_none("framework")) is not None:
        parts.fact_value(top, "framework", parts.fact_name(top, "framework", "framework"), framework)
    if (rule := top.text_or_none("default_rule")) is not None and rule not in shared.rules:
        near = suggestion(rule, shared.rules)
        listed = nearest(shared.rules, rule, "`bench query rules`")
        own = "a rule of your own needs `bench --definitions FOLDER`, with the rule in FOLDER/queries/rules"
        top.fail("default_rule", f"no rule {rule!r}{near}; known: {listed}; {own}")


def _written(
    records: list[model.RecordDefinition], ignores: list[model.IgnoreDefinition]
) -> dict[tuple[str, str], tuple[Written, ...]]:
    owners = [(record.name, record.templates) for record in records]
    owners += [(ignore.reason, ignore.templates) for ignore in ignores]
    return {(owner, template.source): template.written for owner, templates in owners for template in templates}


def _refuse_keys_of_other_kinds(top: Table, kind: str, base: model.LogFormat) -> None:
    shown = "CSV" if kind == "csv" else kind
    if kind != "lines":
        cure = {"json": "its keys", "sqlite": "its tables"}.get(kind, f"[{kind}]")
        for key in ("anchors", "pairs", "ignore", "run_starts", *(() if kind in format_detect.DETECT else ("detect",))):
            if key in top:
                top.fail(key, f"{key} has no effect in a {shown} format, which is recognised by {cure}")
    for own in ("csv", "columns", "table", "self_describing", "tracker"):
        if own == "self_describing" and kind == "tracker":
            # What its names mean, as in the lines of its base.
            continue
        inherited = (own == "csv" and base.csv is not None) or (
            own == "self_describing" and base.self_describing is not None
        )
        if (kind == own) != (own in top or inherited):
            top.fail(own if own in top else "kind", f'kind = "{own}" and a [{own}] table belong together')


def _records(top: Table, style: model.PairsStyle | None, kind: str) -> list[model.RecordDefinition]:
    records: list[model.RecordDefinition] = []
    common = top.table("json", format_rows.JSON_DOCUMENT if kind == "json" else format_rows.JSON)
    tables = top.tables("record", parts.RECORD)
    problems = Problems()
    if "json" in top and not any("json" in table for table in tables):
        top.fail("json", "no record has a json table, which these keys would be part of")
    for table in tables:
        with problems.collected():
            record = parts.read_record(_with_common(table, common), style, kind)
            if record.name in {known.name for known in records}:
                table.fail("name", f"record {record.name!r} occurs twice: give one record all of its templates")
            records.append(record)
    problems.check()
    return records


def _with_common(table: Table, common: Table) -> Table:
    own = table.data.get("json")
    if not isinstance(own, dict):
        return table
    return Table(table.file, table.place, {**table.data, "json": {**common.data, **own}}, table.known_keys)


def _within_epochs(record: model.RecordDefinition, first_epoch: int) -> model.RecordDefinition:
    own = record.first_epoch is not None or record.kind != "step"
    return record if own else replace(record, first_epoch=first_epoch)


def _restyled(
    record: model.RecordDefinition, base: model.LogFormat, style: model.PairsStyle | None
) -> model.RecordDefinition:
    # A record with a style of its own keeps it.
    if style is None or record.pairs != base.pairs or not any(template.has_pairs for template in record.templates):
        return record
    return replace(record, pairs=style)


def _csv(top: Table, fields: dict[model.FieldKey, model.FieldDefinition]) -> CsvDefinition:
    units = frozenset(vocabulary().spellings) | {unit for field in fields.values() for unit in field.units}
    return format_rows.read_csv(top.table("csv", format_rows.CSV), units)


def _self_describing(top: Table, inherited: SelfDescribing | None) -> SelfDescribing | None:
    if "self_describing" not in top:
        return inherited
    return format_rows.read_self_describing(top.table("self_describing", format_rows.SELF_DESCRIBING), inherited)
