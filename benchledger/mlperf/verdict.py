"""Combines a submission's runs into its row: counts, score, energy, and convergence verdict."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.grouping import Row, by_column
from benchledger.definitions.submissions import Demand, LogSource, Suite
from benchledger.mlperf.reference_points import Point, Verdict, judge, point_of, pruned
from benchledger.mlperf.scores import weak_scaling

if TYPE_CHECKING:
    import duckdb


# A file seen at several places is named by the first place that matches the glob.
_POINTS = """
select
    log.log_id,
    place.path as place,
    value.line,
    lower(max(value.text) filter (where value.name = $benchmark)) as benchmark,
    max(value.value) filter (where value.name = $batch_size) as batch_size,
    max(value.name) filter (where list_contains($counted, value.name)) as counted_in,
    max(value.text) filter (where list_contains($counted, value.name)) as numbers
from log
join place_of_log($points) as place using (log_id)
join (select distinct log_id, line, byte_offset, name, value, text from kept.measurement_all) as value using (log_id)
where list_contains($formats, log.format) and place.path is not null
group by all
order by all
"""


@dataclass(frozen=True)
class Points:
    """The reference points of one benchmark, from one file, or the reason why there are none."""

    reason: str | None = None
    place: str | None = None
    counted_in: str = ""
    points: tuple[Point, ...] = ()


def points_stored(con: duckdb.DuckDBPyConnection, glob: str, suite: Suite) -> dict[str, list[Row]]:
    """Returns the records of the files whose place matches the glob, by benchmark."""
    source = suite.points
    names = {name: source.names[name] for name in ("benchmark", "batch_size")}
    rows = rows_asked(con, _POINTS, points=glob, formats=list(source.formats), counted=list(suite.counted), **names)
    return by_column(rows, "benchmark")


def points_of(rows: list[Row], demand: Demand, source: LogSource) -> Points:
    """Returns the points of one benchmark; none if two files have points for it, or one has invalid numbers."""
    if not rows:
        return Points(f"no reference points are known: ingest {source.names['files']}")
    files = {row["log_id"]: row["place"] for row in rows}
    if len(files) > 1:
        listed = ", ".join(sorted(files.values()))
        return Points(f"{len(files)} files hold reference points: name one with --points: {listed}")
    (place,) = files.values()
    units = sorted({row["counted_in"] for row in rows})
    if len(units) > 1:
        return Points(f"{place} counts in {' and in '.join(units)}")
    made = []
    for row in rows:
        numbers = _numbers(row["numbers"])
        point = point_of(row["batch_size"], numbers, demand) if numbers and (row["batch_size"] or 0) > 0 else None
        if point is None:
            return Points(f"{row['place']}:{row['line']}: no list of numbers above 0 that is long enough")
        made.append(point)
    return Points(None, place, units[0], tuple(made))


def _numbers(text: str | None) -> list[float] | None:
    try:
        listed = json.loads(text or "")
    except ValueError:
        return None
    if not isinstance(listed, list) or not all(
        isinstance(number, int | float) and not isinstance(number, bool) and 0 < number < inf for number in listed
    ):
        return None
    return [float(number) for number in listed]


def weighed(
    series: Row,
    runs: list[Row],
    said: Row,
    suite: Suite,
    known: Points,
    apart: bool,
    energy: float | None,
) -> Row:
    """Returns the row of a submission: counts, score, energy, and convergence verdict."""
    demand = suite.demands.get(str(said["benchmark"]))
    converged = [run for run in runs if run["converged"]]
    side_by_side = weak_scaling(
        [run["start_ms"] for run in converged], [run["stop_ms"] for run in converged], demand.runs if demand else 1
    )
    verdict = _verdict(runs, said, suite, known, apart)
    is_short = series["status"] == "too_few_runs"
    if is_short and demand is not None:
        verdict = replace(verdict, passed=None, reason=f"{len(runs)} of {demand.runs} demanded runs")
    # A scaling.json already applied such a factor: the score must not be multiplied twice.
    scaled = float(str(agreed(runs, "score_factor") or 1))
    normalised = series["value"] / scaled * verdict.factor if series["value"] is not None and verdict.factor else None
    return {
        "runs": len(runs),
        "converged": len(converged),
        "copies": sum(run["copies"] for run in runs),
        "runs_demanded": demand.runs if demand else None,
        "runs_beyond": ", ".join(str(run["run_key"]) for run in runs[demand.runs :]) or None if demand else None,
        "score": series["value"],
        "verdict": verdict,
        "normalised_min": normalised,
        "points": known.place,
        "energy_j": energy * scaled if energy is not None and not is_short else None,
        "weak": side_by_side,
    }


def points_for(stored: list[Row], suite: Suite, benchmark: str) -> Points:
    """Returns the reference points of a benchmark, or the reason why there are none."""
    demand = suite.demands.get(benchmark)
    if benchmark in suite.no_verdict:
        return Points(suite.no_verdict[benchmark])
    if demand is None:
        return Points(f"no benchmark {benchmark!r} is known: {', '.join(sorted(suite.demands))}")
    return points_of(stored, demand, suite.points)


def agreed(runs: list[Row], name: str) -> object:
    """Returns the value that all runs state; None if they differ or state none."""
    values = {run[name] for run in runs}
    return values.pop() if len(values) == 1 else None


def _verdict(runs: list[Row], said: Row, suite: Suite, known: Points, apart: bool) -> Verdict:
    benchmark = str(said["benchmark"])
    demand = suite.demands.get(benchmark)
    if known.reason is not None or demand is None:
        return Verdict(None, known.reason or "")
    if said["global_batch_size"] is None:
        return Verdict(None, "its runs state no global batch size, or several")
    key = suite.apart.get(benchmark, "")
    name, shown = (key, key) if apart else (suite.counted[known.counted_in], known.counted_in)
    took = [run["took"] or {} for run in runs]
    if any(name not in one for run, one in zip(runs, took, strict=True) if run["converged"]):
        return Verdict(None, f"a run that converged states no {shown}")
    numbers = [one[name] if run["converged"] else None for run, one in zip(runs, took, strict=True)]
    verdict = judge(pruned(known.points, demand), said["global_batch_size"], numbers, demand)
    if verdict.passed is False and not apart and any(one.get(key) not in (None, one.get(name)) for one in took):
        # Its evaluations print epoch 1 throughout, but the points are in samples.
        return replace(verdict, passed=None, reason="its logs count samples apart: ask with --apart")
    return verdict
