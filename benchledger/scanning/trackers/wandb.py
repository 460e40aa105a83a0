"""Reads the transaction logs of Weights & Biases, `run-ID.wandb`: all that a run has sent, also of an offline run.

The messages are those of wandb_internal.proto. What tells of persons, hosts and paths is not read.
"""

from __future__ import annotations

from typing import Any

from benchledger.scanning import rows
from benchledger.scanning.file_reader import reject
from benchledger.scanning.json_values import DECODER, flat_pairs
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused
from benchledger.scanning.trackers.base import BAD_JSON_VALUE, BAD_PROTOBUF, RUN_ID, FramesReader, moment, step_of
from benchledger.scanning.trackers.frames import WANDB_MAGIC, Frame, LevelDbLog
from benchledger.scanning.trackers.protobuf import (
    BrokenMessage,
    fields,
    float_in,
    message_in,
    moment_in,
    signed,
    text_in,
    zigzag,
)

# Record
_HISTORY, _SUMMARY, _CONFIG, _STATS, _RUN, _EXIT, _ENVIRONMENT = 2, 3, 5, 7, 17, 18, 26
_OTHERS = {
    4: "console output", 13: "console output", 27: "console output", 6: "list of files", 8: "artifact",
    9: "link to TensorBoard", 10: "alert", 11: "telemetry of wandb", 12: "definition of a metric",
    20: "end of the file", 21: "head of the file", 22: "end of the file", 23: "notice of preemption", 24: "artifact",
    25: "artifact", 100: "request",
}  # fmt: skip
_NO_VALUES = (16, 19, 200, 1)
_RUN_TEXTS = {1: RUN_ID, 3: "project", 6: "run_group", 7: "job_type", 8: "display_name"}
_ENVIRONMENT_TEXTS = {1: "os", 2: "python", 18: "gpu_type", 25: "cuda_version"}
# Values of wandb itself, in each history record.
OWN = ("_step", "_timestamp", "_runtime", "_wandb")
_MOST_NAMES = 100_000


