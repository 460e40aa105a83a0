"""Passes results from readers to the writing process: tables in shared memory, records of long logs in a file."""

from __future__ import annotations

import errno
import mmap
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from benchledger.errors import DatabaseError, cure_of_writing
from benchledger.scanning.arrow_calls import alike_in, repeated
from benchledger.scanning.columns import with_log_ids

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class SharedTables:
    """Tables in shared memory, as Arrow streams one after another; `memory` is the name under which it was sent."""

    names: list[str]
    memory: str

    def read(self) -> dict[str, pa.Table]:
        """The tables, without a copy. Can be called once."""
        import pyarrow as pa

        descriptor = _received(self.memory)
        try:
            streams = pa.BufferReader(pa.py_buffer(mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)))
        finally:
            os.close(descriptor)
        return {name: pa.ipc.open_stream(streams).read_all() for name in self.names}


class OpenFiles:
    """Receives open files from other processes, each in one message, which arrives completely or not at all."""

    def __init__(self) -> None:
        self._socket, self.worker_socket = socket.socketpair(socket.AF_UNIX, _WHOLE_MESSAGES)
        self._socket.setblocking(False)
        self._descriptors: dict[str, int] = {}
        # The thread that unpickles results takes files too.
        self._lock = threading.Lock()
        _receiving.append(self)

    def take(self, name: str) -> int | None:
        """The descriptor of the file that was sent under this name; None if it has not arrived."""
        if name not in self._descriptors:
            self.receive()
        with self._lock:
            return self._descriptors.pop(name, None)

    def receive(self) -> None:
        """Takes what has arrived: some 250 messages fill the socket, and who sends another one waits."""
        with self._lock, suppress(BlockingIOError):
            while True:
                message, descriptors, _, _ = socket.recv_fds(self._socket, _LONGEST_NAME, 1)
                if not descriptors:
                    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
                self._descriptors[message.decode()] = descriptors[0]

    def close(self) -> None:
        if self in _receiving:
            _receiving.remove(self)
            self._socket.close()
            self.worker_socket.close()
            for descriptor in self._descriptors.values():
                os.close(descriptor)


_WHOLE_MESSAGES = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
_LONGEST_NAME = 64
# So often a message is sent that finds no room, and so many seconds lie between: half a minute.
_TRIES, _AGAIN_S = 3000, 0.01
_receiving: list[OpenFiles] = []
# The socket through which a worker process sends files to the process that started it.
_parent_socket: list[socket.socket] = []


def send_files_to(parent_socket: socket.socket) -> None:
    _parent_socket[:] = [parent_socket]


def send_file(descriptor: int, name: str | None = None) -> str:
    """Sends an open file to the process that this one works for; returns its name. Raises OSError."""
    name = name or os.urandom(16).hex()
    for tries_left in reversed(range(_TRIES)):
        try:
            socket.send_fds(_parent_socket[0], [name.encode()], [descriptor])
            break
        except OSError as error:
            # Where macOS has no room for a message, it does not wait: the receiver takes what has arrived.
            if error.errno != errno.ENOBUFS or not tries_left:
                raise
            time.sleep(_AGAIN_S)
    return name


def _received(name: str) -> int:
    for files in _receiving:
        if (descriptor := files.take(name)) is not None:
            return descriptor
    raise OSError(errno.EBADF, "the file that another process sent has not arrived")


def shared(tables: dict[str, pa.Table]) -> SharedTables | None:
    """The tables in shared memory; None where there is no such memory, no process to send it to, or no row."""
    if not hasattr(os, "memfd_create") or not _parent_socket or not any(tables.values()):
        return None
    import pyarrow as pa

    try:
        with open(os.memfd_create("benchledger"), "wb") as memory:
            for rows in tables.values():
                with pa.ipc.new_stream(memory, rows.schema) as writer:
                    writer.write_table(rows)
            memory.flush()
            return SharedTables(list(tables), send_file(memory.fileno()))
    except OSError:
        return None


