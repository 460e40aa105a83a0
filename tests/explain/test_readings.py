"""What a rule makes of each value of a run, at which line, and of the times between records, where a log prints no speed."""

from __future__ import annotations

from typing import Any

from benchledger.answers.rows import rows_asked
from benchledger.explaining.readings import readings_of_rule
from tests.views.conftest import Ledger, Piece

ALL_STEPS = "steps.median_skip0"


def steps(*rows: tuple[int | None, int | None, float | None], clock: bool = False) -> list[Piece]:
    """Step records: step, rank, seconds since the start; one a line."""
    if clock:
        return [Ledger.step(step, rank=rank, clock_s=seconds) for step, rank, seconds in rows]
    return [Ledger.step(step, at=seconds, rank=rank) for step, rank, seconds in rows]


def told(ledger: Ledger, rule: str, run: int, *columns: str) -> list[tuple[Any, ...]]:
    (words,) = rows_asked(ledger.filled, "from kept.rule where rule = $rule", rule=rule)
    _, rows = readings_of_rule(ledger.filled, words, "samples/s", [run])
    return rows.select(columns).rows()


def test_an_interval_is_the_very_seconds_that_the_log_tells(ledger: Ledger) -> None:
    run = ledger.run(*steps((1, None, 0.0), (2, None, 77.979015), (3, None, 182.651519)))

    assert told(ledger, ALL_STEPS, run, "line", "value", "from_line", "use") == [
        (1, None, None, "not read: no step record before it"),
        (2, 77.979015, 1, "kept"),
        (3, 104.672504, 2, "kept"),
    ]


def test_each_rank_has_intervals_of_its_own(ledger: Ledger) -> None:
    run = ledger.run(*steps((1, 0, 0.0), (1, 1, 0.5), (2, 0, 2.0), (2, 1, 3.0), clock=True))

    assert told(ledger, ALL_STEPS, run, "rank", "value", "from_line") == [
        (0, None, None), (1, None, None), (0, 2.0, 1), (1, 2.5, 2)
    ]  # fmt: skip


def test_an_interval_over_many_steps_counts_them_and_a_repeated_one_is_one(ledger: Ledger) -> None:
    run = ledger.run(*steps((10, None, 0.0), (20, None, 1.0), (20, None, 2.0), clock=True))

    assert told(ledger, ALL_STEPS, run, "rate") == [(None,), (10.0,), (1.0,)]


def test_what_is_no_interval_says_why(ledger: Ledger) -> None:
    rows = [(5, 0.0), (4, 1.0), (None, 2.0), (6, 3.0), (7, None), (8, 4.0), (9, 5.0)]
    run = ledger.run(*steps(*((step, None, at) for step, at in rows)))

    assert [use for (use,) in told(ledger, ALL_STEPS, run, "use")] == [
        "not read: no step record before it",
        "not read: the step number falls back",
        "not read: no step number",
        "not read: no step number",
        "not read: no time is logged",
        "not read: no time is logged",
        "kept",
    ]


def test_a_round_ends_with_the_last_of_its_ranks(ledger: Ledger) -> None:
    ledger.rule("rounds", quantity="round")
    run = ledger.run(*steps((1, 0, 0.0), (1, 1, 0.5), (2, 1, 2.0), (2, 0, 3.0), (3, 0, 4.0), clock=True))

    assert told(ledger, "rounds", run, "from_line", "line", "value", "rate", "rank") == [(2, 4, 2.5, 0.4, None)]


def test_a_span_is_from_the_first_line_of_one_label_to_the_last_of_another(ledger: Ledger) -> None:
    ledger.rule("spans", kind="summary", quantity="span", name="start to stop", unit="s", statistic="last")
    labels = ["start", "start", "stop", "stop", "other"]
    run = ledger.run(*(Piece("event", (("x", None, 1.0, None, None),), None, {"label": label, "clock_s": 2.0**n})
                       for n, label in enumerate(labels)))  # fmt: skip

    assert told(ledger, "spans", run, "from_line", "line", "value", "step", "use") == [(1, 4, 7.0, None, "kept")]


def test_values_that_a_rule_leaves_out_say_why(ledger: Ledger) -> None:
    speeds = [50.0, -1.0, 9.0, 1.0, 5.0, 100.0, 4.0, 3.0]
    run = ledger.run(*(ledger.step(n, speed=speed) for n, speed in enumerate(speeds, 1)), ledger.summary(7.0))
    ledger.rule("trimmed", statistic="trimmed", trim=1, trim_from=5, skip=1, skip_last=1)

    assert told(ledger, "trimmed", run, "value", "use") == [
        (50.0, "dropped: before the window, one of the first 1"),
        (-1.0, "dropped: a speed below 0, or of 0 after step 0"),
        (9.0, "kept"),
        (1.0, "dropped: one of the 1 lowest"),
        (5.0, "kept"),
        (100.0, "dropped: one of the 1 highest"),
        (4.0, "kept"),
        (3.0, "dropped: after the window, one of the last 1"),
        (7.0, "not read: of a summary record"),
    ]
