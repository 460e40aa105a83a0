"""`bench report submissions`: runs, score and convergence check of each submission."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import frame_of, reading
from benchledger.answers.tables.cells import NOT_RUN, fact_text, number_text, status_text
from benchledger.answers.tables.grouping import Row
from benchledger.answers.tables.left_out import excluded_notes, need_series
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.definitions.submissions import load_suite
from benchledger.errors import NothingFoundError, counted
from benchledger.mlperf.reference_points import Verdict
from benchledger.mlperf.runs import runs_of, scored
from benchledger.mlperf.scores import energy_of, power_logged
from benchledger.mlperf.verdict import agreed, points_for, points_stored, weighed
from benchledger.store.default_db import DEFAULT_DB

# Facts that a submission's logs state.
_SAID = ("submitter", "system", "division", "availability", "benchmark", "global_batch_size")
_HEADS = (
    "campaign", "submitter", "system", "division", "benchmark", "batch_size", "runs", "converged", "score",
    "energy_j", "verdict", "mean", "reference", "least", "p", "normalised_min", "why", "cell",
)  # fmt: skip
_WEAK_HEADS = (*_HEADS[:8], "models", "all_min", "why", "cell")
_NUMBERS = frozenset(
    {"batch_size", "score", "energy_j", "mean", "reference", "least", "p", "normalised_min", "models", "all_min"}
)
_VERDICTS = {True: "pass", False: "FAIL", None: "unknown"}


def report_submissions(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    points: str = "*",
    suite: str | None = None,
    apart: bool = False,
    weak: bool = False,
    **case_columns: object,
) -> Report:
    """Returns each submission to a suite: its runs and the demanded number, its score, and its convergence verdict.

    `suite` is one of queries/submissions/; it must be named if there are several. `points` is a glob of the files of
    reference convergence points that count; `apart` counts samples by the suite's separate key, as MLPerf's BERT of
    v1.0 needs. With `weak` the score is that of weak scaling: models trained in parallel, and the minutes from the
    first start to the last stop. Raises NothingFoundError if no series of the suite meets the filters, and UsageError
    for an unknown suite.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    asked = load_suite(suite)
    with reading(db, records=True) as con:
        need_series(con, db, filters)
        series = scored(con, asked.scores, filters)
        if not series:
            raise NothingFoundError(f"no runs of suite {asked.name} match the filters; see: bench runs")
        runs = runs_of(con, series, asked)
        stored = points_stored(con, points, asked)
        power = power_logged(con, [run["run_id"] for members in runs.values() for run in members], asked.power)
        excluded = excluded_notes(con, filters)
    rows = []
    for one in series:
        members = runs[one["series_id"]]
        said = {name: agreed(members, name) for name in _SAID}
        benchmark = fact_text(said["benchmark"])
        demand = asked.demands.get(benchmark)
        known = points_for(stored.get(benchmark, []), asked, benchmark)
        energy = energy_of(members, power, asked.power, demand.left_out if demand else 1)
        is_apart = apart and benchmark in asked.apart
        rows.append({**one, **said, **weighed(one, members, said, asked, known, is_apart, energy)})
    measured = any(row["energy_j"] is not None for row in rows)
    heads = [head for head in (_WEAK_HEADS if weak else _HEADS) if measured or head != "energy_j"]
    frame = text_frame(heads, [[_shown(row, head) for head in heads] for row in rows])
    words = frozenset(heads) - _NUMBERS
    table = Table(facts={}, coverage=None, frame=frame, notes=_notes(rows), texts=words)
    return Report(asked.name, (table,), frame_of([_number_row(row) for row in rows])).noted(excluded)


def _shown(row: Row, head: str) -> str:
    verdict: Verdict = row["verdict"]
    numbers = {
        "mean": verdict.mean,
        "reference": verdict.point and verdict.point.mean,
        "least": verdict.point and verdict.point.least,
        "p": verdict.p,
        "normalised_min": row["normalised_min"],
        "energy_j": row["energy_j"],
        "all_min": row["weak"] and row["weak"].minutes,
    }
    if head in numbers:
        return NOT_RUN if numbers[head] is None else number_text(numbers[head])
    words = {
        "runs": f"{row['runs']} of {fact_text(row['runs_demanded'])}",
        "batch_size": NOT_RUN if row["global_batch_size"] is None else f"{row['global_batch_size']:g}",
        "score": number_text(row["value"]) if row["value"] is not None else status_text(row["status"]),
        "verdict": _VERDICTS[verdict.passed],
        "why": _why(row),
        "models": str(row["weak"].models) if row["weak"] else NOT_RUN,
    }
    return words[head] if head in words else fact_text(row[head])


def _why(row: Row) -> str:
    verdict: Verdict = row["verdict"]
    between = verdict.point.between if verdict.point else None
    said = [verdict.reason] if verdict.reason else []
    if between is not None:
        said.append(f"between reference points of batch sizes {between[0]:g} and {between[1]:g}")
    if verdict.factor is not None and verdict.factor > 1:
        said.append(f"faster than the reference, so its score is multiplied by {verdict.factor:.4f}")
    if row["mixed"]:
        said.append(f"its runs differ in {row['mixed']}")
    if row["copies"]:
        said.append(f"files with the same bytes count once; copies: {row['copies']}")
    return "; ".join(said)


def _notes(rows: list[Row]) -> tuple[str, ...]:
    few = [row for row in rows if row["runs_demanded"] and row["runs"] != row["runs_demanded"]]
    notes = [
        f"{row['campaign']}: {counted(row['runs'], 'run')}, where {row['benchmark']} demands {row['runs_demanded']}"
        + (f"; beyond it: {row['runs_beyond']}" if row["runs_beyond"] else "")
        for row in few
    ]
    places = sorted({row["points"] for row in rows if row["points"]})
    return (*notes, *[f"reference points: {place}" for place in places])


def _number_row(row: Row) -> Row:
    verdict: Verdict = row["verdict"]
    point = verdict.point
    kept = (
        "campaign",
        "series_id",
        "cell",
        *_SAID,
        "copies",
        "runs",
        "runs_demanded",
        "runs_beyond",
        "converged",
        "rule",
        "score",
        "status",
    )
    return {
        **{name: row[name] for name in kept},
        "passed": verdict.passed,
        "why": _why(row),
        "mean": verdict.mean,
        "reference_mean": point and point.mean,
        "reference_stdev": point and point.stdev,
        "least_mean": point and point.least,
        "p": verdict.p,
        "factor": verdict.factor,
        "normalised_min": row["normalised_min"],
        "energy_j": row["energy_j"],
        "points": row["points"],
        "models": row["weak"] and row["weak"].models,
        "all_min": row["weak"] and row["weak"].minutes,
    }
