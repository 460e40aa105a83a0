"""Reads the parts of a format that prove it: [detect] with proofs, keys or tables, and samples."""

from __future__ import annotations

import base64
from typing import Any

from benchledger.definitions import log_format as model
from benchledger.definitions.toml_table import Table

SAMPLE = ("text", "expect")
SQLITE_SAMPLE = ("tables", "expect")
TRACKER_SAMPLE = ("text", "base64", "name", "expect")
DETECT = {"lines": ("proof", "unless", "alone"), "json": ("keys", "embedded", "alone"), "sqlite": ("tables",)}


def read_keys(table: Table) -> tuple[tuple[str, ...], ...]:
    """Returns the keys of [detect]: a JSON document is of the format if it has all paths of one of the lists."""
    keys = lists_of_texts(table, "keys", "keys is a list of lists of dotted paths that the document must have")
    if not keys:
        table.fail("keys", 'a JSON format is recognised by its keys: [detect] keys = [["some.path", "another"]]')
    return keys


def lists_of_texts(table: Table, key: str, meaning: str) -> tuple[tuple[str, ...], ...]:
    """Returns a list of lists of non-empty texts; `meaning` is the error message for anything else."""
    lists = table.data.get(key, [])
    if not isinstance(lists, list) or not all(
        isinstance(entry, list) and entry and all(isinstance(text, str) and text for text in entry) for entry in lists
    ):
        table.fail(key, meaning)
    return tuple(tuple(entry) for entry in lists)


def sample_keys(kind: str) -> tuple[str, ...]:
    return {"sqlite": SQLITE_SAMPLE, "tracker": TRACKER_SAMPLE}.get(kind, SAMPLE)


def read_sample(table: Table) -> model.Sample:
    expect = table.data.get("expect", [])
    if isinstance(expect, list):
        expect = [table.one_table("expect", entry) for entry in expect]
    if not isinstance(expect, list) or not all(isinstance(entry, dict) for entry in expect):
        table.fail("expect", 'expect is a list of tables, one a piece: [{ record = "step", step = 1 }]')
    for entry in expect:
        if not {"record", "reject", "ignored"} & set(entry):
            table.fail("expect", f"each piece is a record, a reject or ignored, but {entry!r} states none of them")
    if "tables" in table.known_keys:
        return model.Sample(table.place, "", tuple(expect), _sample_tables(table))
    pieces = tuple(piece for entry in expect for piece in _pieces(table, entry))
    if "base64" in table.data:
        return model.Sample(table.place, "", pieces, data=_binary(table), name=table.text_or_none("name") or "")
    name = table.text_or_none("name") if "name" in table.known_keys else None
    return model.Sample(table.place, table.text("text"), pieces, name=name or "")


def _binary(table: Table) -> bytes:
    try:
        return base64.b64decode("".join(table.text("base64").split()), validate=True)
    except ValueError:
        table.fail("base64", "base64 is the bytes of a file, as `base64 FILE` prints them")


def _pieces(table: Table, entry: dict[str, Any]) -> list[dict[str, Any]]:
    # `each` stands for one piece per value, as for settings that each have a line of their own.
    if "each" not in entry:
        return [entry]
    each, unit = entry["each"], entry.get("units")
    if not isinstance(each, dict) or not each or not isinstance(unit, str | None):
        table.fail("expect", f"each is a table of values, and units the unit of all of them: {entry!r}")
    rest = {key: value for key, value in entry.items() if key not in ("each", "units")}
    return [rest | {name: value} | ({"units": {name: unit}} if unit else {}) for name, value in each.items()]


def _sample_tables(table: Table) -> dict[str, list[list[Any]]]:
    tables = table.any_values("tables")
    for name, lines in tables.items():
        if not isinstance(lines, list) or not lines or not all(isinstance(line, list) for line in lines):
            table.fail("tables", f"table {name!r} is a list of rows, the first of them its column names")
    return tables
