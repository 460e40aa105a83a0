"""`bench reproduce`: compares published numbers with the ledger's, stores the verdicts, and puts them in words."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.rows import reading
from benchledger.errors import UsageError
from benchledger.redaction.redactor import Redactor
from benchledger.reproducing.claims import claims_of
from benchledger.reproducing.evidence import Evidence, read_evidence
from benchledger.reproducing.findings import Finding, findings_of
from benchledger.reproducing.matching import Matcher
from benchledger.reproducing.page import read_page
from benchledger.reproducing.page_parts import Page
from benchledger.reproducing.verdicts import EQUAL, NO_LOG, VERDICTS, Cell, judge, without_unit
from benchledger.store.database import open_for_writing
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.real_names import redactor_of
from benchledger.store.scratch import work_folder

if TYPE_CHECKING:
    import polars as pl

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
MOST_SHOWN = 12


@dataclass(frozen=True)
class PageResult:
    """One page: its name as shown, its cells with their verdicts, what contradicts, and what was not read."""

    page: str
    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]
    unread: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Reproduction:
    pages: tuple[PageResult, ...]

    @property
    def all_equal(self) -> bool:
        """Whether there are cells, and all of them are equal."""
        verdicts = {cell.verdict for page in self.pages for cell in page.cells}
        return verdicts == {EQUAL}

    @property
    def cells(self) -> pl.DataFrame:
        """One row per printed number: where it stands, its case, verdict, our number, rule, runs, logs and findings."""
        return cells_frame(self.pages)

    @property
    def findings(self) -> pl.DataFrame:
        """One row per finding and unread place: page, line, kind and text."""
        return findings_frame(self.pages)


def reproduce(
    *pages: Path | str,
    logs: Path | str | Iterable[Path | str] = (),
    db: Path | str = DEFAULT_DB,
    keep: bool = False,
    tolerance: float = 0.5,
) -> Reproduction:
    """Compares the tables of pages (Markdown, HTML or CSV) with the numbers of their logs.

    `logs` are folders or archives, read into a ledger that is removed; with `keep` into `db`. Without `logs` the runs
    of `db` are compared. Verdicts are stored in table published of `db`, unless the ledger is removed. `tolerance`, in
    percent, is that of the verdict `within`. Raises UsageError for a page that cannot be read, and as `ingest` does.
    """
    if not pages:
        raise UsageError("name a page with tables: bench reproduce README.md --logs logs/")
    if not 0 <= tolerance < 100:
        raise UsageError(f"--tolerance {tolerance} must be a percentage from 0 to below 100")
    folders = tuple(Path(one) for one in ([logs] if isinstance(logs, str | os.PathLike) else logs))
    read = [(Path(page), read_page(Path(page))) for page in pages]
    with ExitStack() as opened:
        ledger = _ledger(folders, Path(db) if keep or not folders else None, opened)
        only = folders if keep else ()
        with reading(ledger, records=True) as con:
            evidence = read_evidence(con, ledger, only)
            redactor = redactor_of(ledger)
            results = [_result(path, page, evidence, tolerance / 100, redactor) for path, page in read]
        if keep or not folders:
            store(ledger, [(result.page, result.cells) for result in results])
    return Reproduction(tuple(results))


def _result(path: Path, page: Page, evidence: Evidence, tolerance: float, redactor: Redactor) -> PageResult:
    claims = claims_of(page)
    matcher = Matcher(page, path, evidence)
    cells = tuple(Cell(claim, matcher.candidates(claim)) for claim in claims.claims)
    judge(cells, evidence, tolerance)
    cells, unread = without_unit(cells)
    name = redactor.path(path.as_posix())
    findings = findings_of(name, cells, matcher, evidence)
    for cell in cells:
        row, column, title = map(redactor.text, (cell.claim.row, cell.claim.column, cell.claim.title))
        cell.claim = replace(cell.claim, row=row, column=column, title=title)
    return PageResult(
        name,
        cells,
        tuple(replace(finding, text=redactor.text(finding.text)) for finding in findings),
        tuple((line, redactor.text(text)) for line, text in sorted([*claims.unread, *unread])),
    )


def _ledger(folders: tuple[Path, ...], db: Path | None, opened: ExitStack) -> Path:
    """Returns the ledger to compare with; without `db` one that is removed when `opened` is closed."""
    if db is None:
        folder = opened.enter_context(work_folder())
        db = folder / DEFAULT_DB
    if folders:
        from benchledger.ingestion.ingest import ingest

        ingest(*folders, db=db, jobs=os.cpu_count() or 1)
    return db


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


def cells_frame(pages: Sequence[PageResult]) -> pl.DataFrame:
    import polars as pl

    types: dict[str, Any] = {
        "page": pl.String, "table": pl.Int64, "line": pl.Int64, "row": pl.String, "column": pl.String,
        "printed": pl.String, "value": pl.Float64, "quantity": pl.String, "unit": pl.String, "per_gpu": pl.Boolean,
        "stated": pl.String, "verdict": pl.String, "how": pl.String, "found": pl.Float64, "difference": pl.Float64,
        "rule": pl.String, "rule_is": pl.String, "tried": pl.Int64, "cells_fit": pl.Int64, "chance": pl.Float64,
        "runs": pl.List(pl.String), "logs": pl.List(pl.String), "findings": pl.List(pl.String),
    }  # fmt: skip
    rows = [_cell_row(page, cell) for page in pages for cell in page.cells]
    return pl.DataFrame(rows, schema=types, orient="row")


def _cell_row(page: PageResult, cell: Cell) -> list[Any]:
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
