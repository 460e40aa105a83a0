"""Where the database and the definitions come from: options, environment, bench.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import benchledger
from tests.cli.bench import run_bench


@pytest.fixture
def db(one_run_ledger: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(one_run_ledger, tmp_path / "bench.duckdb"))


def test_a_shipped_question_is_listed_and_asked(db: Path) -> None:
    assert "| rejects " in run_bench("query", "--list").stdout
    assert run_bench("query", "rejects", "-p", "limit=5", "--format", "csv", db=db).exit_code == 0


def test_the_database_is_named_by_option_then_variable_then_file_then_default(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text('db = "from_file.duckdb"\n')

    assert "from_file.duckdb" in run_bench("runs").stderr
    assert "from_variable.duckdb" in run_bench("runs", env={"BENCH_DB": "from_variable.duckdb"}).stderr
    assert run_bench("runs", db=db, env={"BENCH_DB": "from_variable.duckdb"}).exit_code == 0
    (tmp_path / "bench.toml").unlink()
    assert run_bench("runs").exit_code == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("database = 'x'\n", "bench.toml:1: unknown key 'database'; known here: db, definitions, key_file"),
        ("\ndb = 3\n", "bench.toml:2: db must be a path in quotes, not 3"),
        ("definitions = ['missing']\n", "missing: no such folder of definitions"),
        ("db = \n", "bench.toml:1: not TOML"),
    ],
)
def test_a_wrong_bench_toml_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text(text)

    result = run_bench("runs")

    assert result.exit_code == 2
    assert message in result.stderr


def test_the_key_file_of_bench_toml_is_used(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text("key_file = 'shared.key'\n")

    result = run_bench("ingest", tmp_path, db=db)

    assert result.exit_code == 2
    assert "shared.key: the key file cannot be read: No such file" in result.stderr


def test_definitions_of_ones_own_come_from_option_and_file(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name / "queries").mkdir(parents=True)
        (tmp_path / name / "queries" / f"{name}.sql").write_text("-- One row.\nselect 1 as a;\n")
    (tmp_path / "bench.toml").write_text('definitions = "one"\n')
    try:
        listed = run_bench("--definitions", "two", "query", "--list").stdout

        assert "| one " in listed
        assert "| two " in listed
    finally:
        benchledger.use_definitions()
