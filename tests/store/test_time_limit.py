"""A question that takes too long is ended with its reason; every other error, Ctrl-C too, stays what it is."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest

from benchledger.cli.commands import is_interrupt
from benchledger.errors import DatabaseError, UsageError
from benchledger.store import time_limit
from benchledger.store.time_limit import ended_after

ENDLESS = "with recursive e(i) as (select 1 union all select (i + 1) % 9 from e) select count(*) from e"


@pytest.fixture
def con(monkeypatch: pytest.MonkeyPatch) -> Iterator[duckdb.DuckDBPyConnection]:
    monkeypatch.setattr(time_limit, "_AGAIN_S", 0.01)
    with closing(duckdb.connect()) as con:
        yield con


def test_a_question_that_never_ends_is_ended_with_the_reason(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(DatabaseError, match="too long"), ended_after(con, 0.05, lambda _: "too long"):
        con.execute(ENDLESS)


def test_another_error_after_the_limit_stays_what_it_is(con: duckdb.DuckDBPyConnection) -> None:
    for error in (UsageError("no such run"), duckdb.IOException("IO Error: disk"), RuntimeError("Query interrupted")):
        with pytest.raises(type(error)) as told:
            _raise_late(con, error)

        assert told.value is error


def _raise_late(con: duckdb.DuckDBPyConnection, error: Exception) -> None:
    with ended_after(con, 0.0, lambda _: "too long"):
        time.sleep(0.05)
        raise error


def test_ctrl_c_is_told_as_ctrl_c_while_the_reason_is_looked_for(con: duckdb.DuckDBPyConnection) -> None:
    looking, pressed = threading.Event(), threading.Event()

    def why(_: duckdb.DuckDBPyConnection) -> str:
        looking.set()
        pressed.wait(10)
        return "too long"

    def press() -> None:
        looking.wait(10)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        pressed.set()

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises((RuntimeError, KeyboardInterrupt)) as told, ended_after(con, 0.0, why):
        con.execute(ENDLESS)
    presser.join()

    assert is_interrupt(told.value)


def test_no_thread_is_left_behind_a_question_and_none_asks_its_connection(con: duckdb.DuckDBPyConnection) -> None:
    asked = threading.Event()

    def why(own: duckdb.DuckDBPyConnection) -> str:
        asked.set()
        own.execute("select sum(hash(i)) from range(10000000) as a(i)")
        return "too long"

    before = threading.active_count()
    with ended_after(con, 0.0, why):
        asked.wait(10)
    left = threading.active_count() - before

    assert left == 0
    assert con.execute("select 1").fetchall() == [(1,)]
