"""The leaderboard: ranks among what was asked for, ties, what is missing, and what is not ranked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import benchledger
from benchledger.answers.tables.table import Report
from benchledger.errors import NothingFoundError
from tests.answers.conftest import Own
from tests.ledger_rows import LedgerRows, ledger_rows
from tests.views.conftest import given


def board(report: Report, *columns: str) -> list[tuple[str, ...]]:
    return report.tables[0].frame.select(columns or ("rank", "samples/s", "campaign")).rows()


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def ranked(ledger: LedgerRows, **speeds: float) -> None:
    for campaign, speed in speeds.items():
        ledger.run(speed, campaign=campaign)


def test_a_tie_is_written_as_the_range_of_its_ranks(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ranked(ledger, a=9.0, b=7.0, c=7.0, d=5.0)

    report = benchledger.leaderboard(db=db)

    assert board(report) == [("1", "9.00", "a"), ("2-3", "7.00", "b"), ("2-3", "7.00", "c"), ("4", "5.00", "d")]
    assert report.cells.select("rank", "rank_last").rows() == [(1, 1), (2, 3), (2, 3), (4, 4)]


@given(
    lambda ledger: [ledger.run(9.0, framework="tensorflow"), ledger.run(7.0), ledger.run(5.0, batch_size_per_gpu=16)]
)
def test_those_that_meet_the_filters_are_ranked_among_themselves(own: Own) -> None:
    assert board(benchledger.leaderboard(**own, framework="pytorch"), "rank", "samples/s") == [
        ("1", "7.00"),
        ("2", "5.00"),
    ]


def test_where_nobody_states_the_gpu_series_compete_on_their_system_or_in_their_campaign(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for campaign, system, speed in (
            ("a", None, 9.0),
            ("a", None, 7.0),
            ("b", None, 8.0),
            ("c", "dgx", 6.0),
            ("d", "dgx", 5.0),
        ):
            machine = {"gpu_model": None, "system": system}
            ledger.run(speed, campaign=campaign, environment=machine, batch_size_per_gpu=int(speed))

    report = benchledger.leaderboard(db=db)

    assert board(report, "campaign", "rank", "samples/s") == [
        ("a", "1", "9.00"),
        ("a", "2", "7.00"),
        ("b", "1", "8.00"),
        ("c", "1", "6.00"),
        ("d", "2", "5.00"),
    ]
    assert report.tables[0].facts["gpu_model"] is None
    assert "ranked on their own system, or else in their own campaign" in report.tables[0].notes[0]


@given(lambda ledger: [ledger.run(9.0, seq_len=None), ledger.run(7.0)])
def test_a_sequence_length_that_nobody_states_is_listed_below_and_not_ranked(own: Own) -> None:
    report = benchledger.leaderboard(**own)

    assert board(report, "seq_len", "rank", "samples/s") == [("128", "1", "7.00"), ("unknown", "-", "9.00")]
    assert report.tables[0].notes == (
        "not known to be equal work: 1 series does not state seq_len: listed, not ranked. State it in facts.toml",
    )


def test_a_failure_that_states_no_card_is_missing_once_where_its_kin_stand(db: Path) -> None:
    silent = {"gpu_model": None}
    with ledger_rows(db) as ledger:
        ledger.run(9.0)
        ledger.run(status="oom", batch_size_per_gpu=96, environment=silent)
        ledger.run(5.0, campaign="b", framework="mxnet", environment=silent)
        ledger.run(status="oom", campaign="c", environment=silent)

    report = benchledger.leaderboard(db=db)

    assert [(table.facts["gpu_model"], str(table.coverage)) for table in report.tables] == [
        ("V100-SXM2-16GB", "1 of 2 cells filled; missing: bert_base_bs96_fp32_1 (ngc): oom"),
        (None, "1 of 1 cells filled"),
    ]
    assert report.notes == (
        "series without a speed that belong in none of these tables: 1. See them: bench report speed",
    )


@pytest.mark.parametrize(
    ("answer", "cell"),
    [(benchledger.leaderboard, "bert_base_bs32_fp32_1 (ngc)"), (benchledger.report_speed, "1 x FP32(BS=32)")],
)
def test_a_card_that_only_other_trials_state_is_said(db: Path, answer: Callable[..., Report], cell: str) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(9.0)
        for _ in range(2):
            ledger.run(9.0, environment={"gpu_model": None})

    note = f"the GPU model of some trials is told by the others of their series: {cell} (2 of 3)"
    report = answer(db=db)

    assert note in report.tables[0].notes
    assert "assumed_gpu" not in report.cells.columns


def test_what_has_no_speed_is_missing_by_name(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(9.0)
        ledger.run(status="oom", batch_size_per_gpu=96)
        ledger.run(status="oom", model="resnet50")

    report = benchledger.leaderboard(db=db)

    assert str(report.tables[0].coverage) == "1 of 2 cells filled; missing: bert_base_bs96_fp32_1 (ngc): oom"
    assert report.notes == (
        "series without a speed that belong in none of these tables: 1. See them: bench report speed",
    )


def test_the_spread_has_two_decimals_also_below_one(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for speed in (100.0, 104.0):
            ledger.run(speed, campaign="a")
        for speed in (100.0, 100.4011):
            ledger.run(speed, campaign="b")

    assert board(benchledger.leaderboard(db=db), "spread, %") == [("3.92",), ("0.40",)]


def test_trials_spread_and_ranks_that_they_do_not_tell_apart_are_said(db: Path) -> None:
    with ledger_rows(db) as ledger:
        for speed in (100.0, 104.0):
            ledger.run(speed, campaign="a")
        ranked(ledger, b=101.0, c=90.0)

    report = benchledger.leaderboard(db=db)

    assert board(report, "rank", "campaign", "trials", "spread, %") == [
        ("1", "a", "2", "3.92"),
        ("2", "b", "1", "-"),
        ("3", "c", "1", "-"),
    ]
    assert report.tables[0].notes == ("within the spread of their trials: 1 x fp32: ranks 1 and 2",)


def test_a_campaign_whose_name_holds_brackets_is_found_by_its_name(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ranked(ledger, **{"runs[1]": 9.0, "b": 7.0})

    assert board(benchledger.leaderboard(db=db, campaign="runs[1]")) == [("1", "9.00", "runs[1]")]


@given(lambda ledger: ledger.run(status="oom"))
def test_no_speed_at_all_is_nothing_found(own: Own) -> None:
    with pytest.raises(NothingFoundError, match="none of the selected series has a speed"):
        benchledger.leaderboard(**own)
