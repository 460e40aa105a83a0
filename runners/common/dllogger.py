"""Prints DLLogger lines: as text on standard output, and the same as one JSON object a line in a file."""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime
from pathlib import Path

Value = str | int | float | bool | None
# "PARAMETER", () for what the whole run came to, (iteration,), or (epoch, iteration).
Step = str | tuple[()] | tuple[int] | tuple[int, int]


class DLLogger:
    """Where a run's lines go. Of several processes only the first prints; the others are `silent`."""

    def __init__(self, json_lines: Path | None = None, silent: bool = False) -> None:
        self._started, self._silent = time.time(), silent
        self._json = json_lines.open("a", encoding="utf-8") if json_lines and not silent else None

    def settings(self, **values: Value) -> None:
        """One line of settings, without those that have no value."""
        self.line("PARAMETER", {name: value for name, value in values.items() if value is not None})

    def line(self, step: Step, values: dict[str, Value], at: float | None = None, **units: str) -> None:
        """One line of values, some followed by a unit; `at` is when it became true, if not now."""
        if self._silent:
            return
        seconds = time.time() if at is None else at
        stamp = datetime.fromtimestamp(seconds).isoformat(" ", "microseconds")
        head = step if isinstance(step, str) else ""
        if isinstance(step, tuple) and step:
            names = ("Epoch", "Iteration")[-len(step) :]
            head = " ".join(f"{name}: {number}" for name, number in zip(names, step, strict=True)) + " "
        pairs = "  ".join(f"{name} : {value} {units.get(name, '')}".rstrip() for name, value in values.items())
        # With the line's end in one write, so that two processes' lines never run into each other.
        sys.stdout.write(f"DLL {stamp} - {head} {pairs} \n")
        sys.stdout.flush()
        if self._json:
            entry: dict[str, object] = {"timestamp": str(seconds), "datetime": stamp}
            entry |= {"elapsedtime": str(seconds - self._started), "type": "LOG", "step": step, "data": values}
            self._json.write(f"DLLL {json.dumps(entry)}\n")
            self._json.flush()
