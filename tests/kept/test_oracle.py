"""The kept numbers, and the readings that they use, are those of the oracle, record by record, for every run and rule."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchledger import ingest
from benchledger.answers.rows import reading, rows_of
from benchledger.kept import uses
from tests.kept.oracle import Run, apply_rule

USED = """
select use.run_id, use.rule, use.phase, use.unit, claimed_record.log_id, claimed_record.byte_offset, use.place & 63
from use
join claimed_record on claimed_record.run_id = use.run_id and claimed_record.place = use.place - (use.place & 63)
where dropped is null
"""


# One run at a time, as for an explanation, and many.
@pytest.mark.parametrize(
    ("which", "at_once"), [("demo_ledger", 1), pytest.param("archives_ledger", 50, marks=pytest.mark.long)]
)
def test_every_run_and_rule_has_the_number_and_the_readings_of_the_oracle(
    which: str, at_once: int, request: pytest.FixtureRequest
) -> None:
    seen, used = agree(request.getfixturevalue(which), at_once)

    assert seen > 200
    assert used > 10_000


@pytest.mark.parametrize("printed_again", [0, 1, 10, 29, 30])
def test_a_log_that_prints_some_of_its_lines_again_has_the_number_of_the_oracle(
    tmp_path: Path, printed_again: int
) -> None:
    lines = [f"iter {n}: loss {9 - n / 10:.4f}, time {90 + n % 7}.50ms, mfu 3.10%" for n in range(30)]
    found = [line for n, line in enumerate(lines) for line in [line] * (1 + (n < printed_again))]
    (tmp_path / "run.log").write_text("step 0: train loss 9.1, val loss 9.2\n" + "\n".join(found) + "\n")
    (tmp_path / "facts.toml").write_text("[case]\ngpus = 1\nglobal_batch_size = 120\n")
    ingest(tmp_path, db=tmp_path / "bench.duckdb")

    seen, used = agree(tmp_path / "bench.duckdb", 1)
    assert seen > 1
    assert used > 50


def agree(db: Path, at_once: int) -> tuple[int, int]:
    """Compares every kept number with that of the oracle, and says how many there are, of how many readings."""
    differing, seen, used = [], set(), 0
    with reading(db) as con:
        rules = rows_of(con.sql("from kept.rule"))
        kept = {
            (row["run_id"], row["rule"], row["phase"], row["unit"]): row for row in rows_of(con.sql("from kept.speed"))
        }
        runs = [run_id for (run_id,) in con.execute("select run_id from run").fetchall()]
        places = dict[object, set[object]]()
        for number, run_id in enumerate(runs):
            if number % at_once == 0:
                with uses(con, runs[number : number + at_once]):
                    places.clear()
                    for *key_of, log_id, byte, ordinal in con.execute(USED).fetchall():
                        places.setdefault(tuple(key_of), set()).add((log_id, byte, ordinal))
            run = Run(con, run_id)
            for rule in rules:
                for phase in {one.phase for one in run.printed} | {"train"}:
                    for one in apply_rule(rule, run, phase):
                        key = (run_id, rule["rule"], phase, one.unit)
                        seen.add(key)
                        used += len(one.used)
                        row = kept[key]
                        counts = (one.records_used, one.records_skipped) == (
                            row["records_used"],
                            row["records_skipped"],
                        )
                        if not is_close(one.value, row["value"]) or not counts or one.used != places.get(key, set()):
                            differing.append((key, one, row))

    assert differing == []
    assert kept.keys() == seen
    return len(seen), used


def is_close(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else math.isclose(one, other, rel_tol=1e-12)
