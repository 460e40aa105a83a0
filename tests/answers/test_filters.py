"""Filters by case column and campaign, and what a question that finds nothing answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import query, report_failures, report_memory, report_speed, report_speedup, runs
from benchledger.answers.filters import CASE_COLUMNS
from benchledger.errors import DatabaseError, NothingFoundError, UsageError, known
from tests.ledger_rows import ledger_rows


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: the tests only ask it."""
    db = tmp_path_factory.mktemp("filters") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.run(1.0, campaign="corpus@58c854be/Bert/PyTorch")
        ledger.run(8.0, campaign="corpus@58c854be/Bert/PyTorch", gpus=8, options='{"compile": true}')
        ledger.run(2.0, campaign="other", precision="fp16", gradient_accumulation=4, global_batch_size=128)
    return db


@pytest.mark.parametrize(
    ("filters", "values"),
    [
        ({"campaign": "*58c854be/Bert*"}, [1.0, 8.0]),
        ({"campaign": "other"}, [2.0]),
        ({"precision": "fp16"}, [2.0]),
        ({"precision": ["fp16", "fp32"], "gpus": 1}, [1.0, 2.0]),
        ({"gpus": "8"}, [8.0]),
        ({"model": "bert*"}, [1.0, 2.0, 8.0]),
        ({"options": "*compile*"}, [8.0]),
        ({"options": "unknown", "gpus": [1]}, [1.0, 2.0]),
        ({"gradient_accumulation": "unknown"}, [1.0, 8.0]),
        ({"gpu_model": "V100*", "global_batch_size": 128}, [2.0]),
    ],
)
def test_a_report_is_filtered_by_any_case_column(db: Path, filters: dict[str, object], values: list[float]) -> None:
    assert sorted(report_speed(db=db, **filters).cells["value"]) == values  # type: ignore[arg-type]


def test_every_column_of_bench_case_is_a_filter(db: Path) -> None:
    from benchledger.store.database import open_for_reading

    with open_for_reading(db) as con:
        columns = {row[0] for row in con.execute("describe bench_case").fetchall()}

    assert set(CASE_COLUMNS) == columns


def test_a_campaign_whose_name_has_glob_signs_is_found_by_its_name(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, campaign="runs[1]")

    assert report_speed(db=tmp_path / "bench.duckdb", campaign="runs[1]").cells.height == 1


@pytest.mark.parametrize("ask", [report_speed, report_memory, report_speedup, report_failures, runs])
def test_an_unknown_column_lists_the_known_ones(db: Path, ask: object) -> None:
    with pytest.raises(UsageError, match=r"no case column 'modle'; known: name, framework, .*gradient_accumulation"):
        ask(db=db, modle="bert")  # type: ignore[operator]


@pytest.mark.parametrize("ask", [report_speed, report_memory, report_speedup, report_failures, runs])
def test_an_unknown_campaign_lists_the_known_ones(db: Path, ask: object) -> None:
    with pytest.raises(
        NothingFoundError, match=r"campaign 'othre'; did you mean 'other'\?; known: other, corpus@58c854be/Bert/PyTorch"
    ):
        ask(db=db, campaign="othre")  # type: ignore[operator]


def test_a_number_column_refuses_text(db: Path) -> None:
    with pytest.raises(UsageError, match="gpus must be a whole number or 'unknown', not 'eight'"):
        report_speed(db=db, gpus="eight")


def test_filters_that_nothing_meets_together_are_named(db: Path) -> None:
    with pytest.raises(NothingFoundError, match="no series matches all of precision, gpus"):
        report_speed(db=db, precision="fp16", gpus=8)


def test_an_empty_ledger_says_how_to_fill_it(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb"):
        pass

    with pytest.raises(NothingFoundError, match=r"contains no runs yet. Read logs with: bench ingest PATH"):
        report_speed(db=tmp_path / "bench.duckdb")


def test_a_missing_ledger_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="bench ingest"):
        report_speed(db=tmp_path / "none.duckdb")


def test_a_text_from_a_caller_is_never_sql(db: Path) -> None:
    with pytest.raises(NothingFoundError, match="no series with campaign"):
        report_speed(db=db, campaign="' or true --")


def test_a_text_that_is_not_utf8_is_told_to_a_caller_too(db: Path) -> None:
    for ask in (lambda: runs(model="a\udcff", db=db), lambda: query("failures", campaign="a\udcff", db=db)):
        with pytest.raises(UsageError, match=r"a\\xff.*: not UTF-8 text"):
            ask()


def test_known_numbers_stand_in_their_order_before_what_is_unknown() -> None:
    assert known([32, 1, None, 16, 8], "3") == "1, 8, 16, 32, unknown"


def test_of_many_known_names_the_nearest_come_first_and_the_rest_is_counted() -> None:
    names = [f"campaign_{number}" for number in range(30)]

    assert known(names, "campaign_17").startswith("campaign_17, ")
    assert known(names, "campaign_17").endswith(" and 18 more")
