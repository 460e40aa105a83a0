"""Shipped questions and ad-hoc SQL: they read the ledger and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchledger import queries, query, sql, use_definitions
from benchledger.errors import UsageError


@pytest.fixture
def db(one_run_ledger: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(one_run_ledger, tmp_path / "bench.duckdb"))


def test_sql_answers_with_a_frame(db: Path) -> None:
    assert sql("select value, unit from speed_table", db=db).rows() == [(127.09, "samples/s")]


@pytest.mark.parametrize(
    "statement",
    [
        "insert into kept.exclusion values ('a', 'b', now(), null)",
        "delete from run",
        "create table mine(a integer)",
        "drop view speed_table",
        "copy run to '{folder}/stolen.csv'",
        "export database '{folder}/all'",
        "attach '{folder}/other.duckdb'",
    ],
)
def test_sql_cannot_write(db: Path, tmp_path: Path, statement: str) -> None:
    before = sorted(tmp_path.iterdir())

    with pytest.raises(UsageError, match="the query was refused"):
        sql(statement.format(folder=tmp_path), db=db)

    assert sorted(tmp_path.iterdir()) == before
    assert sql("select count(*) from run", db=db).item() == 1


@pytest.mark.parametrize(
    "statement",
    [
        "from read_text('{secret}')",
        "from read_csv('{secret}')",
        "from '{secret}'",
        "from glob('{secret}*')",
        "set enable_external_access = true; from read_text('{secret}')",
        "reset enable_external_access; from read_text('{secret}')",
        "install httpfs",
    ],
)
def test_sql_cannot_read_other_files(db: Path, tmp_path: Path, statement: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")

    with pytest.raises(UsageError, match="the query was refused"):
        sql(statement.format(secret=secret), db=db)


@pytest.mark.parametrize("before", ["", "set python_scan_all_frames = true; "])
def test_sql_cannot_see_python_variables(db: Path, before: str) -> None:
    import polars as pl

    hidden = pl.DataFrame({"a": [1]})

    with pytest.raises(UsageError, match="the query was refused"):
        sql(f"{before}select * from hidden", db=db)
    assert hidden.height == 1


def test_sql_cannot_change_settings(db: Path) -> None:
    with pytest.raises(UsageError, match="the configuration has been locked"):
        sql("set memory_limit = '100GB'; select 1", db=db)


def test_a_question_of_ones_own_is_asked_by_its_name(db: Path, tmp_path: Path) -> None:
    (tmp_path / "queries").mkdir()
    text = "-- One row per unit.\n-- $least = 1\nselect unit from speed_table where value >= $least order by unit;\n"
    (tmp_path / "queries" / "units.sql").write_text(text)
    use_definitions(tmp_path)
    try:
        assert query("units", db=db).rows() == [("samples/s",)]
        assert query("units", db=db, least="200").rows() == []
        assert ("units", "One row per unit.", "least=1", None) in queries().rows()
    finally:
        use_definitions()


def test_an_unknown_question_lists_the_known_ones(db: Path) -> None:
    with pytest.raises(UsageError, match="no query 'nothing_like_it'"):
        query("nothing_like_it", db=db)
