"""When what was read is written: batch by batch, beside the reading where other processes do that."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from benchledger.ingestion.accounts import Accounts, Pending
from benchledger.ingestion.write import Writer

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
# So long a ledger that is open stays open while its first batch is read: to open it again takes longer than that batch.
HELD_S = 2.0
_ASKED_AGAIN_S = 0.1


class Batches:
    """Writes what waits in the accounts when it is a batch.

    Where other processes read it is written on a thread, so that what they have read meanwhile is accounted for; what
    goes wrong there is raised by the next call.
    """

    def __init__(self, accounts: Accounts, writer: Writer, others_read: bool) -> None:
        self._accounts, self._writer, self._others_read = accounts, writer, others_read
        self._most = min(BESIDE_RECORDS, BATCH_RECORDS) if others_read else BATCH_RECORDS
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None
        self._taken_bytes = 0
        self._held_until = time.monotonic() + HELD_S

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is KeyboardInterrupt:
            while self._writing is not None and not self._writing.done():
                self._writer.interrupt()
                wait([self._writing], _ASKED_AGAIN_S)
        self._thread.shutdown()

    def prepare(self, is_new: bool) -> None:
        """Makes ready what the first batch needs, while other processes read: a new ledger, too."""
        if is_new:
            self._writing = self._thread.submit(self._writer.prepare)
        # Their imports take as long as many a batch, and nobody has to wait for them now.
        import polars as pl  # noqa: F401

        from benchledger.scanning.arrow_calls import caller
        from benchledger.store.rollups import convergence, memory, speeds  # noqa: F401

        caller()

    def write_if_full(self, left: int) -> None:
        """Writes what waits if it is a batch, behind the one before it. `left`: so many bytes are still to be read."""
        if not self._is_full(left):
            if (self._writing is None or self._writing.done()) and time.monotonic() > self._held_until:
                # Others may want to look at the ledger while this goes on.
                self._writer.let_go()
            return
        self._taken_bytes = self._accounts.bytes_read
        pending = self._accounts.take()
        self.finish()
        if self._others_read:
            self._writing = self._thread.submit(self._write, pending)
        else:
            self._write(pending)

    def finish(self) -> None:
        """Waits until nothing is being written any more."""
        if self._writing is not None:
            self._writing.result()
            self._writing = None

    def _write(self, pending: Pending) -> None:
        self._writer.write(pending)
        self._writer.let_go()

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
            return self._writing is None or self._writing.done()
        return len(pending.folders) >= BATCH_FOLDERS
