"""What other processes read of archives, and when."""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import Barrier
from pathlib import Path

import pytest

from benchledger.archives.limits import Limits
from benchledger.errors import BenchledgerError, DatabaseError
from benchledger.ingestion import members
from benchledger.ingestion import pool as pool_module
from benchledger.ingestion.discover import discover
from benchledger.ingestion.members import ArchiveToRead
from benchledger.ingestion.pool import WORTH_A_PROCESS, Pool
from benchledger.ingestion.read import ReadFiles, ToRead, WasRead, process_reader
from tests.ingestion.logs import put
from tests.ingestion.packing import tar

Read = Callable[[list[ToRead]], ReadFiles]
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Pool]:
    # Forked, so that what is put in place of reading is there too.
    monkeypatch.setattr(multiprocessing, "get_context", lambda _: FORK)
    # A forked process that is the one to free an executor of the test before waits for a lock that nobody holds there.
    gc.collect()
    processes = Pool(partial(process_reader, frozenset(), b"key", tmp_path), jobs=2)
    yield processes
    processes.close()
    if processes._executor is not None:
        # Its thread could hold a lock while the next test forks.
        processes._executor.shutdown(wait=True)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Read], list[int]]:
    """Lets a function read batches, in any process; gives the processes that did so far, a number for each batch."""
    told = tmp_path / "processes"
    told.touch()

    def processes(read: Read) -> list[int]:
        def reading(to_read: list[ToRead]) -> ReadFiles:
            with told.open("a") as file:
                file.write(f"{os.getpid()}\n")
            return read(to_read)

        reading.__qualname__ = reading.__name__ = "read_files"
        reading.__module__ = pool_module.__name__
        monkeypatch.setattr(pool_module, "read_files", reading)
        return Told(told)

    return processes


class Told(list[int]):
    """The lines of a file, as they are when they are looked at."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __iter__(self) -> Iterator[int]:
        return map(int, self._file.read_text().split())

    def __len__(self) -> int:
        return len(self._file.read_text().split())


def no_content(to_read: list[ToRead]) -> ReadFiles:
    return ReadFiles([WasRead(status="empty") for _ in to_read])


def packed(place: Path, *names: str, size: int = 10) -> list[ArchiveToRead]:
    """A unit of one archive."""
    (found,) = discover([put(place, tar(dict.fromkeys(names, b"x" * size)))], set())
    return [ArchiveToRead(found, Limits())]


def unpacked(pool: Pool, *units: list[ArchiveToRead]) -> Iterator[list[str]]:
    """The names of the files of each part."""
    pool.start(WORTH_A_PROCESS)
    for part in pool.read_archives(list(units), lambda _: None):
        if part.files:
            assert len(part.base.files) == len(part.files)
            yield [file.shown for file in part.files]


@pytest.mark.parametrize("small", [1, 100])
def test_what_an_archive_holds_is_read_by_other_processes(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path, small: int
) -> None:
    monkeypatch.setattr(members, "SMALL", small)
    processes = reads(no_content)

    assert [name for part in unpacked(pool, packed(tmp_path / "a.tar", "b", "c")) for name in part] == ["b", "c"]
    assert len(processes) >= 1
    assert os.getpid() not in list(processes)


def test_archives_are_read_side_by_side_and_told_in_order(
    pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    both = Barrier(2)

    def read(to_read: list[ToRead]) -> ReadFiles:
        both.wait(30)
        return no_content(to_read)

    reads(read)
    units = [packed(tmp_path / f"{name}.tar", name) for name in "ab"]

    assert list(unpacked(pool, *units)) == [["a"], ["b"]]


def test_an_archive_that_is_alone_hands_small_members_on_to_a_process_that_has_nothing_to_do(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    monkeypatch.setattr("benchledger.ingestion.read.UNIT_FILES", 1)
    both = Barrier(2)

    def read(to_read: list[ToRead]) -> ReadFiles:
        both.wait(30)
        return no_content(to_read)

    processes = reads(read)

    assert list(unpacked(pool, packed(tmp_path / "a.tar", "b", "c"))) == [["b"], ["c"]]
    assert len(set(processes)) == 2


def test_a_process_that_reads_an_archive_is_some_parts_ahead_and_no_more(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    monkeypatch.setattr(members, "SMALL", 1)
    processes = reads(no_content)
    parts = unpacked(pool, packed(tmp_path / "a.tar", *map(str, range(30))))

    assert next(parts) == ["0"]
    # One was taken, one waits to be told, and another process may help.
    most = pool_module.AHEAD + 3
    waited = time.monotonic() + 30
    while len(processes) < most and time.monotonic() < waited:
        time.sleep(0.05)
    time.sleep(0.3)
    assert len(processes) == most
    assert len(list(parts)) == 29


def test_a_process_that_is_killed_while_it_reads_an_archive_is_told(
    pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    reads(lambda _: os._exit(1))

    with pytest.raises(BenchledgerError, match="a reading process was killed"):
        list(unpacked(pool, *(packed(tmp_path / f"{name}.tar", name) for name in "ab")))


def test_an_error_of_the_process_that_reads_an_archive_is_raised_here_behind_what_came_before(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    monkeypatch.setattr(members, "SMALL", 1)

    def read(to_read: list[ToRead]) -> ReadFiles:
        if to_read[0].place.endswith("c"):
            raise DatabaseError("no room")
        return no_content(to_read)

    reads(read)
    parts = unpacked(pool, packed(tmp_path / "a.tar", "b", "c"))

    assert next(parts) == ["b"]
    with pytest.raises(DatabaseError, match="no room"):
        next(parts)


def test_ctrl_c_ends_the_reading_of_a_large_member(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    monkeypatch.setattr(pool_module, "PROGRESS_S", 0.01)

    def read(to_read: list[ToRead]) -> ReadFiles:
        stream = to_read[0].stream
        assert stream is not None
        while stream.read(2**20):
            time.sleep(0.02)
        put(tmp_path / "whole", "")
        return no_content(to_read)

    def stopped(_: int) -> None:
        raise KeyboardInterrupt

    reads(read)
    pool.start(WORTH_A_PROCESS)
    with pytest.raises(KeyboardInterrupt):
        list(pool.read_archives([packed(tmp_path / "a.tar", "b", size=100 * 2**20)], stopped))
    pool.close()
    assert pool._executor is not None
    pool._executor.shutdown(wait=True)

    assert not (tmp_path / "whole").exists()
