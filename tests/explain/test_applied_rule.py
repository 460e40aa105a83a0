"""Each rule in polars gives what view run_speed gives, for every run of the corpus."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchledger.answers.explaining.applied_rule import apply_rule
from benchledger.answers.explaining.run_values import values_of
from benchledger.answers.read_only import reading
from benchledger.answers.series import rows_of


@pytest.mark.long
def test_every_run_and_rule_of_the_corpus_has_the_same_number_by_polars_and_by_sql(archives_ledger: Path) -> None:
    differing, seen = [], set()
    with reading(archives_ledger) as con:
        rules = rows_of(con.sql("from rule"))
        # Before the closing throughput contradicts some of them.
        computed = "select run_speed.* replace (coalesce(kept_speed.value, run_speed.value) as value) from run_speed"
        computed += " left join kept_speed using (run_id, rule, phase, unit)"
        by_sql = {(row["run_id"], row["rule"], row["phase"], row["unit"]): row for row in rows_of(con.sql(computed))}
        runs = [run_id for (run_id,) in con.execute("select run_id from run").fetchall()]
        for run_id, values in values_of(con, runs).items():
            for rule in rules:
                for phase in set(values.printed["phase"]) | {"train"}:
                    for one in apply_rule(rule, values, phase):
                        key = (run_id, rule["rule"], phase, one.unit)
                        seen.add(key)
                        told = by_sql[key]
                        same = one.value == told["value"] or math.isclose(
                            one.value or 0, told["value"] or 0, rel_tol=1e-12
                        )
                        counts = (one.records_used, one.records_skipped)
                        if not same or counts != (told["records_used"], told["records_skipped"]):
                            differing.append((key, one.value, counts, told))
    # A run that prints nothing to read is a row of its default rule all the same.
    silent = {key for key, row in by_sql.items() if row["unit"] is None and row["records_used"] == 0}

    assert len(seen) > 2_000
    assert differing == []
    assert by_sql.keys() - seen <= silent
