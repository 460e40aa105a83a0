"""`bench export dlperf`: the result files that Oneflow-Inc/DLPerf's scripts write, as README 001 prints one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchledger.answers.filters import read_filters
from benchledger.answers.grouping import Row, grouped, sort_key
from benchledger.answers.reading import DEFAULT_DB, reading
from benchledger.answers.rules import need_value, rows_by_rule, rules_asked_for
from benchledger.answers.series import all_series, need_series, rows_of
from benchledger.errors import NothingFoundError, UsageError
from benchledger.exports.json_files import JsonFiles

# The mean over the trials that count, rounded as the rule rounds the number that it makes of them.
_AVERAGES = """
with trial as (
    select series_run.series_id, run_speed.rule, run_speed.unit, list_sort(list(run_speed.value)) as speeds
    from series_run
    join run_speed using (run_id)
    where run_speed.phase = 'train' and run_speed.is_trial and list_contains($series, series_run.series_id)
    group by all
)
select trial.series_id, trial.rule, trial.unit,
    rounded(list_avg(trial.speeds), rule.trial_rounding, rule.trial_rounding_digits) as average
from trial
join rule using (rule)
"""
_KEY = ("batch_size_per_gpu", "model", "nodes", "gpus")
# In which two series of one key may differ, with the filter that tells them apart.
_DIFFERING = ("campaign", "precision", "framework", "implementation", "task", "gpu_model", "seq_len", "options", "unit")


def export_dlperf(
    *,
    output: Path | str | None = None,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    **case_columns: object,
) -> JsonFiles:
    """DLPerf's result files, one a batch size (bz32_result.json): model, case (1n8g), average, median and speed-up.

    Both speeds are over the same trials by the same rule: the default, or the one asked for. Written below `output` if
    it is given. Raises NothingFoundError if no series has a speed, UsageError if two have the same place.
    """
    filters = read_filters(campaign, case_columns, extra=["gpu_model"])
    with reading(db) as con:
        rules_asked_for(con, rule)
        need_series(con, db, all_series(con), filters)
        rows = rows_by_rule(filters.apply(con.view("speedup_table")).filter("scaling = 'weak'"), rule)
        need_value(con, rows, rule)
        rows = [row for row in rows if row["value"] is not None]
        asked = {"series": [row["series_id"] for row in rows]}
        averages = {
            (row["series_id"], row["rule"], row["unit"]): row["average"]
            for row in rows_of(con.sql(_AVERAGES, params=asked))
        }
    placed = [row for row in rows if None not in (row[name] for name in _KEY)]
    if not placed:
        raise NothingFoundError("no series asked for has a speed and states model, batch size, nodes and gpus")
    left = len(rows) - len(placed)
    notes = (f"series left out: {left}; they do not state model, batch size, nodes or gpus",) if left else ()
    result = JsonFiles(_files(placed, averages), notes)
    if output is not None:
        result.write(output)
    return result


def _files(rows: list[Row], averages: dict[tuple[Any, ...], float]) -> dict[str, dict[str, Any]]:
    files: dict[str, dict[str, Any]] = {}
    for (batch, model, nodes, gpus), found in sorted(grouped(rows, _KEY).items(), key=lambda pair: sort_key(pair[0])):
        case = f"{nodes}n{gpus // nodes}g"
        if len(found) > 1:
            raise UsageError(_ambiguous(f"{model} {case} of bz{batch}", found))
        (row,) = found
        models = files.setdefault(f"bz{batch}_result.json", {})
        models.setdefault(str(model).replace("_", "-"), {})[case] = {
            "average_speed": averages[(row["series_id"], row["rule"], row["unit"])],
            "batch_size_per_device": batch,
            "median_speed": row["value"],
            "speedup": row["speedup"],
        }
    return files


def _ambiguous(place: str, rows: list[Row]) -> str:
    for name in _DIFFERING:
        values = sorted({str(row[name]) for row in rows})
        if len(values) > 1:
            option = f"--{name.replace('_', '-')}"
            cure = "--rule" if name == "unit" else option
            return f"{len(rows)} series stand for {place}: {name} {', '.join(values)}. Choose one with {cure}"
    return f"{len(rows)} series stand for {place}. Choose one with --case-id"
