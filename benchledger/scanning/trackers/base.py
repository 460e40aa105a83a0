"""Shared by the readers of trackers: the record of some values, and how texts and times are stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from benchledger.definitions.log_format import LogFormat, RecordDefinition
from benchledger.scanning import rows
from benchledger.scanning.file_reader import FileReader, reject
from benchledger.scanning.json_values import storable
from benchledger.scanning.layout import NamedLayouts
from benchledger.scanning.rows import Columns, Pair, Pieces, Place, Refused, make_row
from benchledger.scanning.trackers.frames import Frame, LevelDbLog, TfRecords
from benchledger.scanning.trackers.named_files import run_of
from benchledger.scanning.values import LARGEST

BAD_JSON_VALUE = "bad json: a value of the record is no JSON"
BAD_PROTOBUF = "bad protobuf: the record is no message of its kind"
# The value that states the run's own id, by which the files of one run are told.
RUN_ID = "run_id"


class TrackerReader(FileReader):
    """Reads the files of one tracker. The phase and unit of a value are those that its name states."""

    whole = True
    layouts: NamedLayouts
    # The phase of values whose name states none.
    phase = "train"

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        assert log_format.self_describing is not None
        self.layouts = NamedLayouts(log_format, log_format.self_describing)
        self._records = {record.name: record for record in log_format.records}

    def add_values(self, pairs: list[Pair], columns: Columns, place: Place, pieces: Pieces) -> None:
        self.add_record(self._measured(pairs), pairs, columns, place, pieces)

    def add_settings(self, pairs: list[Pair], place: Place, pieces: Pieces) -> None:
        self.add_record(self._records["settings"], pairs, {}, place, pieces)

    def add_record(
        self, record: RecordDefinition, pairs: list[Pair], columns: Columns, place: Place, pieces: Pieces
    ) -> None:
        """Adds one record; one that cannot be stored is a reject."""
        try:
            if any(len(pair[0]) > rows.REJECT_TEXT_LIMIT or len(pair[2] or "") > rows.PIECE_LIMIT for pair in pairs):
                raise Refused(rows.TOO_LONG)
            pieces.rows.append(make_row(self.layouts, record, pairs, columns, place))
            pieces.pieces += 1
        except Refused as error:
            shown = f"{pairs[0][0]}: {pairs[0][2] or pairs[0][1]}".encode("utf-8", "backslashreplace")
            reject(pieces, *place, record.name, str(error), shown)

    def ignore(self, reason: str, pieces: Pieces) -> None:
        pieces.pieces += 1
        pieces.ignored[reason] += 1

    def finished(self, buffer: bytes, pieces: Pieces) -> bytes:
        """Returns the lines that have an end. A last one without may be cut within a number: it is ignored."""
        end = buffer.rfind(b"\n") + 1
        if buffer[end:].strip():
            self.ignore(rows.UNFINISHED, pieces)
        return buffer[:end]

    def summary(self) -> RecordDefinition:
        return self._records["summary"]

    def named_run(self) -> list[Pair]:
        """Returns the run's id as a value, where the file's path states it."""
        run = run_of(self.name)
        return [(RUN_ID, None, storable(run), None)] if run else []

    def _measured(self, pairs: Iterable[Pair]) -> RecordDefinition:
        # Values of an evaluation alone are no step of the training.
        phases = {
            field.phase
            for name, number, _, _ in pairs
            if number is not None
            and (field := self.layouts.field_of(self.record, name)) is not None
            and field.quantity not in (None, "learning_rate")
        }
        if len(phases) == 1 and (phase := next(iter(phases))) not in (None, "train"):
            return replace(self._records["summary"], phase=phase)
        step = self._records["step"]
        return step if self.phase == "train" else replace(step, phase=self.phase)


class FramesReader(TrackerReader):
    """Reads files of binary records, which `begin` cuts into `frames` and `add` reads."""

    streams = True
    frames: TfRecords | LevelDbLog

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        self.begin(b"")

    def feed(self, part: bytes, pieces: Pieces) -> None:
        for frame in self.frames.feed(part):
            self.add(frame, pieces)

    def end(self, pieces: Pieces) -> None:
        for frame in self.frames.end():
            self.add(frame, pieces)

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:  # noqa: ARG002 - a FileReader
        self.begin(b"")
        self.feed(buffer, pieces)
        self.end(pieces)
        return line + buffer.count(b"\n")

    def add(self, frame: Frame, pieces: Pieces) -> None:
        raise NotImplementedError


def moment(seconds: float) -> datetime | None:
    """Returns a time in UTC by its seconds since 1970; None if there is no such time, or for 0."""
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None) if seconds else None
    except (OverflowError, ValueError, OSError):
        return None


def step_of(value: Any) -> int | None:
    """Returns a step as a column can hold it; None for what is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST else None
