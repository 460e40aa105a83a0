"""A layout that teaches nothing more costs little, and what it teaches later is learned all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.scanner import ScannedLog, Scanner
from benchledger.scanning.shapes import Learner
from tests.scanning.reading import PADDLE, one_record


def test_lines_that_teach_nothing_are_seldom_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    shape = Learner._shape
    monkeypatch.setattr(Learner, "_shape", lambda *given: looked_at.append(1) or shape(*given))
    scanner = Scanner(one_record(tmp_path, "step {step:int} {pairs}", PADDLE))
    # No shape takes a number with a plus: each line is the reference reader's.
    vain = b"".join(b"step %d loss: +%d.5\n" % (step, step) for step in range(2_000))
    usual = b"".join(b"step %d loss: %d.5\n" % (step, step) for step in range(100))

    for log in (vain, usual):
        scanner.scan(log, len(log), 0, 1, found := ScannedLog(), RecordColumns())

    assert len(looked_at) < 64 + 2_100 / 16
    assert found.records == 100
    assert sum(len(group.shapes) for group in scanner._learner.groups) == 1
