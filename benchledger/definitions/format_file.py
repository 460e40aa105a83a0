"""Reads ingest/formats/*.toml into LogFormat and refuses every mistake with its file and line."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from benchledger.definitions import log_format as model
from benchledger.definitions.folders import definition_files
from benchledger.definitions.template import Template, TemplateError, parse_template
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.vocabulary import vocabulary
from benchledger.errors import DefinitionError

# Part of every definitions hash: raise it when the engine reads the same definition in another way.
ENGINE_VERSION = 1

_TOP = {
    "format", "version", "framework", "implementation", "kind", "role", "base", "generic", "anchors", "pairs", "detect",
    "record", "ignore", "field", "fact", "run_starts", "closing", "default_rule", "csv", "sample", "about",
}  # fmt: skip
_RECORD = {"name", "kind", "templates", "pairs", "json", "status"}
_FIELD = {"name", "quantity", "unit", "units", "scope", "phase", "expand"}
_FACT = {"name", "from", "record", "least", "values", "contains", "ranges", "always", "total", "repeats", "unless"}


def read_formats(paths: list[Path] | None = None) -> dict[str, model.LogFormat]:
    """Every format by name, bases before those that use them. Raises DefinitionError with file and line."""
    files: dict[str, TomlFile] = {}
    for path in definition_files("ingest/formats", ".toml") if paths is None else paths:
        file = read_toml(path)
        name = _text(file, "", file.data, "format")
        if name in files:
            file.fail("format", f"format {name!r} is defined in {files[name].path} too; give one another name")
        files[name] = file
    formats: dict[str, model.LogFormat] = {}

    def build(name: str, users: tuple[str, ...]) -> model.LogFormat:
        if name not in formats:
            file = files[name]
            base_name = file.data.get("base")
            base = None
            if base_name is not None:
                if base_name not in files:
                    file.fail("base", f"no format {base_name!r}; known: {', '.join(sorted(files))}")
                if base_name in (*users, name):
                    file.fail("base", f"bases go in a circle: {' -> '.join((*users, name, base_name))}")
                base = build(base_name, (*users, name))
            formats[name] = _FormatReader(file, base).read()
        return formats[name]

    for name in files:
        build(name, ())
    return formats


def all_formats_hash(formats: dict[str, model.LogFormat]) -> str:
    """What an unrecognised log was read under: any new or changed format may recognise it."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(formats):
        digest.update(formats[name].definitions_hash.encode())
    return digest.hexdigest()


@cache
def leads() -> tuple[Template, ...]:
    """The shared templates of what stands before a record: mpirun prefixes, progress bars."""
    return _lead_templates()


def leads_file() -> TomlFile:
    """The file ingest/leads.toml."""
    for path in definition_files("ingest", ".toml"):
        if path.name == "leads.toml":
            return read_toml(path)
    raise DefinitionError("ingest/leads.toml:1: missing. Reinstall benchledger")


def _lead_templates() -> tuple[Template, ...]:
    file = leads_file()
    file.refuse_unknown("", file.data, {"templates", "sample"})
    found = []
    for source in file.data.get("templates", []):
        try:
            found.append(parse_template(source, anywhere=True))
        except TemplateError as error:
            file.fail("templates", f"template {source!r}: {error}")
    return tuple(found)


