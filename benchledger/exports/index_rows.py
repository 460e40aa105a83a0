"""Queries for PaddlePaddle's index: speed, memory, profile, largest batch size and log of each series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import Filters
from benchledger.answers.rows import rows_of
from benchledger.answers.tables.grouping import Row, grouped
from benchledger.answers.tables.rules import rows_by_rule

if TYPE_CHECKING:
    import duckdb

# README 002 takes the mean speed without the first unstable steps. A format without such a rule uses its default.
RULES = ("megatron.mean", "megatron.mean_skip1", "paddle.bert")
# The columns that identify a series, without the batch size and the columns that follow from it.
SAME = (
    "campaign",
    "system",
    "gpu_model",
    "framework",
    "implementation",
    "model",
    "task",
    "precision",
    "nodes",
    "gpus",
    "seq_len",
    "options",
)
# Order of preference. PaddlePaddle reports the memory that nvidia-smi shows, so `device` comes first.
_MEMORY_KINDS = ("device", "process", "reserved", "allocated")
_LOGS = """
select series_run.series_id, min({'trial': series_run.trial, 'place': place_of(path, archive, member)}).place as log
from kept.series_run
join run_log using (run_id)
join sighting using (sighting_id)
where run_log.role = 'train'
group by all
"""
# A run can have several profiles, and a profile several devices. Only the busiest device of one profile counts.
_PROFILES = """
with one_device as (
    select run_id, log_id, device, 1000 * list_sum(list_sort(list(total_s))) as kernels_ms
    from kept.kernel_table
    where run_id is not null
    group by run_id, log_id, device
),
profiled as (
    select run_id, max(kernels_ms) as kernels_ms
    from one_device
    group by run_id
)
select series_run.series_id, min({'trial': series_run.trial, 'ms': profiled.kernels_ms}).ms as kernels_ms
from kept.series_run
join profiled using (run_id)
group by all
"""


def speeds(con: duckdb.DuckDBPyConnection, filters: Filters, rule: str | None) -> list[Row]:
    """Returns one row of speed_table per series: by `rule`, else by a rule of README 002, else by the default rule."""
    found = filters.apply(con.view("speed_table"))
    if rule is not None:
        return rows_by_rule(found, rule)
    chosen: list[Row] = []
    for series in grouped(rows_of(found), ["series_id"]).values():
        ranked = [row for name in RULES for row in series if row["rule"] == name and row["value"] is not None]
        ranked += [row for row in series if row["is_default"] and row["value"] is not None]
        ranked += [row for row in series if row["is_default"]]
        chosen += ranked[:1]
    return chosen


def memory(con: duckdb.DuckDBPyConnection, filters: Filters) -> dict[int, float]:
    by_series = grouped(rows_of(filters.apply(con.view("memory_table"))), ["series_id"])
    found: dict[int, float] = {}
    for (series,), rows in by_series.items():
        values = {row["definition"]: row["value_mib"] for row in rows}
        kind = next((kind for kind in _MEMORY_KINDS if values.get(kind) is not None), None)
        if kind is not None:
            found[series] = values[kind]
    return found


def kernel_times(con: duckdb.DuckDBPyConnection) -> dict[int, float]:
    """Returns kernel milliseconds by series: the busiest device of its first trial with a profile."""
    return {row["series_id"]: row["kernels_ms"] for row in rows_of(con.sql(_PROFILES))}


def train_logs(con: duckdb.DuckDBPyConnection) -> dict[int, str]:
    return {row["series_id"]: row["log"] for row in rows_of(con.sql(_LOGS))}


def largest_batches(con: duckdb.DuckDBPyConnection, filters: Filters) -> dict[tuple[Any, ...], int]:
    """Returns the largest batch size that ran, by the columns SAME, where a larger one ran out of memory."""
    table = con.sql("from kept.max_batch_table")
    known = Filters({name: values for name, values in filters.values.items() if name in table.columns})
    rows = rows_of(known.apply(table))
    found: dict[tuple[Any, ...], int] = {}
    for key, same in grouped(rows, SAME).items():
        fits = [row["largest_ok"] for row in same if row["largest_ok"] is not None]
        fails = [row["smallest_oom"] for row in same if row["smallest_oom"] is not None]
        if fits and fails and min(fails) > max(fits):
            found[key] = max(fits)
    return found
