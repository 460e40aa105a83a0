"""The commands as a whole: help, equals in Python, settings, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

import benchledger
from benchledger.cli.main import COMMANDS, bench
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows

# Every command and its equal in Python: a new command has to be entered here, or a test fails.
EQUALS = {
    "ingest": "ingest",
    "query": "query",
    "report failures": "report_failures",
    "report memory": "report_memory",
    "report speed": "report_speed",
    "report speedup": "report_speedup",
    "runs": "runs",
    "show": "show_run",
    "sql": "sql",
}
HEAVY = ("duckdb", "polars", "pyarrow", "rich", "pathlib", "tomllib")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    db = tmp_path / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.run(127.09)
    return db


def leaves(group: click.Group, *above: str) -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found |= (
            leaves(command, *above, name) if isinstance(command, click.Group) else {" ".join((*above, name)): command}
        )
    return found


def test_every_command_has_its_equal_in_python() -> None:
    assert set(leaves(bench)) == set(EQUALS)
    assert set(EQUALS.values()) <= set(benchledger.__all__)


@pytest.mark.parametrize("name", [name for name in benchledger.__all__ if name != "ingest"])
def test_every_public_name_can_be_loaded(name: str) -> None:
    assert callable(getattr(benchledger, name))


def test_help_lists_exactly_the_commands_that_are_built() -> None:
    lines = run_bench("--help").stdout.partition("Commands:\n")[2].splitlines()

    assert [line.split()[0] for line in lines] == sorted({name.split()[0] for name in leaves(bench)})


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_the_sentence_of_the_command_itself(name: str) -> None:
    command = bench.get_command(click.Context(bench), name)

    assert command is not None
    assert COMMANDS[name].help == command.get_short_help_str(limit=200)


@pytest.mark.parametrize("words", sorted(leaves(bench)))
def test_every_command_and_option_is_explained(words: str) -> None:
    command = leaves(bench)[words]

    assert run_bench(*words.split(), "--help").exit_code == 0
    assert command.help
    assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == []


def test_help_loads_nothing_heavy() -> None:
    code = "import sys\nfrom benchledger.cli.main import bench\n"
    code += (
        f"try: bench(['--help'])\nfinally: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stderr.strip() == "[]"


def test_importing_benchledger_loads_nothing_heavy() -> None:
    code = f"import sys, benchledger; print([name for name in (*{HEAVY}, 'click') if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_help_costs_at_most_five_times_an_empty_python() -> None:
    def seconds(*words: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    # What the script `bench` of an installation does.
    script = "import sys; sys.argv = ['bench', '--help']; from benchledger.cli.main import main; main()"
    pairs = [(seconds("-c", "pass"), seconds("-c", script)) for _ in range(15)]

    # The least of each: whatever else runs on the machine only adds.
    empty, with_help = (min(times) for times in zip(*pairs, strict=True))
    assert with_help <= 5 * empty


def test_an_unknown_command_lists_the_known_ones() -> None:
    result = run_bench("reprot")

    assert result.exit_code == 2
    assert "no command 'reprot'; known: ingest, query, report, runs, show, sql" in result.stderr


def test_version_is_that_of_the_package() -> None:
    assert run_bench("--version").stdout == f"bench {benchledger.__version__}\n"


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
        (["query", "no_such_question"], "no question 'no_such_question'"),
        (["query"], "--list"),
        (["query", "speed", "-p", "novalue"], "must read NAME=VALUE"),
        (["-q", "-v", "runs"], "-q and -v are opposites"),
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
    result = run_bench("report", "speed", "--campaign", "\x1b[2J", db=db)

    assert "\x1b" not in result.stderr
    assert r"\x1b[2J" in result.stderr


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


def test_ctrl_c_is_exit_130_with_a_message(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*words: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(benchledger, "runs", interrupted, raising=False)

    result = run_bench("runs", db=db)

    assert result.exit_code == 130
    assert "stopped by Ctrl-C" in result.stderr


def test_a_reader_that_stops_reading_is_no_error(db: Path) -> None:
    command = [sys.executable, "-m", "benchledger.cli.main", "--db", str(db), "sql", "select * from range(100000)"]
    done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))
    assert done.stdout is not None
    assert done.stderr is not None
    done.stdout.readline()
    done.stdout.close()

    assert done.stderr.read() == b""
    done.wait()


def test_a_terminal_without_the_characters_shows_their_codes(db: Path) -> None:
    words = ["-m", "benchledger.cli.main", "--db", str(db), "sql", "select '卡' as a"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}

    done = subprocess.run([sys.executable, *words], capture_output=True, env=environment)

    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u5361" in done.stdout
