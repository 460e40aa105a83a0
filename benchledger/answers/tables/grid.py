"""Lays series out as README 000 does: one row per GPU count, one column per precision and batch size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchledger.answers.tables.cells import NOT_RUN, VARIOUS, fact_text
from benchledger.answers.tables.grouping import FAILED, Row, SortKey, grouped, sort_key
from benchledger.answers.tables.left_out import why_excluded
from benchledger.answers.tables.presentation import Gap, Presentation, coverage_of
from benchledger.answers.tables.table import Coverage, Table, text_frame
from benchledger.answers.tables.table_selection import MAX, Column, TableSelection

# Columns in which two series of one cell can still differ.
SPLIT_COLUMNS: tuple[str, ...] = (
    *("nodes", "seq_len", "options", "gpu_memory_mib", "framework_version", "implementation_version"),
    "variant",
)
# In many campaigns these follow from the batch size: with a fixed global batch size, accumulation differs in every
# column. A row may therefore hold several values of them, and is split only if two series need the same cell.
BATCH_COLUMNS: tuple[str, ...] = ("global_batch_size", "gradient_accumulation")
# The largest batch size with one of these statuses does not count as BS=max.
DID_NOT_RUN = (*FAILED, "truncated", "too_few_steps")
_PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8")


@dataclass
class _Line:
    """One row of the grid: the facts that its series share, and one series per cell."""

    head: tuple[object, ...]
    cells: dict[Column, Row] = field(default_factory=dict)

    def takes(self, row: Row) -> bool:
        """Tells whether the cell is free and the row would still share one global batch size or one accumulation."""
        if Column.of(row) in self.cells:
            return False
        return any(all(row[name] == mine[name] for mine in self.cells.values()) for name in BATCH_COLUMNS)

    def fact(self, name: str) -> str:
        if not self.cells:
            return NOT_RUN
        values = {row[name] for row in self.cells.values()}
        return fact_text(values.pop()) if len(values) == 1 else VARIOUS

    def cell(self, column: Column) -> Row | None:
        """Returns the series of a column. BS=max is the largest size that ran, or else the smallest that failed."""
        if column.batch != MAX:
            return self.cells.get(column)
        rows = [row for held, row in self.cells.items() if held.precision == column.precision]
        sized = sorted((row for row in rows if row["batch_size_per_gpu"] is not None), key=_batch)
        ran = [row for row in sized if row["status"] not in DID_NOT_RUN]
        return ran[-1] if ran else sized[0] if sized else None


def lay_out(
    rows: list[Row],
    facts: dict[str, str | None],
    presentation: Presentation,
    asked: TableSelection,
    notes: tuple[str, ...] = (),
    unit: str | None = None,
    absent: str = "not run",
    excluded: Sequence[Row] = (),
) -> Table:
    """Returns one table of rows that have `shown` (the text of the cell) and `missing` (why it has no number).

    Selected columns and rows are shown even without data; others are left out. If the run of an empty cell is
    `excluded`, that is its reason.
    """
    shown = list(filter(asked.shows, rows))
    columns = list(asked.columns) or list(dict.fromkeys(map(Column.of, sorted(rows, key=column_order))))
    hard = _differing(shown, ("gpus",), SPLIT_COLUMNS)
    soft = _differing(shown, ("gpus", *hard), BATCH_COLUMNS)
    lines = _asked_lines(_lines(shown, ("gpus", *hard), soft), rows, hard, asked)
    cells = [
        [*map(fact_text, line.head), *(line.fact(name) for name in soft)]
        + [NOT_RUN if row is None else str(row["shown"]) for row in map(line.cell, columns)]
        for line in lines
    ]
    heads = [
        *presentation.headings("gpus", *hard, *soft),
        *(presentation.case(column.precision, column.batch) for column in columns),
    ]
    return Table(
        facts=facts,
        coverage=_coverage(lines, columns, (*hard, *soft), absent, excluded, presentation),
        frame=text_frame(heads, cells),
        rows_split_by=(*hard, *soft),
        notes=(*_sizes_note(lines, columns, presentation), *notes),
        above=presentation.above(facts, unit),
        texts=presentation.texts(*hard, *soft, "trial_case"),
    )


def cell_order(row: Row) -> tuple[SortKey, SortKey, SortKey]:
    rest = (row[name] for name in (*SPLIT_COLUMNS, *BATCH_COLUMNS, "series_id"))
    return sort_key([row["gpus"]]), column_order(row), sort_key(rest)


def column_order(row: Row) -> SortKey:
    """Returns the sort key of a case's column: precisions from wide to narrow, then batch sizes."""
    precision = row["precision"]
    place = _PRECISIONS.index(precision) if precision in _PRECISIONS else len(_PRECISIONS)
    return sort_key((place, precision, row["batch_size_per_gpu"]))


