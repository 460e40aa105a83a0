"""The records of the logs that one batch writes: what is made of them need not read them back from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from benchledger.ingestion.record_keys import numbers_of
from benchledger.store.rollups.frames import chosen

if TYPE_CHECKING:
    import polars as pl

    from benchledger.ingestion.inserting import Insert
    from benchledger.ingestion.waiting import WaitingRecords


class ArrivedRecords:
    """Of most logs in memory, of long ones in the file in which they waited: as often as they are asked for."""

    def __init__(
        self, log_ids: set[int], frames: list[pl.DataFrame], waiting: list[WaitingRecords], insert: Insert
    ) -> None:
        """`frames` as `in_order` makes them, each of whole logs, or of what is left of logs that wait."""
        self._log_ids, self._frames, self._waiting, self._insert = log_ids, frames, waiting, insert

    def inserting(self) -> AbstractContextManager[Callable[[], bool]]:
        """Some of them are inserted while what is within runs, which must not ask the connection anything.

        What it gives says whether that still goes on.
        """
        return self._insert.beside()

    def insert_rest(self, *, shared_out: bool = False) -> None:
        """Inserts all that are not yet in the table. `shared_out`: as DuckDB's threads can share it."""
        self._insert.rest(shared_out=shared_out)

    def has(self, log_ids: list[int]) -> bool:
        """Whether all of these logs came with this batch."""
        return self._log_ids.issuperset(log_ids)

    def frames(self, log_ids: list[int], lines: tuple[int, int] | None = None) -> Iterator[pl.DataFrame]:
        """The records of these logs, some at a time; those of one log in the order of their places.

        Of a long log are left out parts that have none of these lines, the first and the last.
        """
        import polars as pl

        wanted = pl.Series(log_ids, dtype=pl.Int64).implode()
        waiting = (numbers_of(rows) for long in self._waiting for rows in long.parts(log_ids, lines))
        for frames in (waiting, self._frames):
            for frame in frames:
                found = chosen(frame, pl.col("log_id").is_in(wanted))
                if found.height:
                    yield found
