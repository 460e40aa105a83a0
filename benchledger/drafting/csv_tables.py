"""Recognises a CSV table and tells the user which definition reads it."""

from __future__ import annotations

import re

from benchledger.drafting.name_guesses import name_guesses
from benchledger.errors import UsageError

_NAME = re.compile(r"[A-Za-z_][\w ./%@()\[\]-]*\Z")
_LEAST_CELLS, _LEAST_ROWS = 2, 3


def refuse_csv(lines: tuple[str, ...]) -> None:
    """Raises UsageError for the lines of a CSV file with a header, and describes the format that it needs."""
    header = [cell.strip().strip('"') for cell in lines[0].split(",")]
    rows = [line.split(",") for line in lines[1:]]
    fitting = sum(len(row) == len(header) and any(_is_number(cell) for cell in row) for row in rows)
    if len(header) < _LEAST_CELLS or not all(map(_NAME.match, header)) or fitting < max(_LEAST_ROWS, 0.9 * len(rows)):
        return
    columns = ", ".join(
        f'"{name}" = "{column}"' for name in header if (column := name_guesses().counter(name)) in ("step", "epoch")
    )
    together = ", ".join(f'"{name}"' for name in header)
    raise UsageError(
        'this is a CSV table, but drafts need lines of text. Write a format with `kind = "csv"`, a table'
        f" [csv] with `together = [[{together}]]`"
        + (f" and `columns = {{ {columns} }}`" if columns else "")
        + ', one [[record]] without templates (name = "step", kind = "step"), a [[field]] for each value, and a'
        " [[sample]] of the header and a row: docs/formats-reference.md, CSV"
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
