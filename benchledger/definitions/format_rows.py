"""Reads the records of formats without lines: CSV, columns, tables, JSON, SQLite."""

from __future__ import annotations

from dataclasses import replace

from benchledger.definitions import file_maps
from benchledger.definitions import log_format as model
from benchledger.definitions.format_detect import lists_of_texts
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import PHASES, vocabulary

JSON = ("values", "where", "has", "unless", "named", "time_unit", *model.COLUMNS)
JSON_DOCUMENT = (*JSON, "each", "units", "steps")
_SQLITE = ("tables", "start", "end", "unit", "duration", "label", "names", "device", "values", "span")
CSV = ("columns", "headers", "headerless", "search", "long", "drop", "command", "units")
COLUMNS = ("columns", "headers", "date", "time")
TABLE = ("columns", "headers")
SELF_DESCRIBING = ("lines", "columns", "modes", "parts", "phases", "units")
_LONG = ("name", "unit", "value")
_COMMAND = ("columns", "no_header", "no_units")
_CSV_COLUMN = ("name", "unit", "least", "most")


# Keys that only records of line formats have, besides the map of a format's own kind.
_OF_LINES = (
    "templates", "pairs", "json", "sqlite", "begins_phase", "begins_scope", "word_start", "unit", "line_start", "pick",
    "names",
)  # fmt: skip


def read_row(table: Table, kind: str, record: model.RecordDefinition) -> model.RecordDefinition:
    """Returns the record of a format without lines: no templates, but for JSON and SQLite a map of its values."""
    shown = "CSV" if kind == "csv" else kind
    for key in _OF_LINES:
        if key in table and key != kind:
            table.fail(key, f"the record of a {shown} format is a row: it has no {key}")
    if kind == "json":
        return replace(record, json=read_json(table.table("json", JSON_DOCUMENT)))
    if kind == "sqlite":
        return replace(record, sqlite=_read_sqlite(table.table("sqlite", _SQLITE)))
    return record


def read_json(table: Table) -> file_maps.JsonMap:
    columns = {key: table.text(key) for key in table.data if key in model.COLUMNS}
    values = table.texts("values") if isinstance(table.data.get("values"), dict) else table.text("values")
    named = tuple(table.strings("named"))
    if named and len(named) != 2:
        table.fail("named", f"named is the path of a name and that of its value, not {list(named)}")
    return file_maps.JsonMap(
        values=values,
        columns=columns,
        where=table.any_values("where"),
        has=tuple(table.strings("has")),
        unless=table.any_values("unless"),
        each=table.text_or_none("each"),
        units=table.texts("units"),
        named=(named[0], named[1]) if named else None,
        time_unit=table.listed("time_unit", vocabulary().spellings),
        steps=table.texts("steps"),
    )


def _read_sqlite(table: Table) -> file_maps.SqliteMap:
    names = tuple(table.strings("names"))
    if names and len(names) != 3:
        table.fail("names", f"names is a table and its id and text columns, not {list(names)}")
    tables = tuple(table.strings("tables"))
    if not tables:
        table.fail("tables", "tables lists where the records stand")
    return file_maps.SqliteMap(
        tables=tables,
        start=table.text("start"),
        end=table.text("end"),
        unit=table.choice("unit", sorted(vocabulary().spellings)),
        duration=table.text("duration"),
        label=table.text_or_none("label"),
        names=names,
        device=table.text_or_none("device"),
        values=table.texts("values"),
        span=table.flag("span"),
    )


def read_csv(table: Table, units: frozenset[str]) -> file_maps.CsvDefinition:
    """Returns a [csv] table; `units` are the spellings that a column list may name."""
    columns = _record_columns(table)
    lists = []
    for entry in table.lists("headerless"):
        cells = [Table(table.file, table.where("headerless"), cell, _CSV_COLUMN) for cell in entry]
        lists.append(tuple(_csv_column(cell, units) for cell in cells))
        if not entry:
            table.fail("headerless", "a column list names at least one column")
    headers, search = _headers(table, "headers"), _headers(table, "search")
    if not headers and not lists and not search:
        table.fail("", "[csv] needs `headers` (column names that prove the format), `headerless` column lists, or both")
    long = table.table("long", _LONG)
    if "long" in table:
        long.text("name"), long.text("value")
    command = {key: table.table("command", _COMMAND).text(key) for key in _COMMAND} if "command" in table else {}
    bare = table.texts("units")
    for name, unit in bare.items():
        table.known("units", f"unit of {name}", unit, units)
    return file_maps.CsvDefinition(
        columns, headers, tuple(lists), search, table.texts("long"), tuple(table.strings("drop")), command, bare
    )


def _csv_column(cell: Table, units: frozenset[str]) -> file_maps.CsvColumn:
    unit = cell.text_or_none("unit")
    if unit is not None:
        cell.known("unit", "unit", unit, units)
    least, most = cell.number("least", float("-inf")), cell.number("most", float("inf"))
    return file_maps.CsvColumn(cell.text("name"), unit, least, most)


def read_columns(table: Table) -> file_maps.ColumnsDefinition:
    return file_maps.ColumnsDefinition(
        columns=_record_columns(table),
        headers=_some_headers(table),
        date=table.text_or_none("date"),
        time=table.text_or_none("time"),
    )


def read_table(table: Table) -> file_maps.TableDefinition:
    return file_maps.TableDefinition(_record_columns(table), _some_headers(table))


def read_self_describing(table: Table, base: file_maps.SelfDescribing | None) -> file_maps.SelfDescribing:
    """Returns a [self_describing] table; what it does not give is that of the base."""
    base = base or file_maps.SelfDescribing("", {}, (), {}, {})
    phases, units = table.texts("phases") or base.phases, table.texts("units") or base.units
    for phase in phases.values():
        table.known("phases", "phase", phase, PHASES)
    for unit in units.values():
        table.known("units", "unit", unit, vocabulary().spellings)
    return file_maps.SelfDescribing(
        lines=table.choice("lines", ("json", "dict", "csv")),
        columns=_record_columns(table) or base.columns,
        modes=tuple(table.strings("modes", base.modes)),
        phases=phases,
        units=units,
        parts=frozenset(table.strings("parts", tuple(base.parts))),
    )


def _record_columns(table: Table) -> dict[str, str]:
    columns = table.texts("columns")
    for column in columns.values():
        table.known("columns", "record column", column, model.COLUMNS)
    return columns


def _headers(table: Table, key: str) -> tuple[tuple[str, ...], ...]:
    return lists_of_texts(table, key, f"{key} is a list of lists of names: a header has all names of one list")


def _some_headers(table: Table) -> tuple[tuple[str, ...], ...]:
    if not (lists := _headers(table, "headers")):
        table.fail("headers", "headers is needed: it proves the format")
    return lists
