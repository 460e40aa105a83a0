"""A layout that teaches nothing more costs little, and what it teaches later is learned all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.scanner import ScannedLog, Scanner
from benchledger.scanning.shapes import Learner
from tests.scanning.reading import PADDLE, line_format, one_record, read_by_reference, read_by_scanner, readers


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


@pytest.mark.parametrize(
    ("line", "template"),
    [
        ("it/s: {}", "it/s: {speed:float}"),
        ("step: 4 it/s: {}", "step: {step:int} it/s: {speed:float}"),
        ("it/s: {} loss: 2.5", "it/s: {speed:float} loss: {loss:float}"),
    ],
)
def test_a_number_among_an_earlier_templates_words_is_read_by_that_template(
    tmp_path: Path, line: str, template: str
) -> None:
    unknown = template.replace("{speed:float}", "-1.000")
    made = line_format(
        tmp_path,
        f"""
        [detect]
        proof = [["it/s: "]]
        [[record]]
        name = "unknown"
        kind = "step"
        templates = ["{unknown}"]
        [[record]]
        name = "known"
        kind = "step"
        templates = ["{template}"]
        """,
    )
    log = "".join(line.format(speed) + "\n" for speed in (5.5, 6.5, 7.5, "-1.000", 8.5, "-1.0")).encode()

    told = read_by_reference(made, log)
    assert [row["names"] == told.rows[3]["names"] for row in told.rows] == [False, False, False, True, False, False]
    for reader in readers({"made": made}):
        assert read_by_scanner(reader, log)[0].rows == told.rows
