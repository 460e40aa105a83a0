"""How a number fits what is printed, and how often chance would: pure functions of plain numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# A made-up value is one moved by 0.05 to 0.4 %: the measure by which the corpus' own rules were tried.
LEAST_MOVE, MOST_MOVE = 0.0005, 0.004
# A search may be by luck as good as this, and no better.
MOST_CHANCE = 0.01
_SLACK = 1e-9


def fit(value: float, printed: float, step: float) -> str | None:
    """Returns `rounded` or `cut` if a number prints as that at its digits, else None."""
    units, digits = value / step, round(printed / step)
    if abs(units - digits) <= 0.5 + _SLACK * max(1.0, abs(units)):
        return "rounded"
    return "cut" if math.trunc(units + math.copysign(_SLACK * abs(units), units)) == digits else None


def printings(value: float, step: float) -> set[int]:
    """Returns the numbers, in steps of the last digit, as which a value may be printed."""
    units = value / step
    return {math.floor(units + 0.5), math.trunc(units)}


def chance_of(values: Iterable[float], printed: float, step: float) -> float:
    """Returns an upper bound of how often a value moved by 0.05 to 0.4 % would print as one of `values`.

    Each printing that is near enough gets its share of all that such a move can reach.
    """
    reach = 2 * (MOST_MOVE - LEAST_MOVE) * abs(printed) / step
    if reach <= 1:
        return 1.0
    near = 2 * MOST_MOVE * abs(printed) + step
    accepted = {number for value in values if abs(value - printed) <= near for number in printings(value, step)}
    return min(1.0, len(accepted) / reach)


@dataclass(frozen=True)
class SearchCell:
    """A cell of a search: its printed number, the step of its last digit, and its number by each rule tried."""

    printed: float
    step: float
    by_rule: Mapping[str, float]


@dataclass(frozen=True)
class Found:
    """A rule that fits several cells: which, how many rules were tried, how often chance fits as many."""

    rule: str
    cells: tuple[int, ...]
    of: int
    tried: int
    chance: float


def search(cells: Sequence[SearchCell]) -> list[Found]:
    """Returns the rules that fit at least two cells and more than chance would, best first; a cell counts once."""
    tried = sorted({rule for cell in cells for rule in cell.by_rule})
    left, found = set(range(len(cells))), []
    while len(left) >= 2:
        trials = [_trial(rule, cells, left, len(tried)) for rule in tried]
        best = min(trials, key=lambda trial: (trial.chance, -len(trial.cells)), default=None)
        if best is None or len(best.cells) < 2 or best.chance > MOST_CHANCE:
            break
        found.append(best)
        left -= set(best.cells)
    return found


def _trial(rule: str, cells: Sequence[SearchCell], left: set[int], tried: int) -> Found:
    given = [at for at in sorted(left) if rule in cells[at].by_rule]
    fits = tuple(at for at in given if fit(cells[at].by_rule[rule], cells[at].printed, cells[at].step))
    single = [_by_one_rule(cells[at]) for at in given]
    return Found(rule, fits, len(given), tried, min(1.0, tried * at_least(single, len(fits))))


def _by_one_rule(cell: SearchCell) -> float:
    # A number prints as two at most: rounded and cut.
    reach = 2 * (MOST_MOVE - LEAST_MOVE) * abs(cell.printed) / cell.step
    return min(1.0, 2 / reach) if reach > 0 else 1.0


def at_least(chances: Sequence[float], times: int) -> float:
    """Returns the chance that at least so many of independent events happen."""
    exactly = [1.0]
    for chance in chances:
        exactly = [
            (exactly[n] * (1 - chance) if n < len(exactly) else 0.0) + (exactly[n - 1] * chance if n else 0.0)
            for n in range(len(exactly) + 1)
        ]
    return min(1.0, math.fsum(exactly[times:]))


SKIPPED = (*range(21), 25, 30, 40, 50, 100, 150, 200)
LEFT_OFF = (0, 1, 2, 3, 5, 10)
TAKEN = (5, 10, 20, 50, 100, 200, 500)


def windows(rates: Sequence[float]) -> dict[str, float]:
    """Returns what means and medians over windows of a run's rates (all > 0) give, by the rule in words."""
    found: dict[str, float] = {}
    for first in SKIPPED:
        ends = {first + take: f", {take} of them" for take in TAKEN if first + take < len(rates)}
        ends |= {len(rates) - last: f" without the last {last}" if last else "" for last in LEFT_OFF}
        for end, words in ends.items():
            used, window = rates[first:end], f"after the first {first}{words}"
            if len(used) >= 2:
                found[f"mean of the printed rates {window}"] = math.fsum(used) / len(used)
                found[f"median of the printed rates {window}"] = statistics.median(used)
                harmonic = len(used) / math.fsum(1 / rate for rate in used)
                found[f"harmonic mean of the printed rates {window}"] = harmonic
    if rates:
        found["last printed rate"], found["highest printed rate"] = rates[-1], max(rates)
    return found


def over_trials(values: Sequence[float], rule: str) -> dict[str, float]:
    """Returns what several trials give under one rule, by the rule in words; nothing for one trial."""
    if len(values) < 2:
        return {}
    return {
        f"mean of {rule} over {len(values)} runs": math.fsum(values) / len(values),
        f"median of {rule} over {len(values)} runs": statistics.median(values),
        f"fastest of {rule} over {len(values)} runs": max(values),
        f"slowest of {rule} over {len(values)} runs": min(values),
    }
