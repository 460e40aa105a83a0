"""`bench formats new`: lines of several processes without a line break between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.scanning.lines import LineReader
from tests.formats.test_draft import drafted

STAMPED = "2026-11-20T14:04:{at} [orca:r{rank}/2] train| ep=1 it={step}/40 | loss 6.{step}1 | {step},454.7 tok/s | "
RANKS = "[rank{rank}] e0 it {step}/40 | loss 6.{step}1 | img/s 81{step}.4 | mem_gib 21.5"


def glued(line: str, every: int) -> str:
    """Forty lines of two ranks: a line break is missing behind one line of `every`."""
    lines = [line.format(rank=rank, step=step, at=10 + step) for step in range(1, 21) for rank in (0, 1)]
    return "".join(text + "\n" * (number % every > 0 or number == len(lines) - 1) for number, text in enumerate(lines))


@pytest.mark.parametrize("every", [2, 5])
@pytest.mark.parametrize("line", [STAMPED + "mem 2.{step} GiB", RANKS])
def test_both_records_of_a_line_without_its_break_are_read(line: str, every: int, tmp_path: Path) -> None:
    text = glued(line, every)
    draft, log_format = drafted(text, tmp_path)
    rows = LineReader(log_format).read(text.encode()).rows

    assert (draft.steps, draft.ignored, draft.rejects) == (40, 0, 0)
    assert [row.columns["step"] for row in rows] == [step for step in range(1, 21) for _ in (0, 1)]
    assert [value.name for row in rows for value in row.layout.values if value.name.endswith("_2")] == []
    assert "_2" not in draft.text
    # A skip of one record would leave out the first step of one rank only.
    assert log_format.default_rule == "steps.median_skip0"
    assert "no record: say why" not in draft.text


def test_a_step_that_no_template_can_read_is_a_reject_and_a_question(tmp_path: Path) -> None:
    # `mem 2.1` and `2026-11-20` would be 2.12026.
    draft, log_format = drafted(glued(STAMPED + "mem 2.{step}", 5), tmp_path)

    assert (draft.steps, draft.ignored, draft.rejects) == (32, 0, 8)
    assert "# ? 8 lines with measured values are rejects: which templates do they need?" in draft.text
    assert log_format.ignores == ()


def test_lines_that_repeat_the_step_before_are_of_several_ranks(tmp_path: Path) -> None:
    lines = [STAMPED.format(rank=rank, step=step, at=10 + step) for step in range(1, 21) for rank in (0, 1)]
    of_two, _ = drafted("mem 2.1 GiB\n".join([*lines, ""]), tmp_path)
    of_one, _ = drafted("mem 2.1 GiB\n".join([*lines[::2], ""]), tmp_path)

    assert 'default_rule = "steps.median_skip0"' in of_two.text
    assert 'default_rule = "steps.mean_skip1"' in of_one.text
