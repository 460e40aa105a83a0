"""The phases of a run, and the phase of a mode that a program states in its own words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from benchledger.definitions.vocabulary import vocabulary

PHASES = ("train", "validation", "inference")
# The phase of a record whose line looks the same in all phases: that of the last record that began a phase.
CURRENT = "current"
# The phase that an unknown mode begins: its values are in no table of training.
UNKNOWN = "unknown"
# All phases that a place of a log can be in.
BEGUN = (*PHASES, UNKNOWN)

_CLASS = re.compile(r"[A-Za-z_]\w*\.(?=\w)")
_BETWEEN = re.compile(r"[-_\s]+")


def plain(mode: str) -> str:
    """Returns a mode without the differences between spellings."""
    text = mode.strip().strip("'\"")
    return _BETWEEN.sub("", _CLASS.sub("", text, count=1) if _CLASS.match(text) else text).casefold()


@dataclass(frozen=True)
class Mode:
    """The value of a record that tells which phase begins; `values` holds the format's own words."""

    source: str
    values: dict[str, str] = field(default_factory=dict)

    def phase_of(self, mode: str) -> str:
        """Returns the phase of a mode: by the format's words, then by the vocabulary's, else unknown."""
        word = plain(mode)
        return self.values.get(word) or _modes().get(word) or UNKNOWN


@cache
def _modes() -> dict[str, str]:
    return {plain(mode): phase for phase, modes in vocabulary().phases.items() for mode in modes}