class _FormatReader:
    def __init__(self, file: TomlFile, base: model.LogFormat | None) -> None:
        self.file = file
        self.data = file.data
        self.base = base
        self.own_templates: set[tuple[str, str]] = set()

    def read(self) -> model.LogFormat:
        file, data, base = self.file, self.data, self.base
        file.refuse_unknown("", data, _TOP)
        kind = self.choice("", data, "kind", ("lines", "csv"), default=base.kind if base else "lines")
        pairs = self.pairs("pairs", data["pairs"]) if "pairs" in data else None
        records = [self.record(f"record.{i}", t, pairs, kind) for i, t in enumerate(self.tables("record"))]
        ignores = [self.ignore(f"ignore.{i}", t) for i, t in enumerate(self.tables("ignore"))]
        fields = self.fields()
        facts = [self.fact(f"fact.{i}", t) for i, t in enumerate(self.tables("fact"))]
        anchors = tuple(self.strings("anchors", data.get("anchors", [])))
        if base is not None:
            own_names = {record.name for record in records}
            records += [self.restyle(record, pairs) for record in base.records if record.name not in own_names]
            ignores += base.ignores
            fields = {**base.fields, **fields}
            facts += base.facts
            anchors += tuple(anchor for anchor in base.anchors if anchor not in anchors)
        names = {record.name for record in records}
        for index, fact in enumerate(facts[: len(self.tables("fact"))]):
            if fact.record is not None and fact.record not in names:
                file.fail(f"fact.{index}.record", f"no record {fact.record!r}; records: {', '.join(sorted(names))}")
        run_starts = self.strings("run_starts", data.get("run_starts", sorted(base.run_starts) if base else []))
        for start in run_starts:
            if start not in names:
                file.fail("run_starts", f"no record {start!r}; records: {', '.join(sorted(names))}")
        csv = self.csv("csv", data["csv"]) if "csv" in data else (base.csv if base else None)
        if kind == "csv" and len(records) != 1:
            file.fail("record", "a CSV format has one [[record]]: its row")
        if (kind == "csv") != (csv is not None):
            file.fail("kind", 'kind = "csv" and a [csv] table belong together')
        return model.LogFormat(
            name=data["format"],
            path=file.path,
            version=self.number("", data, "version"),
            kind=kind,
            role=self.choice("", data, "role", model.ROLES, default=base.role if base else "train"),
            framework=self.known_fact("framework", data.get("framework")),
            implementation=data.get("implementation"),
            default_rule=data.get("default_rule", base.default_rule if base else None),
            generic=bool(data.get("generic", False)),
            anchors=anchors,
            proofs=self.proofs(),
            records=tuple(records),
            ignores=tuple(ignores),
            fields=fields,
            facts=tuple(facts),
            run_starts=frozenset(run_starts),
            closing=data.get("closing", base.closing if base else None),
            csv=csv,
            samples=tuple(self.sample(f"sample.{i}", t) for i, t in enumerate(self.tables("sample"))),
            own_templates=frozenset(self.own_templates),
            definitions_hash=self.hash(),
            lines=file.lines,
        )

    # --- parts -------------------------------------------------------------------------------------------------

    def record(
        self, place: str, table: dict[str, Any], style: model.PairsStyle | None, format_kind: str
    ) -> model.RecordDefinition:
        self.file.refuse_unknown(place, table, _RECORD)
        name = _text(self.file, place, table, "name")
        kind = self.choice(place, table, "kind", model.KINDS)
        if format_kind == "csv":
            if "templates" in table:
                self.file.fail(f"{place}.templates", "the record of a CSV format is a row: it has no templates")
            return model.RecordDefinition(name, kind, ())
        own_style = self.pairs(f"{place}.pairs", table["pairs"]) if "pairs" in table else style
        json = self.json(f"{place}.json", table["json"]) if "json" in table else None
        templates = self.templates(place, table, name)
        for template in templates:
            if template.tail == "pairs" and own_style is None:
                self.file.fail(
                    f"{place}.templates",
                    f"template {template.source!r} ends in {{pairs}}, but no [pairs] style is given",
                )
            if (template.tail == "json") != (json is not None):
                self.file.fail(
                    f"{place}.templates", "a template that ends in {json} and a [record.json] table belong together"
                )
        status = self.choice(place, table, "status", model.STATUSES) if "status" in table else None
        if status and kind != "event":
            self.file.fail(f"{place}.status", 'only a record of kind "event" can speak of a run\'s status')
        return model.RecordDefinition(name, kind, templates, own_style, json, status)

    def restyle(self, record: model.RecordDefinition, style: model.PairsStyle | None) -> model.RecordDefinition:
        if style is None or not any(template.tail == "pairs" for template in record.templates):
            return record
        return model.RecordDefinition(record.name, record.kind, record.templates, style, record.json, record.status)

    def ignore(self, place: str, table: dict[str, Any]) -> model.IgnoreDefinition:
        self.file.refuse_unknown(place, table, {"templates", "reason"})
        reason = _text(self.file, place, table, "reason")
        templates = self.templates(place, table, reason)
        for template in templates:
            if template.tail:
                self.file.fail(
                    f"{place}.templates", f"an ignored line states nothing: end {template.source!r} in {{*}}"
                )
        return model.IgnoreDefinition(templates, reason)

    def templates(self, place: str, table: dict[str, Any], owner: str) -> tuple[Template, ...]:
        found = []
        sources = self.strings(f"{place}.templates", table.get("templates"))
        if not sources:
            self.file.fail(f"{place}.templates", "at least one template is needed")
        for source in sources:
            try:
                found.append(parse_template(source))
            except TemplateError as error:
                self.file.fail(f"{place}.templates", f"template {source!r}: {error}")
            if (owner, source) in self.own_templates:
                self.file.fail(f"{place}.templates", f"template {source!r} stands twice")
            self.own_templates.add((owner, source))
        return tuple(found)

    def pairs(self, place: str, table: dict[str, Any]) -> model.PairsStyle:
        self.file.refuse_unknown(place, table, {"assign", "between", "end"})
        between = tuple(self.strings(f"{place}.between", table.get("between")))
        if not between or not all(between):
            self.file.fail(f"{place}.between", '`between` lists what stands between two pairs, for example [", "]')
        return model.PairsStyle(_text(self.file, place, table, "assign"), between, table.get("end"))

    def json(self, place: str, table: dict[str, Any]) -> model.JsonMap:
        self.file.refuse_unknown(place, table, {"values", "where", "has", *model.COLUMNS})
        columns = {key: _text(self.file, place, table, key) for key in table if key in model.COLUMNS}
        has = tuple(self.strings(f"{place}.has", table.get("has", [])))
        return model.JsonMap(_text(self.file, place, table, "values"), columns, dict(table.get("where", {})), has)

    def fields(self) -> dict[str, model.FieldDefinition]:
        found: dict[str, model.FieldDefinition] = {}
        words = vocabulary()
        for index, table in enumerate(self.tables("field")):
            place = f"field.{index}"
            self.file.refuse_unknown(place, table, _FIELD)
            name = _text(self.file, place, table, "name")
            if name in found:
                self.file.fail(f"{place}.name", f"field {name!r} stands twice")
            units: dict[str, tuple[str, float]] = {}
            for logged, meaning in table.get("units", {}).items():
                unit, scale = (meaning, 1.0) if isinstance(meaning, str) else (meaning[0], float(meaning[1]))
                units[logged] = (self.listed(f"{place}.units", "unit", unit, words.units), scale)
            found[name] = model.FieldDefinition(
                name=name,
                quantity=self.listed(f"{place}.quantity", "quantity", table.get("quantity"), words.quantities),
                unit=self.listed(f"{place}.unit", "unit", table.get("unit"), words.units),
                units=units,
                scope=self.listed(f"{place}.scope", "scope", table.get("scope"), frozenset(model.SCOPES)),
                phase=self.listed(f"{place}.phase", "phase", table.get("phase"), frozenset(model.PHASES)),
                expand=self.expansion(f"{place}.expand", table["expand"]) if "expand" in table else None,
            )
        return found

    def expansion(self, place: str, table: dict[str, Any]) -> model.Expansion:
        self.file.refuse_unknown(place, table, {"after", "assign", "between", "end"})
        style = self.pairs(place, {key: value for key, value in table.items() if key != "after"})
        return model.Expansion(_text(self.file, place, table, "after"), style)

    def fact(self, place: str, table: dict[str, Any]) -> model.FactDefinition:
        self.file.refuse_unknown(place, table, _FACT)
        name = _text(self.file, place, table, "name")
        self.known_fact(name, None, place)
        ways = [key for key in ("values", "contains", "ranges", "always", "total", "repeats") if key in table]
        if len(ways) > 1:
            self.file.fail(place, f"one way to read a value is enough, not {' and '.join(ways)}")
        stated = [*table.get("values", {}).values(), *table.get("contains", {}).values()]
        stated += [entry[2] for entry in table.get("ranges", [])] + ([table["always"]] if "always" in table else [])
        for value in stated:
            self.known_fact(name, value, place)
        return model.FactDefinition(
            name=name,
            source=_text(self.file, place, table, "from"),
            record=table.get("record"),
            least=bool(table.get("least", False)),
            values=table.get("values"),
            contains=table.get("contains"),
            ranges=tuple((float(a), float(b), c) for a, b, c in table["ranges"]) if "ranges" in table else None,
            always=table.get("always"),
            total=bool(table.get("total", False)),
            repeats=bool(table.get("repeats", False)),
            unless=tuple(table.get("unless", ())),
        )

    def csv(self, place: str, table: dict[str, Any]) -> model.CsvDefinition:
        self.file.refuse_unknown(place, table, {"columns", "headers", "headerless"})
        for column in table.get("columns", {}).values():
            self.listed(f"{place}.columns", "record column", column, frozenset(model.COLUMNS))
        lists = []
        for entry in table.get("headerless", []):
            for column in entry:
                self.file.refuse_unknown(f"{place}.headerless", column, {"name", "number", "unit", "least", "most"})
            lists.append(tuple(model.CsvColumn(**{"number": True, **column}) for column in entry))
        headers = tuple(self.strings(f"{place}.headers", table.get("headers", [])))
        return model.CsvDefinition(dict(table.get("columns", {})), headers, tuple(lists))

    def proofs(self) -> tuple[tuple[str, ...], ...]:
        table = self.data.get("detect", {})
        self.file.refuse_unknown("detect", table, {"proof"})
        proofs = table.get("proof", [])
        if not all(
            isinstance(proof, list) and proof and all(isinstance(x, str) and x for x in proof) for proof in proofs
        ):
            self.file.fail("detect.proof", "a proof is a list of literals that stand in one line, in this order")
        return tuple(tuple(proof) for proof in proofs)

    def sample(self, place: str, table: dict[str, Any]) -> model.Sample:
        self.file.refuse_unknown(place, table, {"text", "expect"})
        return model.Sample(place, _text(self.file, place, table, "text"), tuple(table.get("expect", [])))

    # --- checks ------------------------------------------------------------------------------------------------

    def tables(self, key: str) -> list[dict[str, Any]]:
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.file.fail(key, f"{key} is a list of tables: write [[{key}]]")
        return value

    def strings(self, place: str, value: Any) -> list[str]:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            self.file.fail(place, f"{place.rpartition('.')[2]} is a list of strings")
        return list(value)

    def choice(
        self, place: str, table: dict[str, Any], key: str, known: tuple[str, ...], default: str | None = None
    ) -> str:
        value = table.get(key, default)
        if value not in known:
            self.file.fail(
                f"{place}.{key}" if place else key, f"{key} must be one of {', '.join(known)}, not {value!r}"
            )
        return str(value)

    def listed(self, place: str, what: str, value: str | None, known: frozenset[str]) -> Any:
        if value is not None and value not in known:
            self.file.fail(place, f"no {what} {value!r}; known: {', '.join(sorted(known))}")
        return value

    def known_fact(self, name: str, value: str | None, place: str = "") -> str | None:
        facts = vocabulary().facts
        if name not in facts:
            self.file.fail(f"{place}.name", f"no fact {name!r}; known: {', '.join(facts)}")
        if value is not None and facts[name].canonical(value) != value:
            self.file.fail(
                place or name,
                f"{value!r} is no value of {name}; known: {', '.join(facts[name].values) or facts[name].type}",
            )
        return value

    def number(self, place: str, table: dict[str, Any], key: str) -> int:
        value = table.get(key)
        if not isinstance(value, int):
            self.file.fail(f"{place}.{key}" if place else key, f"{key} must be a whole number, not {value!r}")
        return value

    def hash(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        digest.update(f"engine {ENGINE_VERSION}".encode())
        if self.base is not None:
            digest.update(self.base.definitions_hash.encode())
        for path in (self.file.path, leads_file().path, *definition_files("schema/vocabulary", ".toml")):
            digest.update(path.read_bytes())
        return digest.hexdigest()


def _text(file: TomlFile, place: str, table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        file.fail(f"{place}.{key}" if place else key, f"{key} must be a text, not {value!r}")
    return value
