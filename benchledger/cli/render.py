"""Tables as text: Markdown pipes for a pipe or file, on a terminal as many columns as fit, numbers to the right."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from benchledger.cli.terminal import is_terminal, screen_width, wrapped
from benchledger.exports.values import escaped

# The least width of a text column when a terminal is too narrow: a column that is cut to less says nothing.
_LEAST = 20
_WHOLE, _SHORT = 32, 12
# Never cut: numbers, times, run keys, hashes, and numbers with the name of their cell.
_KEPT = re.compile(
    r"[\W\d_]*|\d{4}-\d\d-\d\d( \d\d:\d\d\S*( \([a-z ]+\))?)?|"
    r"[\d.e+-]+|[0-9a-f]+(-\d+)?|[smu][0-9a-f]{10}|[\W\d_]* [smu][0-9a-f]{10}"
)
_NUMBER = re.compile(r"\(?[+-]?[\d,]+(\.\d+)?(e[+-]?\d+)?( ?%)?!?\)?( [smu][0-9a-f]{10})?")
# A number with decimals is the value of a row, not its name.
_MEASURED = re.compile(r"[+-]?[\d,]*\.\d+.*")
_NONE = ("-", "")
# What stands in a column of numbers where there is none.
_NO_NUMBER = re.compile(r"-|unknown|various|[A-Z][A-Z ]+( [\d.]+-[\d.]+)?|")
# A column of these alone is one of numbers, too.
_ALL_FAILED = re.compile(r"-|(OOM|NAN|FAILED|TIMEOUT|KILLED|DIVERGED|MIXED|AMBIGUOUS|TRUNCATED|TOO FEW).*")
# The words stay where there are no colours.
_COLOURS = {
    re.compile(r"(OOM|NAN|FAILED|TIMEOUT|KILLED|DIVERGED)\b.*|oom|nan|failed|timeout|killed|diverged"): "red",
    re.compile(r"(MIXED|AMBIGUOUS|TRUNCATED|TOO FEW)\b.*|mixed|ambiguous|truncated|too_few_\w+"): "yellow",
}
# Columns in which the rows of most tables differ.
_CASE = ("status", "model", "gpus", "precision", "batch_size_per_gpu", "framework")
_RANK = "rank"
# More rows than anybody reads; each cell costs rich as much as ten rows cost a plain table.
_STYLED_ROWS = 2000


def table_text(columns: Sequence[str], rows: Sequence[Sequence[str]], first: Sequence[str] = ()) -> str:
    """Returns a table as text, with control characters escaped.

    On a terminal sentences take up to about four lines, and long words are cut, with an ellipsis, but no number or
    key. If that is not enough, columns are left out, and named below the table: the last ones, but those of `first`
    last of all. A single row, or a table of which not even two columns fit, is a block with one line per column.
    """
    if not columns:
        return ""
    heads = [escaped(column) for column in columns]
    lines = [[escaped(cell) for cell in row] for row in rows]
    widths = [
        max(cell_width(head), *(cell_width(line[number]) for line in lines), 0) for number, head in enumerate(heads)
    ]
    if not is_terminal():
        told = [_line(heads, widths), f"|{'|'.join('-' * (width + 2) for width in widths)}|"]
        return "\n".join([*told, *(_line(line, widths) for line in lines)])
    least = [_least(heads, lines, number, widths[number]) for number in range(len(heads))]
    shown = _fitting(heads, lines, least, first)
    if len(shown) < len(heads) and least[0] > _LEAST and not _KEPT.fullmatch(lines[0][0] if lines else ""):
        # Cut the names in the first column if they stay distinct and more columns fit.
        cut_names = [min(_LEAST, least[0]), *least[1:]]
        more = _fitting(heads, lines, cut_names, first)
        names = {line[0] for line in lines}
        if len(more) > len(shown) and len({cut(name, _LEAST, True) for name in names}) == len(names):
            least, shown = cut_names, more
    left_out = [head for number, head in enumerate(heads) if number not in shown]
    if left_out and (len(lines) == 1 or len(shown) <= 1):
        return _records(heads, lines)
    fitted = _fitted([widths[number] for number in shown], [least[number] for number in shown])
    heads = [heads[number] for number in shown]
    is_styled = len(lines) <= _STYLED_ROWS
    lines = [
        [cut(line[number], width, is_styled) for number, width in zip(shown, fitted, strict=True)] for line in lines
    ]
    text = _styled(heads, lines, fitted) if is_styled else _plain(heads, lines, fitted)
    if not left_out:
        return text
    named = f"left out to fit {screen_width()} columns: {', '.join(left_out)}; shown in a wider terminal, or with | cat"
    return f"{text}\n{wrapped(named)}"


def _least(heads: Sequence[str], lines: Sequence[Sequence[str]], number: int, width: int) -> int:
    """Returns the least width of a column. The first identifies the row: it stays whole, unless it is a long path."""
    if number == 0 and width <= _WHOLE:
        return width
    kept = [line[number] for line in lines if _KEPT.fullmatch(line[number])]
    head = [heads[number]]
    if len(lines) <= _STYLED_ROWS and lines:
        head = next(two for size in itertools.count(1) if len(two := _broken(heads[number], size).split("\n")) <= 2)
        if len(kept) == len(lines):
            return max(map(cell_width, [*head, *kept]))
    # Sentences break between words, within four lines; short ones do not.
    words = [
        max(-(-cell_width(text) // 3), min(cell_width(text), _SHORT), *map(cell_width, text.split(" ")))
        for text in (line[number] for line in lines)
    ]
    return min(width, max(map(cell_width, [*head, *kept, " " * min(_LEAST, max(words, default=0))])))


def _room(columns: int) -> int:
    """Returns the width that is left for cells, with two blanks between columns."""
    return screen_width() - 2 * (columns - 1)


def _fitting(
    heads: Sequence[str], lines: Sequence[Sequence[str]], least: Sequence[int], first: Sequence[str]
) -> list[int]:
    """Returns the columns that fit the terminal, in order.

    Order of choice: the table's first column (unless `first` has it), those of `first`, of a case, then the others.
    Columns with one value in all rows come last, except the first of `first`, which was asked for. If rows look alike,
    columns in which they differ follow those of `first`.
    """
    asked_for = first[:1]
    first = first if heads[0] in first else (heads[0], *first)
    places = {name: place for place, name in enumerate(dict.fromkeys((*first, *_CASE)))}
    alike = {
        number
        for number, head in enumerate(heads)
        if len(lines) > 1 and head not in asked_for and _is_alike(heads, lines, number)
    }
    order = sorted(
        range(len(heads)), key=lambda number: (number in alike, places.get(heads[number], len(places)), number)
    )
    asked = sum(heads[number] in first for number in order if number not in alike)
    shown = _as_many_as_fit(order, least)
    if len(shown) == len(heads):
        return sorted(shown)
    some = lines[:_STYLED_ROWS]
    seen = [[cut(line[number], least[number], True) for line in some] for number in range(len(heads))]
    cells = {
        number: column
        for number, column in enumerate(seen)
        if not all(cell in _NONE or _MEASURED.fullmatch(cell) for cell in column)
    }
    while (distinct := _distinct_rows(shown, cells)) < len(some) and len(shown) < len(heads):
        tries = []
        for number in (number for number in cells if number not in shown):
            changed = [*order[:asked], number, *order[asked:]]
            more = _distinct_rows(tried := _as_many_as_fit(changed, least), cells)
            # An id differs in each row, but does not say what the row is.
            tries.append((more > distinct and not heads[number].endswith("_id"), more, -number, changed, tried))
        if not tries or max(tries)[1] <= distinct:
            break
        *_, order, shown = max(tries)
    return sorted(shown)


def _is_alike(heads: Sequence[str], lines: Sequence[Sequence[str]], number: int) -> bool:
    """Tells whether a column has one value in all rows. Measured numbers and their units never count as alike."""
    is_value = heads[number] == "unit" or _MEASURED.fullmatch(lines[0][number])
    return not is_value and len({line[number] for line in lines}) == 1


def _as_many_as_fit(order: Sequence[int], least: Sequence[int]) -> list[int]:
    shown: list[int] = []
    for number in dict.fromkeys(order):
        if sum(least[one] for one in [*shown, number]) <= _room(len(shown) + 1):
            shown.append(number)
    return shown


def _distinct_rows(columns: Sequence[int], cells: Mapping[int, Sequence[str]]) -> int:
    """Returns how many rows differ in these columns. A measured number names no row."""
    return len(set(zip(*(cells[number] for number in columns if number in cells), strict=True)))


def _fitted(widths: Sequence[int], least: Sequence[int]) -> list[int]:
    """Returns column widths that fit, the widest text columns cut first."""
    fitted = list(widths)
    while sum(fitted) > _room(len(fitted)):
        wide = [number for number in range(len(fitted)) if fitted[number] > least[number]]
        if not wide:
            break
        fitted[max(wide, key=lambda number: fitted[number])] -= 1
    return fitted


def _styled(heads: Sequence[str], lines: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    """Returns a table by rich: numbers to the right, failed and mixed cells in colour, the first rank in bold."""
    import io

    from rich.align import Align
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for number, (head, width) in enumerate(zip(heads, widths, strict=True)):
        justify: Literal["left", "right"] = "right" if _is_number_column([line[number] for line in lines]) else "left"
        # Words are cut to the width; headings and sentences break between words.
        table.add_column(Align(Text(_broken(head, width)), justify, vertical="bottom"), width=width, justify=justify)
    rank = heads.index(_RANK) if _RANK in heads else None
    for line in lines:
        best = rank is not None and line[rank] == "1"
        table.add_row(*(Text(cell, style=_style(cell)) for cell in line), style="bold" if best else None)
    # Beyond the screen's width: the widths above are those that fit.
    console = Console(file=io.StringIO(), width=sum(widths) + 3 * len(widths) + 8, force_terminal=True,
                      color_system="standard", highlight=False)  # fmt: skip
    with console.capture() as written:
        console.print(table)
    return "\n".join(line.rstrip() for line in written.get().rstrip("\n").split("\n"))


def _broken(head: str, width: int) -> str:
    """Returns a heading as lines that are as wide as the column, or as its longest word."""
    lines = [""]
    for word in re.findall(r"[^ _]*[ _]?", head):
        if lines[-1] and cell_width(lines[-1] + word.rstrip(" ")) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.rstrip(" ") for line in lines)


def _style(cell: str) -> str:
    return next((colour for pattern, colour in _COLOURS.items() if pattern.fullmatch(cell)), "")


def _plain(heads: Sequence[str], lines: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    rows = [heads, ["─" * width for width in widths], *lines]
    return "\n".join("  ".join(_padded(row, widths)).rstrip() for row in rows)


def _is_number_column(cells: Sequence[str]) -> bool:
    has_number = any(_NUMBER.fullmatch(cell) or _ALL_FAILED.fullmatch(cell) for cell in cells)
    return has_number and all(_NUMBER.fullmatch(cell) or _NO_NUMBER.fullmatch(cell) for cell in cells)


def _records(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    if not lines:
        return "\n".join(f"{head}:" for head in heads)
    told = ("\n".join(f"{head}: {cell}".rstrip() for head, cell in zip(heads, line, strict=True)) for line in lines)
    return "\n\n".join(told)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return f"| {' | '.join(_padded(cells, widths))} |"


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [cell + " " * (width - cell_width(cell)) for cell, width in zip(cells, widths, strict=True)]


def cut(cell: str, width: int, wraps: bool = False) -> str:
    """Returns a text that fits so many terminal columns, with an ellipsis where it was cut.

    Of a sentence the end is cut, or nothing that fits four lines if it `wraps`; of a path the beginning; of a name the
    middle, since names of one table begin alike.
    """
    is_sentence = " " in cell
    room = 4 * width if is_sentence and wraps else width
    if is_sentence and wraps:
        cell = " ".join(cut(word, width) for word in cell.split(" "))
    if cell_width(cell) <= room:
        return cell
    if "/" in cell and not is_sentence:
        kept = cell.removeprefix("…")
        while cell_width(kept) > width - 1:
            kept = kept[1:]
        return f"…{kept}"
    if not cell.isascii() or is_sentence:
        kept = cell[: room - 1]
        while cell_width(kept) > room - 1:
            kept = kept[:-1]
        return f"{kept.rpartition(' ')[0] if room > width else kept}…"
    head = (width - 1) // 3
    return f"{cell[:head]}…{cell[len(cell) - width + 1 + head :]}"


def cell_width(cell: str) -> int:
    if cell.isascii():
        return len(cell)
    # Only texts that may be wide need this import.
    from rich.cells import cell_len

    return cell_len(cell)
