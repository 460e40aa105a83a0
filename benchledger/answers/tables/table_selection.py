"""The columns and rows selected for a table, with or without data."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.answers.filters import UNKNOWN
from benchledger.answers.tables.grouping import Row
from benchledger.answers.tables.presentation import Presentation
from benchledger.definitions.vocabulary import vocabulary
from benchledger.errors import UsageError

# In place of a batch size: the largest that ran.
MAX = "max"
_EXAMPLE = "fp32:32,fp16:64,fp32:max"


@dataclass(frozen=True)
class Column:
    """One column of a grid: a precision and a batch size per GPU, or the largest that ran."""

    precision: str | None
    batch: int | str | None

    @classmethod
    def of(cls, row: Row) -> Column:
        return cls(row["precision"], row["batch_size_per_gpu"])

    def holds(self, row: Row) -> bool:
        return self.precision == row["precision"] and self.batch in (MAX, row["batch_size_per_gpu"])


@dataclass(frozen=True)
class TableSelection:
    """The selected columns and rows (GPU counts), in order; empty selects all."""

    columns: tuple[Column, ...] = ()
    rows: tuple[int, ...] = ()

    def shows(self, row: Row) -> bool:
        in_column = not self.columns or any(column.holds(row) for column in self.columns)
        return in_column and (not self.rows or row["gpus"] in self.rows)


def read_selection(presentation: Presentation, columns: object = None, rows: object = None) -> TableSelection:
    """Returns the selection, `fp32:32,fp16:max` and `1,8`; without one, that of the layout.

    Raises UsageError with an example for anything else.
    """
    wanted = listed(columns) or list(presentation.report.columns)
    return TableSelection(
        columns=tuple(dict.fromkeys(_column(presentation, part) for part in wanted)),
        rows=selected_gpus(presentation, rows),
    )


def selected_gpus(presentation: Presentation, rows: object = None) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_gpus(part) for part in listed(rows))) or presentation.report.rows


def lines_of(rows: list[Row], gpus: tuple[int, ...]) -> list[Row | int]:
    """Returns the rows in order, or those of the selected GPU counts, with the count itself where it has no row."""
    if not gpus:
        return list(rows)
    lines: list[Row | int] = []
    for number in gpus:
        here = [row for row in rows if row["gpus"] == number]
        lines.extend(here or [number])
    return lines


def selected_columns(presentation: Presentation, columns: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the selected columns by name, else those of the layout. Raises UsageError for an unknown column."""
    wanted = tuple(dict.fromkeys(listed(columns)))
    for name in wanted:
        if name not in known:
            raise UsageError(f"no column {name!r} in the {presentation.report.name} table; known: {', '.join(known)}")
    return wanted or presentation.report.columns


def listed(given: object) -> list[str]:
    """Returns the parts of a list, or of a text with commas between them."""
    if given is None:
        return []
    listed = given if isinstance(given, (list, tuple)) else [given]
    return [part.strip() for one in listed for part in str(one).split(",") if part.strip()]


def _column(presentation: Presentation, text: str) -> Column:
    name, colon, batch = text.partition(":")
    if not colon:
        raise UsageError(f"no column {text!r}: write precision and batch size, such as {_EXAMPLE}")
    written = {shown.lower(): precision for precision, shown in presentation.layout.precisions.items()}
    precision = vocabulary().facts["precision"].canonical(written.get(name.lower(), name))
    if precision is None and name != UNKNOWN:
        known = ", ".join(vocabulary().facts["precision"].values)
        raise UsageError(f"no precision {name!r} in column {text!r}; known: {known}, {UNKNOWN}")
    if batch == MAX:
        return Column(precision, MAX)
    if batch == UNKNOWN:
        return Column(precision, None)
    if not batch.isascii() or not batch.isdigit() or int(batch) == 0:
        raise UsageError(f"the batch size of column {text!r} must be a whole number, {MAX} or {UNKNOWN}")
    return Column(precision, int(batch))


def _gpus(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise UsageError(f"no row {text!r}: rows are numbers of GPUs, such as 1,8,32")
    return int(text)
