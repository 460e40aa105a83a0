"""The verdict of each claim: equal at its printed digits, by another rule, within a tolerance, contradicted, no log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchledger.reproducing.chance import Found, SearchCell, chance_of, fit, over_trials, search
from benchledger.reproducing.claims import Claim
from benchledger.reproducing.evidence import Evidence, Number, Run
from benchledger.reproducing.matching import Candidates, numbers_of

EQUAL, OTHER_RULE, WITHIN, CONTRADICTED, NO_LOG = "equal", "other_rule", "within", "contradicted", "no_log"
VERDICTS = (EQUAL, OTHER_RULE, WITHIN, CONTRADICTED, NO_LOG)
# With few digits some rule fits nearly anything: beyond this chance only the default rule makes a cell equal.
MOST_CHANCE_OF_NAMED = 0.2


@dataclass
class Cell:
    """A claim with its verdict, the run and rule that stand behind it, and the chance of a fit by luck."""

    claim: Claim
    candidates: Candidates
    verdict: str = NO_LOG
    run: Run | None = None
    rule: str | None = None
    rule_is: str | None = None
    how: str | None = None
    ours: float | None = None
    tried: int = 0
    chance: float | None = None
    search: Found | None = None
    notes: list[str] = field(default_factory=list)

    def ours_of(self, run: Run, number: Number) -> float:
        """Returns a number of a run in the unit of the claim."""
        cards = run.facts["gpus"] or self.claim.facts.get("gpus") or 1
        return number.value / int(str(cards)) if self.claim.unit.per_gpu else number.value


def judge(cells: Sequence[Cell], evidence: Evidence, tolerance: float) -> None:
    for cell in cells:
        _judge_alone(cell, tolerance)
    _judge_by_search([cell for cell in cells if cell.verdict in (WITHIN, CONTRADICTED)], evidence)


def without_unit(cells: Sequence[Cell]) -> tuple[tuple[Cell, ...], list[tuple[int, str]]]:
    """Drops tables whose unit nobody states, unless most of their cells come out of logs; says which were dropped."""
    assumed: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.claim.unit.assumed:
            assumed[cell.claim.table].append(cell)
    dropped = {
        table: same[0].claim.table_line
        for table, same in assumed.items()
        if sum(cell.verdict == EQUAL for cell in same) <= len(same) / 2
    }
    said = [(line, "no unit in the heads, above the table or in the page's name") for line in dropped.values()]
    kept = (cell for cell in cells if not (cell.claim.unit.assumed and cell.claim.table in dropped))
    return tuple(kept), said


def _judge_alone(cell: Cell, tolerance: float) -> None:
    runs = [run for tier in cell.candidates.tiers for run in tier]
    pairs = [(run, number) for run in runs for number in numbers_of(cell.claim, run)]
    if not pairs:
        return
    claim, step = cell.claim, cell.claim.step * cell.claim.unit.scale
    printed = claim.value * claim.unit.scale
    known = [(run, number) for run, number in pairs if number.rule_is != "general"]
    cell.tried = len({number.rule for _, number in known})
    values: list[float] = []
    for tier in cell.candidates.tiers:
        values += [cell.ours_of(run, number) for run, number in known if run in tier]
        cell.chance = chance_of(values, printed, step)
        if fitting := _fit_in(cell, tier, printed, step, cell.chance <= MOST_CHANCE_OF_NAMED):
            _say(cell, EQUAL, *fitting)
            return
    if cell.candidates.given_up or _is_log_missing(cell):
        return
    first = cell.candidates.first()
    defaults = [(run, number) for run, number in known if number.rule_is == "default" and run in first]
    run, number = min(
        defaults or [pair for pair in known if pair[0] in first] or known or pairs,
        key=lambda pair: abs(cell.ours_of(*pair) - printed),
    )
    off = abs(cell.ours_of(run, number) - printed)
    _say(cell, WITHIN if off <= tolerance * abs(printed) else CONTRADICTED, run, number)


def _fit_in(
    cell: Cell, tier: tuple[Run, ...], printed: float, step: float, by_named: bool
) -> tuple[Run, Number, str] | None:
    for rule_is in ("default", "named") if by_named else ("default",):
        for run in tier:
            for number in numbers_of(cell.claim, run):
                if number.rule_is == rule_is and (how := fit(cell.ours_of(run, number), printed, step)):
                    return run, number, how
    return None


def _is_log_missing(cell: Cell) -> bool:
    """Tells whether the page links to a log of the claim that is not among the logs: others do not contradict it."""
    linked = cell.candidates.linked
    return bool(linked) and not any(found.places for found in linked)


def _say(cell: Cell, verdict: str, run: Run, number: Number, how: str | None = None) -> None:
    cell.verdict, cell.run, cell.rule, cell.rule_is, cell.how = verdict, run, number.rule, number.rule_is, how
    cell.ours = cell.ours_of(run, number) / cell.claim.unit.scale


def _judge_by_search(cells: Sequence[Cell], evidence: Evidence) -> None:
    """Looks for rules that several cells of one program share: those of the ledger, then windows over printed rates."""
    groups: dict[object, list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.run is not None and cell.claim.unit.quantity == "speed":
            groups[cell.run.facts["format"]].append(cell)
    tried = evidence.windows(sorted({cell.run.run_id for group in groups.values() for cell in group if cell.run}))
    for group in groups.values():
        # A number that a page prints twice is one number.
        same: dict[object, list[Cell]] = defaultdict(list)
        for cell in group:
            same[cell.run and cell.run.run_id, cell.claim.value, cell.claim.step].append(cell)
        asked = [_searched(cells[0], tried) for cells in same.values()]
        for found in search(asked):
            for at in found.cells:
                for cell in list(same.values())[at]:
                    _say_found(cell, found, asked[at])


def _say_found(cell: Cell, found: Found, asked: SearchCell) -> None:
    value = asked.by_rule[found.rule]
    cell.verdict, cell.rule, cell.rule_is, cell.search = OTHER_RULE, found.rule, "searched", found
    cell.tried, cell.chance, cell.ours = found.tried, found.chance, value / cell.claim.unit.scale
    cell.how = fit(value, asked.printed, asked.step)


def _searched(cell: Cell, tried: dict[int, dict[str, float]]) -> SearchCell:
    assert cell.run is not None
    scale, run = cell.claim.unit.scale, cell.run
    by_rule = {
        f"{number.rule} over trials" if number.over_trials else number.rule: cell.ours_of(run, number)
        for number in numbers_of(cell.claim, run)
    }
    trials: dict[str, list[float]] = defaultdict(list)
    for other in cell.candidates.first():
        for number in numbers_of(cell.claim, other):
            if not number.over_trials:
                trials[number.rule].append(cell.ours_of(other, number))
    for rule, values in trials.items():
        by_rule |= over_trials(values, rule)
    unit = cell.claim.unit.unit
    # What a run prints in another unit than the table is no rate of it.
    if any(number.unit == unit or unit is None for number in run.numbers if number.rule.startswith("steps.")):
        cards = int(str(run.facts["gpus"] or 1)) if cell.claim.unit.per_gpu else 1
        by_rule |= {rule: value / cards for rule, value in tried.get(run.run_id, {}).items()}
    return SearchCell(cell.claim.value * scale, cell.claim.step * scale, by_rule)
