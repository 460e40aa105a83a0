"""What a reader of files that are no lines of templates does: CSV, columns, tables, JSON documents, SQLite files."""

from __future__ import annotations

from typing import Protocol

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.rows import Pieces

# The largest document that is held whole. A larger one is one reject.
DOCUMENT_LIMIT = 512 * 1024 * 1024


class FileReader(Protocol):
    """Reads the files of one format, one after another.

    `whole`: read() wants all of a file in one buffer, and not buffers of whole lines. `marks`: a file whose beginning
    holds none of them is not worth fits(); no marks: each is. `opens`: nor is one whose first byte behind blanks
    is none of these; empty: each byte may be.
    """

    format: LogFormat
    whole: bool
    marks: tuple[bytes, ...]
    opens: bytes

    def fits(self, head: bytes, complete: bool) -> str | None:
        """Why a file that begins with `head` is of this format whatever else stands in it, or None."""

    def fits_late(self, head: bytes, complete: bool) -> str | None:
        """Why a file that no other format claims is of this format, or None."""

    def begin(self, head: bytes) -> None:
        """Prepares for a file that was just found to fit."""

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds what stands in a buffer that begins at offset `base` on line `line`; returns the line after it."""
