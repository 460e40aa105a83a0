"""Rows collected as columns, and handed over as one Arrow table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from benchledger.redaction.redactor import Redactor
from benchledger.scanning.arrow_calls import call
from benchledger.scanning.layout import Layout, redacted_layout
from benchledger.scanning.native_rows import NativeRows
from benchledger.scanning.rows import Row
from benchledger.scanning.shapes import Shape

if TYPE_CHECKING:
    import pyarrow as pa

# So many rows of a long log are handed over at a time: as columns they take some 30 MB.
ROWS_AT_ONCE = 200_000
# No log is as long.
_MOST_BYTES = 1 << 44
_PLAIN = ("log_id", "line", "byte_offset", "shape_id", "step", "epoch", "rank", "device", "label", "logged_at",
          "clock_s", "values", "texts", "lead", "note")  # fmt: skip


class _ShapeColumns:
    """Raw groups of the lines that one shape took: cast as whole columns, never one by one."""

    __slots__ = ("byte_offsets", "groups", "leads", "lines", "logs", "shape", "stated")

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.logs: list[int] = []
        self.lines: list[int] = []
        self.byte_offsets: list[int] = []
        self.stated: list[dict[str, Any] | None] = []
        self.leads: list[str | None] = []
        self.groups: list[tuple[bytes, ...]] = []


class RecordColumns:
    """Collects the records of any number of logs. `log` numbers the log whose rows are added next.

    Texts are redacted as they come in: what was read from a line knows what its value is called. `hand_over` takes the
    rows of a long log while it is read, as `take` gives them but in the order of their places; without it all of them
    stay here.
    """

    def __init__(self, redactor: Redactor | None = None, hand_over: Callable[[pa.Table], None] | None = None) -> None:
        self.log = 0
        self._redactor = redactor
        self._hand_over = hand_over
        self._kept: dict[Layout, Layout] = {}
        # The names of values that say of their texts what they are; of most layouts none.
        self._named: dict[Layout, list[str | None]] = {}
        self._rows: list[tuple[Any, ...]] = []
        self._shapes: dict[Shape, _ShapeColumns] = {}
        self._layouts: dict[int, Layout] = {}

    def add(self, row: Row) -> None:
        """Adds a row of the reference reader."""
        layout, column = self._as_kept(row.layout), row.columns.get
        device, label, texts, lead, note = column("device"), column("label"), row.texts, row.lead, row.note
        if self._redactor is not None and (texts or lead or note or label or device):
            device, label, lead, note = map(self._redact, (device, label, lead, note))
            texts = self._texts(row)
        self._layouts.setdefault(layout.shape_id, layout)
        self._rows.append(
            (self.log, row.line, row.byte_offset, layout.shape_id, column("step"), column("epoch"), column("rank"),
             device, label, column("logged_at"), column("clock_s"), row.values, texts, lead, note)
        )  # fmt: skip

    @cached_property
    def native_rows(self) -> NativeRows:
        """The rows of the native scanner; only for an installation that has it."""
        return NativeRows(_schema())

    def of_shape(self, shape: Shape) -> _ShapeColumns:
        """The columns to which a line that a shape took is appended."""
        columns = self._shapes.get(shape)
        if columns is None:
            columns = self._shapes[shape] = _ShapeColumns(shape)
        return columns

    def relieve(self, at: int | None = None) -> None:
        """Hands over the rows if they are many, or `at` least. Between buffers only: a scanner may look at its own."""
        if self._hand_over is not None and self._count() >= (at or ROWS_AT_ONCE):
            self._hand_over(_in_order(self.take()))

    def layouts(self) -> dict[int, Layout]:
        """Every layout that a record has, by shape_id."""
        found = [columns.shape.layout for columns in self._shapes.values() if columns.lines]
        if "native_rows" in self.__dict__:
            found += self.native_rows.layouts()
        for layout in map(self._as_kept, found):
            self._layouts.setdefault(layout.shape_id, layout)
        return self._layouts

    def to_arrow(self, log_ids: list[int | None]) -> pa.Table:
        """The rows as table record has them; `log_ids` by number, None for a log to leave out."""
        return with_log_ids(self.take(), log_ids)

    def take(self) -> pa.Table:
        """The rows that are here, as table record has them but for log_id, which holds their logs' numbers."""
        import pyarrow as pa

        self.layouts()
        schema = _schema()
        tables = [self._shape_table(columns, schema) for columns in self._shapes.values() if columns.lines]
        if "native_rows" in self.__dict__:
            tables += self.native_rows.take(self._as_kept, self._redactor)
        if self._rows or not tables:
            arrays = [
                pa.array(column, type=field.type)
                for column, field in zip(
                    zip(*self._rows, strict=True) if self._rows else [()] * len(schema), schema, strict=True
                )
            ]
            tables.append(pa.Table.from_arrays(arrays, schema=schema))
        self._shapes, self._rows = {}, []
        return pa.concat_tables(tables)

    def _count(self) -> int:
        native = self.native_rows.native.size() if "native_rows" in self.__dict__ else 0
        return native + len(self._rows) + sum(len(columns.lines) for columns in self._shapes.values())

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

    def _shape_table(self, columns: _ShapeColumns, schema: pa.Schema) -> pa.Table:
        if self._redactor is not None:
            columns.leads = [None if lead is None else self._redactor.text(lead) for lead in columns.leads]
            stated = [said and {name: self._redact(value) for name, value in said.items()} for said in columns.stated]
            columns.stated = stated
        return _shape_table(columns, self._as_kept(columns.shape.layout).shape_id, schema)


