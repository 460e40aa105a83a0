"""Turns the rows of the native scanner into Arrow tables without copying the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from benchledger.redaction.redactor import Redactor
from benchledger.scanning.arrow_calls import call
from benchledger.scanning.layout import Layout
from benchledger.scanning.leads import LeadReader, rank_in
from benchledger.scanning.values import decode

if TYPE_CHECKING:
    import pyarrow as pa

# Every layout of the native scanners of this process; rows contain its number.
_LAYOUTS: list[Layout] = []
_NUMBERS: dict[Layout, int] = {}
_NUMBERING = Lock()

# Layout, line, values, texts, number of equal rows, step, epoch, rank.
Told = tuple[Layout, int, list[float | None], list[str | None] | None, int, int | None, int | None, int | None]


def number_of_layout(layout: Layout) -> int:
    """Returns the number of a layout in this process, in all its threads."""
    with _NUMBERING:
        number = _NUMBERS.setdefault(layout, len(_LAYOUTS))
        if number == len(_LAYOUTS):
            _LAYOUTS.append(layout)
    return number


@cache
def _lead_reader() -> LeadReader:
    return LeadReader()


class NativeRows:
    """The rows of any number of logs; native scanners add them to `native`."""

    def __init__(self, schema: pa.Schema) -> None:
        from benchledger.scanning import _native

        self.native = _native.Rows()
        self._schema = schema
        self._parts: list[_Part] = []

    def facts(self) -> Iterator[Told]:
        """Yields new rows that state facts or start a run, and the first and the last step (their `times` is 0)."""
        for number, line, values, texts, times, step, epoch, rank, lead in self.native.facts():
            if rank is None and lead is not None:
                columns, rest = ({}, decode(lead[0])) if lead[1] else _lead_reader().read(lead[0])
                rank = columns.get("rank", rank_in(rest))
            yield _LAYOUTS[number], line, values, texts, times, step, epoch, rank

    def size(self) -> int:
        return sum(part.count for part in self._parts) + int(self.native.size())

    def layouts(self) -> list[Layout]:
        """Returns the different layouts of the rows."""
        return list(dict.fromkeys(_LAYOUTS[number] for part in self._taken() for number in part.layouts()))

    def take(self, kept: Callable[[Layout], Layout], redactor: Redactor | None) -> list[pa.Table]:
        """Returns and removes the rows, as tables. `kept` returns a layout as it may be stored."""
        parts, self._parts = self._taken(), []
        return [part.table(kept, redactor) for part in parts]

    def _taken(self) -> list[_Part]:
        if count := self.native.size():
            leads = list(zip(self.native.leads(), self.native.rests(), strict=True))
            self._parts.append(_Part(self.native.take(), count, leads, self._schema))
        return self._parts


class _Part:
    """Rows taken from the scanner, in its buffers."""

    def __init__(self, buffers: dict[str, Any], count: int, leads: list[tuple[bytes, int]], schema: pa.Schema) -> None:
        import pyarrow as pa

        self._buffers = {name: pa.py_buffer(buffer) for name, buffer in buffers.items()}
        self.count, self._leads, self._schema = count, leads, schema
        self._numbers = self._flat(pa.int32(), "layout")

    def layouts(self) -> list[int]:
        found: list[int] = call("unique", self._numbers).to_pylist()
        return found

    def table(self, kept: Callable[[Layout], Layout], redactor: Redactor | None) -> pa.Table:
        import pyarrow as pa

        redact = redactor.text if redactor is not None else str
        found = {name: self._flat(pa.int64(), name) for name in ("line", "byte_offset")}
        found["log_id"] = self._flat(pa.int64(), "log")
        found["shape_id"] = self._looked_up({number: kept(_LAYOUTS[number]).shape_id for number in self.layouts()})
        for name in ("step", "epoch", "rank", "logged_at", "clock_s"):
            found[name] = self._flat(self._schema.field(name).type, name, f"is_{name}")
        for name in ("device", "label", "note"):
            found[name] = _each(self._strings(name, self.count), redact)
        ends = self._buffers["end_values"]
        values = self._flat(pa.float64(), "values", "is_values")
        found["values"] = pa.Array.from_buffers(pa.list_(pa.float64()), self.count, [None, ends], children=[values])
        found["texts"] = self._texts(redactor)
        self._add_leads(found, redact)
        return pa.Table.from_arrays(
            [found[field.name] if field.name in found else pa.nulls(self.count, field.type) for field in self._schema],
            schema=self._schema,
        )

    def _flat(self, kind: pa.DataType, name: str, valid: str | None = None) -> pa.Array:
        import pyarrow as pa

        data = self._buffers[name]
        bits = self._buffers[valid] if valid else None
        return pa.Array.from_buffers(kind, data.size * 8 // kind.bit_width, [bits, data])

    def _strings(self, name: str, count: int) -> pa.Array:
        import pyarrow as pa

        return pa.Array.from_buffers(
            pa.string(), count, [self._buffers[f"is_{name}"], self._buffers[f"end_{name}"], self._buffers[name]]
        )

    def _looked_up(self, ids: dict[int, int]) -> pa.Array:
        import pyarrow as pa

        table = [ids.get(number, 0) for number in range(max(ids, default=0) + 1)]
        return call("take", pa.array(table, pa.int64()), self._numbers)

    def _texts(self, redactor: Redactor | None) -> pa.Array:
        import pyarrow as pa

        ends = self._flat(pa.int32(), "end_texts")
        raw = self._strings("text", ends[-1].as_py())
        texts = raw
        if redactor is not None and len(raw):
            texts = _each(raw, redactor.text)
            named = {number: names for number in self.layouts() if (names := _named(_LAYOUTS[number], redactor))}
            if named:
                texts = self._with_named(raw, texts, ends, named, redactor)
        return pa.Array.from_buffers(
            pa.list_(pa.string()),
            self.count,
            [self._buffers["is_texts"], self._buffers["end_texts"]],
            children=[texts],
        )

    def _with_named(
        self, raw: pa.Array, texts: pa.Array, ends: pa.Array, named: dict[int, list[str | None]], redactor: Redactor
    ) -> pa.Array:
        # The name of a value may tell that its whole text is a host or a user.
        import pyarrow as pa

        found, given, places = texts.to_pylist(), raw.to_pylist(), ends.to_pylist()
        for row, number in enumerate(self._numbers.to_pylist()):
            if number in named and places[row] < places[row + 1]:
                for ordinal, name in enumerate(named[number]):
                    if name is not None and given[places[row] + ordinal] is not None:
                        found[places[row] + ordinal] = redactor.value(name, given[places[row] + ordinal])
        return pa.array(found, pa.string())

    def _add_leads(self, found: dict[str, pa.Array], redact: Callable[[str], str]) -> None:
        import pyarrow as pa

        if not self._leads:
            return
        numbers = self._flat(pa.int32(), "lead")
        numbers = call("if_else", call("less", numbers, pa.scalar(0, pa.int32())), pa.scalar(None, pa.int32()), numbers)
        # The rest of a lead that was read states nothing more.
        reader = _lead_reader()
        read = [({}, decode(lead)) if is_rest else reader.read(lead) for lead, is_rest in self._leads]
        texts = [None if text is None else redact(text) for _, text in read]
        found["lead"] = call("take", pa.array(texts, pa.string()), numbers)
        # A value of the lead counts only if the line itself states none.
        for name in {name for stated, _ in read for name in stated}:
            values = [redact(value) if isinstance(value := stated.get(name), str) else value for stated, _ in read]
            told = call("take", pa.array(values, self._schema.field(name).type), numbers)
            found[name] = call("coalesce", found[name], told)


def _each(texts: pa.Array, change: Callable[[str], str]) -> pa.Array:
    # Each different text is changed once.
    import pyarrow as pa

    if texts.null_count == len(texts):
        return texts
    different = call("dictionary_encode", texts)
    changed = [change(text) for text in different.dictionary.to_pylist()]
    return call("take", pa.array(changed, pa.string()), different.indices)


def _named(layout: Layout, redactor: Redactor) -> list[str | None]:
    names = [value.name if redactor.kind_of(value.name) else None for value in layout.values]
    return names if any(names) else []
