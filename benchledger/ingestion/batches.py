"""When what was read is written: batch by batch, beside the reading where other processes do that."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from benchledger.ingestion.accounts import Accounts, Pending
from benchledger.ingestion.write import Writer
from benchledger.store.lock_wait import report_wait

if TYPE_CHECKING:
    from types import TracebackType

# What was read is written when this much of it waits in memory: records of some folders, since what is near new logs is
# derived again, or very many.
BATCH_RECORDS = 800_000
BATCH_FOLDERS = 4
MOST_RECORDS = 3_000_000
MOST_FILES = 30_000
# Of long logs, whose records wait on the disk, what is read while a batch is written is one batch: so many at most.
MOST_WAITING = 8_000_000
# Where other processes read, a batch is smaller: while one is written, the next waits in memory beside it.
BESIDE_RECORDS = 500_000
# A batch ends after so long, too: what Ctrl-C loses is what was read since.
COMMIT_S = 5.0
# So long Ctrl-C waits for the batch that is being written: most take less.
GRACE_S = 10.0
# So long a ledger that is open stays open while its first batch is read: to open it again takes longer than that batch.
HELD_S = 2.0
_ASKED_AGAIN_S = 0.1


class Batches:
    """Writes what waits in the accounts when it is a batch, on a thread.

    Where other processes read, what they have read meanwhile is accounted for; what goes wrong is raised by the next
    call. At Ctrl-C what is being written is kept, unless that takes very long or a second Ctrl-C comes.
    """

    def __init__(self, accounts: Accounts, writer: Writer, others_read: bool) -> None:
        self._accounts, self._writer, self._others_read = accounts, writer, others_read
        self._most = min(BESIDE_RECORDS, BATCH_RECORDS) if others_read else BATCH_RECORDS
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None
        self._taken_bytes = 0
        # When the reading of what waits began.
        self._since = time.monotonic()
        self._held_until = time.monotonic() + HELD_S

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is KeyboardInterrupt and self._writing is not None:
            self._end(self._writing)
        self._thread.shutdown()

    def prepare(self, is_new: bool) -> None:
        """Makes ready what the first batch needs, while other processes read: a new ledger, too."""
        if is_new:
            self._writing = self._thread.submit(self._writer.prepare)
        # Their imports take as long as many a batch, and nobody has to wait for them now.
        import polars as pl  # noqa: F401

        from benchledger.scanning.arrow_calls import caller

        caller()

    def write_if_due(self, left: int) -> None:
        """Writes what waits if it is a batch, behind the one before it. `left`: so many bytes are still to be read."""
        if not self._is_writing():
            # What went wrong is told at once.
            self.finish()
        if not self._is_full(left) and not self._is_due(left):
            if not self._is_writing() and time.monotonic() > self._held_until:
                # Others may want to look at the ledger while this goes on.
                self._writer.let_go()
            return
        self.finish()
        self._begin()
        if not self._others_read:
            self.finish()
        self._since = time.monotonic()

    def write_rest(self) -> None:
        """Writes all that waits, and keeps the ledger open."""
        self.finish()
        self._writer.hold(self._accounts.pending.records)
        self._begin(lets_go=False)
        self.finish()

    def finish(self) -> None:
        """Waits until nothing is being written any more."""
        if self._writing is not None:
            # polars handles SIGINT so that a wait without a time goes on: Ctrl-C would be heard when it has ended.
            while not self._writing.done():
                wait([self._writing], _ASKED_AGAIN_S)
            self._writing.result()
            self._writing = None

    def _end(self, writing: Future[None]) -> None:
        try:
            if not writing.done():
                report_wait("stopping: what was read is being written; Ctrl-C again leaves that out")
                until = time.monotonic() + GRACE_S
                while not writing.done() and time.monotonic() < until:
                    wait([writing], _ASKED_AGAIN_S)
        finally:
            while not writing.done():
                self._writer.interrupt()
                wait([writing], _ASKED_AGAIN_S)

    def _begin(self, *, lets_go: bool = True) -> None:
        self._taken_bytes = self._accounts.bytes_read
        self._writing = self._thread.submit(self._write, self._accounts.take(), lets_go)

    def _write(self, pending: Pending, lets_go: bool) -> None:
        self._writer.write(pending)
        if lets_go:
            self._writer.let_go()

    def _is_writing(self) -> bool:
        return self._writing is not None and not self._writing.done()

    def _is_full(self, left: int) -> bool:
        pending = self._accounts.pending
        on_disk = sum(records.rows for records in pending.waiting)
        in_memory = pending.records - on_disk
        if in_memory >= MOST_RECORDS or on_disk >= MOST_WAITING or len(pending.sightings) >= MOST_FILES:
            return True
        # Each batch has its price: where less is left to be read than half of what waits, all is written together.
        if pending.records < self._most or 2 * left < self._accounts.bytes_read - self._taken_bytes:
            return False
        if on_disk:
            return not self._is_writing()
        return len(pending.folders) >= BATCH_FOLDERS

    def _is_due(self, left: int) -> bool:
        # Where nothing is left, all that waits is written next.
        if self._is_writing() or not left or not self._accounts.pending.sightings:
            return False
        return time.monotonic() - self._since >= COMMIT_S