class WandbReader(FramesReader):
    """Reads `.wandb` files. A record's line is the number of the transaction, its offset that one's place."""

    opens = WANDB_MAGIC[:1]

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        return "it begins with :W&B" if head.startswith(WANDB_MAGIC) else None

    def begin(self, head: bytes) -> None:  # noqa: ARG002 - a FileReader
        self.frames = LevelDbLog()
        self._last: dict[str, Any] = {}
        self._summary: dict[str, Any] = {}
        self._at = (1, 0)

    def end(self, pieces: Pieces) -> None:
        """Adds the last transactions, and what the summary of the run has beyond its history."""
        super().end(pieces)
        own = {name: value for name, value in self._summary.items() if name not in self._last and not _is_own(name)}
        if own:
            self._values({"_step": self._summary.get("_step"), **own}, *self._at, pieces, summary=True)

    def add(self, frame: Frame, pieces: Pieces) -> None:
        problem, self._at = frame.problem, (frame.number, frame.offset)
        if problem is None:
            try:
                self._add_record(frame, pieces)
                return
            except BrokenMessage:
                problem = BAD_PROTOBUF
            except Refused as error:
                problem = str(error)
        reject(pieces, frame.number, frame.offset, None, problem, bytes(frame.data[:64]))

    def _add_record(self, frame: Frame, pieces: Pieces) -> None:
        kind, message = next(
            ((number, value) for number, _, value in fields(frame.data) if number not in _NO_VALUES), (0, 0)
        )
        if kind == _HISTORY:
            self._history(frame, message_in(message), pieces)
        elif kind == _SUMMARY:
            self._add_summary(message_in(message), pieces)
        elif kind == _STATS:
            self._stats(frame, message_in(message), pieces)
        elif kind == _CONFIG:
            self._settings(_config(message_in(message)), frame, pieces)
        elif kind == _RUN:
            self._settings(_run(message_in(message)), frame, pieces)
        elif kind == _ENVIRONMENT:
            found = {
                f"environment.{_ENVIRONMENT_TEXTS[number]}": text_in(value)
                for number, _, value in fields(message_in(message))
                if number in _ENVIRONMENT_TEXTS
            }
            self._settings(found, frame, pieces)
        elif kind == _EXIT:
            code = next((signed(value) for number, _, value in fields(message_in(message)) if number == 1), 0)
            self._settings({"exit_code": code}, frame, pieces)
        else:
            self.ignore(_OTHERS.get(kind, "record without a value"), pieces)

    def _settings(self, found: dict[str, Any], frame: Frame, pieces: Pieces) -> None:
        pairs = list(flat_pairs({name: value for name, value in found.items() if not _is_own(name)}))
        if pairs:
            self.add_settings(pairs, (frame.number, frame.offset), pieces)
        else:
            self.ignore("settings of wandb itself", pieces)

    def _history(self, frame: Frame, message: memoryview, pieces: Pieces) -> None:
        found: dict[str, Any] = {}
        for number, _, value in fields(message):
            if number == 1:
                name, item = _item(message_in(value))
                found[name] = item
            elif number == 2:
                found.setdefault("_step", next((signed(v) for n, _, v in fields(message_in(value)) if n == 1), 0))
        if len(self._last) < _MOST_NAMES:
            self._last.update(dict.fromkeys(found))
        self._values(found, frame.number, frame.offset, pieces)

    def _values(
        self, found: dict[str, Any], number: int, offset: int, pieces: Pieces, *, summary: bool = False
    ) -> None:
        columns: Columns = {}
        if (step := step_of(found.get("_step"))) is not None:
            columns["step"] = step
        stamp, runtime = found.get("_timestamp"), found.get("_runtime")
        if isinstance(stamp, int | float):
            columns["logged_at"] = moment(stamp)
        if isinstance(runtime, int | float):
            columns["clock_s"] = float(runtime)
        pairs = list(flat_pairs({name: value for name, value in found.items() if not _is_own(name)}))
        if not pairs:
            self.ignore("history without a value", pieces)
        elif summary:
            # Behind the place of the last transaction, which may be a record too.
            self.add_record(self.summary(), pairs, columns, (number, offset + 1), pieces)
        else:
            self.add_values(pairs, columns, (number, offset), pieces)

    def _add_summary(self, message: memoryview, pieces: Pieces) -> None:
        for number, _, value in fields(message):
            if number == 1:
                name, item = _item(message_in(value))
                if name in self._summary or len(self._summary) < _MOST_NAMES:
                    self._summary[name] = item
            elif number == 2:
                self._summary.pop(_item(message_in(value))[0], None)
        self.ignore("summary, which repeats the history", pieces)

    def _stats(self, frame: Frame, message: memoryview, pieces: Pieces) -> None:
        columns: Columns = {}
        pairs: list[Pair] = []
        for number, _, value in fields(message):
            if number == 2:
                columns["logged_at"] = moment(moment_in(value))
            elif number == 3:
                name, item = _item(message_in(value))
                pairs += flat_pairs({name: item})
        if pairs:
            self.add_record(self._records["system"], pairs, columns, (frame.number, frame.offset), pieces)
        else:
            self.ignore("sample without a value", pieces)


def _is_own(name: str) -> bool:
    return name in OWN or name.startswith("_wandb.")


def _item(message: memoryview) -> tuple[str, Any]:
    # HistoryItem, SummaryItem, ConfigItem, StatsItem: a key or a nested one, and a value as JSON or (history) typed.
    name, nested, item = "", [], None
    for number, _, value in fields(message):
        if number == 1:
            name = text_in(value)
        elif number == 2:
            nested.append(text_in(value))
        elif number in (8, 16):
            item = _json(text_in(value))
        elif number == 4:
            item = bool(value)
        elif number == 5:
            item = zigzag(value)
        elif number == 6:
            item = float_in(value)
        elif number == 7:
            item = text_in(value)
    return ".".join(nested) or name, item


def _json(text: str) -> Any:
    if len(text) > rows.PIECE_LIMIT:
        raise Refused(rows.TOO_LONG)
    try:
        return DECODER.decode(text) if text else None
    except (ValueError, RecursionError):
        raise Refused(BAD_JSON_VALUE) from None


def _config(message: memoryview) -> dict[str, Any]:
    return dict(_item(message_in(value)) for number, _, value in fields(message) if number == 1)


def _run(message: memoryview) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, _, value in fields(message):
        if number in _RUN_TEXTS:
            found[_RUN_TEXTS[number]] = text_in(value)
        elif number == 4:
            found.update(_config(message_in(value)))
    return found
