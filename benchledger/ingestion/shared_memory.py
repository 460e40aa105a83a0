"""Tables go from process to process in memory without a name, where there is such: they are copied once, into it."""

from __future__ import annotations

import mmap
import os
import pickle
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# Arrow's own memory is aligned so; what is not, others copy.
_ALIGNED = 64
_AT_ONCE = 512


@dataclass(frozen=True)
class SharedTables:
    """Tables on their way: all but their buffers, whose places and sizes in the memory are told."""

    tables: bytes
    places: list[tuple[int, int]]
    memory: Any

    def taken(self) -> dict[str, pa.Table]:
        """The tables, once: they are read where they stand."""
        descriptor = self.memory.detach()
        try:
            view = memoryview(mmap.mmap(descriptor, 0, prot=mmap.PROT_READ))
        finally:
            os.close(descriptor)
        buffers = [view[start : start + size] for start, size in self.places]
        # Written by a process of this ingest, as all that comes from it.
        tables: dict[str, pa.Table] = pickle.loads(self.tables, buffers=buffers)  # noqa: S301
        return tables


def shared(tables: dict[str, pa.Table]) -> SharedTables | None:
    """The tables for another process; None where they have to be sent: there is no such memory, or nothing in them."""
    if not hasattr(os, "memfd_create"):
        return None
    from multiprocessing import resource_sharer

    buffers: list[memoryview] = []
    told = pickle.dumps(tables, protocol=5, buffer_callback=lambda buffer: buffers.append(buffer.raw()))
    starts = accumulate((len(buffer) + -len(buffer) % _ALIGNED for buffer in buffers), initial=0)
    places = [(start, len(buffer)) for start, buffer in zip(starts, buffers, strict=False)]
    if not any(buffers):
        return None
    try:
        descriptor = os.memfd_create("benchledger")
    except OSError:
        return None
    try:
        _write(descriptor, buffers)
        return SharedTables(told, places, resource_sharer.DupFd(descriptor))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _write(descriptor: int, buffers: list[memoryview]) -> None:
    blank = memoryview(bytes(_ALIGNED))
    parts = [part for buffer in buffers for part in (buffer, blank[: -len(buffer) % _ALIGNED]) if part]
    while parts:
        written = os.writev(descriptor, parts[:_AT_ONCE])
        while parts and written >= len(parts[0]):
            written -= len(parts.pop(0))
        if written:
            parts[0] = parts[0][written:]
