"""Reads the shared templates of line prefixes from ingest/leads.toml."""

from __future__ import annotations

from functools import cache

from benchledger.definitions.folders import definition_files
from benchledger.definitions.template import Template, TemplateError, parse_template
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table


def leads_files() -> list[TomlFile]:
    """Returns the files ingest/leads.toml: the shipped one first, then the user's own."""
    return [read_toml(path) for path in definition_files("ingest", ".toml") if path.name == "leads.toml"]


@cache
def leads() -> tuple[Template, ...]:
    found = []
    for file in leads_files():
        table = Table(file, "", file.data, ("templates", "sample"))
        for source in table.strings("templates"):
            try:
                found.append(parse_template(source.rstrip(" "), anywhere=True))
            except TemplateError as error:
                table.fail("templates", f"template {source!r}: {error}")
    return tuple(found)
