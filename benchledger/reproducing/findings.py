"""Other errors of a page, each with its line: tables that disagree, stale values, links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchledger.reproducing.chance import chance_of, fit
from benchledger.reproducing.evidence import Evidence, Number, Run
from benchledger.reproducing.matching import NAMING, Candidates, LinkedLog, Matcher, differs, numbers_of, words_of
from benchledger.reproducing.verdicts import CONTRADICTED, EQUAL, NO_LOG, WITHIN, Cell

# Beyond the digits of a table, two values of one case are two values.
_NEAR = 0.005
# A value that is another case's has digits enough that chance seldom gives it.
_MOST_CHANCE = 0.05

# Facts in which an older and a newer log of one case agree.
_SAME = (*NAMING, "nodes", "gradient_accumulation", "gpu_family", "gpu_model")


@dataclass(frozen=True)
class Finding:
    """One contradiction or repair: the page, its line, what kind it is, and what was found."""

    page: str
    line: int
    kind: str
    text: str


def findings_of(page: str, cells: Sequence[Cell], matcher: Matcher, evidence: Evidence) -> list[Finding]:
    """Returns what contradicts within a page, or between it and its logs, in the order of its lines."""
    found = [
        *_of_links(page, matcher.links),
        *_same_log(page, matcher.links),
        *_tables_disagree(page, cells),
        *(finding for cell in cells for finding in _of_cell(page, cell, cells, evidence)),
        *_swapped(page, cells),
        *_stale(page, cells, matcher),
    ]
    return sorted(dict.fromkeys(found), key=lambda finding: (finding.line, finding.kind, finding.text))


def _of_links(page: str, links: Iterable[LinkedLog]) -> Iterable[Finding]:
    for found in links:
        line, target = found.link.line, found.link.target
        if not found.places:
            yield Finding(page, line, "link_broken", f"the link to {target} leads to none of the logs")
        elif found.repaired:
            text = f"the link to {target} is broken; read instead: {found.places[0].shown}"
            yield Finding(page, line, "link_repaired", text)
        for place in found.places:
            if place.status in ("empty", "unrecognised", "unreadable"):
                text = f"the log linked as {target} is {place.status}: {place.shown}"
                yield Finding(page, line, "log_without_result", text)


def _same_log(page: str, links: Iterable[LinkedLog]) -> Iterable[Finding]:
    """Links of different names that lead to one content."""
    by_log: dict[int, dict[str, LinkedLog]] = defaultdict(dict)
    for found in links:
        for place in found.places:
            if place.log_id is not None and not found.repaired:
                by_log[place.log_id].setdefault(found.link.target, found)
    for users in by_log.values():
        (first, _), *others = users.items()
        for target, found in others:
            text = f"the log linked as {target} has the same bytes as the one linked as {first}"
            yield Finding(page, found.link.line, "same_log", text)


def _key(cell: Cell) -> tuple[object, ...]:
    facts = {name: value for name, value in cell.claim.facts.items() if name not in ("seq_len", "nodes", "gpu_family")}
    words = tuple(sorted(set(words_of(cell.claim))))
    return (cell.claim.unit.quantity, cell.claim.unit.per_gpu, tuple(sorted(facts.items(), key=str)), words)


def _tables_disagree(page: str, cells: Sequence[Cell]) -> Iterable[Finding]:
    by_case: dict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        by_case[_key(cell)].append(cell)
    for same in by_case.values():
        first = same[0]
        for other in same[1:]:
            step = max(first.claim.step, other.claim.step)
            # Another column of the same table is another case, whatever its head leaves unsaid.
            if other.claim.table != first.claim.table and abs(first.claim.value - other.claim.value) > 1.01 * step:
                text = (
                    f"{other.claim.row}, {other.claim.column}: {other.claim.printed} here and {first.claim.printed} in "
                    f"line {first.claim.line} for the same case"
                )
                yield Finding(page, other.claim.line, "tables_disagree", text)


def _of_cell(page: str, cell: Cell, cells: Sequence[Cell], evidence: Evidence) -> Iterable[Finding]:
    claim, line = cell.claim, cell.claim.line
    where = f"{claim.row}, {claim.column}: {claim.printed}"
    for name in cell.candidates.given_up if cell.run is not None else ():
        theirs = cell.run and cell.run.facts[name]
        text = f"{where}: stands under {name} {claim.facts.get(name)}; {_log(cell.run)} has {theirs}"
        yield Finding(page, line, "head_contradicts_log", text)
    yield from _misnamed(page, cell, evidence)
    if cell.verdict == CONTRADICTED and cell.run is not None and cell.ours:
        ratio = claim.value / cell.ours
        cards = int(str(cell.run.facts["gpus"] or claim.facts.get("gpus") or 1))
        for factor, words in ((cards, "times"), (1 / cards, "divided by")):
            if cards > 1 and abs(ratio / factor - 1) <= _NEAR:
                text = f"{where} is {cell.ours:.6g} of {_log(cell.run)} {words} its {cards} GPUs"
                yield Finding(page, line, "off_by_gpus", text)
        slip = next(((run, ours) for run, ours in _defaults(cell) if _one_digit(claim.printed, claim.step, ours)), None)
        if slip is not None:
            yield Finding(page, line, "digit", f"{where} differs by one digit from {slip[1]:.8g} of {_log(slip[0])}")
    if cell.verdict in (CONTRADICTED, NO_LOG) and (other := _of_another(cell, cells, evidence)) is not None:
        run, number = other
        text = f"{where} is {number.rule} of another case: {_case(run)}, {_log(run)}"
        yield Finding(page, line, "value_of_another_case", text)


def _misnamed(page: str, cell: Cell, evidence: Evidence) -> Iterable[Finding]:
    """Logs that the page links as this case's, and that state another number of GPUs or batch size."""
    for linked in cell.candidates.linked:
        logs = {place.log_id for place in linked.places}
        runs = [run for run in evidence.runs if logs.intersection(run.facts["logs"])]
        for name in ("gpus", "batch_size_per_gpu", "precision"):
            stated = linked.stated.get(name)
            if runs and all(run.facts[name] is not None and differs(name, stated, run) for run in runs):
                said = ", ".join(sorted({str(run.facts[name]) for run in runs}))
                where = f"{cell.claim.row}, {cell.claim.column}"
                text = f"{where}: the page says {name} {stated}; {linked.link.target} has {said}"
                yield Finding(page, linked.link.line, "link_contradicts_log", text)


