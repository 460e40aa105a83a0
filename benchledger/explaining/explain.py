"""`explain`: where a number comes from, what a run is, how a file was recognised; told by the form of what is asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.filters import read_filters
from benchledger.answers.read_only import reading
from benchledger.answers.tables.grouping import Row
from benchledger.errors import NothingFoundError, UsageError, known
from benchledger.explaining.find_cell import OWN_FILTERS, TABLES, cell_by_filters, cell_by_name
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import find_run

if TYPE_CHECKING:
    import duckdb

    from benchledger.explaining.explained import ExplainedCell, ExplainedFile, ExplainedRun

    Explained = ExplainedCell | ExplainedRun | ExplainedFile

_CELL = re.compile(r"[smu][0-9a-f]{10}")
_RUN = re.compile(r"[0-9a-f]{1,12}(-\d*)?")
_ASK = "say what to explain: a cell, a run or a file; or filters that one cell meets, such as --gpus 8 --precision fp32"


def explain(
    what: str | Path | None = None,
    *,
    db: Path | str = DEFAULT_DB,
    table: str = "speed",
    campaign: str | None = None,
    **columns: object,
) -> Explained:
    """Where a number comes from, what a run is, or how a file was recognised.

    `what` is the name of a cell, a run's key or its beginning, or a file: a path on disk, or a place as the ledger
    tells it. Its form decides, in this order; a path with a slash is never a run. Instead of it filters do where one
    cell of `table` (speed, memory, speedup) meets them: the columns of a case, `rule`, `unit`, `definition`, `scaling`.
    Raises NothingFoundError, with all that was tried, for what is not there; UsageError where several are meant.
    """
    if table not in TABLES:
        raise UsageError(f"no table {table!r}; known: {', '.join(TABLES)}")
    filters = read_filters(campaign, columns, extra=["gpu_model", *OWN_FILTERS[TABLES[table]]])
    if what is None and not filters.values:
        raise UsageError(_ASK)
    if what is not None and filters.values:
        raise UsageError(f"give {str(what)!r} or filters, not both")
    with reading(db) as con:
        if what is None:
            return explained_cell(con, cell_by_filters(con, table, filters))
        return _explained(con, str(what), db)


def _explained(con: duckdb.DuckDBPyConnection, what: str, db: Path | str) -> Explained:
    tried = []
    if _CELL.fullmatch(what.lower()):
        if (number := cell_by_name(con, what.lower())) is not None:
            return explained_cell(con, number)
        tried.append("no cell of this name (names stand in column cell: bench report speed --format csv)")
    # Here and below: each is told by modules of its own, of which only those that are needed are loaded.
    if _RUN.fullmatch(what):
        from benchledger.explaining.run import explained_run

        try:
            return explained_run(con, *find_run(con, what, db))
        except NothingFoundError:
            tried.append("no run whose key begins so (bench runs)")
    # This one by all that reads logs, which takes longer to load than a cell to explain.
    from benchledger.explaining import file

    if (path := file.file_on_disk(what)) is not None:
        return file.explained_file(con, path)
    tried.append("a folder, no file: name one of its files" if file.is_folder(what) else "no file on disk")
    found = file.logs_at(con, what)
    if len({row["log_id"] for row in found}) > 1:
        places = known((row["place"] for row in found), what)
        raise UsageError(f"{what!r} matches the end of {len(found)} places: {places}")
    if found:
        return file.explained_known_file(con, str(found[0]["place"]), found[0]["log_id"])
    if (archive := file.explained_known_archive(con, what)) is not None:
        return archive
    tried.append("no place in the ledger that is or ends so (bench query unrecognised, bench show RUN)")
    raise NothingFoundError(f"nothing found for {what!r}; tried: {'; '.join(tried)}")


def explained_cell(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    """A row of speed_table, memory_table or speedup_table, explained."""
    if number["cell"].startswith("m"):
        from benchledger.explaining.memory import explained_memory

        return explained_memory(con, number)
    if number["cell"].startswith("u"):
        from benchledger.explaining.speedup import explained_speedup

        return explained_speedup(con, number)
    from benchledger.explaining.speed import explained_speed

    return explained_speed(con, number)
