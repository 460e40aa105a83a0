"""`bench query`: the list, what it says of unknown values, and the SQL to take elsewhere."""

from __future__ import annotations

import csv
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger.definitions.queries import load_queries
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("query") / "bench.duckdb"
    with ledger_rows(db) as rows:
        rows.run(127.09, campaign="spring's")
        rows.run(128.0, campaign="autumn")
        rows.run(129.0, campaign=None)
    return db


@pytest.mark.parametrize("words", [[], ["--list"]])
def test_without_a_name_the_questions_are_listed_with_parameters_and_example(words: list[str]) -> None:
    done = run_bench("query", *words, "--format", "csv")

    listed = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["name"] for row in listed] == list(load_queries())
    assert {row["name"]: row["example"] for row in listed}["speedup"] == "bench query speedup -p scaling=weak"


@pytest.mark.parametrize("name", ["runs-by-status", "runs_by_status"])
def test_a_name_is_taken_in_both_spellings(ledger: Path, name: str) -> None:
    assert "autumn,ok,1" in run_bench("query", name, "--format", "csv", db=ledger).stdout


@pytest.mark.parametrize(
    ("words", "exit_code", "says"),
    [
        (["spedup"], 2, "did you mean 'speedup'?; known: speedup, speed, "),
        (["speed", "-p", "campain=x"], 2, "no parameter 'campain'; did you mean 'campaign'?; it has: campaign"),
        (["speed", "-p", "campaign"], 2, "'campaign' must read NAME=VALUE"),
        (["speed", "-p", "campaign=winter*"], 1, "no run with campaign 'winter*'; known: autumn, spring's"),
        (["speed", "-p", "rule=ngc.sumary"], 1, "no rule with rule 'ngc.sumary'; did you mean 'ngc.summary'?; known: "),
        (["speedup", "-p", "scaling=wek"], 2, "no 'wek'; known: weak, strong"),
        (["unrecognised", "-p", "path=nowhere/*"], 1, "no file with place 'nowhere/*'; known: "),
        (["-p", "campaign=a"], 2, "name the query that these options belong to"),
        (["--sql"], 2, "name the query that these options belong to"),
    ],
)
def test_a_mistake_is_told_with_what_there_is(ledger: Path, words: list[str], exit_code: int, says: str) -> None:
    done = run_bench("query", *words, db=ledger)

    assert (done.exit_code, done.stdout) == (exit_code, "")
    assert says in " ".join(done.stderr.split())


def test_a_value_that_occurs_may_have_no_answer(ledger: Path) -> None:
    done = run_bench("query", "failures", "-p", "status=oom", "-p", "campaign=aut*", "--format", "csv", db=ledger)

    assert (done.exit_code, done.stdout.count("\n")) == (0, 1)


def test_an_empty_campaign_asks_for_the_runs_without_one(ledger: Path) -> None:
    done = run_bench("query", "runs-by-status", "-p", "campaign=", "--format", "csv", db=ledger)

    assert (done.exit_code, done.stdout.splitlines()[1].startswith(",ok,1,")) == (0, True), done.output


def test_the_sql_gives_the_same_answer_in_a_shell_of_duckdb(ledger: Path) -> None:
    words = ["speed", "-p", "campaign=spring's"]
    statement = run_bench("query", *words, "--sql", db=ledger).stdout
    asked = run_bench("query", *words, "--format", "csv", db=ledger).stdout

    with closing(duckdb.connect(str(ledger), read_only=True)) as con:
        rows = con.sql(statement).fetchall()
    assert statement.startswith("-- One row per series")
    assert "$" not in statement
    assert [row[0] for row in rows] == [row["campaign"] for row in csv.DictReader(asked.splitlines())] == ["spring's"]


def test_the_sql_goes_to_a_file(tmp_path: Path) -> None:
    done = run_bench("query", "rules", "--sql", "--output", tmp_path / "rules.sql")

    assert (done.exit_code, done.stdout) == (0, "")
    assert (tmp_path / "rules.sql").read_text().endswith("order by rule.rule;\n")
