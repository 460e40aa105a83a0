"""The records of the logs that one batch writes: what is made of them need not read them back from the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchledger.ingestion.record_keys import in_order

if TYPE_CHECKING:
    import polars as pl

    from benchledger.ingestion.waiting import WaitingRecords


class ArrivedRecords:
    """Of most logs in memory, of long ones in the file in which they waited: as often as they are asked for."""

    def __init__(self, log_ids: set[int], frames: list[pl.DataFrame], waiting: list[WaitingRecords]) -> None:
        """`frames` as `in_order` makes them, each of whole logs, or of what is left of logs that wait."""
        self._log_ids, self._frames, self._waiting = log_ids, frames, waiting

    def has(self, log_ids: list[int]) -> bool:
        """Whether all of these logs came with this batch."""
        return self._log_ids.issuperset(log_ids)

    def frames(self, log_ids: list[int]) -> Iterator[pl.DataFrame]:
        """The records of these logs, some at a time; those of one log in the order of their places."""
        import polars as pl

        wanted = pl.DataFrame({"log_id": log_ids}, {"log_id": pl.Int64})
        waiting = (in_order(rows)[1] for long in self._waiting if long.has(log_ids) for rows in long.parts())
        for frames in (waiting, self._frames):
            for frame in frames:
                found = frame.join(wanted, on="log_id", how="semi", maintain_order="left")
                if found.height:
                    yield found
