"""Collects rows as columns of one Arrow table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from benchledger.redaction.redactor import Redactor
from benchledger.scanning.arrow_calls import call
from benchledger.scanning.layout import Layout, redacted_layout
from benchledger.scanning.native_rows import NativeRows
from benchledger.scanning.rows import Row

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a long log per table: some 30 MB.
ROWS_AT_ONCE = 200_000
# To join a stretch of rows takes as long as to sort so many.
_LEAST_STRETCH = 100
# No log is longer.
_MOST_BYTES = 1 << 44
_PLAIN = ("log_id", "line", "byte_offset", "shape_id", "step", "epoch", "rank", "device", "label", "logged_at",
          "clock_s", "values", "texts", "lead", "note")  # fmt: skip


class RecordColumns:
    """Collects the records of any number of logs. `log` is the number of the log whose rows are added next.

    Texts are redacted when they are added, because only then the names of their values are known. `on_full` gets the
    rows of a long log while it is read, in the order of their places; without it, all rows stay here until `take`.
    """

    def __init__(self, redactor: Redactor | None = None, on_full: Callable[[pa.Table], None] | None = None) -> None:
        self.log = 0
        self._redactor = redactor
        self._on_full = on_full
        self._kept: dict[Layout, Layout] = {}
        # The names of values that tell the kind of their texts (host, user); most layouts have none.
        self._named: dict[Layout, list[str | None]] = {}
        self._rows: list[tuple[Any, ...]] = []
        # For each of these rows, how many of the native scanner come before it.
        self._before: list[int] = []
        self._layouts: dict[int, Layout] = {}

    def add(self, row: Row) -> None:
        """Adds a row of the reference reader or of a file reader."""
        layout, column = self._as_kept(row.layout), row.columns.get
        device, label, texts, lead, note = column("device"), column("label"), row.texts, row.lead, row.note
        if self._redactor is not None and (texts or lead or note or label or device):
            device, label, lead, note = map(self._redact, (device, label, lead, note))
            texts = self._texts(row)
        self._layouts.setdefault(layout.shape_id, layout)
        self._before.append(self._native_count())
        self._rows.append(
            (self.log, row.line, row.byte_offset, layout.shape_id, column("step"), column("epoch"), column("rank"),
             device, label, column("logged_at"), column("clock_s"), row.values, texts, lead, note)
        )  # fmt: skip

    @cached_property
    def native_rows(self) -> NativeRows:
        """Returns the rows of the native scanner; only if it is available."""
        return NativeRows(record_schema())

    def flush(self, at: int | None = None) -> None:
        """Passes the rows to `on_full` if there are at least `at`. Call it only between buffers."""
        if self._on_full is not None and self._count() >= (at or ROWS_AT_ONCE):
            self._on_full(_in_order(self.take()))

    def layouts(self) -> dict[int, Layout]:
        if "native_rows" in self.__dict__:
            for layout in map(self._as_kept, self.native_rows.layouts()):
                self._layouts.setdefault(layout.shape_id, layout)
        return self._layouts

    def to_arrow(self, log_ids: list[int | None]) -> pa.Table:
        """Returns the rows as in table record; `log_ids` are by the number of the log, None to leave the log out."""
        return with_log_ids(self.take(), log_ids)

    def take(self) -> pa.Table:
        """Returns and removes the rows, as in table record, but with numbers of logs in log_id."""
        import pyarrow as pa

        self.layouts()
        schema = record_schema()
        native = self.native_rows.take(self._as_kept, self._redactor) if "native_rows" in self.__dict__ else []
        columns = zip(*self._rows, strict=True) if self._rows else [()] * len(schema)
        own = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
        own_rows = pa.Table.from_arrays(own, schema=schema)
        rows = _joined(pa.concat_tables([schema.empty_table(), *native]), own_rows, self._before)
        self._rows, self._before = [], []
        return rows

    def _count(self) -> int:
        return self._native_count() + len(self._rows)

    def _native_count(self) -> int:
        return self.native_rows.size() if "native_rows" in self.__dict__ else 0

    def _as_kept(self, layout: Layout) -> Layout:
        if self._redactor is None:
            return layout
        if layout not in self._kept:
            self._kept[layout] = redacted_layout(layout, self._redactor)
        return self._kept[layout]

    def _redact(self, text: Any) -> Any:
        return self._redactor.text(text) if self._redactor is not None and isinstance(text, str) else text

    def _texts(self, row: Row) -> list[str | None] | None:
        if row.texts is None or self._redactor is None:
            return row.texts
        redactor = self._redactor
        named = self._named.get(row.layout)
        if named is None:
            named = self._named[row.layout] = [
                value.name if redactor.kind_of(value.name) else None for value in row.layout.values
            ]
        return [
            None if text is None else redactor.value(name, text) if name else redactor.text(text)
            for name, text in zip(named, row.texts, strict=True)
        ]


def with_log_ids(rows: pa.Table, log_ids: list[int | None]) -> pa.Table:
    """Returns rows with ids of logs in place of their numbers, without logs whose id is None."""
    import pyarrow as pa

    ids = call("take", pa.array(log_ids, pa.int64()), rows.column("log_id").combine_chunks())
    rows = rows.set_column(0, "log_id", ids)
    return rows.filter(call("is_valid", ids)) if None in log_ids else rows


def _joined(native: pa.Table, own: pa.Table, before: list[int]) -> pa.Table:
    # In the order of reading, unless rows of both kinds alternate: then it is faster to sort them later.
    import pyarrow as pa

    parts: list[pa.Table] = []
    start = taken = 0
    if len(set(before)) * _LEAST_STRETCH < native.num_rows:
        for place, following in groupby(before):
            count = len(list(following))
            parts += [native.slice(start, place - start), own.slice(taken, count)]
            start, taken = place, taken + count
    joined = pa.concat_tables([*parts, native.slice(start), own.slice(taken)])
    # Another process gets it: hundreds of pieces take longer to send than to copy.
    return joined.combine_chunks() if parts else joined


def _in_order(rows: pa.Table) -> pa.Table:
    # Sorted once here, and not at each later pass.
    import pyarrow as pa

    places = rows.column("byte_offset").combine_chunks()
    ends = call("min_max", rows.column("log_id"))
    if ends["min"] != ends["max"]:
        logs = call("multiply", rows.column("log_id"), pa.scalar(_MOST_BYTES, pa.int64()))
        places = call("add", logs.combine_chunks(), places)
    if not call("any", call("less", places[1:], places[:-1])).as_py():
        return rows
    return rows.take(call("array_sort_indices", places))


def record_schema() -> pa.Schema:
    """Returns the columns of table record except load_number."""
    import pyarrow as pa

    types = {
        "rank": pa.int32(),
        "device": pa.string(),
        "label": pa.string(),
        "logged_at": pa.timestamp("us"),
        "clock_s": pa.float64(),
        "values": pa.list_(pa.float64()),
        "texts": pa.list_(pa.string()),
        "lead": pa.string(),
        "note": pa.string(),
    }
    return pa.schema([(name, types.get(name, pa.int64())) for name in _PLAIN])