def _batch(row: Row) -> int:
    batch: int = row["batch_size_per_gpu"]
    return batch


def _differing(rows: list[Row], heads: tuple[str, ...], columns: tuple[str, ...]) -> tuple[str, ...]:
    found: set[str] = set()
    for sharing in grouped(rows, (*heads, "precision", "batch_size_per_gpu")).values():
        found.update(name for name in columns if len({row[name] for row in sharing}) > 1)
    return tuple(name for name in columns if name in found)


def _lines(rows: list[Row], heads: tuple[str, ...], soft: tuple[str, ...]) -> list[_Line]:
    lines: list[_Line] = []
    for head, group in grouped(rows, heads).items():
        crowded = len(set(map(Column.of, group))) < len(group)
        here: list[_Line] = []
        for row in sorted(group, key=lambda row: (column_order(row), sort_key(row[name] for name in soft))):
            free = [line for line in here if not crowded or line.takes(row)]
            if not free:
                free = [_Line(head)]
                here.extend(free)
            free[0].cells[Column.of(row)] = row
        lines.extend(here)
    return lines


def _asked_lines(lines: list[_Line], rows: list[Row], hard: tuple[str, ...], asked: TableSelection) -> list[_Line]:
    """Returns the lines of the selected GPU counts, or of all; an empty line for a count without series."""
    numbers = asked.rows or [head for (head,) in grouped(rows, ("gpus",))]
    found: list[_Line] = []
    for gpus in numbers:
        found += [line for line in lines if line.head[0] == gpus] or [_Line((gpus, *(NOT_RUN for _ in hard)))]
    return found


def _sizes_note(lines: list[_Line], columns: list[Column], presentation: Presentation) -> tuple[str, ...]:
    sizes = [
        f"{fact_text(line.head[0])} x {presentation.case(column.precision, row['batch_size_per_gpu'])}"
        for line in lines
        for column in columns
        if column.batch == MAX and (row := line.cell(column)) is not None and row["batch_size_per_gpu"] != MAX
    ]
    return (presentation.heading("max", sizes=", ".join(sizes)),) if sizes else ()


def _absent(line: _Line, column: Column, hard: tuple[str, ...], excluded: Sequence[Row], absent: str) -> str:
    """Returns why a cell has no series: its runs are excluded, or there were none."""
    facts = dict(zip(("gpus", *hard), line.head, strict=True))
    # An excluded run may lack a fact that splits rows, and so does an empty line that was selected.
    fits = [
        run
        for run in excluded
        if column.holds(run) and all(run.get(name) in (None, fact) or fact == NOT_RUN for name, fact in facts.items())
    ]
    return f"excluded: {why_excluded(fits)}" if fits else absent


def _coverage(
    lines: list[_Line],
    columns: list[Column],
    split: tuple[str, ...],
    absent: str,
    excluded: Sequence[Row],
    presentation: Presentation,
) -> Coverage:
    gaps: list[Gap] = []
    hard = tuple(name for name in split if name not in BATCH_COLUMNS)
    for line in lines:
        for column in columns:
            row = line.cell(column)
            why = _absent(line, column, hard, excluded, absent) if row is None else row["missing"]
            if why is not None:
                split_facts = "".join(f" {name}={line.fact(name)}" for name in split)
                case = f"{fact_text(column.precision)} BS={fact_text(column.batch)}"
                cards = fact_text(line.head[0])
                shown = presentation.note("cell", gpus=cards, column=presentation.case(column.precision, column.batch))
                gaps.append((f"{cards} x {case}{split_facts}", shown + split_facts, why))
    return coverage_of(len(lines) * len(columns), gaps, presentation)
