"""Lays series out as README 000 does: a row per number of GPUs, a column per precision and batch size."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchledger.answers.cells import NOT_RUN, VARIOUS, fact_text
from benchledger.answers.grouping import Row, SortKey, grouped, sort_key
from benchledger.answers.tables import Coverage, Table, text_frame

# In which two series of one cell can still differ.
SPLIT_COLUMNS = ("nodes", "seq_len", "options", "gpu_memory_mib", "framework_version", "implementation_version")
# These follow the batch size in many campaigns (a fixed global batch makes accumulation differ in every column), so
# that a row may hold several of their values: it is split only as far as a cell needs it.
BATCH_COLUMNS = ("global_batch_size", "gradient_accumulation")
_PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8")


@dataclass
class _Line:
    """One row of the grid: what its series share, and one series a cell."""

    head: tuple[object, ...]
    cells: dict[str, Row] = field(default_factory=dict)

    def takes(self, row: Row) -> bool:
        """Whether the cell is free and the row would still share its global batch or its accumulation."""
        if column_name(row) in self.cells:
            return False
        return any(all(row[name] == mine[name] for mine in self.cells.values()) for name in BATCH_COLUMNS)

    def fact(self, name: str) -> str:
        values = {row[name] for row in self.cells.values()}
        return fact_text(values.pop()) if len(values) == 1 else VARIOUS


def column_name(row: Row) -> str:
    """The head of a case's column: FP32(BS=32)."""
    return f"{fact_text(row['precision']).upper()}(BS={fact_text(row['batch_size_per_gpu'])})"


def cell_order(row: Row) -> tuple[SortKey, SortKey, SortKey]:
    """The place of a series in its grid, line by line."""
    rest = (row[name] for name in (*SPLIT_COLUMNS, *BATCH_COLUMNS, "series_id"))
    return sort_key([row["gpus"]]), column_order(row), sort_key(rest)


def lay_out(rows: list[Row], facts: dict[str, str | None], notes: tuple[str, ...] = ()) -> Table:
    """One table from rows that have a `cell` text and a `missing`, which says why there is no number."""
    hard = _differing(rows, ("gpus",), SPLIT_COLUMNS)
    soft = _differing(rows, ("gpus", *hard), BATCH_COLUMNS)
    lines = _lines(rows, ("gpus", *hard), soft)
    names = list(dict.fromkeys(column_name(row) for row in sorted(rows, key=column_order)))
    cells = [
        [*map(fact_text, line.head), *(line.fact(name) for name in soft)]
        + [str(line.cells[name]["cell"]) if name in line.cells else NOT_RUN for name in names]
        for line in lines
    ]
    return Table(
        facts=facts,
        coverage=_coverage(lines, names, (*hard, *soft)),
        frame=text_frame(["gpus", *hard, *soft, *names], cells),
        rows_split_by=(*hard, *soft),
        notes=notes,
    )


def _differing(rows: list[Row], heads: tuple[str, ...], columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns in which series differ that would share a cell."""
    found: set[str] = set()
    for sharing in grouped(rows, (*heads, "precision", "batch_size_per_gpu")).values():
        found.update(name for name in columns if len({row[name] for row in sharing}) > 1)
    return tuple(name for name in columns if name in found)


def _lines(rows: list[Row], heads: tuple[str, ...], soft: tuple[str, ...]) -> list[_Line]:
    lines: list[_Line] = []
    for head, group in grouped(rows, heads).items():
        crowded = len({column_name(row) for row in group}) < len(group)
        here: list[_Line] = []
        for row in sorted(group, key=lambda row: (column_order(row), sort_key(row[name] for name in soft))):
            free = [line for line in here if not crowded or line.takes(row)]
            if not free:
                free = [_Line(head)]
                here.extend(free)
            free[0].cells[column_name(row)] = row
        lines.extend(here)
    return lines


def column_order(row: Row) -> SortKey:
    """The place of a case's column: precisions from wide to narrow, then batch sizes."""
    precision = row["precision"]
    place = _PRECISIONS.index(precision) if precision in _PRECISIONS else len(_PRECISIONS)
    return sort_key((place, precision, row["batch_size_per_gpu"]))


def _coverage(lines: list[_Line], names: list[str], split: tuple[str, ...]) -> Coverage:
    missing: list[str] = []
    for line in lines:
        for name in names:
            why = line.cells[name]["missing"] if name in line.cells else "not run"
            if why is not None:
                split_facts = "".join(f" {column}={line.fact(column)}" for column in split)
                missing.append(f"{fact_text(line.head[0])} x {_short(name)}{split_facts}: {why}")
    total = len(lines) * len(names)
    return Coverage(total - len(missing), total, tuple(missing))


def _short(name: str) -> str:
    precision, _, batch = name.partition("(")
    return f"{precision.lower()} {batch.rstrip(')')}"
