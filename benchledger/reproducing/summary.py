"""Verdicts and findings as frames, and the short text that a person reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchledger.reproducing.verdicts import EQUAL, NO_LOG, VERDICTS, Cell

if TYPE_CHECKING:
    import polars as pl

    from benchledger.reproducing.reproduce import PageResult

MOST_SHOWN = 12


def cells_frame(pages: Sequence[PageResult]) -> pl.DataFrame:
    import polars as pl

    types: dict[str, Any] = {
        "page": pl.String, "table": pl.Int64, "line": pl.Int64, "row": pl.String, "column": pl.String,
        "printed": pl.String, "value": pl.Float64, "quantity": pl.String, "unit": pl.String, "per_gpu": pl.Boolean,
        "stated": pl.String, "verdict": pl.String, "how": pl.String, "found": pl.Float64, "difference": pl.Float64,
        "rule": pl.String, "rule_is": pl.String, "tried": pl.Int64, "cells_fit": pl.Int64, "chance": pl.Float64,
        "runs": pl.List(pl.String), "logs": pl.List(pl.String), "findings": pl.List(pl.String),
    }  # fmt: skip
    rows = [_row(page, cell) for page in pages for cell in page.cells]
    return pl.DataFrame(rows, schema=types, orient="row")


def _row(page: PageResult, cell: Cell) -> list[Any]:
    claim, run = cell.claim, cell.run
    said = ", ".join(f"{name}={value}" for name, value in claim.facts.items() if name != "system")
    difference = None if cell.ours is None or not claim.value else (cell.ours / claim.value - 1) * 100
    notes = [finding.text for finding in page.findings if finding.line == claim.line] + cell.notes
    logs = [] if run is None else list(dict.fromkeys(place.shown for place in run.places))
    return [
        page.page, claim.table, claim.line, claim.row, claim.column, claim.printed, claim.value, claim.unit.quantity,
        claim.unit.unit, claim.unit.per_gpu, said, cell.verdict, cell.how, cell.ours, difference, cell.rule,
        cell.rule_is, cell.tried, len(cell.search.cells) if cell.search else None, cell.chance,
        [] if run is None else [run.facts["run_key"]], logs, notes,
    ]  # fmt: skip


def findings_frame(pages: Sequence[PageResult]) -> pl.DataFrame:
    import polars as pl

    rows = [[page.page, one.line, one.kind, one.text] for page in pages for one in page.findings]
    rows += [[page.page, line, "unread", text] for page in pages for line, text in page.unread]
    types: dict[str, Any] = {"page": pl.String, "line": pl.Int64, "kind": pl.String, "text": pl.String}
    return pl.DataFrame(rows, schema=types, orient="row")


def counts_frame(pages: Sequence[PageResult]) -> pl.DataFrame:
    import polars as pl

    rows = []
    for page in pages:
        tables = dict.fromkeys((cell.claim.table, cell.claim.table_line, cell.claim.title) for cell in page.cells)
        for table, line, title in tables:
            verdicts = Counter(cell.verdict for cell in page.cells if cell.claim.table == table)
            rows.append([page.page, line, title, *(verdicts[name] for name in VERDICTS)])
    types: dict[str, Any] = {"page": pl.String, "line": pl.Int64, "table": pl.String}
    types |= dict.fromkeys(VERDICTS, pl.Int64)
    return pl.DataFrame(rows, schema=types, orient="row")


def sentences(pages: Sequence[PageResult], brief: bool) -> list[str]:
    """Returns the cells that are not equal, searched rules, findings and unread places, a sentence each."""
    most = MOST_SHOWN if brief else None
    said: list[str] = []
    for page in pages:
        at = "line " if len(pages) == 1 else f"{page.page}:"
        off = [_sentence(at, cell) for cell in page.cells if cell.verdict not in (EQUAL, NO_LOG)]
        said += _shortened(off, most, "cells that are not equal")
        said += _shortened(_searches(page), most, "rules")
        said += _shortened([f"{at}{one.line}: {one.text}" for one in page.findings], most, "findings")
        said += _shortened([f"{at}{line}: not read: {text}" for line, text in page.unread], most, "places not read")
        if not page.cells:
            said.append(f"{page.page}: no table with measured numbers was recognised")
    return said


def _sentence(at: str, cell: Cell) -> str:
    claim = cell.claim
    off = "" if cell.ours is None or not claim.value else f" ({(cell.ours / claim.value - 1) * 100:+.3g} %)"
    ours = "" if cell.ours is None else f"; {cell.rule} gives {cell.ours:.8g}{off}"
    run = "" if cell.run is None else f"; run {cell.run.facts['run_key']}"
    run += f", {cell.run.places[0].shown}" if cell.run is not None and cell.run.places else ""
    return f"{at}{claim.line}: {cell.verdict}: {claim.row}, {claim.column}: {claim.printed}{ours}{run}"


def _searches(page: PageResult) -> list[str]:
    found = dict.fromkeys(cell.search for cell in page.cells if cell.search is not None)
    return [
        f"found by search among {one.tried} rules: {one.rule} fits {len(one.cells)} of {one.of} cells; "
        f"chance fits as many in {one.chance:.2g} of such searches"
        for one in found
    ]  # fmt: skip


def _shortened(said: list[str], most: int | None, what: str) -> list[str]:
    if most is None or len(said) <= most:
        return said
    return [*said[:most], f"{len(said) - most} more {what}: bench -v reproduce"]
