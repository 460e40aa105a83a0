"""Reads the templates of a record or an ignore.

A template with `{name}` stands for one template per name in `names`.
"""

from __future__ import annotations

from dataclasses import replace

from benchledger.definitions.template import (
    HOLE_TYPES,
    NAME,
    VALUE,
    Template,
    TemplateError,
    Written,
    names_asked,
    parse_template,
    with_name,
)
from benchledger.definitions.toml_table import Table


def read_templates(table: Table, *, anywhere: bool = False) -> tuple[Template, ...]:
    """Returns the templates with each name inserted; `anywhere`: they may begin with a hole."""
    names = _names(table)
    found: dict[Template, None] = {}
    used = False
    for index, source in enumerate(table.strings("templates")):
        place = f"templates.{index}"
        written = Written("template", source, table.where(place))
        holes = names_asked(source) if names else set()
        used = used or bool(holes)
        if holes and holes != {NAME, VALUE}:
            table.fail(place, f"template {source!r} needs both {{{NAME}}} and {{{VALUE}}}")
        for name, kind in names if holes else [(written, "")]:
            shown = with_name(source, name.text, kind) if holes else source
            try:
                template = parse_template(shown, anywhere=anywhere)
            except TemplateError as error:
                table.fail(place, f"template {shown!r}: {error}")
            if template in found:
                table.fail(place, f"template {shown!r} occurs twice")
            found[replace(template, written=(written, name) if holes else (written,))] = None
    if not found:
        table.fail("templates", "at least one template is needed")
    if names and not used:
        table.fail("names", f"no template has a {{{NAME}}} in which these names would stand")
    return tuple(found)


def _names(table: Table) -> list[tuple[Written, str]]:
    """Returns `names` in the order of the file, each with the type of its value."""
    if "names" not in table:
        return []
    by_type = table.table("names", HOLE_TYPES)
    found: dict[str, tuple[Written, str]] = {}
    for kind in by_type.data:
        for index, name in enumerate(by_type.strings(kind)):
            if name in found:
                by_type.fail(f"{kind}.{index}", f"name {name!r} occurs twice")
            found[name] = (Written("name", name, by_type.where(f"{kind}.{index}")), kind)
    if not found:
        table.fail("names", 'names lists names by the type of their values: { int = ["batch_size"] }')
    return list(found.values())
