"""Writes into docs/rejects.md why pieces and files of the logs that are given are in no table."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import benchledger
from benchledger.exports.markdown import markdown_table
from benchledger.exports.values import text_rows
from benchledger.redaction.samples import shown as masked
from docs.make_audit import replaced

if TYPE_CHECKING:
    import polars as pl

PAGE = Path(__file__).resolve().parent / "rejects.md"


def reasons_text(db: Path, kind: str) -> str:
    """A table of the reasons of one kind, reject or ignored, with a piece of each."""
    found = benchledger.query("reject-reasons", db=db, kind=kind).drop("kind")
    return _table(found if kind == "reject" else found.drop("text"))


def unread_text(db: Path) -> str:
    """A table of the reasons why whole files are in no table, with one of them."""
    return _table(benchledger.query("unrecognised-reasons", db=db, depth=1).drop("folder"))


def _table(found: pl.DataFrame) -> str:
    # A ledger has a key of its own, and with it pseudonyms of its own.
    rows = [[masked(cell) for cell in row] for row in text_rows(found)]
    return markdown_table(found.columns, rows, [dtype.is_numeric() for dtype in found.dtypes])


def written(page: str, db: Path) -> str:
    """The page with the tables of a ledger."""
    for kind in ("reject", "ignored"):
        page = replaced(page, kind, reasons_text(db, kind))
    return replaced(page, "unread", unread_text(db))


def main(logs: list[str]) -> None:
    """Writes the page anew, of a new ledger of the logs."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "bench.duckdb"
        benchledger.ingest(*map(Path, logs), db=db)
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), db), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
