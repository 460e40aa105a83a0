"""A series that no default rule stands for is in no table, and the report says so and what helps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger import leaderboard, report_speed, report_speedup
from benchledger.answers.tables.table import Report
from benchledger.errors import NothingFoundError
from tests.ledger_rows import FORMAT, STEP_RULE, SUMMARY_RULE, ledger_rows

NAMES_NONE = (
    "1 series of format mine is in no table: it names no default_rule. Ask for a rule (bench report speed --rule; bench query rules), "
    "or name one in the format"
)


def made(db: Path, default_rule: str | None, *, beside: bool) -> Path:
    """A ledger with a run of a format that has such a default rule, and with one of another format beside it."""
    with ledger_rows(db) as ledger:
        ledger.insert("kept.format", format="mine", version=1, default_rule=default_rule, role="train")
        run = ledger.run(127.0, model="bert_large")
        ledger.con.execute("update log set format = 'mine'")
        ledger.con.execute("update kept.shape set format = 'mine'")
        assert run
        if beside:
            ledger.run(500.0)
            ledger.con.execute(
                "update log set format = $format where log_id = (select max(log_id) from log)", {"format": FORMAT}
            )
    return db


REPORTS = pytest.mark.parametrize("report", [report_speed, report_speedup, leaderboard])


@REPORTS
def test_a_format_without_a_default_rule_is_named_where_nothing_else_is_there(
    report: Callable[..., Report], tmp_path: Path
) -> None:
    with pytest.raises(NothingFoundError) as error:
        report(db=made(tmp_path / "bench.duckdb", None, beside=False))

    assert str(error.value) == NAMES_NONE


@REPORTS
def test_it_is_named_below_the_tables_of_others(report: Callable[..., Report], tmp_path: Path) -> None:
    found = report(db=made(tmp_path / "bench.duckdb", None, beside=True))

    assert (len(found.tables), found.notes) == (1, (NAMES_NONE,))


def test_a_default_rule_that_went_with_its_definitions_is_named(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError, match=r"its default rule mine\.mean is not known to the ledger") as error:
        report_speed(db=made(tmp_path / "bench.duckdb", "mine.mean", beside=False))

    assert "Ingest with the --definitions that hold it, or ask for another (bench report speed --rule)" in str(
        error.value
    )


def test_a_rule_that_is_asked_for_shows_it_all_the_same(tmp_path: Path) -> None:
    db = made(tmp_path / "bench.duckdb", None, beside=False)

    assert report_speed(db=db, rule=SUMMARY_RULE).cells["value"].to_list() == [127.0]
    assert report_speed(db=db, rule=SUMMARY_RULE).notes == ()
    with pytest.raises(NothingFoundError, match="format mine"):
        report_speed(db=db, rule=STEP_RULE)


def test_readers_of_a_layout_are_not_sent_to_the_ledger(tmp_path: Path) -> None:
    db = made(tmp_path / "bench.duckdb", None, beside=True)

    assert report_speed(db=db, layout="paddle").notes == ()
