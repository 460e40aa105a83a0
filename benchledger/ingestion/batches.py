"""Writes what was read in batches, on a thread: while one is written, reading goes on."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchledger.ingestion.accounts import Accounts, Pending
from benchledger.ingestion.reading import Part
from benchledger.ingestion.write import Writer
from benchledger.store.lock_wait import report_wait

if TYPE_CHECKING:
    from types import TracebackType

# Seconds between two checks whether the writer has ended.
_CHECK_S = 0.1


@dataclass(frozen=True)
class BatchLimits:
    """When a batch is written: after `records` of `folders` folders, since what is near new logs is derived again.

    `records_ahead` is for readers in other processes: while a batch is written, the next one grows in memory.
    `most_records` in memory, `most_spilled` records on the disk and `most_files` are written in any case. What was read
    is written `seconds` after the last batch at the latest. Ctrl-C waits `grace_s` for a batch that is being written,
    and `rest_s` for the rest of what was read. The ledger stays open `open_s` for the first batch, since it takes
    longer to open it again.
    """

    records: int = 800_000
    records_ahead: int = 500_000
    folders: int = 4
    most_records: int = 3_000_000
    most_spilled: int = 8_000_000
    most_files: int = 30_000
    seconds: float = 5.0
    grace_s: float = 10.0
    rest_s: float = 2.0
    open_s: float = 2.0


class Batches:
    """Writes the accounts' rows when they are a batch.

    An error of the thread is raised by the next call. At Ctrl-C what was read is written, unless that takes very long.
    """

    def __init__(self, accounts: Accounts, writer: Writer, *, reads_ahead: bool, limits: BatchLimits) -> None:
        """`reads_ahead`: whether other processes read while a batch is written."""
        self._accounts, self._writer, self._reads_ahead, self._limits = accounts, writer, reads_ahead, limits
        self._most = min(limits.records_ahead, limits.records) if reads_ahead else limits.records
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None
        self._taken_bytes = 0
        self._is_whole = True
        self._since = time.monotonic()
        self._open_until = time.monotonic() + limits.open_s

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        try:
            if kind is KeyboardInterrupt:
                self._keep_what_was_read()
        finally:
            self._thread.shutdown()

    def prepare(self, is_new: bool) -> None:
        """Prepares for the first batch while other processes read: imports, and a new ledger."""
        if is_new:
            self._writing = self._thread.submit(self._writer.prepare)
        # These imports take as long as a small batch.
        import polars as pl  # noqa: F401

        from benchledger.scanning.arrow_calls import caller

        caller()

    def write_if_due(self, bytes_left: int) -> None:
        """Writes what was read if it is a batch. `bytes_left` are still to be read."""
        if not self._is_writing():
            # An error is raised at once.
            self.finish()
        if not self._is_full(bytes_left) and not self._is_due(bytes_left):
            if not self._is_writing() and time.monotonic() > self._open_until:
                # Others may want to read the ledger meanwhile.
                self._writer.close()
            return
        self.finish()
        self._begin()
        if not self._reads_ahead:
            self.finish()
        self._since = time.monotonic()

    def write_rest(self) -> None:
        self.finish()
        self._writer.open(self._accounts.pending.records)
        self._begin(closes=False)
        self.finish()

    def finish(self) -> None:
        if self._writing is not None:
            # polars handles SIGINT so that a wait without a timeout goes on: Ctrl-C would come after it.
            while not self._writing.done():
                wait([self._writing], _CHECK_S)
            self._writing.result()
            self._writing = None

    def add(self, part: Part) -> None:
        # Ctrl-C in the middle of it leaves accounts that fit nothing: they are not written.
        self._is_whole = False
        self._accounts.add(part.files, part.found)
        for archive in part.ended:
            self._accounts.archive_read(archive)
        self._is_whole = True

    def _keep_what_was_read(self) -> None:
        is_writing, rest = self._is_writing(), self._is_whole and bool(self._accounts.pending.sightings)
        if is_writing or rest:
            report_wait("stopping: what was read is being written; Ctrl-C again leaves that out")
        if is_writing and self._writing is not None and not self._ends_within(self._writing, self._limits.grace_s):
            return
        if rest:
            self._writer.wait_s = self._limits.rest_s
            self._ends_within(self._begin(), self._limits.rest_s)

    def _ends_within(self, writing: Future[None], seconds: float) -> bool:
        """Waits for a batch that is being written; one that takes longer is rolled back."""
        wait([writing], seconds)
        is_written = writing.done() and writing.exception() is None
        while not writing.done():
            self._writer.interrupt()
            wait([writing], _CHECK_S)
        return is_written

    def _begin(self, *, closes: bool = True) -> Future[None]:
        self._taken_bytes = self._accounts.bytes_read
        self._writing = self._thread.submit(self._write, self._accounts.take(), closes)
        return self._writing

    def _write(self, pending: Pending, closes: bool) -> None:
        self._writer.write(pending)
        if closes:
            self._writer.close()

    def _is_writing(self) -> bool:
        return self._writing is not None and not self._writing.done()

    def _is_full(self, bytes_left: int) -> bool:
        pending, limits = self._accounts.pending, self._limits
        on_disk = sum(records.rows for records in pending.spilled)
        in_memory = pending.records - on_disk
        if (
            in_memory >= limits.most_records
            or on_disk >= limits.most_spilled
            or len(pending.sightings) >= limits.most_files
        ):
            return True
        # Each batch has its price: where less remains to be read than half of this batch, all is written together.
        if pending.records < self._most or 2 * bytes_left < self._accounts.bytes_read - self._taken_bytes:
            return False
        if on_disk:
            return not self._is_writing()
        return len(pending.folders) >= limits.folders

    def _is_due(self, bytes_left: int) -> bool:
        # Where nothing remains to be read, the rest is written next.
        if self._is_writing() or not bytes_left or not self._accounts.pending.sightings:
            return False
        return time.monotonic() - self._since >= self._limits.seconds
