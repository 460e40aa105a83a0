"""One execution in a log: its records, what they state, and which process printed its settings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from benchledger.definitions.log_format import EARLY_STOP, STATED, FactDefinition, LogFormat, RecordDefinition
from benchledger.scanning.launchers import Command
from benchledger.scanning.layout import Layout

# An accelerator in a list: its number, with or without its kind: 0, cuda:0, /gpu:0, horovod/gpu:0, /device:GPU:0.
_ITEM = re.compile(r"(?:(?:[a-z]*/)?(?:device:)?(?:cuda|gpu|hip|mlu|npu|xpu):)?[0-9]{1,5}\Z", re.IGNORECASE)
# Settings in which the processes of one run differ, such as local_rank; their value is a number or device.
_OF_PROCESS = re.compile(
    r"(?:(?:local|global|process|proc|worker|trainer|gpu|device)_)?(?:rank|ranks|gpu|device|process|index|id)\Z"
)
# Epoch and step.
_Place = tuple[float, float]
# Name of a step record, whether it prints the step, and its rank.
_Lane = tuple[str, bool, int | None]


@dataclass(slots=True)
class Statement:
    """One fact as a log states it; of several statements of a fact, the one with the lowest `trust` counts.

    `strength`: stated, counted (repeated lines, a lower bound), usual (the most frequent value), quoted or related.
    """

    name: str
    value: str
    value_logged: str
    line: int
    trust: int
    least: bool = False
    strength: str = STATED


@dataclass(slots=True)
class Segment:
    """One execution in a log, with the lines of its first and last record.

    `starts`: the processes that printed each record that begins a run; such a record is named without the settings that
    name a process. `begun` and `reached`: the first and last step of each lane.
    """

    first_line: int
    first_record_line: int
    last_record_line: int
    kinds: set[str] = field(default_factory=set)
    statements: list[Statement] = field(default_factory=list)
    repeats: dict[int, tuple[FactDefinition, Counter[str], int]] = field(default_factory=dict)
    stated: set[tuple[int, str]] = field(default_factory=set)
    joined: dict[int, tuple[FactDefinition, dict[str, str], int]] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    event: tuple[str, int, str] | None = None
    starts: dict[tuple[object, ...], set[tuple[object, ...]]] = field(default_factory=dict)
    begun: dict[_Lane, _Place] = field(default_factory=dict)
    reached: dict[_Lane, _Place] = field(default_factory=dict)
    first_step_line: int | None = None
    _reached_line: dict[_Lane, int] = field(default_factory=dict, compare=False, repr=False)
    _told: set[tuple[str, int, str]] | None = field(default=None, compare=False, repr=False)
    _steps: dict[tuple[str, bool], tuple[_Place, _Place]] | None = field(default=None, compare=False, repr=False)
    _has_one_gpu: bool = field(default=False, compare=False, repr=False)

    def note_start(
        self, layout: Layout, values: list[float | None], texts: list[str | None] | None, rank: int | None
    ) -> None:
        settings: list[object] = []
        process: list[object] = [] if rank is None else [rank]
        for at, told in enumerate(layout.values):
            value = texts[at] if texts and texts[at] is not None else values[at]
            names = _OF_PROCESS.match(told.name.lower()) and items_of(_spelled(value)) is not None
            (process if names else settings).append(value)
        self.starts.setdefault((layout.record.name, *_names(layout), *settings), set()).add(tuple(process))

    def note_step(
        self, layout: Layout, values: list[float | None], line: int, step: int | None, epoch: int | None,
        rank: int | None,
    ) -> None:  # fmt: skip
        # Where a line states no step, it may state how many epochs are done: 0.25.
        done = float(epoch) if epoch is not None else None if step is not None else _epochs_done(layout, values)
        if step is None and done is None:
            return
        lane = layout.record.name, step is not None, rank
        place = (done or 0) // 1, float(step if step is not None else done or 0)
        # The native scanner tells the last step of one layout before the first one of another.
        if line >= self._reached_line.get(lane, 0):
            self.reached[lane], self._reached_line[lane] = place, line
        self.begun.setdefault(lane, place)
        self.first_step_line = self.first_step_line or line

    def goes_on_in(self, later: Segment) -> bool:
        """Tells whether `later` continues this run: another process of the run printed its settings late.

        Either that process has not printed them before, or `later` lacks settings of this run, which a new run would
        print. The steps must not begin again. No process may begin beyond half of the steps done so far: it was started
        later, from a checkpoint.
        """
        known = all(start in self.starts for start in later.starts)
        if not later.starts or not known or self._has_failed() or (later._has_failed() and not later.reached):
            return False
        followed = self.reached.keys() & later.begun.keys()
        if any(later.begun[lane] < self.reached[lane] or later.begun[lane] <= self.begun[lane] for lane in followed):
            return False
        if any(self._is_past_half(lane, place) for lane, place in later.begun.items() if lane not in self.begun):
            return False
        told, repeated = self._head(), later._head()
        if self._has_one_gpu:
            return False
        if all(() not in processes and not processes & self.starts[start] for start, processes in later.starts.items()):
            return True
        lacks = not (told <= repeated and self.starts.keys() <= later.starts.keys())
        is_stepless = "step" not in later.kinds and (bool(self.begun) or "summary" not in later.kinds)
        return lacks and repeated <= told and (bool(followed) or is_stepless)

    def add(self, later: Segment) -> None:
        """Adds a segment that continues this one."""
        if self.first_step_line is None:
            self._head().update(later._head())
        self._has_one_gpu |= _state_one_gpu(later.statements)
        self.last_record_line = later.last_record_line
        self.kinds |= later.kinds
        self.statements += later.statements
        self.commands += later.commands
        for trust, (fact, count, line) in later.repeats.items():
            self.repeats.setdefault(trust, (fact, Counter(), line))[1].update(count)
        for trust, (fact, parts, line) in later.joined.items():
            known = self.joined.setdefault(trust, (fact, {}, line))[1]
            self.joined[trust][1].update({**parts, **known})
        for start, processes in later.starts.items():
            self.starts.setdefault(start, set()).update(processes)
        self._add_steps(later)
        self.begun = later.begun | self.begun
        self.reached |= later.reached
        self.first_step_line = self.first_step_line or later.first_step_line
        if later.event is not None:
            self.note_event(later.event)

    def note_event(self, event: tuple[str, int, str]) -> None:
        """Notes status, line and text of an event. The cause of the end counts, not its consequences."""
        known = None if self.event is None else self.event[0]
        # Settings mention early stopping before it happens, so its last line counts.
        if known is None or _EVENT_WEIGHT[event[0]] > _EVENT_WEIGHT[known] or event[0] == known == EARLY_STOP:
            self.event = event

    def _is_past_half(self, lane: _Lane, place: _Place) -> bool:
        # Whether a place is beyond half of the steps that all processes have done.
        first, last = self._all_steps().get(lane[:2], (place, place))
        at = 0 if first[0] < last[0] else 1
        return 2 * place[at] > first[at] + last[at] and first < last

    def _all_steps(self) -> dict[tuple[str, bool], tuple[_Place, _Place]]:
        # The first and last step of all processes; found once, like the head.
        if self._steps is None:
            self._steps = {}
            self._add_steps(self)
        return self._steps

    def _add_steps(self, later: Segment) -> None:
        steps = self._all_steps()
        for lane, begun in later.begun.items():
            first, last = steps.get(lane[:2], (begun, begun))
            steps[lane[:2]] = min(first, begun), max(last, later.reached[lane])

    def _has_failed(self) -> bool:
        return self.event is not None and self.event[0] != EARLY_STOP

    def _head(self) -> set[tuple[str, int, str]]:
        # The facts stated before the first step: found once, since thousands of processes may print late.
        if self._told is None:
            end = self.first_step_line
            found = (said for said in self.statements if end is None or said.line < end)
            self._told = {(said.name, said.trust, said.value) for said in found}
            self._has_one_gpu = _state_one_gpu(self.statements)
        return self._told


# Of several events of a run the one with the highest weight counts.
_EVENT_WEIGHT = {"oom": 3, "timeout": 2, "nan": 1, "failed": 0, EARLY_STOP: -1}


def _state_one_gpu(statements: list[Statement]) -> bool:
    return any((said.name, said.value) == ("gpus", "1") for said in statements)


def starts_run(record: RecordDefinition, log_format: LogFormat) -> bool:
    """Tells whether a record is a start record: the settings with which each process of a run begins."""
    return record.name in log_format.run_starts and record.kind != "summary"


def shows_progress(layout: Layout) -> bool:
    """Tells whether records of a layout are steps or summaries of the training."""
    return layout.record.kind in ("step", "summary") and all(
        value.phase in ("train", None) for value in layout.values[:1]
    )


def items_of(text: str) -> int | None:
    """Returns the number of items of a list such as `[0, 1, 2]` or `0,1`; None of any other text."""
    text = text.strip()
    if (text[:1], text[-1:]) in (("[", "]"), ("(", ")")):
        text = text[1:-1]
    items = [item.strip(" '\"") for item in text.rstrip(",").split(",")]
    is_list = all(_ITEM.match(item) for item in items) and len(set(items)) == len(items)
    return len(items) if is_list else None


def _names(layout: Layout) -> tuple[str, ...]:
    return tuple(value.name for value in layout.values)


def _spelled(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value == value // 1 else str(value)


def epochs_at(layout: Layout) -> int | None:
    """Returns which value states how many epochs are done."""
    places = (at for at, value in enumerate(layout.values) if value.name == "epoch" or value.name.endswith("/epoch"))
    return next(places, None)


def _epochs_done(layout: Layout, values: list[float | None]) -> float | None:
    at = epochs_at(layout)
    return None if at is None else values[at]
