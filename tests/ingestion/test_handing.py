"""What a reading process found comes to the other one whole, its tables in memory that both see."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa
import pytest

from benchledger.ingestion import handing, read
from benchledger.ingestion.read import Batch, WasRead

FILES = [WasRead(problem="cannot be read"), WasRead(None, 7, "ab", 3, "loaded", first_rejects=("1: no head: x",))]


def found(rows: int) -> Batch:
    """What a process makes: columns of several kinds, in two chunks, some of them cut out of others."""
    numbers = pa.array([None, *range(rows)], pa.int64())
    lists = pa.array([[], None, *([float(row), None] for row in range(rows - 1))], pa.list_(pa.float64()))
    texts = pa.array(["", *map(str, range(rows))], pa.string())
    record = pa.table({"step": numbers, "values": lists, "lead": texts})
    return Batch(FILES, {"record": pa.concat_tables([record, record.slice(1, 2)]), "reject": record.slice(0, 0)})


def sent(rows: int) -> Batch:
    """A batch that another process made."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(found, rows).result()


def test_a_batch_of_another_process_is_what_it_was() -> None:
    batch, expected = sent(100_000), found(100_000)

    assert batch.files == FILES
    assert batch.tables == expected.tables


def test_tables_are_as_well_sent_where_there_is_no_such_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)

    assert handing.handed(found(3).tables) is None
    assert Batch(*state_and_back(found(3))).tables == found(3).tables


def test_what_does_not_fit_into_memory_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _parts: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "writev", full)
    before = len(os.listdir("/dev/fd"))

    assert handing.handed(found(3).tables) is None
    assert len(os.listdir("/dev/fd")) == before


def test_parts_that_are_written_by_halves_come_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "writev", lambda descriptor, parts: write(descriptor, parts[0][: len(parts[0]) // 2 or 1]))
    given = handing.handed(found(3).tables)

    assert given is not None
    assert given.taken() == found(3).tables


def state_and_back(batch: Batch) -> tuple[list[WasRead], dict[str, pa.Table]]:
    again = Batch()
    again.__setstate__(batch.__getstate__())
    return again.files, again.tables


def test_only_a_process_that_reads_for_another_yields_to_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    yielded: list[int] = []
    monkeypatch.setattr("os.nice", yielded.append)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(read, "_process", None)
    read.begin(frozenset(), bytes(32), tmp_path)
    read.begin(frozenset(), bytes(32), tmp_path, in_worker=False)

    assert yielded == [read.YIELDING]