def _defaults(cell: Cell) -> list[tuple[Run, float]]:
    pairs = [(run, number) for run in _all(cell.candidates) for number in numbers_of(cell.claim, run)]
    return [(pair[0], cell.ours_of(*pair) / cell.claim.unit.scale) for pair in pairs if pair[1].rule_is == "default"]


def _one_digit(printed: str, step: float, ours: float) -> bool:
    """Tells whether the log's number prints as this with a digit too many, too few or two exchanged."""
    digits = printed.rstrip("kKM").removeprefix("+")
    if sum(letter.isdigit() for letter in digits) < 5 or not digits[0].isdigit():
        return False
    decimals = len(digits.partition(".")[2])
    variants = {digits[:at] + digits[at + 1 :] for at in range(len(digits))}
    variants |= {f"{digits[:at]}{digits[at + 1]}{digits[at]}{digits[at + 2 :]}" for at in range(len(digits) - 1)}
    variants |= {f"{digits[:at]}{extra}{digits[at:]}" for at in range(len(digits) + 1) for extra in "0123456789"}
    # A number of other decimals is another rounding, not a slip of a key.
    same = [variant for variant in variants - {digits} if len(variant.partition(".")[2]) == decimals]
    return any(fit(ours, float(variant), step) for variant in same if variant.count(".") == digits.count("."))


