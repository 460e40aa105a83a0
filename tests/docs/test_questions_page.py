"""docs/questions.md: each question has an answer in under five lines of SQL."""

from __future__ import annotations

import pytest

from tests.docs.pages import TOP, Block, blocks

PAGE = TOP / "docs" / "questions.md"
FEWER_THAN = 5


@pytest.mark.parametrize("block", blocks(PAGE, "sql"), ids=str)
def test_an_answer_takes_fewer_than_five_lines(block: Block) -> None:
    lines = [line for line in block.text.splitlines() if line and not line.startswith("--")]

    assert len(lines) < FEWER_THAN


def test_there_is_an_answer_under_every_question() -> None:
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    questions = [part for part in parts if part.partition("\n")[0].endswith("?")]

    assert len(questions) >= 10
    assert all("```sql\n" in question for question in questions)
