"""Tables as plain text: Markdown pipes, wide characters counted right, cut to a terminal and never elsewhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from benchledger.exports.safe_text import escaped

# Of a column of words so much stays in a terminal that is too narrow for all of it.
_LEAST = 12
# Numbers, times, keys of runs, hashes, and numbers with the name of their cell: never cut.
_KEPT = re.compile(r"[\W\d_]*|[\d.e+-]+|[0-9a-f]+(-\d+)?|[smu][0-9a-f]{10}|[\W\d_]* [smu][0-9a-f]{10}")


def table_text(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text; what a terminal would act on is shown escaped.

    Where it does not fit a terminal, long words are cut, with an ellipsis, but no number and no key. Where that is not
    enough it is told row by row, a line for each column.
    """
    if not columns:
        return ""
    heads = [escaped(column) for column in columns]
    lines = [[escaped(cell) for cell in row] for row in rows]
    widths = [max(_width(head), *(_width(line[number]) for line in lines), 0) for number, head in enumerate(heads)]
    if sys.stdout.isatty():
        # Not above: it imports what packs archives.
        import shutil

        room = shutil.get_terminal_size().columns - 3 * len(heads) - 1
        fitted = _fitted(heads, lines, widths, room)
        if fitted is None:
            return _records(heads, lines)
        lines = [[_cut(cell, width) for cell, width in zip(line, fitted, strict=True)] for line in lines]
        widths = fitted
    told = [_line(heads, widths), f"|{'|'.join('-' * (width + 2) for width in widths)}|"]
    return "\n".join([*told, *(_line(line, widths) for line in lines)])


def _fitted(heads: Sequence[str], lines: Sequence[Sequence[str]], widths: Sequence[int], room: int) -> list[int] | None:
    """The widths of the columns in so much room, the widest words cut first; None where no cut is enough."""
    fitted = list(widths)
    least = list(widths)
    # What a row is asked for by, its key, stays whole.
    for number in range(1, len(heads)):
        kept = [line[number] for line in lines if _KEPT.fullmatch(line[number])]
        least[number] = min(widths[number], max(map(_width, [heads[number], *kept, " " * _LEAST])))
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
    padded = (cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def _cut(cell: str, width: int) -> str:
    if _width(cell) <= width:
        return cell
    kept = cell[: width - 1]
    while _width(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept}…"


def _width(cell: str) -> int:
    """How many columns of a terminal a text takes."""
    if cell.isascii():
        return len(cell)
    # Only texts that may be wide pay for the import.
    from rich.cells import cell_len

    return cell_len(cell)
