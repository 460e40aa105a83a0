"""The time from record to record, as explain reads it where a log prints no speed."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl

from benchledger.answers.explaining.step_times import intervals_of, rounds_of

START = datetime(2026, 1, 1)
COLUMNS = ("step", "rank", "seconds")


def steps(*rows: tuple[int | None, int | None, float | None], clock: bool = False) -> pl.DataFrame:
    """Step records: step, rank, seconds since the start; one a line."""
    return pl.DataFrame(
        {
            "part": [0] * len(rows),
            "log_id": [7] * len(rows),
            "line": range(1, len(rows) + 1),
            "byte_offset": [line * 100 for line in range(len(rows))],
            **{column: [row[place] for row in rows] for place, column in enumerate(COLUMNS[:2])},
            "logged_at": [None if clock or row[2] is None else START + timedelta(seconds=row[2]) for row in rows],
            "clock_s": [row[2] if clock else None for row in rows],
        },
        schema_overrides={"logged_at": pl.Datetime("us"), "clock_s": pl.Float64, "rank": pl.Int32, "step": pl.Int64},
    )


def test_an_interval_is_the_very_seconds_that_the_log_tells() -> None:
    found = intervals_of(steps((1, None, 0.0), (2, None, 77.979015), (3, None, 77.979015 + 104.672504)))

    assert found["value"].to_list() == [None, 77.979015, 104.672504]
    assert found["from_line"].to_list() == [None, 1, 2]


def test_each_rank_has_intervals_of_its_own() -> None:
    found = intervals_of(steps((1, 0, 0.0), (1, 1, 0.5), (2, 0, 2.0), (2, 1, 3.0), clock=True))

    assert found["value"].to_list() == [None, None, 2.0, 2.5]


def test_an_interval_over_many_steps_counts_them_and_a_repeated_one_is_one() -> None:
    found = intervals_of(steps((10, None, 0.0), (20, None, 1.0), (20, None, 2.0), clock=True))

    assert found["steps"].to_list() == [1, 10, 1]
    assert found["since"].to_list() == [None, 10, 20]


def test_what_is_no_interval_says_why() -> None:
    found = intervals_of(steps((5, None, 0.0), (4, None, 1.0), (None, None, 2.0), (6, None, 3.0), (7, None, None)))

    assert found["unread"].to_list() == [
        "no step record before it",
        "the step number falls back",
        "no step number",
        "no step number",
        "no time is logged",
    ]


def test_a_round_ends_with_the_last_of_its_ranks() -> None:
    found = rounds_of(steps((1, 0, 0.0), (1, 1, 0.5), (2, 1, 2.0), (2, 0, 3.0), (3, 0, 4.0), clock=True))

    assert found.select("from_line", "line", "value", "steps").rows() == [(2, 4, 2.5, 1)]
