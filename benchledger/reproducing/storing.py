"""Keeps the verdicts of a page in table published of a ledger, in place of those that it has of the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchledger.reproducing.verdicts import Cell
from benchledger.store.database import open_for_writing

_COLUMNS = (
    "source", "section", "cell", "framework", "model", "precision", "batch_size_per_gpu", "nodes", "gpus", "seq_len",
    "gradient_accumulation", "quantity", "printed", "value", "unit", "line", "verdict", "found_value", "found_rule",
    "found_run",
)  # fmt: skip
_DELETE = "delete from published where verdict is not null and source = $source"
_INSERT = f"""
insert into published ({", ".join(_COLUMNS)})
values ({", ".join(f"${name}" for name in _COLUMNS)})
"""  # noqa: S608 - the names are those above


def store(db: Path, pages: Sequence[tuple[str, Sequence[Cell]]]) -> None:
    """Stores the verdicts of pages in one transaction. Raises DatabaseError for a ledger that cannot be written."""
    con = open_for_writing(db, make=False)
    try:
        con.begin()
        for page, cells in pages:
            con.execute(_DELETE, {"source": page})
            rows = [_row(page, cell) for cell in cells]
            if rows:
                con.executemany(_INSERT, rows)
        con.commit()
    finally:
        con.close()


def _row(page: str, cell: Cell) -> dict[str, Any]:
    claim = cell.claim
    row: dict[str, Any] = dict.fromkeys(_COLUMNS)
    row |= {
        # What only this module reads, such as the largest batch size, is no fact of a case.
        name: value for name, value in claim.facts.items() if name in _COLUMNS and value not in ("max", "some")
    }  # fmt: skip
    row |= {
        "source": page, "section": f"table {claim.table}, line {claim.table_line}",
        "cell": f"line {claim.line}, column {claim.column_number + 1}: {claim.row}, {claim.column}",
        "quantity": claim.unit.quantity, "printed": claim.printed, "value": claim.value * claim.unit.scale,
        "unit": claim.unit.unit or "not stated", "line": claim.line, "verdict": cell.verdict,
        "found_value": None if cell.ours is None else cell.ours * claim.unit.scale, "found_rule": cell.rule,
        "found_run": cell.run.run_id if cell.run is not None else None,
    }  # fmt: skip
    return row
