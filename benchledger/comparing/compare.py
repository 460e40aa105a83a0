"""`bench compare`: each case of two sides, with its change, the interval of the change, and a verdict."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchledger.answers.filters import NUMBER_COLUMNS, TEXT_COLUMNS
from benchledger.answers.reports.convergence_cells import read_target
from benchledger.answers.rows import frame_of, rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.comparing.differences import MOST_EXPLAINED, causes_of, evidence_of
from benchledger.comparing.pair_test import LESS, MORE, UNDECIDED, Outcome, Pair, geometric_mean, judge
from benchledger.comparing.sides import QUANTITIES, Side, open_sides, rates_of, sql_of, trials_of
from benchledger.errors import UsageError, known, unknown_name
from benchledger.store.default_db import DEFAULT_DB

ACROSS = ("rule", "gpu_model", "variant", *TEXT_COLUMNS[1:], *NUMBER_COLUMNS[1:])
_TIME_UNITS = ("s", "min")
_TRIAL_COLUMNS = (
    "side", "quantity", "rule", "unit", "value", "side_value", "status", "cell", "run_id", "run_key", "series_id",
    "case_id", *TEXT_COLUMNS, *NUMBER_COLUMNS[1:], "gpu_model", "gpu_memory_mib", "variant", "system",
    "framework_version", "implementation_version", "campaign",
)  # fmt: skip
# In which unpaired cases of one name may differ: columns of the case, and of each side.
_CASE_COLUMNS = ("framework", "implementation", "options", "variant", "unit")
_SIDE_COLUMNS = ("rule", "gpu_model")
# Runs of compared cases that diverged or did not reach the target: they lack a number that is compared.
_SHORT = """
select count(*) filter (where diverged_by is not null) as diverged,
    count(*) filter (where outcome = 'not reached' and diverged_by is null) as not_reached
