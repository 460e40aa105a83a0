"""Convergence: the loss that tells a run, its means, its divergence, its evaluations, and where it reaches a target."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.views.conftest import Ledger, Piece, given, in_halves

CASE = {"gpus": 2, "global_batch_size": 64}
Rows = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def told(request: pytest.FixtureRequest, given_all: Ledger) -> Rows:
    """Asks a question of the runs that are given to this test."""
    own = f"(select run_id from kept.run_campaign where campaign = '{request.function.__name__}')"
    relation = re.compile(r"from (kept\.\w+|run_convergence(?:_of\(.*?\))?)")
    return lambda sql, *values: given_all.rows(relation.sub(rf"from (from \1 where run_id in {own})", sql), *values)


def curve(*losses: float, every_s: float = 60.0, **columns: object) -> list[Piece]:
    """A loss a step, from step 1 on, a minute apart."""
    return [Ledger.loss(loss, step, at=every_s * step, **columns) for step, loss in enumerate(losses, start=1)]


def falling(count: int = 40, start: float = 10.0, by: float = 0.1) -> list[float]:
    return [start - by * step for step in range(count)]


def diverged(ledger: Ledger, *runs: list[float]) -> list[str | None]:
    """By what each of some runs diverged, of which the ledger is filled once."""
    for losses in runs:
        # Binding a parameter would turn nan into NULL.
        ledger.run(*curve(*(-1.0 if math.isnan(loss) else loss for loss in losses)))
    ledger.write('update kept.record set "values" = [\'nan\'::double] where "values"[1] = -1')
    return [why for (why,) in ledger.rows("select diverged_by from run_convergence order by run_id")]


@given(lambda ledger: ledger.run(*curve(9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0), case=CASE))
def test_a_loss_has_its_samples_its_time_and_the_mean_of_a_quarter_of_the_losses_up_to_it(told):
    rows = told("select step, samples, seconds, seconds_from, mean_loss from kept.loss_curve order by nth")

    assert rows[:3] == [(1, 64, 0.0, "log", None), (2, 128, 60.0, "log", 8.5), (3, 192, 120.0, "log", 7.5)]


@given(lambda ledger: ledger.run(*curve(*falling(100))))
def test_a_mean_is_of_ten_losses_at_most(told):
    (window, final) = told("select window_losses, final_loss from run_convergence")[0]

    assert (window, final) == (10, pytest.approx(10 - 0.1 * 94.5))


def test_a_run_is_told_by_its_total_loss_else_by_the_one_that_it_prints_most_often(ledger):
    def both(first: str, second: str) -> list[Piece]:
        return [
            Piece(
                "step", ((first, "loss", 5.0, None, None), (second, "loss", 9.0, None, None)), "train", {"step": step}
            )
            for step in range(3)
        ]

    ledger.run(*both("mlm_loss", "total_loss"), campaigns=("total",))
    ledger.run(*both("a", "b"), Ledger.loss(4.0, 4, name="b"), campaigns=("often",))
    ledger.run(*both("b", "a"), campaigns=("name",))

    rows = ledger.rows("select campaign, loss_name from run_convergence join kept.run_campaign using (run_id)")

    assert dict(rows) == {"total": "total_loss", "often": "b", "name": "a"}


@given(lambda ledger: ledger.run(*curve(5.0, 4.0, rank=1), *curve(9.0, 8.0, rank=0)))
def test_of_several_ranks_the_lowest_is_followed(told):
    assert told("select rank, loss from kept.loss_curve order by nth") == [(0, 9.0), (0, 8.0)]


@in_halves
def test_steps_that_start_again_tell_no_samples(ledger):
    ledger.run(Ledger.loss(9.0, 1, epoch=0), Ledger.loss(8.0, 2, epoch=0), Ledger.loss(7.0, 1, epoch=1), case=CASE)

    yield
    rows = ledger.rows("select epoch, step, samples, step_restarts from kept.loss_curve order by nth")

    assert rows == [(0, 1, None, True), (0, 2, None, True), (1, 1, None, True)]
    assert ledger.rows("select steps, step_restarts from convergence_table") == [(None, True)]


@in_halves
def test_without_dates_the_time_is_the_sum_of_the_step_times_after_the_first_loss(ledger):
    pieces = [
        Piece(
            "step", (("loss", "loss", 5.0, None, None), ("time", "step_time", 2.0, "s", None)), "train", {"step": step}
        )
        for step in (10, 20, 30)
    ]
    ledger.run(*pieces)

    yield
    rows = ledger.rows("select seconds, seconds_from from kept.loss_curve order by nth")

    assert rows == [(None, None), (20.0, "step times"), (40.0, "step times")]


@in_halves
def test_lines_that_are_printed_twice_take_no_time_and_steps_that_fall_tell_none(ledger):
    took = ("time", "step_time", 2.0, "s", None)
    runs = [
        ledger.run(*[
            Piece("step", (("loss", "loss", 9.0 - place, None, None), took), "train", {"step": step})
            for place, step in enumerate(steps)
        ])
        for steps in (sorted([*range(10, 90, 10)] * 2), [*range(10, 90, 10)] * 2)
    ]  # fmt: skip

    yield
    found = dict(ledger.rows("select run_id, seconds from run_convergence"))
    assert [found[run] for run in runs] == [140, None]
    # The mean of four losses, from the third to the sixth.
    reached = dict(ledger.rows("select run_id, target_seconds from run_convergence_of('', 'loss', 5.5)"))
    assert [reached[run] for run in runs] == [40, None]


def test_a_last_loss_that_is_not_finite_is_divergence_and_one_on_the_way_is_none(ledger):
    runs = [
        [*falling(20), math.nan],
        [*falling(20), math.inf],
        [*falling(10), math.nan, *falling(20, start=9.0)],
    ]

    assert diverged(ledger, *runs) == ["loss.not_finite", "loss.not_finite", None]


def test_a_loss_that_ends_above_all_of_its_start_diverged_and_one_that_stands_still_did_not(ledger):
    runs = [
        [5.0 + 0.1 * step for step in range(20)],
        [5.0 + 0.1 * (step % 3) for step in range(40)],
        [4.0, 7.0] * 5 + [6.0] * 30,
    ]

    assert diverged(ledger, *runs) == ["loss.above_start", None, None]


def test_a_loss_that_loses_more_than_half_of_its_fall_diverged(ledger):
    down = falling(30, start=10.0, by=0.2)

    assert diverged(ledger, down + [8.0] * 15, down + [5.0] * 15) == ["loss.rebound", None]


def test_a_dozen_losses_show_a_trend_and_fewer_do_not(ledger):
    assert diverged(ledger, [1.0] * 6 + [9.0] * 5, [1.0] * 6 + [9.0] * 6) == [None, "loss.above_start"]


def target(rows: Rows, name: str, value: float) -> list[tuple[object, ...]]:
    columns = "outcome, target_step, target_seconds, target_value, target_line, outcome_reason"
    return rows(f"select {columns} from run_convergence_of('', ?, ?) order by run_id", name, value)


def test_one_noisy_step_reaches_no_target(ledger):
    losses = falling(40)
    losses[5] = 1.0
    ledger.run(*curve(*losses))

    assert target(ledger.rows, "loss", 6.555)[0][:3] == ("reached", 40, 2340.0)
    assert target(ledger.rows, "loss", 6.5)[0][:2] == ("not reached", None)


@given(lambda ledger: ledger.run(*curve(*[12.73] * 40)))
def test_a_loss_that_stands_still_is_at_the_target_that_it_prints(told):
    assert target(told, "loss", 12.73)[0][0] == "reached"
    assert target(told, "loss", 12.7299)[0][0] == "not reached"


@given(lambda ledger: ledger.run(*curve(9.0, 8.0, 3.0)))
def test_of_few_losses_none_is_a_trend_but_none_at_the_target_is_an_answer(told):
    why = "only some of 3 losses are at the target, and fewer than 12 show no trend"
    assert target(told, "loss", 4.0) == [("unknown", None, None, None, None, why)]
    assert target(told, "loss", 2.0)[0][0] == "not reached"


@given(
    lambda ledger: (
        ledger.run(*curve(1.0), *[Ledger.metric(70.0 + step, step, at=60.0 * step, unit="%") for step in (1, 5, 9)]),
        ledger.run(*[Ledger.metric(0.9 / step, step, name="wer", quantity="error_rate") for step in (1, 2, 3)]),
    )
)
def test_an_evaluation_reaches_a_target_in_its_own_direction(told):
    assert target(told, "top1", 0.75)[0] == ("reached", 5, 240.0, 0.75, 3, None)
    assert target(told, "accuracy", 0.8)[0][0] == "not reached"
    assert target(told, "wer", 0.45)[1][:2] == ("reached", 2)
    assert target(told, "WER", 0.45)[1][:2] == ("reached", 2)
    assert [row[5] for row in target(told, "loss", 0.5)] == [None, "it prints no loss"]


@given(lambda ledger: ledger.run(Ledger.metric(0.5, 10, kind="step"), Ledger.metric(0.7), Ledger.metric(0.6)))
def test_of_a_summed_up_evaluation_the_parts_are_left_out(told):
    assert told("select nth, kind, value, fraction from kept.evaluation order by nth") == [
        (1, "summary", 0.7, 0.7),
        (2, "summary", 0.6, 0.6),
    ]
    assert told("select best_value, last_value, best_line from run_convergence") == [(0.7, 0.6, 2)]


@given(
    lambda ledger: ledger.run(
        *[Ledger.metric(25.0, name="bleu", quantity="score", unit=None) for _ in range(3)],
        Ledger.metric(0.7, name="acc", unit="1"),
    )
)
def test_a_value_without_a_unit_is_no_fraction_and_accuracy_goes_before_other_metrics(told):
    rows = told("select name, fraction, is_main from kept.evaluation where nth = 1 order by name")

    assert rows == [("acc", 0.7, True), ("bleu", None, False)]


def test_the_time_of_a_run_is_that_between_the_records_that_a_rule_names(ledger):
    ledger.rule(
        "own.minutes", kind="summary", quantity="span", name="run_start to run_stop", unit="min", formats=["ngc"]
    )

    def event(label: str, at: float) -> Piece:
        return Piece(
            "event", (("x", None, 1.0, None, None),), None, {**Ledger.loss(1, None, at).columns, "label": label}
        )

    pieces = [event("setup", 0.0), event("run_start", 100.0), Ledger.metric(0.7, 5, at=160.0), event("run_stop", 220.0)]
    ledger.run(*pieces, event("clean-up", 900.0))
    ledger.run(*pieces, status="failed", reason="aborted", campaigns=("aborted",))

    rows = ledger.rows("select seconds, best_seconds, outcome, outcome_reason from run_convergence order by run_id")

    assert rows == [(120.0, 60.0, "reached", None), (120.0, 60.0, "not reached", "aborted")]


def test_a_series_has_medians_of_its_good_runs_and_counts_every_run_that_reached_the_target(ledger):
    for trial, (start, status) in enumerate([(10.0, "ok"), (10.2, "ok"), (10.4, "ok"), (9.0, "failed")], start=1):
        ledger.run(*curve(*falling(40, start=start)), status=status, trial=trial, case=CASE)

    rows = ledger.rows(
        "select runs, trials, trials_dropped, dropped_by, final_loss, runs_reached, runs_not_reached, target_steps_lowest, "
        "target_steps_highest from convergence_table_of('', 'loss', 6.72)"
    )

    assert rows == [(4, 3, 1, "failed", pytest.approx(6.75), 2, 2, 29, 39)]


def test_an_excluded_run_is_in_none_of_it(ledger):
    ledger.run(*curve(*falling()), Ledger.metric(0.5), run_key="bad one")
    ledger.insert("kept.exclusion", run_key="bad one", reason="bad", excluded_at="2026-11-21")

    views = ("kept.loss_curve", "kept.evaluation", "run_convergence", "convergence_table")
    assert [ledger.rows(f"select count(*) from {view}")[0][0] for view in views] == [0, 0, 0, 0]


def clocked(step: int, clock_s: float) -> Piece:
    """A loss of a program that prints the time of the day without its date."""
    return Ledger.loss(10.0 - 0.1 * step, step, clock_s=clock_s)


HOUR = 3600.0


@given(
    lambda ledger: ledger.run(
        clocked(1, 23.5 * HOUR),
        clocked(2, 23.9 * HOUR),
        clocked(3, 0.5 * HOUR),
        Ledger.metric(0.7, 3, clock_s=1.5 * HOUR),
    )
)
def test_a_clock_without_a_date_goes_on_after_midnight(told):
    assert [row[0] for row in told("select seconds from kept.loss_curve order by nth")] == [
        pytest.approx(hours * HOUR) for hours in (0, 0.4, 1)
    ]
    assert told("select seconds from kept.evaluation") == [(2 * HOUR,)]
    assert told("select seconds from run_convergence") == [(2 * HOUR,)]


@given(
    lambda ledger: ledger.run(*[clocked(step, hour * HOUR) for step, hour in enumerate((20, 2, 9, 16, 22, 3), start=1)])
)
def test_a_clock_past_two_midnights_has_two_days(told):
    assert told("select seconds from run_convergence") == [(31 * HOUR,)]


def test_a_clock_that_cannot_be_told_gives_no_time_rather_than_a_wrong_one(ledger):
    clocks = {
        "it was set back": (10, 10.5, 9),
        "it was set back and has gone on since": (1, 2, 1.5, 4),
        "two programs print about midnight": (23.9, 0.1, 23.95, 0.2),
        "a stamp of the year goes past its end": (300 * 24, 300 * 24 + 1, 2),
        "a stamp of the year goes back by less than a day": (7200, 7210, 7220, 7201),
    }
    runs = {
        ledger.run(*[clocked(step, hour * HOUR) for step, hour in enumerate(hours, start=1)]): why
        for why, hours in clocks.items()
    }

    found = {runs[run]: seconds for run, seconds in ledger.rows("select run_id, seconds from run_convergence")}
    assert found == dict.fromkeys(clocks)
    # A date helps as little; lines of two processes are a moment out of order, and a log can be written twice.
    dated = {"set back": (0, 7200, 3601, 9000), "two processes": (0, 10.5, 10, 20), "twice": (0, 5, 10, 0, 5, 10)}
    for steps, times in zip(((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 1, 2, 3)), dated.values(), strict=True):
        losses = [Ledger.loss(10.0 - 0.1 * step, step, at=at) for step, at in zip(steps, times, strict=True)]
        runs[ledger.run(*losses)] = next(name for name, told in dated.items() if told is times)
    found = {runs[run]: seconds for run, seconds in ledger.rows("select run_id, seconds from run_convergence")}
    assert [found[name] for name in dated] == [None, 20, 10]
    assert ledger.rows("select count(*) from kept.loss_curve where seconds < 0") == [(0,)]


def test_a_metric_that_is_nan_reaches_no_target(ledger):
    ledger.run(Ledger.metric(-1.0, 10), Ledger.metric(0.3, 20), campaigns=("nan",))
    ledger.write('update kept.record set "values" = [\'nan\'::double] where "values"[1] = -1')

    assert target(ledger.rows, "top1", 0.75)[0][0] == "not reached"
    assert target(ledger.rows, "top1", 0.25)[0][:2] == ("reached", 20)


@given(
    lambda ledger: ledger.run(
        Ledger.metric(0.5, 10, kind="step"),
        Ledger.metric(2.0, 10, name="loss", quantity="loss", unit=None, kind="step"),
        Ledger.metric(0.9, name="top5"),
        Ledger.metric(1.5, name="validation_loss", quantity="loss", unit=None),
    )
)
def test_the_sum_of_one_metric_hides_no_other_metric_but_of_losses_it_does(told):
    assert told("select name, kind from kept.evaluation order by name") == [
        ("top1", "step"),
        ("top5", "summary"),
        ("validation_loss", "summary"),
    ]


def test_five_percent_of_a_negative_loss_is_five_percent(ledger):
    little = falling(30, start=-9.0, by=0.01) + [-9.05] * 15
    much = falling(30, start=-5.0, by=0.2) + [-6.0] * 15

    assert diverged(ledger, little, much) == [None, "loss.rebound"]


def test_few_losses_that_are_all_at_the_target_reach_it_with_their_first_mean(ledger):
    ledger.run(*curve(*falling(8, start=3.0)))

    assert target(ledger.rows, "loss", 4.0)[0][:2] == ("reached", 2)
    ledger.write("update kept.record set \"values\" = ['nan'::double] where step = 5")
    assert target(ledger.rows, "loss", 4.0)[0][0] == "unknown"
