"""Rules of one run that differ by more than twice do so for a cause that docs/rules.md names."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.ingestion.logs import ask
from tests.readme_tables import tables_below

ROOT = Path(__file__).resolve().parent.parent.parent
APART = """
    select run_id, phase, unit, list(rule order by rule), list(value order by rule)
    from run_speed
    join (select rule, per from kept.rule) using (rule)
    -- The speed of one GPU is not that of all.
    where value is not null and per is distinct from 'gpu'
    group by run_id, phase, unit
    having max(value) > 2 * min(value)
"""


def stated() -> dict[str, tuple[set[str], int]]:
    """Of each cause the rules that differ for it, and how many runs of the public logs it has."""
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    (_, *rows), *_ = tables_below(text, "## When rules of one run differ by more than twice")
    return {cause: (set(re.findall(r"`(\S+)`", rules)), int(runs)) for cause, rules, runs, _ in rows}


def causes(db: Path) -> Counter[str]:
    """How many runs differ for each cause; of those without one the rules and values are the cause."""
    found: Counter[str] = Counter()
    for _, _, _, rules, values in ask(db, APART):
        for cause, (named, _) in stated().items():
            others = [value for rule, value in zip(rules, values, strict=True) if rule not in named]
            if others and max(others) <= 2 * min(others):
                found[cause] += 1
                break
        else:
            found[str(dict(zip(rules, values, strict=True)))] += 1
    return found


def test_rules_of_our_own_runs_differ_by_less_than_twice(measured_ledger: Path) -> None:
    assert ask(measured_ledger, "select count(*) > 200 from run_speed where value is not null") == [(True,)]
    assert causes(measured_ledger) == {}


def test_rules_of_public_logs_that_differ_by_more_than_twice_have_a_cause(corpus_ledger: Path) -> None:
    assert causes(corpus_ledger) == {cause: runs for cause, (_, runs) in stated().items()}


@pytest.mark.parametrize(("format_name", "runs"), [("ngc-pytorch-bert", 2), ("ngc-gnmt", 1), ("ngc-tacotron2", 5)])
def test_steps_that_the_closing_throughput_contradicts_have_no_speed(
    corpus_ledger: Path, format_name: str, runs: int
) -> None:
    rows = ask(
        corpus_ledger,
        """select count(distinct run_id), bool_and(value is null and status = 'ambiguous')
           from run_speed join kept.contradicted_speed using (run_id, rule, phase) join kept.run_format using (run_id)
           where format = ?""",
        format_name,
    )

    assert rows == [(runs, True)]
