"""Numbers that others publish: the cells of a document's tables, with the case and rule that the document states."""

from __future__ import annotations

import math
import re
from typing import Any

from benchledger.definitions.folders import definition_files
from benchledger.definitions.rules import SPEED_UNITS, load_rules
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary

# In the order of table published.
COLUMNS = (
    "source", "revision", "section", "cell", "framework", "implementation", "model", "task", "precision",
    "batch_size_per_gpu", "nodes", "gpus", "seq_len", "gradient_accumulation", "gpu_model", "logs", "rule", "quantity",
    "printed", "value", "unit", "url", "note",
)  # fmt: skip
CASE = COLUMNS[COLUMNS.index("framework") : COLUMNS.index("logs")]
QUANTITIES = ("speed", "speedup")
# A number as documents print it: 208.58, 1,234.5, 2e-05; 208,58 is none.
NUMBER = r"[-+]?(?:\d{1,3}(?:[,，]\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
# Spellings of an empty cell in documents.
NOTHING = ("", "-", "--", "——")
# Keys of a whole file that a table, a column or a row may state again; the innermost wins.
_STATEMENTS = (*CASE, "logs", "rule", "quantity", "unit", "note")
_FILE_KEYS = ("source", "url", *_STATEMENTS, "table")
_TABLE_KEYS = ("revision", "section", "url", *_STATEMENTS, "columns", "cells")


def load_published() -> list[dict[str, Any]]:
    """Returns every number of queries/published/, in order: what its document states, by column of table published.

    Raises DefinitionError with file and line.
    """
    rules = frozenset(rule.rule for rule in load_rules())
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for path in definition_files("queries/published", ".toml"):
        file = read_toml(path)
        document = Table(file, "", file.data, _FILE_KEYS)
        for table in document.tables("table", _TABLE_KEYS):
            for cell in _cells(document, table, rules):
                key = tuple(cell.get(column) for column in ("source", "revision", "section", "cell", "quantity"))
                if key in found:
                    table.fail("cells", f"two numbers stand for {cell['cell']}: tell their rows or columns apart")
                found[key] = cell
    return list(found.values())


def _cells(document: Table, table: Table, rules: frozenset[str]) -> list[dict[str, Any]]:
    shared = {
        "source": document.text("source"),
        "url": table.text_or_none("url") or document.text_or_none("url"),
        "revision": table.text_or_none("revision"),
        "section": table.text("section"),
        "quantity": "speed",
        **_statements(document, document.data, rules),
        **_statements(table, table.data, rules),
    }
    columns = [_statements(column, column.data, rules) for column in table.tables("columns", _STATEMENTS)]
    cells: list[dict[str, Any]] = []
    for entry in table.lists("cells"):
        if len(entry) != len(columns) + 1:
            table.fail("cells", f"a row has what it is of and {len(columns)} numbers, as columns says, not {entry!r}")
        case = table.one_table("cells", entry[0])
        row = _statements(Table(table.file, table.where("cells"), case, _STATEMENTS), case, rules)
        for column, printed in zip(columns, entry[1:], strict=True):
            value = _number(table, printed)
            if value is not None:
                facts = shared | row | column | {"printed": printed.strip(), "value": value}
                cells.append(facts | {"cell": _name(row | column), "unit": _unit(table, facts)})
    if not cells:
        table.fail("cells", 'the table has no number: cells = [[{ gpus = 1 }, "127.09"]] would be one')
    return cells


def _name(stated: dict[str, Any]) -> str:
    case = [f"{key}={stated[key]}" for key in CASE if key in stated]
    return ", ".join([*case, *([stated["quantity"]] if stated.get("quantity", "speed") != "speed" else [])])


def _statements(table: Table, data: dict[str, Any], rules: frozenset[str]) -> dict[str, Any]:
    stated: dict[str, Any] = {}
    for key in (key for key in _STATEMENTS if key in data):
        if key in CASE:
            stated[key] = _fact(table, key, data[key])
        elif key == "rule":
            stated[key] = table.known(key, key, table.text(key), rules)
        elif key == "quantity":
            stated[key] = table.choice(key, QUANTITIES)
        elif key == "unit":
            stated[key] = table.choice(key, SPEED_UNITS)
        else:
            stated[key] = table.text(key)
    return stated


def _fact(table: Table, name: str, stated: Any) -> str | int:
    fact = vocabulary().facts[name]
    value = fact.declared(str(stated)) if isinstance(stated, str | int) and not isinstance(stated, bool) else None
    if value is None:
        known = f"one of {', '.join(fact.values)}" if fact.values else f"a {fact.type}"
        table.fail(name, f"{name} must be {known}, not {stated!r}")
    return int(value) if fact.type in ("count", "size", "integer") else value


def _number(table: Table, printed: Any) -> float | None:
    # As text: 1018.40 shows the number of printed digits, and 1018.4 does not.
    if not isinstance(printed, str):
        table.fail("cells", f'write a number as it is printed, in quotes: "{printed}"')
    if printed.strip() in NOTHING:
        return None
    value = float(re.sub("[,，]", "", printed)) if re.fullmatch(NUMBER, printed.strip()) else math.nan
    if not math.isfinite(value):
        table.fail("cells", f'{printed!r} is no number; "-" stands for nothing')
    return value


def _unit(table: Table, facts: dict[str, Any]) -> str:
    if facts["quantity"] == "speedup":
        return "1"
    if "unit" not in facts:
        table.fail("", 'a speed has a unit: unit = "samples/s"')
    return str(facts["unit"])
