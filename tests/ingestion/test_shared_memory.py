"""What a reading process found comes to the other one whole, its tables in memory that both see."""

from __future__ import annotations

import errno
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchledger.ingestion import read, transfer
from benchledger.ingestion.units import ReadFiles, WasRead
from benchledger.ingestion.worker_processes import Processes

FILES = [WasRead(problem="cannot be read"), WasRead(None, 7, "ab", 3, "loaded", first_rejects=("1: no head: x",))]


def found(rows: int) -> ReadFiles:
    """What a process makes: columns of several kinds, in two chunks, some of them cut out of others."""
    numbers = pa.array([None, *range(rows)], pa.int64())
    lists = pa.array([[], None, *([float(row), None] for row in range(rows - 1))], pa.list_(pa.float64()))
    texts = pa.array(["", *map(str, range(rows))], pa.string())
    record = pa.table({"step": numbers, "values": lists, "lead": texts})
    return ReadFiles(FILES, {"record": pa.concat_tables([record, record.slice(1, 2)]), "reject": record.slice(0, 0)})


@pytest.fixture
def files() -> Iterator[transfer.OpenFiles]:
    with closing(transfer.OpenFiles()) as files:
        transfer.send_files_to(files.worker_socket)
        yield files
        transfer._parent_socket.clear()


def test_a_batch_of_another_process_is_what_it_was() -> None:
    with closing(Processes(1, print, how="spawn")) as others:
        batch, expected = others.submit(found, 100_000).result(), found(100_000)

    assert batch.files == FILES
    assert batch.tables == expected.tables


@pytest.mark.usefixtures("files")
def test_tables_are_as_well_sent_where_there_is_no_such_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)

    assert transfer.shared(found(3).tables) is None
    assert ReadFiles(*state_and_back(found(3))).tables == found(3).tables


def test_a_file_is_sent_again_where_the_socket_has_no_room(
    files: transfer.OpenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on macOS, whose sockets do not wait.
    transfer._parent_socket[0].setblocking(False)
    sends, full = socket.send_fds, [False]

    def send(*values: Any) -> int:
        try:
            return sends(*values)
        except BlockingIOError:
            full[0] = True
            files.receive()
            raise OSError(errno.ENOBUFS, os.strerror(errno.ENOBUFS)) from None

    monkeypatch.setattr(socket, "send_fds", send)
    with open(os.devnull) as file:
        names = [transfer.send_file(file.fileno()) for _ in range(400)]

        assert full[0]
        assert all(os.close(files.take(name) or -1) is None for name in names)


@pytest.mark.usefixtures("files")
def test_tables_that_do_not_fit_into_memory_are_pickled() -> None:
    before = len(os.listdir("/dev/fd"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        assert transfer.shared(found(3).tables) is None
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    # Python may close files of earlier tests meanwhile.
    assert len(os.listdir("/dev/fd")) <= before


def state_and_back(batch: ReadFiles) -> tuple[list[WasRead], dict[str, pa.Table]]:
    again = ReadFiles()
    again.__setstate__(batch.__getstate__())
    return again.files, again.tables


def test_only_a_process_that_reads_for_another_yields_to_it_and_ends_when_that_one_does(tmp_path: Path) -> None:
    code = f"""import os, time
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from benchledger.ingestion import read, worker_processes
before, place = os.nice(0), Path({str(tmp_path)!r})
new_reader = partial(read.process_reader, frozenset(), bytes(32), place)
new_reader()
print(os.nice(0) - before)
theirs, ours = Pipe(duplex=False)
parent = Connection(os.dup(ours.fileno()), readable=False)
worker_processes._begin((theirs, ours), None, (), read.begin_worker, (new_reader,))
print(os.nice(0) - before, flush=True)
parent.close()
time.sleep(60)
print("goes on")"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)

    assert (done.stdout.split(), done.stderr) == (["0", str(read.YIELDING)], "")
