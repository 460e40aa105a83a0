"""`bench export site`: writes a ledger as a folder of static files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import MACHINE_COLUMNS, Filters, read_filters
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.grouping import Row
from benchledger.answers.tables.left_out import need_series
from benchledger.exports.excel import Sheet, write_workbook
from benchledger.exports.output_forms import csv_of_frame, parquet_bytes
from benchledger.site.cases import case_pages
from benchledger.site.files import data_file, refuse_folder, site_folder
from benchledger.site.numbers import QUANTITIES, packed_numbers, packed_runs, rows_of_quantity
from benchledger.site.start import all_rules, ranking, start_page
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    from datetime import datetime

    import duckdb

_FILLED = "select max(ingested_at) from sighting"
# Of these tables the site explains each number.
_TABLES = {"speed": "speed_table", "memory": "memory_table", "speedup": "speedup_table"}


@dataclass(frozen=True)
class Site:
    """A site that was written: its first page, and how many numbers and runs it shows."""

    page: Path
    numbers: int
    runs: int
    files: int


def export_site(
    folder: Path | str,
    *,
    db: Path | str = DEFAULT_DB,
    title: str = "Training benchmarks",
    campaign: str | None = None,
    **case_columns: object,
) -> Site:
    """Writes every series that meets the filters as static files in a folder, which is new, empty or an earlier site.

    Names and paths in it are the ledger's pseudonyms. Raises NothingFoundError if nothing meets the filters, UsageError
    for an unknown column or a folder that holds something else.
    """
    folder = Path(folder)
    asked = {"campaign": campaign, **case_columns}
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    refuse_folder(folder)
    with reading(db, records=True) as con:
        need_series(con, db, filters)
        numbers = {quantity: rows_of_quantity(con, filters, quantity) for quantity in QUANTITIES}
        runs, run_rows = packed_runs(con, filters)
        ((filled,),) = con.execute(_FILLED).fetchall()
        with site_folder(folder) as data:
            start = start_page(con, db, title, numbers, run_rows)
            _write(data, "site", start)
            _write(data, "rules", all_rules(con))
            for quantity, rows in numbers.items():
                _write(data, quantity, packed_numbers(rows))
            _write(data, "runs", runs)
            _write(data, "ranking", {"whole": ranking(db, asked, False), "per_gpu": ranking(db, asked, True)})
            _downloads(data, numbers, filled)
            files = 0
            for key, told in case_pages(con, _cells(con, filters, numbers), run_rows):
                _write(data, f"case/{key[:2]}/{key}", told)
                files += 1
    keys = {row["run_key"] for row in run_rows}
    return Site(folder / "index.html", sum(map(len, numbers.values())), len(keys), files)


def _write(data: Path, name: str, value: Any) -> None:
    place = data / f"{name}.js"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data_file(name, value))


def _cells(con: duckdb.DuckDBPyConnection, filters: Filters, numbers: dict[str, list[Row]]) -> list[Row]:
    found = []
    for quantity, rows in numbers.items():
        shown = {row["cell"] for row in rows}
        found += [row for row in rows_of(filters.apply(con.view(_TABLES[quantity]))) if row["cell"] in shown]
    return found


def _downloads(data: Path, numbers: dict[str, list[Row]], filled: datetime) -> None:
    """Writes each table whole, unrounded, as CSV and Parquet, and all of them as one workbook."""
    sheets = []
    for quantity, rows in numbers.items():
        if rows:
            frame = frame_of(rows, without=("runs", "series_id", "case_id", "is_default", "quantity"))
            (data / f"{quantity}.csv").write_text(csv_of_frame(frame) + "\n", encoding="utf-8")
            (data / f"{quantity}.parquet").write_bytes(parquet_bytes(frame))
            sheets.append(Sheet(quantity, frame, filtered=True))
    write_workbook(data / "numbers.xlsx", sheets, filled)
