"""The base class of the readers of whole files: CSV, columns, tables, JSON documents, SQLite files."""

from __future__ import annotations

from collections.abc import Callable

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import Columns, Pair, Pieces, Place, Refused, Row, make_row
from benchledger.scanning.text_lines import reject
from benchledger.scanning.values import refuse_cut

# The largest document that is held in memory. A larger one is one reject.
DOCUMENT_LIMIT = 512 * 1024 * 1024


class FileReader:
    """Reads the files of one format, one after another.

    `whole`: `read` needs the whole file in one buffer; otherwise each buffer holds whole lines. `fits` is asked only if
    the beginning of a file contains one of `marks` and its first byte behind blanks is one of `opens` (empty: any).
    `streams`: it reads a file of any size part by part (`feed`, then `end`). `name` is the part of the file's path that
    belongs to its content, empty for most files; a reader that `needs_name` is asked for no others.
    """

    whole = False
    streams = False
    needs_name = False
    name = ""
    marks: tuple[bytes, ...] = ()
    opens = b""

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self.record = log_format.records[0]
        self.layouts = Layouts(log_format)

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002
        """Returns why a file that begins with `head` is of this format whatever else it contains, or None."""
        return None

    def fits_late(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002
        """Returns why a file that no other format claims is of this format, or None."""
        return None

    def begin(self, head: bytes) -> None:
        """Prepares for a file that was just found to fit."""

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the pieces of a buffer that begins at offset `base` on line `line`; returns the line after it."""
        raise NotImplementedError

    def feed(self, part: bytes, pieces: Pieces) -> None:
        """Adds the pieces that the next part of a file completes."""
        raise NotImplementedError

    def end(self, pieces: Pieces) -> None:
        raise NotImplementedError

    def add_row(
        self, values: Callable[[], tuple[Columns, list[Pair]]], place: Place, text: bytes, pieces: Pieces
    ) -> Row | None:
        """Adds the row of these values; if they are refused, adds `text` as a reject and returns None."""
        try:
            columns, pairs = values()
            refuse_cut(self.layouts, self.record, pairs)
        except Refused as error:
            reject(pieces, *place, self.record.name, str(error), text)
            return None
        pieces.pieces += 1
        row = make_row(self.layouts, self.record, pairs, columns, place)
        pieces.rows.append(row)
        return row
