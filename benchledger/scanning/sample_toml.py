"""Writes values and the records of a sample as TOML, as a format's `expect` states them."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from typing import Any

from benchledger.definitions.log_format import COLUMNS, LogFormat, Sample
from benchledger.definitions.vocabulary import CURRENT
from benchledger.errors import DefinitionError
from benchledger.scanning.rows import Pieces, Row

MOST_CHARACTERS = 120
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def value(of: Any) -> str:
    if isinstance(of, bool):
        return str(of).lower()
    if isinstance(of, float):
        return _float(of)
    if isinstance(of, int):
        return str(of)
    if isinstance(of, datetime):
        return f'"{of}"'
    if isinstance(of, dict):
        return "{ " + ", ".join(f"{_key(key)} = {value(one)}" for key, one in of.items()) + " }" if of else "{}"
    if isinstance(of, list | tuple):
        return "[" + ", ".join(value(one) for one in of) + "]"
    return json.dumps(str(of), ensure_ascii=False).replace("\x7f", "\\u007f")


def expect_lines(entries: list[dict[str, Any]]) -> list[str]:
    """Returns `expect = [...]` with these entries, in lines of at most 120 characters where the values allow it."""
    if not entries:
        return ["expect = []"]
    return ["expect = [", *(line for entry in entries for line in _entry_lines(entry)), "]"]


def with_expect(log_format: LogFormat, samples: list[tuple[Sample, list[dict[str, Any]]]]) -> str:
    """Returns the text of a format's file with `expect` in samples that state none. Raises DefinitionError."""
    file = log_format.file
    lines = file.text.split("\n")
    starts = sorted({*file.lines.values(), len(lines) + 1})
    # From the last to the first, so that the lines before keep their numbers.
    for sample, entries in sorted(samples, key=lambda one: file.line_of(one[0].place), reverse=True):
        line = file.line_of(f"{sample.place}.text")
        if lines[file.line_of(sample.place) - 1].strip() != "[[sample]]":
            raise DefinitionError(f"{file.path}:{line}: only a sample that begins with [[sample]] can be filled")
        end = next(start for start in starts if start > line) - 1
        while end > line and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        lines[end:end] = expect_lines(entries)
    return "\n".join(lines)


def _entry_lines(entry: dict[str, Any]) -> list[str]:
    whole = f"    {value(entry)},"
    if len(whole) <= MOST_CHARACTERS:
        return [whole]
    parts = [{key: one} for key, one in entry.items() if key != "units"]
    parts += [{"units": {name: unit}} for name, unit in entry.get("units", {}).items()]
    tables: list[dict[str, Any]] = [parts[0]]
    for part in parts[1:]:
        joined = _joined(tables[-1], part)
        # Room for the brackets around them and the comma.
        if len(value(joined)) + len("    [],") <= MOST_CHARACTERS:
            tables[-1] = joined
        else:
            tables.append(part)
    shown = [value(table) for table in tables]
    return [f"    [{shown[0]},", *(f"     {one}," for one in shown[1:-1]), f"     {shown[-1]}],"]


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    if "units" in one and "units" in other:
        return {**one, "units": {**one["units"], **other["units"]}}
    return {**one, **other}


def _float(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def _key(key: str) -> str:
    return key if _BARE.match(key) else value(key)


def entries_of(pieces: Pieces, log_format: LogFormat) -> list[dict[str, Any]]:
    """Returns the pieces of a text as `expect` states them: records and rejects in order, then ignored pieces."""
    current = {record.name for record in log_format.records if record.phase == CURRENT}
    found: list[dict[str, Any]] = [
        entry for _, entry in sorted(
            [(row.byte_offset, _row_entry(row, row.layout.record.name in current)) for row in pieces.rows]
            + [(reject.byte_offset, {"reject": reject.reason}) for reject in pieces.rejects],
            key=lambda item: item[0],
        )
    ]  # fmt: skip
    return found + [{"ignored": reason} for reason, count in sorted(pieces.ignored.items()) for _ in range(count)]


def _row_entry(row: Row, with_phase: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"record": row.layout.record.name}
    if with_phase:
        entry["phase"] = row.layout.record.phase
    entry.update({name: value for name in COLUMNS if (value := row.columns.get(name)) is not None})
    units, absent = {}, []
    bare = row.values == [None] and row.texts is None and _is_bare(row)
    for ordinal, measured in enumerate(() if bare else row.layout.values):
        text = row.texts[ordinal] if row.texts else None
        stated = text if row.values[ordinal] is None else row.values[ordinal]
        if stated is None:
            absent.append(measured.name)
        else:
            entry[measured.name] = stated
        if measured.unit is not None:
            units[measured.name] = measured.unit
    extras = {"units": units, "absent": absent, "note": row.note, "lead": row.lead}
    return entry | {name: extra for name, extra in extras.items() if extra}


def _is_bare(row: Row) -> bool:
    # A record without values has one value under its own name.
    return len(row.layout.values) == 1 and row.layout.values[0].name == row.layout.record.name
