"""The tables of a site: every speed, memory and speed-up that counts, and every run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import Filters
from benchledger.answers.rows import rows_of
from benchledger.answers.runs import NEWEST_FIRST, all_runs
from benchledger.answers.tables.grouping import Row, sort_key
from benchledger.answers.tables.numbers import gpus_sharing, numbers
from benchledger.site.files import packed

if TYPE_CHECKING:
    import duckdb

QUANTITIES = ("speed", "memory", "speedup")
_NO_COLUMNS = {"quantity", "series_id", "case_id", "runs", "is_default", "is_per_gpu"}
_RUN_COLUMNS = (
    "run_key", "status", "started_at", "time_source", "campaign", "name", "framework", "implementation", "model",
    "task", "precision", "batch_size_per_gpu", "global_batch_size", "nodes", "gpus", "seq_len",
    "gradient_accumulation", "options", "system", "gpu_model", "framework_version", "steps_done", "steps_planned",
    "reason", "excluded", "case",
)  # fmt: skip
_COMMENTS = """
select column_name, comment
from duckdb_columns()
where table_name in ('pivot_table', 'run', 'speed_table') and comment is not null
order by table_name desc
"""


def case_key(case_id: int) -> str:
    return f"{case_id % 2**64:016x}"


def rows_of_quantity(con: duckdb.DuckDBPyConnection, filters: Filters, quantity: str) -> list[Row]:
    """Returns the numbers of a quantity by default rules, as `bench report pivot` has them, in the order of ties."""
    found = numbers(con, filters, quantity)
    if quantity == "speedup":
        efficiency = {row["cell"]: row["value"] for row in numbers(con, filters, "efficiency")}
        found = [{**row, "efficiency": efficiency.get(row["cell"])} for row in found]
    # Ties are broken in this order everywhere: the place of a row stands for it in the page.
    return sorted(found, key=lambda row: sort_key([row["campaign"], row["series_id"], row["cell"]]))


def packed_numbers(rows: list[Row]) -> dict[str, Any]:
    """Returns the numbers of a quantity by columns.

    `shared` names the runs that several of its series have, `sharing` the GPUs of which each number is the sum, and
    `of_one_gpu` the rows whose rule gives the speed of one GPU.
    """
    columns = [name for name in (rows[0] if rows else {}) if name not in _NO_COLUMNS]
    told = [{**row, "case": case_key(row["case_id"])} for row in rows]
    of_one_gpu = [place for place, row in enumerate(rows) if row["is_per_gpu"]]
    gpus = {"sharing": [*map(gpus_sharing, rows)], "of_one_gpu": of_one_gpu}
    return {**packed(told, [*columns, "case"]), **gpus, "shared": _shared_runs(rows)}


def _shared_runs(rows: list[Row]) -> dict[str, list[int]]:
    """Returns the runs that several series have, by row: where such series stand together, one of them counts."""
    series = {row["series_id"]: row["runs"] for row in rows}
    counts = Counter(run for runs in series.values() for run in runs)
    ids = {run: number for number, run in enumerate(sorted(run for run, count in counts.items() if count > 1))}
    shared = {str(place): [ids[run] for run in row["runs"] if run in ids] for place, row in enumerate(rows)}
    return {place: runs for place, runs in shared.items() if runs}


def packed_runs(con: duckdb.DuckDBPyConnection, filters: Filters) -> tuple[dict[str, Any], list[Row]]:
    rows = rows_of(filters.apply(all_runs(con)).order(NEWEST_FIRST))
    for row in rows:
        row["case"] = case_key(row["case_id"])
        row["started_at"] = None if row["started_at"] is None else f"{row['started_at']:%Y-%m-%d %H:%M}"
    return packed(rows, _RUN_COLUMNS), rows


def comments(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    return dict(con.execute(_COMMENTS).fetchall())
