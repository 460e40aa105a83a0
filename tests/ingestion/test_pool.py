"""What other processes read of archives, and when."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import Barrier
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from benchledger.archives.limits import Limits
from benchledger.definitions import folders
from benchledger.definitions.folders import use_definitions
from benchledger.errors import BenchledgerError, DatabaseError
from benchledger.ingestion import archive_worker as worker_module
from benchledger.ingestion import members
from benchledger.ingestion import pool as pool_module
from benchledger.ingestion import read as read_module
from benchledger.ingestion.discover import discover
from benchledger.ingestion.members import ArchiveToRead
from benchledger.ingestion.pool import KILLED, WORTH_A_PROCESS, Pool
from benchledger.ingestion.read import process_reader
from benchledger.ingestion.transfer import send_file
from benchledger.ingestion.units import ReadFiles, ToRead, Unit, WasRead
from benchledger.ingestion.worker_processes import Processes, start_method
from benchledger.scanning.samples import known_formats
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
    if processes._readers is not None:
        # Its thread could hold a lock while the next test forks.
        processes._readers.processes.executor.shutdown(wait=True)


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
        reading.__module__ = read_module.__name__
        monkeypatch.setattr(read_module, "read_files", reading)
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
    monkeypatch.setattr("benchledger.ingestion.units.UNIT_FILES", 1)
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
    most = worker_module.AHEAD + 3
    waited = time.monotonic() + 30
    while len(processes) < most and time.monotonic() < waited:
        time.sleep(0.05)
    time.sleep(0.3)
    assert len(processes) == most
    assert len(list(parts)) == 29


def kills(*names: str) -> Read:
    """Reading that ends its process at files of these names."""

    def read(to_read: list[ToRead]) -> ReadFiles:
        if any(file.place.rpartition("/")[2].rpartition("!")[2] in names for file in to_read):
            os.kill(os.getpid(), signal.SIGKILL)
        return no_content(to_read)

    return read


def test_files_that_kill_their_process_cost_themselves_only(
    pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    reads(kills("3", "17"))
    files = list(discover([put(tmp_path / "logs" / str(number), "x") for number in range(20)], set()))
    units = [Unit(part, [ToRead(file.place, 1) for file in part], 1) for part in (files[:6], files[6:19], files[19:])]

    pool.start(WORTH_A_PROCESS)
    read = [
        (file.shown, was.problem)
        for unit, base in pool.read(units)
        for file, was in zip(unit.files, base.files, strict=True)
    ]

    assert [name for name, _ in read] == [file.shown for file in files]
    assert [name for name, problem in read if problem] == ["3", "17"]
    assert KILLED in {problem for _, problem in read}


@pytest.mark.parametrize("small", [1, 100])
def test_members_that_kill_their_process_cost_themselves_only(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path, small: int
) -> None:
    monkeypatch.setattr(members, "SMALL", small)
    reads(kills("b3", "c1"))
    units = [packed(tmp_path / f"{name}.tar", *(f"{name}{number}" for number in range(5))) for name in "abc"]
    units[0] += packed(tmp_path / "d.tar", "d0")

    pool.start(WORTH_A_PROCESS)
    parts = list(pool.read_archives(units, lambda _: None))

    read = [(file.shown, file.problem) for part in parts for file in part.files]
    names = [[f"{name}{number}" for number in range(5)] for name in "abc"]
    assert [name for name, _ in read] == [*names[0], "d0", *names[1], *names[2]]
    assert [name for name, problem in read if problem == KILLED] == ["b3", "c1"]
    assert sum(part.ended for part in parts) == 4


def test_an_archive_that_kills_its_process_costs_itself_only(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    walked = members._walked

    def walk(packed: ArchiveToRead, *more: Any) -> Iterator[Any]:
        for number, member in enumerate(walked(packed, *more)):
            if number == 2 and packed.archive.shown == "b.tar":
                os.kill(os.getpid(), signal.SIGKILL)
            yield member

    monkeypatch.setattr(members, "_walked", walk)
    reads(no_content)
    units = [packed(tmp_path / f"{name}.tar", *(f"{name}{number}" for number in range(3))) for name in "abc"]

    pool.start(WORTH_A_PROCESS)
    parts = list(pool.read_archives(units, lambda _: None))

    read = [(file.shown, file.problem) for part in parts for file in part.files]
    assert read == [
        *((name, None) for name in ("a0", "a1", "a2", "b0", "b1")),
        ("b.tar", KILLED),
        *((name, None) for name in ("c0", "c1", "c2")),
    ]
    assert sum(part.ended for part in parts) == 3


def test_a_spawned_process_knows_the_definitions_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shipped = folders.shipped_root() / "ingest" / "formats" / "tbd-throughput.toml"
    text = shipped.read_text().replace('format = "tbd-throughput"', 'format = "mine"')
    put(tmp_path / "ingest" / "formats" / "mine.toml", text)
    spawn = multiprocessing.get_context("spawn")
    monkeypatch.setattr(multiprocessing, "get_context", lambda _: spawn)
    use_definitions(tmp_path)
    try:
        with closing(pool_module.Readers(1, partial(process_reader, frozenset(), b"key", tmp_path))) as one:
            assert "mine" in one.processes.submit(known_formats).result(60)
    finally:
        use_definitions()


def test_a_machine_that_kills_every_process_ends_the_reading(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, reads: Callable[[Read], list[int]], tmp_path: Path
) -> None:
    monkeypatch.setattr(pool_module, "MOST_KILLED", 1)
    reads(lambda _: os._exit(1))
    files = list(discover([put(tmp_path / "logs" / str(number), "x") for number in range(3)], set()))

    pool.start(WORTH_A_PROCESS)
    with pytest.raises(BenchledgerError, match="killed again and again"):
        list(pool.read([Unit([file], [ToRead(file.place, 1)], 1) for file in files]))


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
    monkeypatch.setattr(worker_module, "PROGRESS_S", 0.01)

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
    assert pool._readers is not None
    pool._readers.processes.executor.shutdown(wait=True)

    assert not (tmp_path / "whole").exists()


def half_a_message() -> None:
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    os.write(frame.f_locals["result_queue"]._writer.fileno(), struct.pack("!i", 1_000) + b"half")
    os._exit(1)


def test_a_process_that_is_killed_in_the_middle_of_a_message_is_noticed() -> None:
    # The other process can still write to the pipe, so that its end does not come.
    with closing(Processes(2, int, how="spawn")) as two:
        both = [two.submit(time.sleep, 60), two.submit(half_a_message)]
        with pytest.raises(BrokenExecutor):
            two.result(both[0], lambda: None)


def _file_sent(wait_s: float) -> str:
    time.sleep(wait_s)
    return send_file(0)


def test_files_that_nobody_has_taken_let_no_process_wait_for_ever() -> None:
    began = time.monotonic()

    def in_time() -> None:
        assert time.monotonic() < began + 20

    with closing(Processes(2, int, how=start_method())) as processes:
        first = processes.submit(_file_sent, 0.5)
        # More than the socket holds.
        others = [processes.submit(_file_sent, 0) for _ in range(400)]
        for sent in (first, *others):
            descriptor = processes.open_files.take(processes.result(sent, in_time))
            assert descriptor is not None
            os.close(descriptor)


def test_a_process_that_still_starts_is_killed_when_this_one_ends() -> None:
    # Beside another thread a process starts anew: it would miss what this one has removed, and print a traceback.
    goes_on = Event()
    with ThreadPoolExecutor(1) as other:
        other.submit(goes_on.wait)
        processes = pool_module.Readers(1, partial(process_reader, frozenset(), b"k" * 32, Path()))
        children = list(processes.processes.executor._processes.values())
        processes.close()
        goes_on.set()
    for child in children:
        child.join(20)

    assert [child.exitcode for child in children] == [-signal.SIGKILL]
