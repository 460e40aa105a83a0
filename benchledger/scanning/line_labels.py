"""Labels of lines in a self-describing log: the phase of a line, and the network that its values belong to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from benchledger.definitions.file_maps import SelfDescribing
from benchledger.definitions.log_format import RecordDefinition
from benchledger.definitions.vocabulary import UNKNOWN, Mode
from benchledger.scanning.layout import NamedLayouts
from benchledger.scanning.rows import Pair

# A name with more different values in one file is no label.
_MOST_WORDS = 16


class LineLabels:
    """The labels of one file, as its beginning shows them."""

    def __init__(self, definition: SelfDescribing, layouts: NamedLayouts, record: RecordDefinition) -> None:
        self._definition, self._layouts, self._record = definition, layouts, record
        # Names, besides the declared modes, whose value states the phase of a line; and the name whose value states the
        # network.
        self._modes: set[str] = set()
        self._part: str | None = None

    def learn(self, lines: Iterable[dict[str, Any]]) -> None:
        """Finds the names that are labels: their value is a word wherever they occur."""
        words: defaultdict[str, set[str]] = defaultdict(set)
        others: set[str] = set()
        for data in lines:
            for name, value in data.items():
                if isinstance(value, str) and name not in others:
                    words[name].add(value.lower())
                    # Most cells of a CSV are numbers: dropped at the first one.
                    if not value[:1].isalpha() or len(words[name]) > _MOST_WORDS:
                        others.add(name)
                        del words[name]
        self._modes, self._part = set(), None
        if not any(name.lower() in self._definition.modes for name in words):
            phases = {name: {Mode(name).phase_of(word) for word in told} for name, told in words.items()}
            self._modes = {name for name, told in phases.items() if "train" in told and UNKNOWN not in told}
        for name, told in words.items():
            if len(told) > 1 and told <= self._definition.parts:
                self._part = name

    def is_phase(self, name: str, text: str) -> bool:
        """Tells whether a value states a known phase."""
        return self._is_mode(name) and Mode(name).phase_of(text) != UNKNOWN

    def phase_of(self, data: dict[str, Any]) -> str | None:
        """Returns the phase that a line states by its mode or by its measured names; None: training."""
        for name, value in data.items():
            if isinstance(value, str) and self._is_mode(name):
                phase = Mode(name).phase_of(value)
                if phase != UNKNOWN or name not in self._modes:
                    return None if phase == "train" else phase
        measured = [
            (self._layouts.phase_of(name), field.quantity)
            for name in data
            if (field := self._layouts.field_of(self._record, name)) and field.quantity not in (None, "learning_rate")
        ]
        stated = {phase for phase, _ in measured}
        # A speed without a phase belongs to the evaluation if all other results of its line do.
        results = {phase for phase, quantity in measured if quantity not in ("throughput", "step_time")} or stated
        return next(iter(results)) if len(results) == 1 and "train" not in stated else None

    def named(self, data: dict[str, Any], pairs: list[Pair]) -> list[Pair]:
        """Returns the values of a line, named after its network: generator and discriminator have a loss each."""
        part = data.get(self._part) if self._part else None
        if not isinstance(part, str) or part.lower() not in self._definition.parts:
            return pairs
        owned = (self._layouts.is_measured(self._record, pair[0]) for pair in pairs)
        return [
            (f"{part}: {pair[0]}", *pair[1:]) if is_own else pair for pair, is_own in zip(pairs, owned, strict=True)
        ]

    def _is_mode(self, name: str) -> bool:
        return name.lower() in self._definition.modes or name in self._modes
