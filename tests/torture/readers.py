"""Feeds bytes to everything that reads logs, as an ingest does, and checks what comes out with an oracle of its own.

The oracle shares no code with the readers: every number that is stored must be printed in the log, at the line that is
stored with it or below, as itself, as a time, or in another unit.
"""

from __future__ import annotations

import io
import math
import re
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from benchledger.archives.limits import Limits
from benchledger.ingestion.seams import Definitions, Input, load_definitions, read_unit

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SECONDS_PER_MB = 1.0
# Formats are compiled when they are first needed, which took 1.6 s of the processor for thirty logs of as many formats,
# and 3.8 s on a busy machine.
SECONDS_AT_LEAST = 8.0
_NUMBER = re.compile(rb"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_CLOCK = re.compile(rb"(?:(\d+) days?, )?(\d+):(\d+)(?::(\d+(?:\.\d+)?))?")
_PARTS = re.compile(rb"(\d+(?:\.\d+)?)\s*(d|h|m|s|ms)(?![a-z])")
_WORDS = {b"true": 1.0, b"false": 0.0, b"inf": math.inf, b"infinity": math.inf, b"-inf": -math.inf}
_SIZES = [float(1024**n) for n in (1, 2, 3, 4)] + [1e3, 1e6, 1e9, 1e12]
FACTORS = [1.0, *_SIZES, *[1 / one for one in _SIZES], 100, 0.01, 60, 3600, 1 / 60, 1 / 3600, 60_000, 3_600_000, 0.1, 10,
           1e6 / 1024, 1e9 / 1024, 1e6 / 1024**2, 1e9 / 1024**2, 1e3 / 1024, 1e3 / 1024**2, 86400, 86_400_000]  # fmt: skip
_ESCAPE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
_BELOW = 60


@dataclass
class Counts:
    """What was read so far, and what went wrong, in words."""

    of: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        self.of.update(other.of)
        self.wrong += other.wrong


class Reader:
    """Reads files in memory through the public seam, and checks crashes, times, sums and numbers."""

    def __init__(self, definitions: Definitions | None = None) -> None:
        self._definitions = definitions or load_definitions()
        self.counts = Counts()

    def read(self, what: str, files: dict[str, bytes], is_checked: bool = True) -> Any:
        """Reads some files of one folder. `is_checked`: their numbers are compared with the oracle."""
        inputs = [
            Input(f"/t/{name}", name, "/t", len(data), 0, lambda data=data: io.BytesIO(data))  # type: ignore[misc]
            for name, data in files.items()
        ]
        size = sum(map(len, files.values()))
        began = time.process_time()
        try:
            base = read_unit(inputs, b"k" * 32, self._definitions, NOW, limits=Limits(total_bytes=20_000_000))
        except Exception as error:  # noqa: BLE001 - any error here is what is looked for
            self.counts.wrong.append(f"{what}: {type(error).__name__}: {error}")
            return None
        took = time.process_time() - began
        if took > max(SECONDS_AT_LEAST, SECONDS_PER_MB * size / 1e6):
            self.counts.wrong.append(f"{what}: {took:.1f} s for {size} bytes")
        tables = base.tables
        self.counts.of.update(files=len(files), bytes=size, records=tables["record"].num_rows)
        self._sums(what, tables, len(files))
        if is_checked:
            self._numbers(what, tables, files)
        return base

    def _sums(self, what: str, tables: dict[str, Any], files: int) -> None:
        for log in tables["log"].to_pylist():
            # Each reader of bytes takes its part: lines, csv, columns, table, json, sqlite, self_describing, tracker.
            if log["format"] in self._definitions.formats:
                self.counts.of[f"logs by reader: {self._definitions.formats[log['format']].kind}"] += 1
            if log["pieces"] != log["records"] + log["ignored"] + log["rejects"] + log["unread"]:
                self.counts.wrong.append(f"{what}: the pieces do not add up: {log}")
        if tables["log"].num_rows and sum(tables["log"].column("records").to_pylist()) != tables["record"].num_rows:
            self.counts.wrong.append(f"{what}: records are missing")
        # Every file has an outcome; an archive has one more for each member.
        if tables["sighting"].num_rows < files:
            self.counts.wrong.append(f"{what}: {files - tables['sighting'].num_rows} files have no outcome")

    def _numbers(self, what: str, tables: dict[str, Any], files: dict[str, bytes]) -> None:
        sightings = tables["sighting"].select(["log_id", "path"]).to_pylist()
        lines = {one["log_id"]: files[one["path"]].split(b"\n") for one in sightings if one["path"] in files}
        printed: dict[int, dict[int, set[float]]] = {log_id: {} for log_id in lines}
        for row in tables["record"].select(["log_id", "line", "values"]).to_pylist():
            log_id, line = row["log_id"], row["line"]
            values = [value for value in row["values"] or () if value is not None and not math.isnan(value)]
            self.counts.of["numbers"] += len(values)
            # A record may go on below its first line.
            for many in (1, _BELOW):
                there = _at(lines[log_id], line, many, printed[log_id])
                values = [value for value in values if not _is_printed(value, there)]
            if values:
                text = b"\n".join(lines[log_id][line - 1 : line + 1])[:300]
                self.counts.wrong.append(f"{what}: line {line}: {values[:5]} is not in {text!r}")


def _at(lines: list[bytes], line: int, many: int, known: dict[int, set[float]]) -> set[float]:
    found: set[float] = set()
    for number in range(line, min(line + many, len(lines) + 1)):
        if number not in known:
            known[number] = set(numbers_in(lines[number - 1]))
        found |= known[number]
    return found


def numbers_in(line: bytes) -> Iterable[float]:
    """Every number that a line can be said to print: numbers, times of day and durations in seconds, yes and no."""
    if b"\x1b" in line:
        # A terminal shows `0.58<colour>41` as 0.5841.
        yield from numbers_in(_ESCAPE.sub(b"", line).replace(b"\x1b", b""))
    for token in _NUMBER.findall(line):
        for one in {token, token.replace(b",", b""), *token.split(b",")}:
            try:
                number = float(one)
            except ValueError:
                continue
            yield number
            yield abs(number)
    for days, first, second, third in _CLOCK.findall(line):
        ahead = float(days or 0) * 86400
        yield ahead + float(first) * 3600 + float(second) * 60 + float(third or 0)
        yield ahead + float(first) * 60 + float(second)
    parts = [(float(number), unit) for number, unit in _PARTS.findall(line)]
    scale = {b"d": 86400.0, b"h": 3600.0, b"m": 60.0, b"s": 1.0, b"ms": 0.001}
    for start in range(len(parts)):
        total = 0.0
        for number, unit in parts[start : start + 4]:
            total += number * scale[unit]
            yield total
    lower = line.lower()
    yield from (value for word, value in _WORDS.items() if word in lower)


def _is_printed(value: float, printed: set[float]) -> bool:
    if value in printed:
        return True
    if math.isinf(value):
        # `1e999` is more than a double holds.
        return any(math.isinf(one) for one in printed)
    return any(math.isclose(value, one * factor, rel_tol=1e-9, abs_tol=1e-15) for one in printed for factor in FACTORS)
