"""Records are inserted beside what asks nothing of the ledger, and all of them in the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from benchledger.ingestion import load
from benchledger.ingestion.ingest import ingest
from benchledger.ingestion.load import Insert
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, put, run_text, stable_tables

LINES = "select list(line order by rowid) from kept.record"


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute("create schema kept; create table kept.record (line bigint, load_number integer)")
        yield con


def lines(*numbers: int) -> pa.Table:
    return pa.table({"line": pa.array(numbers, pa.int64())})


def inserted(con: duckdb.DuckDBPyConnection) -> list[int]:
    row = con.execute(LINES).fetchone()
    return row[0] or [] if row else []


class Part:
    """A part whose batches come as the test lets them."""

    def __init__(self, rows: Callable[[], Iterator[pa.RecordBatch]]) -> None:
        self._rows = rows

    def to_batches(self, _: int) -> Iterator[pa.RecordBatch]:
        return self._rows()


def until(is_so: Event) -> None:
    # Asked again and again, since it must not run out of time on a slow machine.
    while not is_so.is_set():
        time.sleep(0.001)


def test_records_are_inserted_while_what_is_within_runs_and_the_rest_in_their_order(
    con: duckdb.DuckDBPyConnection,
) -> None:
    is_inserted = Event()

    def parts() -> Iterator[pa.Table]:
        yield lines(1, 2)
        is_inserted.set()
        until(insert._is_wanted)
        yield lines(3, 4)

    insert = Insert(con, 7, parts())
    with insert.in_background() as goes_on:
        assert is_inserted.wait(60)
        assert goes_on()
    assert inserted(con) == [1, 2]
    insert.rest()
    insert.rest()

    assert inserted(con) == [1, 2, 3, 4]
    assert con.execute("select distinct load_number from kept.record").fetchall() == [(7,)]


def test_who_wants_the_connection_gets_it_before_the_end_of_a_part(con: duckdb.DuckDBPyConnection) -> None:
    is_begun = Event()

    def rows() -> Iterator[pa.RecordBatch]:
        yield from lines(1).to_batches()
        is_begun.set()
        until(insert._is_wanted)
        yield from lines(2, 3).to_batches(1)

    part: Any = Part(rows)
    insert = Insert(con, 1, iter([part]))
    with insert.in_background():
        assert is_begun.wait(60)
    assert inserted(con) == [1, 2]
    insert.rest()

    assert inserted(con) == [1, 2, 3]


@pytest.mark.parametrize("rows", [1, 3, 4, 100])
def test_what_threads_share_stands_in_its_order_whatever_groups_it_makes(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(load, "ROW_GROUP", rows)
    monkeypatch.setattr(load, "GROUPS_AT_ONCE", 2)
    con.execute("set threads = 2")
    insert = Insert(con, 7, iter([lines(*range(5)), lines(), lines(*range(5, 12)), lines(12)]))
    insert.threads = 2
    insert.rest()
    insert.rest()

    assert inserted(con) == [*range(13)]


def test_what_is_left_of_a_part_is_shared_too(con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "ROWS_AT_ONCE", 1)
    is_begun = Event()

    def first() -> Iterator[pa.RecordBatch]:
        yield from lines(1).to_batches()
        is_begun.set()
        until(insert._is_wanted)
        yield from lines(2, 3, 4).to_batches(1)

    part: Any = Part(first)
    insert = Insert(con, 7, iter([part, lines(5)]))
    with insert.in_background():
        assert is_begun.wait(60)
    assert inserted(con) == [1, 2]
    insert.threads = 2
    insert.rest()

    assert inserted(con) == [1, 2, 3, 4, 5]


def test_what_stops_an_insert_is_raised_when_what_is_beside_it_has_ended(con: duckdb.DuckDBPyConnection) -> None:
    is_stopped, is_ended = Event(), Event()

    def parts() -> Iterator[pa.Table]:
        is_stopped.set()
        raise ZeroDivisionError
        yield lines(1)

    def beside() -> None:
        with Insert(con, 1, parts()).in_background():
            assert is_stopped.wait(60)
            is_ended.set()

    with pytest.raises(ZeroDivisionError):
        beside()
    assert is_ended.is_set()

    with pytest.raises(duckdb.BinderException, match="unknown"):
        Insert(con, 1, iter([pa.table({"unknown": [1]})])).rest()


@pytest.mark.parametrize(
    "told",
    [
        "select log_id, first_line, last_line, devices from run_log where paired_by = 'overlap in time'",
        "from kept.stream_only order by all",
    ],
)
def test_monitors_and_twins_are_told_by_records_that_nothing_was_beside_to_insert(
    defined_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    run = run_text(steps=90)
    # A log that was cut off has fewer records than its twin.
    put(tmp_path / "logs" / "run.log", run.log[: len(run.log) // 2])
    put(tmp_path / "logs" / "run.json", run.twin)
    if "run_log" in told:
        put(tmp_path / "logs" / "gpu.csv", run.telemetry)
    ledgers = [made(defined_ledger, tmp_path / name) for name in ("beside", "afterwards")]
    ingest(tmp_path / "logs", db=ledgers[0])
    monkeypatch.setattr(Insert, "in_background", lambda self: nullcontext(lambda: False))
    ingest(tmp_path / "logs", db=ledgers[1])

    assert ask(ledgers[1], told) == ask(ledgers[0], told) != []
    assert stable_tables(ledgers[1]) == stable_tables(ledgers[0])
