"""Answers in a notebook, and as frames of other libraries."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from polars import DataFrame

from benchledger.errors import BenchledgerError, install_line

if TYPE_CHECKING:
    import pyarrow as pa

# More rows than anybody reads in a notebook.
_ROWS = 30


def to_pandas(frame: DataFrame) -> Any:
    """Returns a frame of pandas. Raises BenchledgerError with the line that installs pandas."""
    try:
        return frame.to_pandas()
    except ModuleNotFoundError as error:
        line = install_line("plot").rpartition(" ")[0]
        raise BenchledgerError(f".df() needs {error.name}. Install it with: {line} pandas, or use .pl()") from error


class OfNumbers:
    """An answer whose numbers are one frame, `cells`: also as one of pandas or Arrow."""

    cells: DataFrame

    def df(self) -> Any:
        """Returns the numbers as a pandas frame. Raises BenchledgerError with the cure if pandas is not installed."""
        return to_pandas(self.cells)

    def pl(self) -> DataFrame:
        return self.cells

    def arrow(self) -> pa.Table:
        return self.cells.to_arrow()


class Frame(OfNumbers, DataFrame):
    """The polars frame that a question in SQL returns; it converts itself to pandas or Arrow."""

    @property
    def cells(self) -> DataFrame:  # type: ignore[override]  # a frame is its own numbers
        return self


class Answer:
    """An answer of several frames: a short text, and tables in a notebook."""

    def __repr__(self) -> str:
        parts = []
        for field in fields(self):  # type: ignore[arg-type]  # every answer is a dataclass
            value = getattr(self, field.name)
            if isinstance(value, DataFrame):
                parts.append(f"{field.name}: {value.height} x {value.width}")
            elif isinstance(value, str):
                parts.append(f"{field.name}={value!r}")
        return f"<{type(self).__name__} {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        parts = []
        for field in fields(self):  # type: ignore[arg-type]  # as above
            value = getattr(self, field.name)
            if isinstance(value, DataFrame) and value.height:
                parts += [f"<p><b>{field.name}</b></p>", html_table(value.columns, value.iter_rows(), value.height)]
            elif field.name == "sentences":
                parts += [f"<p>{html_text(sentence)}</p>" for sentence in value]
        return "\n".join(parts)


def html_table(columns: Iterable[str], rows: Iterable[Iterable[Any]], count: int) -> str:
    """Returns a table as HTML: its first rows, and how many more there are."""
    head = "".join(f"<th>{html_text(name)}</th>" for name in columns)
    body = []
    for number, row in enumerate(rows):
        if number == _ROWS:
            body.append(f"<tr><td colspan='99'>and {count - _ROWS} more rows: .pl()</td></tr>")
            break
        cells = (f"<td{' align=right' if _is_number(cell) else ''}>{html_text(cell)}</td>" for cell in row)
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def html_text(value: Any) -> str:
    """Returns a value as text of HTML. Characters that a browser would act on are shown as their codes."""
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return html.escape("".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text))


def _is_number(cell: Any) -> bool:
    if isinstance(cell, (int, float)):
        return True
    return isinstance(cell, str) and cell.replace(".", "", 1).replace(",", "").isdecimal()
