"""How a command ends: exit codes, and messages that name the cure."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest

import benchledger
from benchledger.cli.main import COMMANDS
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, run_text

CURE = "It goes to a place that cannot be written or is full: name another"


@pytest.fixture
def db(one_run_ledger: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(one_run_ledger, tmp_path / "bench.duckdb"))


def test_an_unknown_command_lists_the_known_ones() -> None:
    result = run_bench("reprot")

    assert result.exit_code == 2
    assert f"no command 'reprot'; did you mean 'report'?; known: {', '.join(sorted(COMMANDS))}" in result.stderr


REPORTS = "convergence, environment, failures, logs, max-batch, memory, overview, pivot, profile, ranking, speed, speedup, submissions"


@pytest.mark.parametrize(
    ("group", "known"),
    [
        ("data", "make"),
        ("db", "backup, check, compact, info, migrate"),
        ("export", "dlperf, index, leaderboard, site, tables"),
        ("formats", "check, list, new, show"),
        ("report", REPORTS),
    ],
)
def test_an_unknown_command_of_a_group_lists_those_of_the_group(group: str, known: str) -> None:
    result = run_bench(group, "sped")

    assert result.exit_code == 2
    meant = "; did you mean 'speed'?" if group == "report" else ""
    assert f"no command 'sped'{meant}; known: {known}\n" in result.stderr


def test_nothing_found_is_exit_1_and_a_sentence_on_stderr(db: Path) -> None:
    result = run_bench("report", "speed", "--campaign", "none", db=db)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: no series with campaign 'none'; known: ngc\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report", "speed", "--rule", "none"], "no rule 'none'; known: ngc.summary, steps.mean_skip1"),
        (["report", "speed", "--gpus", "many"], "gpus must be a whole number"),
        (["sql", "delete from run"], "the query was refused"),
        (["sql", "select nothing"], "the query was refused"),
        (["query", "no_such_question"], "no query 'no_such_question'"),
        (["query", "speed", "-p", "novalue"], "must read NAME=VALUE"),
        (["-q", "-v", "runs"], "-q and -v cannot be combined"),
        (["ingest"], "give PATHS"),
        (["ingest", "no/such/folder"], "does not exist"),
    ],
)
def test_wrong_use_is_exit_2_with_the_cure_on_stderr(db: Path, words: list[str], message: str) -> None:
    result = run_bench(*words, db=db)

    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_missing_database_is_an_error_with_its_cure(tmp_path: Path) -> None:
    result = run_bench("runs", db=tmp_path / "none.duckdb")

    assert result.exit_code == 1
    assert "bench ingest" in result.stderr


def test_the_escapes_of_a_wrong_word_do_not_reach_the_terminal(db: Path) -> None:
    result = run_bench("runs", db=db.with_name("no\u202e\x07.duckdb"))

    assert "\u202e" not in result.stderr
    assert r"no\u202e\x07.duckdb" in result.stderr


def test_ctrl_c_is_exit_130_with_a_message(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*words: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(benchledger, "runs", interrupted, raising=False)

    result = run_bench("runs", db=db)

    assert result.exit_code == 130
    assert "stopped by Ctrl-C" in result.stderr


def test_a_stop_before_the_command_is_known_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*words: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "make_context", interrupted)

    result = run_bench("runs")

    assert (result.exit_code, "stopped by Ctrl-C" in result.stderr) == (130, True)


def test_a_reader_that_stops_reading_is_no_error(db: Path) -> None:
    command = [sys.executable, "-m", "benchledger.cli.main", "--db", str(db), "sql", "select * from range(100000)"]
    done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))
    assert done.stdout is not None
    assert done.stderr is not None
    done.stdout.readline()
    done.stdout.close()

    assert done.stderr.read() == b""
    done.wait()


def test_a_stream_that_the_shell_closed_is_no_place_for_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(run_text().log)
    command = f"{shlex.quote(sys.executable)} -m benchledger.cli.main --db bench.duckdb ingest run.log <&- >&- 2>&-"

    assert subprocess.run(command, shell=True, cwd=tmp_path).returncode == 1
    assert ask(tmp_path / "bench.duckdb", "select count(*) from run") == [(1,)]
    command = f"{shlex.quote(sys.executable)} -m benchledger.cli.main --db bench.duckdb runs >&-"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"Error: standard output: Bad file descriptor. {CURE}\n")


def test_an_answer_may_go_to_standard_output_by_its_path(db: Path) -> None:
    command = [sys.executable, "-m", "benchledger.cli.main", "-q", "--db", str(db), "sql", "select 7", "--output"]
    done = subprocess.run([*command, "/dev/stdout"], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert "7" in done.stdout


@pytest.mark.parametrize("words", [["--help"], ["sql", "--help"], ["sql", "select 1"]])
def test_an_answer_for_which_there_is_no_space_says_so(db: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "benchledger.cli.main", "--db", str(db), *words]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)

    assert done.returncode == 1
    assert done.stderr == f"Error: standard output: No space left on device. {CURE}\n"


def test_a_terminal_without_the_characters_shows_their_codes(db: Path) -> None:
    words = ["-m", "benchledger.cli.main", "--db", str(db), "sql", "select '卡' as a"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}

    done = subprocess.run([sys.executable, *words], capture_output=True, env=environment)

    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u5361" in done.stdout


def test_an_output_that_cannot_be_written_is_an_error_and_no_traceback(db: Path, tmp_path: Path) -> None:
    result = run_bench("runs", "--format", "csv", "--output", tmp_path / "nowhere" / "runs.csv", db=db)

    assert result.exit_code == 1
    assert "runs.csv: No such file or directory. Check that the folder exists" in result.stderr


@pytest.mark.parametrize("statement", ["  ", ";;", "--x", "/* x */"])
def test_an_empty_statement_is_wrong_use(db: Path, statement: str) -> None:
    result = run_bench("sql", "--", statement, db=db)

    assert result.exit_code == 2
    assert "the statement is empty" in result.stderr


@pytest.mark.parametrize("words", [("sql", "select '\udcff'"), ("show", "\udcff"), ("runs", "--campaign", "\udcff")])
def test_a_word_that_is_no_utf8_is_wrong_use(db: Path, words: tuple[str, ...]) -> None:
    result = run_bench(*words, db=db)

    assert result.exit_code == 2
    assert result.stderr == f"Error: {words[-1]}: not UTF-8 text: give it in UTF-8\n".replace("\udcff", "\\xff")


def test_an_option_of_bench_after_the_command_is_told_where_it_goes(tmp_path: Path) -> None:
    done = run_bench("ingest", tmp_path, "--db", "other.duckdb")

    assert (done.exit_code, done.stderr) == (2, "Error: --db goes before the command: bench --db ... ingest\n")


@pytest.mark.parametrize("value", ["nan", "inf"])
@pytest.mark.parametrize(
    "words", [("ingest", ".", "--wait"), ("lake", "gc", "x", "--older-than-hours"), ("run", "--sample-ms")]
)
def test_a_number_that_is_not_finite_is_wrong_use(words: tuple[str, ...], value: str) -> None:
    done = run_bench(*words, value)

    assert done.exit_code == 2
    assert f"Invalid value for '{words[-1]}': {value}" in done.stderr


def test_a_port_in_use_is_told_with_the_cure(demo_ledger: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = run_bench("site", "--serve", "--port", port, db=demo_ledger)

    assert done.exit_code == 2
    assert done.stderr == f"Error: --port {port}: Address already in use. Name another port, or none for a free one\n"
