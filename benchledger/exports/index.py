"""`bench export index`: JSON files in the form that PaddlePaddle's log analysis writes per case (README 002)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import MACHINE_COLUMNS, Filters, read_filters
from benchledger.answers.rows import reading, rows_of
from benchledger.answers.tables.grouping import Row, by_column, grouped
from benchledger.answers.tables.left_out import need_series
from benchledger.answers.tables.rules import ambiguous, need_value, rows_by_rule, rules_asked_for
from benchledger.definitions.paddle_index import IndexedModel, find_indexed_model
from benchledger.errors import NothingFoundError
from benchledger.exports.answer_files import JsonFiles
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    import duckdb

SPEED, MEMORY, PROFILER, LARGEST_BATCH = 1, 2, 3, 6
_ENDINGS = {SPEED: "speed", MEMORY: "mem", PROFILER: "profiler", LARGEST_BATCH: "maxbs"}
# PaddlePaddle writes these with JOB_FAIL_FLAG 1 and FINAL_RESULT 0. Any other series without a speed is left out.
_FAILED = ("oom", "nan", "timeout", "failed", "truncated", "too_few_steps")
_NEEDED = ("model", "batch_size_per_gpu", "precision", "gpus")
_TELLING = ("campaign", "framework", "implementation", "task", "system", "gpu_model", "seq_len", "options", "nodes")
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


def export_index(
    *,
    output: Path | str | None = None,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    **case_columns: object,
) -> JsonFiles:
    """Returns PaddlePaddle's index files by path (NLP/gpt/logs/index/nlp_gpt_sp_bs32_fp32_1_speed).

    Index 1 is the speed, 2 the memory, 3 a profile (if the run has one). Index 6 is the largest batch size (if a larger
    one ran out of memory). Writes the files below `output` if it is given. Raises NothingFoundError if no series can be
    written, UsageError if two series have the same name.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db, records=True) as con:
        rules_asked_for(con, rule)
        need_series(con, db, filters)
        rows = speeds(con, filters, rule)
        need_value(con, rows, rule)
        memories = memory(con, filters)
        # The busiest device of the first trial with a profile.
        kernels = {row["series_id"]: row["kernels_ms"] for row in rows_of(con.sql(_PROFILES))}
        logs = {row["series_id"]: row["log"] for row in rows_of(con.sql(_LOGS))}
        largest = largest_batches(con, filters)
    named, notes = _named(rows)
    files: dict[str, dict[str, Any]] = {}
    for row in named:
        series, results = row["series_id"], _speed(row)
        if row["value"] is not None:
            if series in memories:
                results[MEMORY] = (memories[series], "MiB")
            if series in kernels:
                results[PROFILER] = ({"ComputationTime_Total": kernels[series]}, "ms")
            if largest.get(tuple(row[column] for column in SAME)) == row["batch_size_per_gpu"]:
                results[LARGEST_BATCH] = (row["batch_size_per_gpu"], "")
        for index, (result, unit) in results.items():
            path, content = _file(row, index, result, unit, logs.get(series))
            files[path] = content
    if not files:
        raise NothingFoundError("; ".join(["no series asked for can be written as an index", *notes]))
    written = JsonFiles(dict(sorted(files.items())), notes)
    if output is not None:
        written.write(output, db)
    return written


def case_name(row: Row, mission: IndexedModel) -> str:
    """Returns the name of a case as README 002 spells it: nlp_gpt_sp_bs32_fp32_1."""
    return f"{mission.repo}_{mission.name}_{_mode(row)}_bs{row['batch_size_per_gpu']}_{row['precision']}_{row['gpus']}"


def _mode(row: Row) -> str:
    return "sp" if row["gpus"] == 1 else "mp"


def _speed(row: Row) -> dict[int, tuple[Any, str]]:
    return {SPEED: (0, "") if row["value"] is None else (row["value"], row["unit"] or "")}


def _file(row: Row, index: int, result: object, unit: str, log: str | None) -> tuple[str, dict[str, Any]]:
    mission = _mission(row)
    name = case_name(row, mission)
    content = {
        "log_file": log,
        "model_name": name,
        "mission_name": mission.mission_name,
        "direction_id": mission.direction_id,
        "run_mode": _mode(row),
        "index": index,
        "gpu_num": row["gpus"],
        "FINAL_RESULT": result,
        "JOB_FAIL_FLAG": int(row["value"] is None),
        "UNIT": unit,
    }
    return f"{mission.direction}/{mission.name}/logs/index/{name}_{_ENDINGS[index]}", content


def _mission(row: Row) -> IndexedModel:
    mission = find_indexed_model(row["model"], row["task"])
    if mission is None:
        raise AssertionError(f"{row['model']} was named without a mission")
    return mission


def _named(rows: list[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """Returns one row per file name, and notes about the rows left out."""
    notes: list[str] = []
    complete = [row for row in rows if None not in (row[name] for name in _NEEDED)]
    telling = [row for row in complete if row["value"] is not None or row["status"] in _FAILED]
    known = [row for row in telling if find_indexed_model(row["model"], row["task"])]
    if len(complete) < len(rows):
        notes.append(f"series left out: {len(rows) - len(complete)}; they do not state {', '.join(_NEEDED)}")
    if len(telling) < len(complete):
        notes.append(f"series left out: {len(complete) - len(telling)}; no speed, and no run of them failed")
    if unknown := sorted({row["model"] for row in telling if row not in known}):
        notes.append(f"models left out: {', '.join(unknown)}; no file of queries/index/ says their mission")
    named: list[Row] = []
    for row in known:
        row["file"] = case_name(row, _mission(row))
    for (name,), same in grouped(known, ["file"]).items():
        standing = [row for row in same if row["value"] is not None] or same
        if len(standing) > 1:
            raise ambiguous(name, standing, _TELLING)
        named += standing
        if failed := sorted(row["status"] for row in same if row not in standing):
            notes.append(f"{name}: the series with a speed stands; left out: {', '.join(failed)}")
    return named, tuple(notes)


def speeds(con: duckdb.DuckDBPyConnection, filters: Filters, rule: str | None) -> list[Row]:
    """Returns one row of speed_table per series: by `rule`, else by a rule of README 002, else by the default rule."""
    found = filters.apply(con.view("speed_table"))
    if rule is not None:
        return rows_by_rule(found, rule)
    chosen: list[Row] = []
    for series in by_column(rows_of(found), "series_id").values():
        ranked = [row for name in RULES for row in series if row["rule"] == name and row["value"] is not None]
        ranked += [row for row in series if row["is_default"] and row["value"] is not None]
        ranked += [row for row in series if row["is_default"]]
        chosen += ranked[:1]
    return chosen


def memory(con: duckdb.DuckDBPyConnection, filters: Filters) -> dict[int, float]:
    by_series = by_column(rows_of(filters.apply(con.view("memory_table"))), "series_id")
    found: dict[int, float] = {}
    for series, rows in by_series.items():
        values = {row["definition"]: row["value_mib"] for row in rows}
        kind = next((kind for kind in _MEMORY_KINDS if values.get(kind) is not None), None)
        if kind is not None:
            found[series] = values[kind]
    return found


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
