"""Scores of many runs: the speeds by a score's rule, passed to its function, which is pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.filters import read_filters
from benchledger.answers.rows import reading, rows_of
from benchledger.answers.tables.grid import BATCH_COLUMNS, SPLIT_COLUMNS
from benchledger.answers.tables.grouping import Row, grouped
from benchledger.definitions.scores import Score, find_score, load_scores
from benchledger.errors import NothingFoundError
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    import duckdb

ScoreRow = dict[str, float | int | str | None]
# A case's label, weight, values of the runs that count, and number of failed runs.
Measured = tuple[str, float, Sequence[float], int]
# Every run of a series, with its number by the rule. A run without a number counts as failed only if its status says
# so.
_RUNS = """
select series.campaign, bench_case.*, series.system, series.gpu_model, series.gpu_memory_mib,
    series.framework_version, series.implementation_version, series.variant, run.run_key,
    speed.value, speed.unit, coalesce(speed.is_trial, false) as counts,
    run.status not in ('ok', 'unknown') and not coalesce(speed.is_trial, false) as failed
from kept.series_run
join series using (series_id)
join bench_case on bench_case.case_id = series.case_id
join run using (run_id)
left join (
    select run_id, value, unit, is_trial
    from run_speed
    where rule = $rule and phase = 'train'
    qualify row_number() over (partition by run_id order by is_trial desc, unit) = 1
) as speed using (run_id)
order by all
"""
_ROUNDED = "select list_transform($numbers::double[], lambda x: rounded(x, $method, $digits))"
# The columns that identify a row: a case, and the facts that split series within a campaign.
_ONE = ("case_id", "system", "gpu_model", "gpu_memory_mib", "framework_version", "implementation_version", "variant")
_HEAD = ("name", "framework", "implementation", "gpu_model", "unit")
# Facts in which rows of one head can differ: a case name does not state all facts.
_MORE = ("system", "model", "task", "precision", "batch_size_per_gpu", *SPLIT_COLUMNS, *BATCH_COLUMNS)


def quantile(values: Sequence[float], share: float) -> float:
    """Returns a quantile with linear interpolation, as numpy and pandas do by default."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def benchmark_score(per_gpu: Sequence[float], runs: int, failures: int) -> float:
    """Returns milabench's score of one benchmark: sum of the GPUs' mean rates x share of successful runs."""
    return math.fsum(per_gpu) * (1 - failures / max(runs, 1))


def overall_score(scores: Sequence[float], weights: Sequence[float]) -> float | None:
    """Returns milabench's overall score: the weighted geometric mean of (score + 1); None if all weights are 0."""
    total = math.fsum(weights)
    if total == 0:
        return None
    return math.exp(math.fsum(w * math.log(s + 1) for s, w in zip(scores, weights, strict=True)) / total)


def milabench_score(cases: Sequence[Measured]) -> list[ScoreRow]:
    """Returns one row per case, and one for all, in which a case without a number counts as 0."""
    rows: list[ScoreRow] = []
    for label, weight, values, failures in cases:
        runs = len(values) + failures
        mean = fmean(values) if values else None
        score = benchmark_score([mean or 0.0], runs, failures)
        rows.append({"label": label, "n": runs, "fail": failures, "perf": mean, "weight": weight, "score": score})
    weights = [weight for _, weight, _, _ in cases]
    overall = overall_score([float(row["score"] or 0) for row in rows], weights)
    runs, failures = (sum(int(row[name] or 0) for row in rows) for name in ("n", "fail"))
    together: ScoreRow = {"label": "all", "n": runs, "fail": failures, "perf": None, "weight": math.fsum(weights)}
    return [*rows, {**together, "score": overall}]


def summary(cases: Sequence[Measured]) -> list[ScoreRow]:
    """Returns SuperBench's statistics: count, extremes, mean, percentiles, and sample standard deviation (n - 1)."""
    rows: list[ScoreRow] = []
    for label, _, values, _ in cases:
        if values:
            row: ScoreRow = {"label": label, "count": len(values), "max": max(values), "mean": fmean(values)}
            row["min"] = min(values)
            for percent in (1, 5, 10, 25, 50, 75, 90, 95, 99):
                row[f"p{percent}"] = quantile(values, percent / 100)
            rows.append({**row, "std": stdev(values) if len(values) > 1 else None})
    return rows


def fences(cases: Sequence[Measured], *, mild: float = 1.5, extreme: float = 3.0) -> list[ScoreRow]:
    """Returns SuperBench's outlier bounds: quartiles widened by multiples of their range; also relative to the mean."""
    rows: list[ScoreRow] = []
    for label, _, values, _ in cases:
        if not values:
            continue
        mean, low, high = fmean(values), quantile(values, 0.25), quantile(values, 0.75)
        row: ScoreRow = {"label": label, "count": len(values), "mean": mean}
        for name, times in (("mild", mild), ("extreme", extreme)):
            for end, fence in (("lower", low - times * (high - low)), ("upper", high + times * (high - low))):
                row[f"{name}_{end}"] = fence
                row[f"{name}_{end}_bound"] = (fence - mean) / mean if mean else None
        rows.append(row)
    return rows


def variance(value: float, baseline: float) -> float:
    return (value - baseline) / baseline


