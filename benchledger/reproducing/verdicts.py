"""The verdict of each claim: equal at its digits or by another rule, near, contradicted, no log; and its unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchledger.reproducing.chance import Found, SearchCell, chance_of, fit, over_trials, search
from benchledger.reproducing.claims import Claim
from benchledger.reproducing.evidence import Evidence, Number, Run
from benchledger.reproducing.matching import Candidates
from benchledger.reproducing.words import any_case, facts_of, frameworks_in, plain

EQUAL, OTHER_RULE, WITHIN, CONTRADICTED, NO_LOG = "equal", "other_rule", "within", "contradicted", "no_log"
VERDICTS = (EQUAL, OTHER_RULE, WITHIN, CONTRADICTED, NO_LOG)
# With few digits some rule fits nearly anything: beyond this chance only the default rule makes a cell equal.
MOST_CHANCE_OF_NAMED = 0.2
_NOUNS = {
    "samples/s": "sample|sequence|seq|sentence|sent|image|img|example|record|clip|picture|图片|张|样本|句",
    "tokens/s": "token|tok|tk|word|词",
    "items/s": "item|frame|mel|wav",
    "steps/s": "step|iteration|iter|it|batch",
}
_RATE = any_case(
    rf"(?:(?<![A-Za-z])([km])\s*)?({'|'.join(_NOUNS.values())})(?:s|es)?\s*(?:/|per|每)\s*\(?(?:s|sec|second|秒)(?![a-z])"
)
_SECOND = r"(ms|msec|milliseconds?|s|sec|seconds?|毫秒|秒)"
_SECONDS = tuple(
    any_case(pattern)
    for pattern in (
        rf"(?<![a-z/]){_SECOND}\s*(?:/|per)\s*(?:step|iter(?:ation)?|it|batch)(?:es|s)?\b",
        rf"(?:step|iteration|iter|batch)\s*(?:time|latency|耗时)\W*{_SECOND}\b",
        rf"(?:time|latency)\s*(?:/|per)\s*(?:step|iteration|iter|batch)\W*{_SECOND}\b",
    )
)
_MEMORY = any_case(r"(?:memory|显存|mem)\W*(?:\w+\W+)*?(MiB|GiB|MB|GB)|(?<![A-Za-z0-9])(MiB|GiB)(?![A-Za-z])")
_MEMORY_SCALE = {"mib": 1.0, "gib": 1024.0, "mb": 1.0, "gb": 1024.0}
_SPEEDUP = any_case(r"speed[\s_-]*up|加速比|(?:weak|strong)\s*scaling|scaling\s*factor")
# A ratio of precisions, frameworks or releases is no speed-up over GPUs.
_RATIO = any_case(r"speed[\s_-]*up.*(?:tf32|fp\s*16|fp\s*32|amp|mixed|precision| vs\.? | over (?!1|one))|相对|提升")
_SPEED = any_case(r"throughput|\bfps\b|\bqps\b|吞吐|speed(?![\s_-]*up)|性能(?!测试$)|ips\b|速度|performance")
_PER_GPU = any_case(r"(?:per|/|每)\s*(?:card|gpu|device|卡)|单卡吞吐|per[\s_-](?:card|gpu)")
# Quantities that no number of the ledger is compared with.
_OTHER = any_case(
    r"accuracy|acc(?:\b|@)|准确率|loss|f1\b|bleu|rouge|wer\b|auc\b|efficiency|利用率|util|top-?[15]|map\b|miou|"
    r"price|cost|power|watt|flop|mfu|版本|time|latency|耗时|minutes|小时|hours|ratio|比值|提升|差|\bvs\b|diff|delta|Δ|%|batch|steps?\b|epochs?\b"
)
# A head of these words that states no fact counts something else than speed.
_COUNTED = any_case(r"gpu|card|node|batch|device|rank|seq|卡|节点|机器")
_SETTING = any_case(
    r"batch[\s_-]*size[^。.;；]*(?:选用|选择如下|如下[:：]?$|are as follows|settings?)|超参|hyper-?param|参数设置|"
    r"command|命令行参数"
)


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


def numbers_of(cell: Cell, run: Run) -> list[Number]:
    unit = cell.claim.unit
    return [
        number for number in run.numbers
        if number.quantity == unit.quantity
        and (number.unit == unit.unit if unit.unit else number.unit not in ("s", "TFLOP/s"))
    ]  # fmt: skip


def _judge_alone(cell: Cell, tolerance: float) -> None:
    runs = [run for tier in cell.candidates.tiers for run in tier]
    pairs = [(run, number) for run in runs for number in numbers_of(cell, run)]
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
    if cell.candidates.given_up or _is_elsewhere(cell):
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
            for number in numbers_of(cell, run):
                if number.rule_is == rule_is and (how := fit(cell.ours_of(run, number), printed, step)):
                    return run, number, how
    return None


def _is_elsewhere(cell: Cell) -> bool:
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
        for number in numbers_of(cell, run)
    }
    trials: dict[str, list[float]] = defaultdict(list)
    for other in cell.candidates.first():
        for number in numbers_of(cell, other):
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


@dataclass(frozen=True)
class Unit:
    """What the numbers of a column count: a quantity of the ledger, its unit, the factor to it; per GPU or in all."""

    quantity: str
    unit: str | None = None
    scale: float = 1.0
    per_gpu: bool = False
    # Nothing says so: the numbers stand only if most of them are those of logs.
    assumed: bool = False


def unit_of(text: str) -> Unit | None:
    """Returns the unit that a text states, None if it states none."""
    bare = plain(text).replace("_", " ")
    if rate := _RATE.search(bare):
        noun = rate[2].lower()
        unit = next(unit for unit, nouns in _NOUNS.items() if noun in nouns.split("|"))
        scale = {"k": 1e3, "m": 1e6}.get((rate[1] or "").lower(), 1.0)
        return Unit("speed", unit, scale, bool(_PER_GPU.search(bare)))
    for pattern in _SECONDS:
        if seconds := pattern.search(bare):
            said = seconds[1].lower()
            return Unit("speed", "s", 1e-3 if said.startswith("m") or said == "毫秒" else 1.0)
    if _SPEEDUP.search(bare) and not _RATIO.search(bare):
        return Unit("speedup", "1")
    if memory := _MEMORY.search(bare):
        return Unit("memory", "MiB", _MEMORY_SCALE[(memory[1] or memory[2]).lower()])
    return None


def quantity_of(text: str) -> str | None:
    """Returns `speed`, `setting` or `other` as the words of a text say, None if they say nothing."""
    bare = plain(text).replace("_", " ")
    kinds = (("setting", _SETTING), ("other", _RATIO), ("speed", _SPEED), ("other", _OTHER))
    return next((name for name, pattern in kinds if pattern.search(bare)), None)


def is_no_speed(head: str) -> bool:
    """Tells whether a head without unit names another quantity, GPUs or batches (`gpu num in use`), or a ratio."""
    if quantity_of(head) in ("other", "setting") or len(frameworks_in(plain(head))) > 1:
        return True
    return bool(_COUNTED.search(plain(head))) and quantity_of(head) != "speed" and not facts_of(head)