def with_log_ids(rows: pa.Table, log_ids: list[int | None]) -> pa.Table:
    """Rows with the ids of their logs in the place of their numbers, without those of logs whose id is None."""
    import pyarrow as pa

    ids = call("take", pa.array(log_ids, pa.int64()), rows.column("log_id").combine_chunks())
    rows = rows.set_column(0, "log_id", ids)
    return rows.filter(call("is_valid", ids)) if None in log_ids else rows


def _in_order(rows: pa.Table) -> pa.Table:
    # Here once, and not each time that they are gone through.
    import pyarrow as pa

    places = rows.column("byte_offset").combine_chunks()
    ends = call("min_max", rows.column("log_id"))
    if ends["min"] != ends["max"]:
        logs = call("multiply", rows.column("log_id"), pa.scalar(_MOST_BYTES, pa.int64()))
        places = call("add", logs.combine_chunks(), places)
    if not call("any", call("less", places[1:], places[:-1])).as_py():
        return rows
    return rows.take(call("array_sort_indices", places))


def _schema() -> pa.Schema:
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


def _shape_table(columns: _ShapeColumns, shape_id: int, schema: pa.Schema) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    shape, count = columns.shape, len(columns.lines)
    width = len(shape.value_order)
    flat = pa.array(chain.from_iterable(columns.groups), type=pa.binary(), size=count * width).cast(pa.string())
    found: dict[str, pa.Array] = {
        "log_id": pa.array(columns.logs, pa.int64()),
        "line": pa.array(columns.lines, pa.int64()),
        "byte_offset": pa.array(columns.byte_offsets, pa.int64()),
        "shape_id": pa.repeat(pa.scalar(shape_id, pa.int64()), count),
        "lead": pa.array(columns.leads, pa.string()),
    }
    # What a lead states holds where the line itself does not.
    for name in {name for stated in columns.stated if stated for name in stated}:
        found[name] = pa.array(
            [stated.get(name) if stated else None for stated in columns.stated], schema.field(name).type
        )
    named = iter(shape.columns)
    values: list[int] = []
    for group, value in enumerate(shape.value_order):
        if value >= 0:
            values.append(group)
            continue
        name, kind = next(named)
        taken = flat.take(pa.array(range(group, count * width, width), pa.int64()))
        found[name] = taken.cast(pa.timestamp("us") if kind == "time" else schema.field(name).type)
    if len(values) == width:
        numbers = flat
    elif values == list(range(values[0], values[0] + len(values))) if values else False:
        numbers = _without_leading(flat, width, len(values))
    else:
        indices = pa.array((row * width + group for row in range(count) for group in values), pa.int64())
        numbers = flat.take(indices)
    scaled = numbers.cast(pa.float64())
    scales = shape.layout.scales
    if any(scale != 1.0 for scale in scales):
        scaled = pc.multiply(scaled, pa.array(list(scales) * count, pa.float64()))
    found["values"] = pa.FixedSizeListArray.from_arrays(scaled, len(values)).cast(pa.list_(pa.float64()))
    return pa.Table.from_arrays(
        [found[field.name] if field.name in found else pa.nulls(count, field.type) for field in schema], schema=schema
    )


def _without_leading(flat: pa.Array, width: int, kept: int) -> pa.Array:
    # The columns stand first in a line, the values behind them: one flat slice per row, without a list of indexes.
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = pa.FixedSizeListArray.from_arrays(flat, width)
    return pc.list_flatten(pc.list_slice(lists, width - kept, width))
