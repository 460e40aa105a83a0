"""`explain`: where a number comes from, what a run is, how a file was recognised; told by the form of what is asked."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.filters import MACHINE_COLUMNS, Filters, read_filters
from benchledger.answers.rows import reading, rows_of
from benchledger.answers.tables.cells import cell_text
from benchledger.answers.tables.grouping import Row
from benchledger.errors import NothingFoundError, UsageError, known
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import find_run

if TYPE_CHECKING:
    import duckdb

    from benchledger.explaining.explained import ExplainedCell, ExplainedFile, ExplainedRun

    Explained = ExplainedCell | ExplainedRun | ExplainedFile

_CELL = re.compile(r"[smu][0-9a-f]{10}")
_RUN = re.compile(r"[0-9a-f]{1,12}(-\d*)?")
# By the letter that a cell's name begins with.
_BY_LETTER = {"s": "speed", "m": "memory", "u": "speedup"}
# What tells the numbers of one series apart, in each table.
_OWN_FILTERS = {"speed": ("rule", "unit"), "memory": ("definition",), "speedup": ("rule", "unit", "scaling")}
_SHOWN = 12
_ASK = "say what to explain: a cell, a run or a file; or filters that one cell meets, such as --gpus 8 --precision fp32"


def explain(
    what: str | Path | None = None,
    *,
    db: Path | str = DEFAULT_DB,
    table: str = "speed",
    lines: bool = False,
    campaign: str | None = None,
    **columns: object,
) -> Explained:
    """Where a number comes from, what a run is, or how a file was recognised.

    `what` is the name of a cell, a run's key or its beginning, or a file: a path on disk, or a place as the ledger
    tells it. Its form decides, in this order; a path with a slash is never a run. Instead of it filters do where one
    cell of `table` (speed, memory, speedup) meets them: the columns of a case, `rule`, `unit`, `definition`, `scaling`.
    `lines` adds column `text` to the readings of a cell: the printed line of each that is used, with private names
    replaced, from the kept contents of the logs. Raises NothingFoundError, with all that was tried, for what is not
    there; UsageError where several are meant.
    """
    if table not in _OWN_FILTERS:
        raise UsageError(f"no table {table!r}; known: {', '.join(_OWN_FILTERS)}")
    filters = read_filters(campaign, columns, extra=[*MACHINE_COLUMNS, *_OWN_FILTERS[table]])
    if what is None and not filters.values:
        raise UsageError(_ASK)
    if what is not None and filters.values:
        raise UsageError(f"give {str(what)!r} or filters, not both")
    with reading(db) as con:
        if what is None:
            found: Explained = explained_cell(con, _cell_by_filters(con, table, filters))
        else:
            found = _explained(con, str(what), db)
        return _with_lines(con, found, db) if lines else found


def _with_lines(con: duckdb.DuckDBPyConnection, found: Explained, db: Path | str) -> Explained:
    from benchledger.explaining.explained import ExplainedCell
    from benchledger.explaining.readings import with_lines

    if not isinstance(found, ExplainedCell):
        raise UsageError("--lines shows the lines behind a cell: name one, or give filters")
    return with_lines(con, found, db)


def _explained(con: duckdb.DuckDBPyConnection, what: str, db: Path | str) -> Explained:
    tried = []
    if _CELL.fullmatch(what.lower()):
        if (number := _cell_by_name(con, what.lower())) is not None:
            return explained_cell(con, number)
        tried.append("no cell of this name (names stand in column cell: bench report speed --format csv)")
    # Here and below: each is told by modules of its own, of which only those that are needed are loaded.
    if _RUN.fullmatch(what):
        from benchledger.explaining.run import explained_runs

        try:
            run_key, run_id = find_run(con, what, db)
            return explained_runs(con, {run_id: run_key})[0]
        except NothingFoundError:
            tried.append("no run whose key begins so (bench runs)")
    # This one by all that reads logs, which takes longer to load than a cell to explain.
    from benchledger.explaining import file

    if (path := file.file_on_disk(what)) is not None:
        return file.explained_file(con, path)
    is_folder = os.path.isdir(what)  # noqa: PTH112
    tried.append("no file on disk")
    found = file.logs_at(con, what)
    if len({row["log_id"] for row in found}) > 1:
        places = known((row["place"] for row in found), what)
        raise UsageError(f"{what!r} matches the end of {len(found)} places: {places}")
    if found:
        return file.explained_content(con, str(found[0]["place"]), found[0]["log_id"])
    if (archive := file.explained_known_archive(con, what)) is not None:
        return archive
    if is_folder:
        raise NothingFoundError(f"{what!r} is a folder: name one of its files, or a run of it (bench runs)")
    tried.append("no place in the ledger with this ending (places: bench query unrecognised, bench show RUN)")
    raise NothingFoundError(f"nothing found for {what!r}; tried: {'; '.join(tried)}")


def explained_cell(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    if number["cell"].startswith("m"):
        from benchledger.explaining.memory import explained_memories

        return explained_memories(con, [number])[0]
    if number["cell"].startswith("u"):
        from benchledger.explaining.speedup import explained_speedups

        return explained_speedups(con, [number])[0]
    from benchledger.explaining.speed import explained_speeds

    return explained_speeds(con, [number])[0]


def _cell_by_name(con: duckdb.DuckDBPyConnection, name: str) -> Row | None:
    from duckdb import ColumnExpression, ConstantExpression

    found = rows_of(
        con.view(f"{_BY_LETTER[name[0]]}_table").filter(ColumnExpression("cell") == ConstantExpression(name))
    )
    return found[0] if found else None


def _cell_by_filters(con: duckdb.DuckDBPyConnection, table: str, filters: Filters) -> Row:
    """The one row that meets the filters; of speeds those by default rules, unless a rule is among the filters.

    Raises NothingFoundError if none meets them, UsageError with the names of the cells if several do.
    """
    from duckdb import ColumnExpression

    every = con.view(f"{table}_table")
    if "is_default" in every.columns and "rule" not in filters.values:
        every = every.filter(ColumnExpression("is_default"))
    found = rows_of(filters.apply(every))
    if not found:
        _need_included(con, table, filters)
        raise filters.explain(every, "cell")
    if len(found) == 1:
        return found[0]
    listed = "\n".join(
        f"  {row['cell']}  {_named(row, table)}" for row in sorted(found, key=lambda row: _named(row, table))[:_SHOWN]
    )
    more = f"\n  and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise UsageError(f"{len(found)} cells match these filters; name one of them, or add a filter:\n{listed}{more}")


def _need_included(con: duckdb.DuckDBPyConnection, table: str, filters: Filters) -> None:
    # Which loads what lists runs: for cells that are not there only.
    from benchledger.answers.tables.left_out import SEE, excluded_runs, why_excluded

    own = _OWN_FILTERS[table]
    of_runs = Filters({column: values for column, values in filters.values.items() if column not in own})
    if runs := excluded_runs(con, of_runs):
        are = "the run that would be in it is" if len(runs) == 1 else f"the {len(runs)} runs that would be in it are"
        raise NothingFoundError(f"no cell matches these filters: {are} excluded: {why_excluded(runs)}; {SEE}")


def _named(row: Row, table: str) -> str:
    value = {"speed": "value", "memory": "value_mib", "speedup": "speedup"}[table]
    own = [str(row[name]) for name in _OWN_FILTERS[table] if row[name] is not None]
    system = [row["system"]] if row["system"] is not None else []
    parts = [str(row["campaign"]), str(row["name"]), *system, str(row["gpu_model"] or "GPU model unknown"), *own]
    return f"{', '.join(parts)}: {cell_text(row[value], row['status'])}"