def violates(value: float, baseline: float, *, lower: float, upper: float) -> bool:
    """Tells whether a value violates SuperBench's bounds: its relative difference is below `lower` or above `upper`."""
    return not lower <= variance(value, baseline) <= upper


def baseline_of(values: Sequence[float], *, lower: float, upper: float) -> tuple[float, list[float]]:
    """Returns SuperBench's baseline and its values: the mean, recomputed without violators until there are none."""
    left = list(values)
    while True:
        mean = fmean(left)
        kept = [one for one in left if mean == 0 or not violates(one, mean, lower=lower, upper=upper)]
        # If all values violate, the last mean that had values stays.
        if len(kept) == len(left) or not kept:
            return mean, left
        left = kept


def baseline(cases: Sequence[Measured], *, lower: float = -0.05, upper: float = math.inf) -> list[ScoreRow]:
    """Returns SuperBench's baseline per case, its number of values, and how many runs violate it or have no value."""
    rows: list[ScoreRow] = []
    for label, _, values, missing in cases:
        row: ScoreRow = {"label": label, "count": len(values), "used": 0, "baseline": None, "lowest": None}
        row |= {"violations": 0, "missing": missing}
        if values:
            mean, used = baseline_of(values, lower=lower, upper=upper)
            row |= {"used": len(used), "baseline": mean}
            if mean:
                row["lowest"] = variance(min(values), mean)
                row["violations"] = sum(violates(one, mean, lower=lower, upper=upper) for one in values)
        rows.append(row)
    return rows


FUNCTIONS: dict[str, Callable[..., list[ScoreRow]]] = {
    "milabench_score": milabench_score,
    "summary": summary,
    "fences": fences,
    "baseline": baseline,
}


def scores() -> pl.DataFrame:
    """Returns the scores, shipped and the user's: function, rule, description and source of each."""
    columns = ("score", "among", "rule", "description", "source")
    rows = [[getattr(one, name) for name in columns] for one in load_scores(FUNCTIONS).values()]
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def score(name: str, /, *, db: Path | str = DEFAULT_DB, campaign: str | None = None) -> pl.DataFrame:
    """Returns the rows of a score: per campaign one row per case and one for all, or one row per case over all runs.

    Raises UsageError for an unknown score, and NothingFoundError if no selected run has a number by its rule.
    """
    found = find_score(name, FUNCTIONS)
    filters = read_filters(campaign, {})
    with reading(db) as con:
        runs = rows_of(filters.apply(con.sql(_RUNS, params={"rule": found.rule})))
        frame = _frame(found, runs)
        return _rounded(con, frame, found) if found.rounding.method is not None else frame


def _frame(found: Score, runs: list[Row]) -> pl.DataFrame:
    if not any(run["counts"] for run in runs):
        raise NothingFoundError(f"no selected run has a number by {found.rule}; see: bench query rules")
    if found.among == "cases":
        parts = grouped(runs, ("campaign",))
    else:
        # A run counts once, although it is in every campaign in which its log was seen.
        parts = {(): list({run["run_key"]: run for run in runs}.values())}
    told = {key: [run for run in _with_units(part) if run["counts"] or run["failed"]] for key, part in parts.items()}
    heads = (*_HEAD, *_differing([run for part in told.values() for run in part]))
    rows = [
        {**dict(zip(("campaign",), key, strict=False)), **row}
        for key, part in told.items()
        if any(run["counts"] for run in part)
        for row in _rows(found, part, heads)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _rounded(con: duckdb.DuckDBPyConnection, frame: pl.DataFrame, found: Score) -> pl.DataFrame:
    """Rounds as the owner's script does; a weight is no number of the score, and counts are integers."""
    asked = {"method": found.rounding.method, "digits": found.rounding.digits}
    columns = []
    for column in frame.iter_columns():
        if column.dtype.is_float() and column.name != "weight":
            rounded = con.execute(_ROUNDED, {**asked, "numbers": column.to_list()}).fetchall()[0][0]
            columns.append(pl.Series(column.name, rounded, column.dtype))
    return frame.with_columns(columns)


def _differing(runs: list[Row]) -> tuple[str, ...]:
    alike = grouped(runs, _HEAD).values()
    return tuple(name for name in _MORE if any(len({run[name] for run in same}) > 1 for same in alike))


def _rows(score: Score, runs: list[Row], heads: tuple[str, ...]) -> list[Row]:
    cases = list(grouped(runs, ("name", *_ONE, "unit")).values())
    measured: list[Measured] = []
    for number, of_case in enumerate(cases):
        values = [float(run["value"]) for run in of_case if run["counts"]]
        failures = sum(run["failed"] for run in of_case)
        weight = score.weights.get(of_case[0]["model"] or "", 1.0)
        measured.append((str(number), weight, values, failures))
    told = {str(number): {name: of_case[0][name] for name in heads} for number, of_case in enumerate(cases)}
    return [
        told.get(str(row["label"]), {**dict.fromkeys(heads), "name": row["label"]})
        | {name: value for name, value in row.items() if name != "label"}
        for row in FUNCTIONS[score.function](measured, **score.numbers)
    ]


def _with_units(runs: list[Row]) -> list[Row]:
    """Gives a run without a number the unit of the other runs of its case."""
    units = {tuple(run[name] for name in _ONE): run["unit"] for run in runs if run["counts"]}
    return [run if run["counts"] else {**run, "unit": units.get(tuple(run[name] for name in _ONE))} for run in runs]
