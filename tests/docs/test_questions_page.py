"""docs/questions.md: each question has an answer in under five lines of SQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import TOP, Block, blocks
from tests.ledger_rows import ledger_rows

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


def answer(words: str) -> str:
    """The first query under the question that holds these words."""
    (part,) = (part for part in PAGE.read_text(encoding="utf-8").split("\n## ") if words in part.partition("\n")[0])
    return part.partition("```sql\n")[2].partition("```")[0]


def asked(db: Path, words: str, *updates: str) -> list[tuple[Any, ...]]:
    """The answer over three runs of eight GPUs, the third in two campaigns, after some updates."""
    with ledger_rows(db) as ledger:
        for status in ("ok", "ok", "oom"):
            last = ledger.run(1.0, gpus=8, status=status)
        ledger.con.execute(
            "insert into sighting select sighting.* replace (-1 as sighting_id, 'again' as campaign) "
            "from sighting join run_log using (log_id) where run_id = ?",
            [last],
        )
        for update in updates:
            ledger.con.execute(update)
        return ledger.con.execute(answer(words)).fetchall()


def test_a_run_with_one_clock_adds_no_gpu_hours_and_is_counted_apart(tmp_path: Path) -> None:
    one_clock = "update run set ended_at = started_at"
    an_hour = "update run set ended_at = started_at + interval 1 hour where run_id = (select min(run_id) from run)"

    assert asked(tmp_path / "bench.duckdb", "GPU hours", one_clock, an_hour) == [("pytorch", 8.0, 3, 2)]


def test_a_failed_run_in_two_campaigns_is_one_run(tmp_path: Path) -> None:
    assert [row[2] for row in asked(tmp_path / "bench.duckdb", "What failed")] == [1]