def _of_another(cell: Cell, cells: Sequence[Cell], evidence: Evidence) -> tuple[Run, Number] | None:
    """Returns the run of another case whose number is printed: one of this page's first, then one of equal GPUs."""
    claim = cell.claim
    printed, step = claim.value * claim.unit.scale, claim.step * claim.unit.scale
    mine = {id(run) for tier in cell.candidates.tiers for run in tier}
    beside = [other.run for other in cells if other.run is not None and id(other.run) not in mine]
    same = [run for run in evidence.runs if run.facts["gpus"] == claim.facts.get("gpus") and id(run) not in mine]
    for runs in (beside, same):
        pairs = [(run, number) for run in runs for number in numbers_of(cell.claim, run) if number.rule_is != "general"]
        if chance_of([cell.ours_of(*pair) for pair in pairs], printed, step) > _MOST_CHANCE:
            continue
        for run, number in pairs:
            if fit(cell.ours_of(run, number), printed, step):
                return run, number
    return None


def _swapped(page: str, cells: Sequence[Cell]) -> Iterable[Finding]:
    """Two columns of a row of which each has the other's number."""
    rows: dict[tuple[int, int], list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.verdict in (CONTRADICTED, WITHIN) and cell.run is not None and cell.ours:
            rows[cell.claim.table, cell.claim.line].append(cell)
    for row in rows.values():
        for at, one in enumerate(row):
            for other in row[at + 1 :]:
                if one.claim.unit == other.claim.unit and _prints(one, other) and _prints(other, one):
                    logs = " and ".join(dict.fromkeys((_log(one.run), _log(other.run))))
                    columns = f"{one.claim.column} and {other.claim.column}"
                    text = f"{one.claim.row}: the values of {columns} are exchanged, by {logs}"
                    yield Finding(page, one.claim.line, "columns_swapped", text)


def _prints(one: Cell, other: Cell) -> bool:
    """Tells whether a cell prints a number of the other's run, nearer than its own."""
    assert other.run is not None
    assert other.ours
    assert one.ours
    near = any(
        fit(one.ours_of(other.run, number) / one.claim.unit.scale, one.claim.value, one.claim.step)
        for number in numbers_of(one.claim, other.run)
    )
    return near or (
        abs(one.claim.value / other.ours - 1) <= _NEAR and abs(one.claim.value / one.ours - 1) > 4 * _NEAR
    )  # fmt: skip


def _stale(page: str, cells: Sequence[Cell], matcher: Matcher) -> Iterable[Finding]:
    """Tables with values of older logs where newer ones of the same cases, as near to the page, give others."""
    by_table: dict[int, list[str]] = defaultdict(list)
    lines: dict[int, int] = {}
    for cell in cells:
        if cell.verdict != EQUAL or cell.run is None or cell.run.facts["started_at"] is None:
            continue
        near = matcher.nearness(cell.run)
        newer = [
            run for run in _all(cell.candidates) if _is_newer(run, cell.run) and matcher.nearness(run) >= near
        ]  # fmt: skip
        if newer and not any(_gives(cell, run) for run in newer):
            latest = max(newer, key=lambda run: run.facts["started_at"])
            lines.setdefault(cell.claim.table, cell.claim.line)
            by_table[cell.claim.table].append(
                f"{cell.claim.row}, {cell.claim.column}: {cell.claim.printed} is of {_log(cell.run)}; "
                f"the newer {_log(latest)} gives another value"
            )
    for table, said in by_table.items():
        more = f" (and {len(said) - 1} more in this table)" if len(said) > 1 else ""
        yield Finding(page, lines[table], "stale", said[0] + more)


def _all(candidates: Candidates) -> list[Run]:
    return [run for tier in candidates.tiers for run in tier]


def _is_newer(run: Run, than: Run) -> bool:
    began = run.facts["started_at"]
    same = all(run.facts[name] == than.facts[name] for name in _SAME)
    return same and began is not None and began > than.facts["started_at"] and run.run_id != than.run_id


def _gives(cell: Cell, run: Run) -> bool:
    scale = cell.claim.unit.scale
    return any(
        fit(cell.ours_of(run, number) / scale, cell.claim.value, cell.claim.step)
        for number in numbers_of(cell.claim, run)
    )


def _log(run: Run | None) -> str:
    return run.places[0].shown if run is not None and run.places else "no log"


def _case(run: Run) -> str:
    said = {name: run.facts[name] for name in ("framework", "model", "precision", "batch_size_per_gpu", "gpus")}
    return ", ".join(f"{name}={value}" for name, value in said.items() if value is not None)
