"""Combines a submission's runs into its row: counts, score, energy, and convergence verdict."""

from __future__ import annotations

from dataclasses import replace

from benchledger.answers.tables.grouping import Row
from benchledger.definitions.submissions import Suite
from benchledger.mlperf.points import Points, points_of
from benchledger.mlperf.reference_points import Verdict, judge, pruned
from benchledger.mlperf.scores import weak_scaling


def weighed(
    series: Row,
    runs: list[Row],
    said: Row,
    suite: Suite,
    known: Points,
    all_points: bool,
    apart: bool,
    energy: float | None,
) -> Row:
    """Returns the row of a submission: counts, score, energy, and convergence verdict."""
    demand = suite.demands.get(str(said["benchmark"]))
    converged = [run for run in runs if run["converged"]]
    side_by_side = weak_scaling(
        [run["start_ms"] for run in converged], [run["stop_ms"] for run in converged], demand.runs if demand else 1
    )
    verdict = _verdict(runs, said, suite, known, all_points, apart)
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


def _verdict(runs: list[Row], said: Row, suite: Suite, known: Points, all_points: bool, apart: bool) -> Verdict:
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
    points = known.points if all_points else pruned(known.points, demand)
    verdict = judge(points, said["global_batch_size"], numbers, demand)
    if verdict.passed is False and not apart and any(one.get(key) not in (None, one.get(name)) for one in took):
        # Its evaluations print epoch 1 throughout, but the points are in samples.
        return replace(verdict, passed=None, reason="its logs count samples apart: ask with --apart")
    return verdict
