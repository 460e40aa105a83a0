"""Plain-text tables: Markdown pipes, correct width of wide characters, cut to fit a terminal only."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from benchledger.exports.safe_text import escaped

# The least width of a text column when a terminal is too narrow.
_LEAST = 12
# Never cut: numbers, times, run keys, hashes, and numbers with the name of their cell.
_KEPT = re.compile(r"[\W\d_]*|[\d.e+-]+|[0-9a-f]+(-\d+)?|[smu][0-9a-f]{10}|[\W\d_]* [smu][0-9a-f]{10}")


def table_text(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table as text, with control characters escaped.

    If it does not fit the terminal, long words are cut, with an ellipsis, but no number or key. If that is not enough,
    each row is printed as a block with one line per column.
    """
    if not columns:
        return ""
    heads = [escaped(column) for column in columns]
    lines = [[escaped(cell) for cell in row] for row in rows]
    widths = [
        max(cell_width(head), *(cell_width(line[number]) for line in lines), 0) for number, head in enumerate(heads)
    ]
    if sys.stdout.isatty():
        # Imported here: it imports the archive packers.
        import shutil

        room = shutil.get_terminal_size().columns - 3 * len(heads) - 1
        fitted = _fitted(heads, lines, widths, room)
        if fitted is None:
            return _records(heads, lines)
        lines = [[cut(cell, width) for cell, width in zip(line, fitted, strict=True)] for line in lines]
        widths = fitted
    told = [_line(heads, widths), f"|{'|'.join('-' * (width + 2) for width in widths)}|"]
    return "\n".join([*told, *(_line(line, widths) for line in lines)])


def _fitted(heads: Sequence[str], lines: Sequence[Sequence[str]], widths: Sequence[int], room: int) -> list[int] | None:
    """Returns column widths that fit, the widest text columns cut first; None if that is not enough."""
    fitted = list(widths)
    least = list(widths)
    # The first column identifies the row, so it stays whole.
    for number in range(1, len(heads)):
        kept = [line[number] for line in lines if _KEPT.fullmatch(line[number])]
        least[number] = min(widths[number], max(map(cell_width, [heads[number], *kept, " " * _LEAST])))
    while sum(fitted) > room:
        wide = [number for number in range(len(heads)) if fitted[number] > least[number]]
        if not wide:
            return None
        fitted[max(wide, key=lambda number: fitted[number])] -= 1
    return fitted


def _records(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    if not lines:
        return "\n".join(f"{head}:" for head in heads)
    told = ("\n".join(f"{head}: {cell}".rstrip() for head, cell in zip(heads, line, strict=True)) for line in lines)
    return "\n\n".join(told)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - cell_width(cell)) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def cut(cell: str, width: int) -> str:
    """Returns a text that fits so many terminal columns, with an ellipsis where it was cut."""
    if cell_width(cell) <= width:
        return cell
    kept = cell[: width - 1]
    while cell_width(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept}…"


def cell_width(cell: str) -> int:
    """Returns the width of a text in terminal columns."""
    if cell.isascii():
        return len(cell)
    # Only texts that may be wide need this import.
    from rich.cells import cell_len

    return cell_len(cell)
