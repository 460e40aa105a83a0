"""The benchmark of answers on a ledger of three short runs."""

from __future__ import annotations

from benchmarks import answers, made_runs


def test_a_made_ledger_answers_every_table_that_is_measured(tmp_path):
    database = tmp_path / "made.duckdb"

    made_runs.make_runs(database, runs=3, records=40)

    seconds = answers.ask(database, rounds=2)
    assert {table: len(found) for table, found in seconds.items()} == dict.fromkeys(answers.TABLES, 2)
    assert made_runs.a_cell(database).startswith("s")
    whole, beyond = answers.explained(database, rounds=1)
    assert 0 < whole > beyond