from kept.series_run
join run_convergence_of('', coalesce($name, ''), $target) using (run_id)
where list_contains($series, series_id)
"""
_LISTS = ("trials", "run_ids")


@dataclass(frozen=True)
class Comparison:
    """The answer: `cases` has a row per case, paired or not; `means` one per quantity, over the cases of both sides.

    `verdict` of a case: faster or slower (speed, times), less or more (memory, loss), same, undecided; without partner
    only_a, only_b, ambiguous or no_number. `is_worse`: slower or more. `shared_runs`: number of runs on both sides;
    `diverged` and `not_reached`: of runs of A and of B, in compared cases, that diverged or did not reach the target.
    """

    sides: tuple[str, str]
    threshold: float
    cases: pl.DataFrame
    means: pl.DataFrame
    shared_runs: int = 0
    diverged: tuple[int, int] = (0, 0)
    not_reached: tuple[int, int] = (0, 0)

    @property
    def is_worse(self) -> bool:
        return bool(self.cases["is_worse"].any())

    @property
    def is_open(self) -> bool:
        """Tells whether a case is undecided or lacks a number on one side, or a run diverged or missed its target."""
        return any(self.diverged + self.not_reached) or bool(
            self.cases["verdict"].is_in([UNDECIDED, "no_number"]).any()
        )


def compare(
    *sides: str | Path,
    a: Iterable[str] = (),
    b: Iterable[str] = (),
    db: Path | str = DEFAULT_DB,
    quantity: Iterable[str] = (),
    rule: str | None = None,
    target: str | None = None,
    threshold: float = 1.0,
    across: Iterable[str] = (),
    campaign: str | None = None,
    **case_columns: object,
) -> Comparison:
    """Compares two sides case by case: how much B differs from A, how sure that is, and what only one side has.

    A side is a folder of logs, a ledger file, or a campaign (glob) of `db`; `a` and `b` are filters COLUMN=VALUE of one
    side, `campaign` and `case_columns` of both. `threshold` is the smallest change that counts, in percent. `across`
    names columns in which partners may differ: rule, gpu_model, variant or one of the case; those in `a` and `b` always
    may. Raises UsageError for sides or filters that cannot be, for a side without trials, and without a common case.
    """
    quantities, wide = known_of("quantity", quantity, QUANTITIES), known_of("across", across, ACROSS)
    if not 0 < threshold < 100:
        raise UsageError(f"the threshold must be a percentage between 0 and 100, not {threshold:g}")
    aim = read_target(target, None)
    columns = {**case_columns, **({"campaign": campaign} if campaign is not None else {})}
    with ExitStack() as opened:
        pair = open_sides(sides, tuple(a), tuple(b), db, columns, opened)
        trials = [trials_of(side, rule, aim) for side in pair]
        # Pair cases without the columns in which the two sides differ.
        wide |= {name for side in pair for name in side.filters.values if name in ACROSS and name not in columns}
        rows = [row for row in _paired(trials, wide) if row["quantity"] in quantities or not quantities]
        both = [row for row in rows if row["unpaired"] is None]
        if not both:
            raise UsageError(_nothing_common(rows, pair))
        steps = [_steps_of(side, letter, both) for side, letter in zip(pair, "ab", strict=True)]
        pairs = [_pair(row, *steps) for row in both]
        judged = iter(judge_each_quantity(both, pairs, threshold / 100))
        cases = [_case(row, next(judged) if row["unpaired"] is None else None) for row in rows]
        _add_causes(rows, cases, pair)
        short_a, short_b = (
            rows_asked(side.con, _SHORT, series=[row[f"{letter}_series_id"] for row in both], name=aim.name,
                       target=aim.value)[0]
            for side, letter in zip(pair, "ab", strict=True)
        )  # fmt: skip
    return Comparison(
        (pair[0].shown, pair[1].shown),
        threshold,
        frame_of(cases, without=()),
        frame_of(_means(rows, pairs), without=()),
        len(set(trials[0]["run_key"]) & set(trials[1]["run_key"])),
        (short_a["diverged"], short_b["diverged"]),
        (short_a["not_reached"], short_b["not_reached"]),
    )


def _pair(row: Row, steps_a: dict[int, float | None], steps_b: dict[int, float | None]) -> Pair:
    if row["quantity"] != "speed":
        return Pair(row["a_trials"], row["b_trials"])
    return Pair(row["a_trials"], row["b_trials"], steps_a.get(row["a_run_ids"][0]), steps_b.get(row["b_run_ids"][0]))


def judge_each_quantity(rows: list[Row], pairs: list[Pair], threshold: float) -> list[Outcome]:
    """Judges the pairs of each quantity together, and of each definition of memory: their noise is of one kind."""
    numbers: dict[tuple[str, str | None], list[int]] = {}
    for number, row in enumerate(rows):
        numbers.setdefault(_kind(row, "a"), []).append(number)
    outcomes: dict[int, Outcome] = {}
    for alike in numbers.values():
        judged = judge([pairs[number] for number in alike], threshold)
        outcomes |= dict(zip(alike, judged, strict=True))
    return [outcomes[number] for number in range(len(rows))]


def _kind(row: Row, side: str) -> tuple[str, str | None]:
    return row["quantity"], row[f"{side}_rule"] if row["quantity"] == "memory" else None


def known_of(what: str, given: Iterable[str], names: tuple[str, ...]) -> set[str]:
    """Returns what is given as a set. Raises UsageError with the known names for another one."""
    wanted = set(given)
    for name in wanted - set(names):
        raise unknown_name(what, name, names)
    return wanted


def _paired(trials: list[pl.DataFrame], across: set[str]) -> list[Row]:
    import duckdb

    both = [frame.with_columns(side=pl.lit(letter)) for frame, letter in zip(trials, "AB", strict=True)]
    with duckdb.connect() as con:
        told = pl.concat([frame.select(*_TRIAL_COLUMNS) for frame in both], how="vertical_relaxed").write_json()
        return rows_asked(con, sql_of("pairs"), trials=told, across=sorted(across))


def nearly_paired(rows: list[Row]) -> dict[str, list[str]]:
    """Returns the names of cases that each side has without a partner, by the columns in which the sides differ."""
    alone = {
        side: {(row["name"], _kind(row, side)): row for row in rows if row[f"{other}_series_id"] is None}
        for side, other in ("ab", "ba")
    }
    found: dict[str, list[str]] = {}
    for key, row in alone["a"].items():
        partner = alone["b"].get(key)
        if partner is not None:
            differ = [name for name in _CASE_COLUMNS if row[name] != partner[name]]
            differ += [name for name in _SIDE_COLUMNS if row[f"a_{name}"] != partner[f"b_{name}"]]
            names = found.setdefault(", ".join(differ) or "a column of the case", [])
            names += [] if row["name"] in names else [row["name"]]
    return found


def _nothing_common(rows: list[Row], sides: tuple[Side, Side]) -> str:
    if not rows:
        return "neither side has a number of this quantity"
    near = [f"{', '.join(names)} differ in {columns}" for columns, names in nearly_paired(rows).items()]
    if near:
        return f"no case is on both sides: {'; '.join(near)}. Pair cases that differ with --across COLUMN"
    names = [{row["name"] for row in rows if row[f"{x}_series_id"] is not None} for x in "ab"]
    return f"no case is on both sides: {sides[0].shown} has {known(names[0])}; {sides[1].shown} has {known(names[1])}"


def _steps_of(side: Side, letter: str, rows: list[Row]) -> dict[int, float | None]:
    """Returns the variance within each lone trial of a side, by run."""
    asked: dict[str, list[int]] = {}
    for row in rows:
        if row["quantity"] == "speed" and len(row[f"{letter}_trials"]) == 1:
            asked.setdefault(row[f"{letter}_rule"], []).extend(row[f"{letter}_run_ids"])
    found: dict[int, float | None] = {}
    for rule, runs in asked.items():
        found |= {run: steps_variance(rates) for run, rates in rates_of(side.con, sorted(set(runs)), rule).items()}
    return found


def _case(row: Row, outcome: Outcome | None) -> Row:
    kept = {name: value for name, value in row.items() if not name.endswith(_LISTS) and name != "unpaired"}
    counts = {f"{x}_trials": len(row[f"{x}_trials"]) for x in "ab"}
    judged: Row = dict.fromkeys(
        ("ratio", "low", "high", "change_percent", "interval_from", "p", "q", "more_trials", "outliers")
    )  # fmt: skip
    if outcome is not None:
        judged |= {name: getattr(outcome, name) for name in judged if name != "change_percent"}
        judged["change_percent"] = (outcome.ratio - 1) * 100
    verdict = row["unpaired"] if outcome is None else _verdict(row, outcome)
    return {
        **kept, **counts, **judged, "verdict": verdict,
        "is_worse": verdict in ("slower", "more"), "causes": None,
    }  # fmt: skip


def _add_causes(rows: list[Row], cases: list[Row], sides: tuple[Side, Side]) -> None:
    """Adds to the slowest cases what differs between their runs, the three likeliest causes first."""
    slower = [(row, case) for row, case in zip(rows, cases, strict=True) if case["verdict"] == "slower"]
    slower.sort(key=lambda one: -abs(one[1]["change_percent"]))
    for row, case in slower[:MOST_EXPLAINED]:
        evidence = [evidence_of(side.con, row[f"{x}_run_ids"]) for side, x in zip(sides, "ab", strict=True)]
        case["causes"] = causes_of(*evidence)


def _verdict(row: Mapping[str, object], outcome: Outcome) -> str:
    if outcome.verdict not in (MORE, LESS):
        return outcome.verdict
    if row["quantity"] in ("memory", "final_loss"):
        return outcome.verdict
    return "slower" if (outcome.verdict == MORE) == is_less_better(row["quantity"], row["unit"]) else "faster"


def is_less_better(quantity: object, unit: object) -> bool:
    return quantity != "speed" or unit in _TIME_UNITS


def _means(rows: list[Row], pairs: list[Pair]) -> list[Row]:
    both = [row for row in rows if row["unpaired"] is None]
    means = []
    for quantity in dict.fromkeys(row["quantity"] for row in both):
        of_it = [pair for row, pair in zip(both, pairs, strict=True) if row["quantity"] == quantity]
        ratio, low, high = geometric_mean(of_it)
        all_rows = [row for row in rows if row["quantity"] == quantity]
        means.append({
            "quantity": quantity, "ratio": ratio, "low": low, "high": high, "cases": len(of_it),
            **{f"only_{x}": sum(row["unpaired"] == f"only_{x}" for row in all_rows) for x in "ab"},
            "not_paired": sum(row["unpaired"] in ("ambiguous", "no_number") for row in all_rows),
        })  # fmt: skip
    return means


_RESAMPLES = 1000
_LEAST_STEPS = 10


def steps_variance(speeds: Sequence[float]) -> float | None:
    """Returns the variance of the logarithm of a trial's mean speed, resampled over blocks; None for too few steps.

    A block has as many steps as the square root of their number. The result is the same at every call.
    """
    logs = [math.log(speed) for speed in speeds if speed > 0 and math.isfinite(speed)]
    if len(logs) < _LEAST_STEPS:
        return None
    size = math.isqrt(len(logs))
    blocks = [math.fsum(logs[start : start + size]) / size for start in range(0, len(logs) - size + 1, size)]
    drawn = random.Random(len(blocks))
    means = [math.fsum(drawn.choices(blocks, k=len(blocks))) / len(blocks) for _ in range(_RESAMPLES)]
    middle = math.fsum(means) / len(means)
    # A bootstrap variance is (n-1)/n of the true one.
    inflation = len(blocks) / (len(blocks) - 1)
    return inflation * math.fsum((mean - middle) ** 2 for mean in means) / (len(means) - 1)
