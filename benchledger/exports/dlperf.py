"""`bench export dlperf`: result files in the form of Oneflow-Inc/DLPerf's scripts (an example is in README 001)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import reading, rows_of
from benchledger.answers.tables.grouping import Row, grouped, sort_key
from benchledger.answers.tables.left_out import need_series
from benchledger.answers.tables.rules import ambiguous, need_value, rows_by_rule, rules_asked_for
from benchledger.errors import NothingFoundError
from benchledger.exports.answer_files import JsonFiles
from benchledger.store.default_db import DEFAULT_DB

# Mean and median over the trials that count, rounded as the rule rounds its trial average. The rule itself may use only
# one of the two.
_SPEEDS = """
with trial as (
    select series_run.series_id, run_speed.rule, run_speed.unit, list_sort(list(run_speed.value)) as speeds
    from kept.series_run
    join run_speed using (run_id)
    where run_speed.phase = 'train' and run_speed.is_trial and list_contains($series, series_run.series_id)
    group by all
)
select trial.series_id, trial.rule, trial.unit,
    rounded(list_avg(trial.speeds), rule.trial_rounding, rule.trial_rounding_digits) as average,
    rounded(list_median(trial.speeds), rule.trial_rounding, rule.trial_rounding_digits) as median
from trial
join kept.rule using (rule)
"""
_KEY = ("batch_size_per_gpu", "model", "nodes", "gpus")
# Columns in which two series of one key may differ. The first that differs names the filter that tells them apart.
_DIFFERING = (
    "campaign", "model", "precision", "framework", "implementation", "task", "system", "gpu_model", "seq_len",
    "options", "unit",
)  # fmt: skip


def export_dlperf(
    *,
    output: Path | str | None = None,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    **case_columns: object,
) -> JsonFiles:
    """Returns DLPerf's result files, one per batch size (bz32_result.json).

    A file holds model, case (1n8g), average, median and speed-up. Average and median are over the same trials by the
    same rule: `rule`, or the default one. Writes the files below `output` if it is given. Raises NothingFoundError if
    no series has a speed, UsageError if two series have the same place in a file.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db) as con:
        rules_asked_for(con, rule)
        need_series(con, db, filters)
        rows = rows_by_rule(filters.apply(con.view("speedup_table")).filter("scaling = 'weak'"), rule)
        need_value(con, rows, rule)
        rows = [row for row in rows if row["value"] is not None]
        asked = {"series": [row["series_id"] for row in rows]}
        speeds = {(row["series_id"], row["rule"], row["unit"]): row for row in rows_of(con.sql(_SPEEDS, params=asked))}
    placed, notes = _placed(rows)
    if not placed:
        raise NothingFoundError("; ".join(["no series asked for has a place among DLPerf's results", *notes]))
    result = JsonFiles(_files(placed, speeds), notes)
    if output is not None:
        result.write(output, db)
    return result


def _placed(rows: list[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """Returns the rows with the same number of GPUs on each node (a case such as 2n8g), and notes about the others."""
    stated = [row for row in rows if None not in (row[name] for name in _KEY)]
    even = [row for row in stated if row["gpus"] % row["nodes"] == 0]
    notes: list[str] = []
    if len(stated) < len(rows):
        notes.append(f"series left out: {len(rows) - len(stated)}; they do not state model, batch size, nodes or gpus")
    if sizes := sorted({(row["nodes"], row["gpus"]) for row in stated if row not in even}):
        told = ", ".join(f"{gpus} GPUs on {nodes} nodes" for nodes, gpus in sizes)
        notes.append(f"series left out: {len(stated) - len(even)}; not the same number of GPUs on each node: {told}")
    return even, tuple(notes)


def _files(rows: list[Row], speeds: dict[tuple[Any, ...], Row]) -> dict[str, dict[str, Any]]:
    files: dict[str, dict[str, Any]] = {}
    named = [{**row, "written_model": str(row["model"]).replace("_", "-")} for row in rows]
    places = grouped(named, ("batch_size_per_gpu", "written_model", "nodes", "gpus"))
    for (batch, model, nodes, gpus), found in sorted(places.items(), key=lambda pair: sort_key(pair[0])):
        case = f"{nodes}n{gpus // nodes}g"
        if len(found) > 1:
            raise ambiguous(f"{model} {case} of bz{batch}", found, _DIFFERING)
        (row,) = found
        made = speeds[(row["series_id"], row["rule"], row["unit"])]
        files.setdefault(f"bz{batch}_result.json", {}).setdefault(model, {})[case] = {
            "average_speed": made["average"],
            "batch_size_per_device": batch,
            "median_speed": made["median"],
            "speedup": row["speedup"],
        }
    return files
