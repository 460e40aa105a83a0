"""Each command and its equal in Python say the same words, and a program that asks is left as it was."""

from __future__ import annotations

import ast
import inspect
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import click
import duckdb
import pytest

import benchledger
from benchledger.cli.main import bench
from benchledger.errors import BenchledgerError, DatabaseHeldError
from tests.cli.test_commands import EQUALS, leaves

# What only printing needs; everything else of a command is a parameter of its equal, under the same name.
PRINTING = {"form", "output", "all", "reveal"}
# And why these are not, or are called otherwise.
OTHERWISE = {
    ("audit", "strict"): "decides the exit code",
    ("audit", "page"): "a page is written by audit_page",
    ("compare", "strict"): "decides the exit code",
    ("exclude", "list_all"): "exclusions",
    ("export site", "serve"): "serves what export_site wrote",
    ("export site", "port"): "serves what export_site wrote",
    ("export tables", "names"): "the positional ones",
    ("history", "check"): "decides the exit code",
    ("history", "accept"): "accept_changes",
    ("history", "reason"): "accept_changes",
    ("history", "by"): "accept_changes",
    ("history", "undo"): "accept_changes",
    ("history", "wait_s"): "accept_changes",
    ("ingest", "strict"): "decides the exit code",
    ("ingest", "lake"): "lake_ingest",
    ("ingest", "cluster"): "lake_ingest",
    ("ingest", "archive_ratio"): "limits",
    ("ingest", "archive_bytes"): "limits",
    ("ingest", "archive_depth"): "limits",
    ("ingest", "watch"): "watch",
    ("ingest", "quiet_s"): "watch",
    ("query", "list_all"): "queries",
    ("reproduce", "findings"): "findings of its result",
    ("redact", "accept"): "decides the exit code",
    ("run", "list_all"): "cases",
    ("run", "make_environment"): "make_environment",
    ("run", "gpus"): "one more sweep",
    ("query", "show_sql"): "query_sql",
    ("site", "serve"): "serves what export_site wrote",
    ("site", "port"): "serves what export_site wrote",
}
PAIRS = sorted((words, equal) for words, equal in EQUALS.items() if equal is not None)


@pytest.mark.parametrize(("words", "equal"), PAIRS)
def test_a_command_and_its_equal_have_the_same_parameters(words: str, equal: str) -> None:
    taken = inspect.signature(getattr(benchledger, equal)).parameters
    takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken.values())
    asked = {one.name for one in leaves(bench)[words].params if one.name}

    missing = {name for name in asked - PRINTING - set(taken) if not takes_any and (words, name) not in OTHERWISE}

    assert missing == set()
    # And the other way: what can be said in Python can be said on the command line.
    own = {"db", "stdin", "limits", "progress"}
    positional = {name for name, one in taken.items() if one.kind is inspect.Parameter.VAR_POSITIONAL}
    keywords = {name for name, one in taken.items() if one.kind is inspect.Parameter.VAR_KEYWORD}
    assert set(taken) - positional - keywords - own - asked - PRINTING == set()


@pytest.mark.parametrize("name", [name for name in benchledger.__all__ if name != "__version__"])
def test_every_function_is_typed_and_says_what_it_gives(name: str) -> None:
    function = getattr(benchledger, name)
    signature = inspect.signature(function)

    assert inspect.getdoc(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())
    if "db" in signature.parameters and name != "redact":
        assert str(signature.parameters["db"].default) == "bench.duckdb"


def test_every_name_is_known_to_type_checkers() -> None:
    stub = Path(benchledger.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]

    # As itself, which makes it public: a type checker does not see what __all__ says.
    assert all(one.asname == one.name for node in imports for one in node.names)
    assert {one.name: node.module for node in imports for one in node.names} == benchledger._homes()
    assert list(benchledger.__all__) == sorted(benchledger._homes())


@pytest.fixture
def db(one_run_ledger: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(one_run_ledger, tmp_path / "bench.duckdb"))


def test_an_exception_that_is_kept_does_not_hold_the_ledger(db: Path) -> None:
    # As a notebook keeps the last one, with every frame that it went through.
    kept = []
    for asked in (
        lambda: benchledger.report_speed(db=db, campaign="none"),
        lambda: benchledger.sql("select nothing", db=db),
        lambda: benchledger.show_run("none", db=db),
        lambda: benchledger.report_memory(db=db),
    ):
        with pytest.raises(BenchledgerError) as error:
            asked()
        kept.append(error)

    code = f"from benchledger.store.database import open_for_writing; open_for_writing({str(db)!r}, wait_s=0).close()"
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert kept


def test_an_own_connection_that_reads_goes_on_beside(db: Path) -> None:
    with duckdb.connect(str(db), read_only=True) as con:
        assert benchledger.report_speed(db=db).cells.height == 1
        assert benchledger.sql("select count(*) as runs from run", db=db)["runs"].to_list() == [1]
        assert con.execute("select count(*) from run").fetchone() == (1,)


def test_an_own_connection_in_another_mode_is_told_at_once_with_the_cure(db: Path) -> None:
    with duckdb.connect(str(db)):
        began = time.monotonic()
        with pytest.raises(DatabaseHeldError, match=r"this process .* close that connection first"):
            benchledger.runs(db=db)
        assert time.monotonic() - began < 20


def test_threads_ask_side_by_side(db: Path) -> None:
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(benchledger.runs(db=db).height)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [1] * 4


def test_a_thread_waits_for_another_that_is_about_to_close(db: Path) -> None:
    con = duckdb.connect(str(db))
    threading.Timer(0.3, con.close).start()

    assert benchledger.runs(db=db).height == 1


def test_click_is_not_needed_to_ask(db: Path) -> None:
    code = f"import sys, benchledger; benchledger.report_speed(db={str(db)!r}); assert 'click' not in sys.modules"

    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ), cwd=Path(__file__).parents[2])


def test_what_no_equal_has_is_no_command_that_answers() -> None:
    assert [words for words, equal in EQUALS.items() if equal is None] == ["completion"]
    assert isinstance(leaves(bench)["completion"], click.Command)