@dataclass(frozen=True)
class Part:
    """Where some rows are in the file, how many, and the numbers of their logs.

    `constants`: the value of each column that is equal in all rows; these columns are not in the file.
    """

    start: int
    end: int
    rows: int
    logs: list[int]
    constants: dict[str, int]


class SpilledRecords:
    """Rows of table kept.record in a file, which can be read in order any number of times.

    Pickled, only the open file goes to the other process.
    """

    def __init__(
        self, file: IO[bytes], parts: list[Part], schema: pa.Schema, rows: int, log_ids: list[int | None]
    ) -> None:
        """`log_ids`: by the number of a log in the rows; None for a log to leave out."""
        self._file, self._parts, self._schema, self._log_ids = file, parts, schema, log_ids
        self.rows = rows

    @property
    def bytes(self) -> int:
        return sum(part.end - part.start for part in self._parts)

    def leave_out(self, log_ids: set[int]) -> None:
        self._log_ids = [None if log_id in log_ids else log_id for log_id in self._log_ids]

    def parts(self) -> Iterator[pa.Table]:
        for part in self._parts:
            if any(self._log_ids[log] is not None for log in part.logs):
                yield self._with_constants(part)

    def _read(self, part: Part) -> pa.Table:
        import pyarrow as pa

        # Mapped into memory, not copied, as long as any of the rows is in use.
        offset = part.start - part.start % mmap.ALLOCATIONGRANULARITY
        there = mmap.mmap(self._file.fileno(), part.end - offset, access=mmap.ACCESS_READ, offset=offset)
        with pa.ipc.open_stream(memoryview(there)[part.start - offset :]) as stream:
            return stream.read_all()

    def _with_constants(self, part: Part) -> pa.Table:
        import pyarrow as pa

        stated, constants = self._read(part), dict(part.constants)
        log_id = self._log_ids[constants["log_id"]] if "log_id" in constants else None
        if log_id is not None:
            constants["log_id"] = log_id
        there = set(stated.column_names)
        columns = [
            stated.column(field.name)
            if field.name in there
            else repeated(constants.get(field.name), field.type, part.rows)
            for field in self._schema
        ]
        rows = pa.table(columns, schema=self._schema)
        return rows if log_id is not None else with_log_ids(rows, self._log_ids)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_file": send_file(self._file.fileno())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "_file": open(_received(state["_file"]), "rb")}  # noqa: SIM115 - closed with this object


class Spill:
    """Takes rows that are too many for memory. Its file is in the ledger's folder, which needs the space anyway."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._schema: pa.Schema | None = None
        self._parts: list[Part] = []
        self.rows = 0

    def add(self, rows: pa.Table) -> None:
        """Appends rows. Raises DatabaseError where there is no space for them."""
        import pyarrow as pa

        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed with its SpilledRecords
                self._schema = rows.schema
            logs = rows.column("log_id").unique().to_pylist()
            start = self._file.tell()
            constants = {
                name: value for name in rows.column_names if (value := alike_in(rows.column(name))) is not None
            }
            # Empty and constant columns are not written: to make them again is faster. Compressed rows took a third of
            # the space and twice the time.
            stated = rows.select(
                [
                    name
                    for name in rows.column_names
                    if name not in constants and rows.column(name).null_count < len(rows)
                ]
            )
            with pa.ipc.new_stream(self._file, stated.schema) as writer:
                # One batch.
                writer.write_table(stated.combine_chunks())
            self._parts.append(Part(start, self._file.tell(), len(rows), logs, constants))
        except OSError as error:
            raise self._full(error) from error
        self.rows += rows.num_rows

    def end(self, log_ids: list[int | None]) -> list[SpilledRecords]:
        if self._file is None:
            return []
        try:
            self._file.flush()
        except OSError as error:
            raise self._full(error) from error
        return [SpilledRecords(self._file, self._parts, self._schema, self.rows, log_ids)]

    def _full(self, error: OSError) -> DatabaseError:
        return DatabaseError(
            f"{self._folder.resolve()}: the records of a long log cannot be buffered here: "
            f"{error.strerror or error}. {cure_of_writing(error)}"
        )
