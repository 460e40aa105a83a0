"""`bench sql` takes a statement as it was written: with comments before it, or from standard input."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger import ingest, runs
from benchledger.answers.rows import reading
from benchledger.errors import DatabaseError, UsageError
from tests.cli.bench import run_bench
from tests.ingestion.logs import put, run_text

COMMENTED = "-- how many runs\nselect count(*) as runs from run -- all\n"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sql")
    put(folder / "logs" / "a.log", run_text().log)
    ingest(folder / "logs", db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


def test_a_statement_may_begin_with_a_comment(ledger: Path) -> None:
    for words in ([COMMENTED, "--format", "csv"], ["--format", "csv", COMMENTED], ["--format", "csv", "--", COMMENTED]):
        done = run_bench("sql", *words, db=ledger)

        assert (done.exit_code, done.stdout) == (0, "runs\n1\n"), done.output


def test_a_dash_reads_the_statement_from_standard_input(ledger: Path) -> None:
    done = run_bench("sql", "-", "--format", "csv", db=ledger, stdin=COMMENTED.encode())

    assert (done.exit_code, done.stdout) == (0, "runs\n1\n"), done.output


def test_a_misspelt_option_is_still_an_error(ledger: Path) -> None:
    assert run_bench("sql", "--fromat", "csv", "select 1", db=ledger).exit_code == 2


def test_two_statements_are_refused_since_the_rows_of_one_would_be_lost(ledger: Path) -> None:
    done = run_bench("sql", "select 1 as first; select 2 as second", db=ledger)

    assert (done.exit_code, done.stdout) == (2, "")
    assert "2 statements given" in done.stderr


@pytest.mark.parametrize("statement", ["select 1 as runs;", "select 1 as runs; -- that is all", "select 1 as runs;;"])
def test_one_statement_may_end_as_statements_do(ledger: Path, statement: str) -> None:
    assert run_bench("sql", statement, "--format", "csv", db=ledger).stdout == "runs\n1\n"


def test_a_pivot_is_one_statement(ledger: Path) -> None:
    done = run_bench("sql", "pivot (select status from run) on status using count(*)", "--format", "csv", db=ledger)

    assert (done.exit_code, done.stdout) == (0, "ok\n1\n"), done.output


def test_a_view_of_a_ledger_from_elsewhere_reads_no_other_file(ledger: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(ledger, tmp_path / "bench.duckdb"))
    put(tmp_path / "secret.txt", "secret")
    with closing(duckdb.connect(db)) as con:
        con.execute(f"create view main.theirs as select content from read_text('{tmp_path}/secret.txt')")
        con.execute("create or replace view main.speed_table as select content as framework from main.theirs")

    with pytest.raises(DatabaseError, match="views were changed: Permission Error"), reading(db) as con:
        con.execute("from main.theirs")
    for words in (("report", "speed"), ("sql", "from theirs"), ("export", "site", str(tmp_path / "site"))):
        done = run_bench(*words, db=db)
        assert done.exit_code in (1, 2)
        assert done.stderr.startswith("Error: ")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        (("sql", "-"), b"select '\xff'", r"select '\xff': not UTF-8 text"),
        (("sql", "select 'infinity'::date as day"), b"", "column day has a time outside of the years 1 to 9999"),
        (("sql", "select map {'a': [date '294247-01-10']} as day"), b"", "column day has a time outside of the years"),
        (("sql", "select map {interval '1 day': 1} as spans"), b"", "that Python cannot hold"),
        (("sql", "select interval '10000000 years' as long"), b"", "an interval that is too long"),
        (("sql", "select 1::union(n int) as either"), b"", "polars cannot hold the rows"),
    ],
)
def test_what_no_answer_can_hold_is_told_in_one_line(
    ledger: Path, words: tuple[str, ...], stdin: bytes, told: str
) -> None:
    done = run_bench(*words, db=ledger, stdin=stdin)

    assert done.exit_code in (1, 2)
    assert told in done.stderr
    assert "benchledger" not in done.stderr


def test_a_list_in_an_answer_may_hold_intervals_and_a_limit_any_number(ledger: Path) -> None:
    assert "1 day" in run_bench("sql", "select [interval '1 day'] as spans", db=ledger).stdout
    assert run_bench("runs", "--limit", str(10**30), db=ledger).exit_code == 0
    with pytest.raises(UsageError, match="limit is 0, must be 1 or more"):
        runs(limit=0, db=ledger)
