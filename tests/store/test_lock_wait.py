"""DuckDB lets one process write, or many read: whoever comes second waits, then says who is first."""

import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest

from benchledger import accept_changes
from benchledger.errors import DatabaseHeldError
from benchledger.store import database, lock_wait
from benchledger.store.database import open_for_reading, open_for_writing

HOLD = """
import sys, time
from benchledger.store.database import open_for_reading, open_for_writing
con = {"w": open_for_writing, "r": open_for_reading}[sys.argv[2]](sys.argv[1])
print("held", flush=True)
time.sleep(float(sys.argv[3]))
con.close()
"""


@contextmanager
def holder(path, mode, seconds=60.0):
    """A real second process that holds the database."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), mode, str(seconds)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "bench.duckdb"
    open_for_writing(path).close()
    return path


def accept(path, wait_s):
    """Reads first, then writes."""
    accept_changes("c0de", reason="known", db=path, wait_s=wait_s)


@pytest.mark.parametrize(
    ("mode", "opening"),
    [("w", open_for_writing), ("w", open_for_reading), ("r", open_for_writing), ("w", accept)],
)
def test_a_held_database_is_refused_in_time_with_the_holder_and_the_cure(path, mode, opening):
    with holder(path, mode) as process:
        started = time.monotonic()
        with pytest.raises(DatabaseHeldError) as error:
            opening(path, wait_s=0.5)
        waited_s = time.monotonic() - started

    assert 0.5 <= waited_s < 20
    assert f"PID {process.pid}" in str(error.value)
    assert str(path) in str(error.value)
    assert "Close that program" in str(error.value)
    assert ("--wait" in str(error.value)) == (opening is open_for_writing)
    assert error.value.exit_code == 3


def test_two_processes_can_read_at_once(path):
    with holder(path, "r"), closing(open_for_reading(path, wait_s=0)) as con:
        assert con.execute("select count(*) from run").fetchone() == (0,)


def test_who_waits_gets_the_database_when_the_holder_lets_go(path):
    with holder(path, "w", seconds=0.5), closing(open_for_writing(path, wait_s=30)) as con:
        assert con.execute("select count(*) from run").fetchone() == (0,)


@pytest.mark.parametrize("opening", [open_for_reading, open_for_writing])
def test_who_waits_for_long_is_told_once_for_whom_and_how_long_at_most(path, opening, monkeypatch):
    told = []
    monkeypatch.setattr(lock_wait, "_listeners", [told.append])
    monkeypatch.setattr(database, "REPORT_AFTER_S", 0.2)
    with holder(path, "w", seconds=1.5) as process, closing(opening(path, wait_s=60)):
        pass

    assert len(told) == 1
    assert told[0].startswith(f"{path}: held by ")
    assert told[0].endswith(f"(PID {process.pid}); waiting until it lets go, at most 60 s")


def test_a_ledger_that_is_free_at_once_or_never_waited_for_is_not_told_of(path, monkeypatch):
    told = []
    monkeypatch.setattr(lock_wait, "_listeners", [told.append])
    monkeypatch.setattr(database, "REPORT_AFTER_S", 0)
    open_for_reading(path).close()
    with holder(path, "w"), pytest.raises(DatabaseHeldError):
        open_for_reading(path, wait_s=0)

    assert told == []


def test_a_reader_of_this_very_process_is_named(path):
    with closing(open_for_reading(path)), pytest.raises(DatabaseHeldError, match="this process"):
        open_for_writing(path, wait_s=0)


@pytest.mark.usefixtures("made_by_migrations")
def test_processes_that_make_one_ledger_at_once_make_it_once(tmp_path):
    path = tmp_path / "new.duckdb"
    command = [sys.executable, "-c", HOLD, str(path), "w", "0"]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(4)]

    assert [process.wait() for process in processes] == [0] * 4
    with closing(open_for_reading(path)) as con:
        assert con.execute("select count(*) = max(version) from kept.schema_version").fetchone() == (True,)


def test_a_writer_that_was_killed_leaves_what_it_committed(path):
    killed = (
        "import os, sys; from benchledger.store.database import open_for_writing; con = open_for_writing(sys.argv[1]);"
        "con.execute(\"insert into kept.run_alias values ('a', 'b')\"); con.begin();"
        "con.execute(\"insert into kept.run_alias values ('c', 'd')\"); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", killed, str(path)])

    with closing(open_for_reading(path)) as con:
        assert con.execute("select old_key from kept.run_alias").fetchall() == [("a",)]
