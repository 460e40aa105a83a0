"""The speed of a series, over its trials."""

import pytest

from tests.views.conftest import given, in_halves


def cells(ledger, rule, columns="value, trials, trials_dropped, status"):
    return ledger.rows(f"select {columns} from speed_table where rule = ? order by all", rule)


def runs(ledger, *speeds, **columns):
    return [ledger.run(ledger.summary(speed), **columns) for speed in speeds]


@pytest.fixture
def told(request, given_all):
    """Asks for the cells of what is given to this test."""

    def ask(rule, columns="value, trials, trials_dropped, status"):
        asked = f"select {columns} from speed_table where rule = ? and campaign = ? order by all"
        return given_all.rows(asked, rule, request.function.__name__)

    return ask


@given(lambda ledger: runs(ledger, 1.0, 2.0, 9.0))
def test_median_over_trials_with_lowest_highest_and_sample_deviation(told):
    value, trials, lowest, highest, stdev = told("ngc.summary", "value, trials, lowest, highest, stdev")[0]

    assert (value, trials, lowest, highest) == (2.0, 3, 1.0, 9.0)
    assert stdev == pytest.approx(4.358898943540674)


@given(lambda ledger: runs(ledger, 5.0))
def test_one_trial_has_no_deviation(told):
    assert told("ngc.summary", "stdev") == [(None,)]


@given(lambda ledger: runs(ledger, 995.0, 996.98, 0.0))
def test_lambda_takes_the_mean_of_the_positive_runs_and_cuts_it(told):
    assert told("lambda.bert") == [(995.0, 2, 1, "ok")]


def test_lambda_rounds_to_two_decimals_before_it_cuts(ledger):
    published = {995.994: 995.0, 995.996: 996.0, 0.5: 0.0}
    for speed in published:
        runs(ledger, speed, campaigns=(str(speed),))

    assert dict(cells(ledger, "lambda.bert", "campaign::double, value")) == published


def test_a_series_is_rounded_as_its_rule_says(ledger):
    expected = {"truncate": 995.88, "round_even": 995.89, None: 995.8885}
    for rounding in expected:
        digits = 2 if rounding else None
        how = {"trial_rounding": rounding, "trial_rounding_digits": digits}
        ledger.rule(f"r {rounding}", kind="summary", statistic="last", **how)
    runs(ledger, 995.8885)

    for rounding, value in expected.items():
        assert cells(ledger, f"r {rounding}", "value") == [(value,)]


def test_a_run_is_rounded_before_its_series(ledger):
    ledger.rule("r", kind="summary", statistic="last", rounding="truncate", rounding_digits=0, trial_statistic="mean")
    runs(ledger, 1.9, 2.9)

    assert cells(ledger, "r", "value") == [(1.5,)]


@given(lambda ledger: [runs(ledger, 5.0), runs(ledger, 1.0, status="failed"), ledger.run(status="oom")])
def test_failed_trials_are_counted_and_left_out(told):
    assert told("ngc.summary") == [(5.0, 1, 2, "ok")]
    assert told("summary.last") == [(5.0, 1, 2, "ok")]


@in_halves
def test_a_series_that_only_ran_out_of_memory_is_a_row_that_says_so(ledger):
    ledger.run(status="oom")

    yield
    assert ledger.rows("select rule, value, unit, trials, trials_dropped, status from speed_table") == [
        ("ngc.summary", None, None, 0, 1, "oom")
    ]


@pytest.mark.parametrize(
    ("statuses", "named"), [(("oom", "failed", "oom"), "oom"), (("oom", "failed", "oom", "failed", "nan"), "failed")]
)
def test_the_most_frequent_failure_names_the_series_and_of_several_the_first(ledger, statuses, named):
    for status in statuses:
        ledger.run(status=status)

    assert cells(ledger, "ngc.summary") == [(None, 0, len(statuses), named)]


@given(
    lambda ledger: ledger.run(
        ledger.step(1, speed=3.0), ledger.step(2, speed=3.0), ledger.summary(5.0), status="truncated"
    )
)
def test_the_last_summary_of_a_truncated_run_is_not_known_to_be_its_last_and_does_not_count(told):
    assert told("ngc.summary") == [(None, 0, 1, "truncated")]
    assert told("steps.mean_skip1") == [(None, 0, 1, "truncated")]


def test_a_truncated_run_counts_where_the_whole_window_is_there(ledger):
    ledger.rule("whole", skip=1, take=2)
    ledger.rule("longer", skip=1, take=3)
    ledger.run(*(ledger.step(n, speed=3.0) for n in range(3)), status="truncated")

    assert cells(ledger, "whole") == [(3.0, 1, 0, "ok")]
    assert cells(ledger, "longer") == [(None, 0, 1, "truncated")]


@given(lambda ledger: ledger.run(ledger.summary(5.0), status="truncated", exit_code=137))
def test_a_truncated_run_whose_manifest_says_that_it_failed_does_not_count(told):
    assert told("ngc.summary") == [(None, 0, 1, "truncated")]


@given(lambda ledger: [ledger.run(ledger.summary(5.0)), ledger.run(ledger.summary(700.0, unit="tokens/s"))])
def test_units_are_rows_of_their_own(told):
    assert told("ngc.summary", "unit, value, trials, trials_dropped") == [
        ("samples/s", 5.0, 1, 1),
        ("tokens/s", 700.0, 1, 1),
    ]


@in_halves
def test_a_missing_unit_is_kept_and_joins_like_any_other(ledger):
    for speed in (1.0, 3.0):
        ledger.run(ledger.summary(speed, unit=None))

    yield
    assert cells(ledger, "ngc.summary", "unit, value, trials") == [(None, 2.0, 2)]


@given(
    lambda ledger: [
        ledger.run(ledger.summary(1.0), environment={"gpu_model": "V100"}),
        ledger.run(ledger.summary(9.0), environment={"gpu_model": "A100"}),
    ]
)
def test_series_are_never_averaged_together(told):
    assert told("ngc.summary", "gpu_model, value") == [("A100", 9.0), ("V100", 1.0)]


@given(lambda ledger: ledger.run(ledger.summary(5.0), ledger.summary(90.0, phase="inference")))
def test_inference_is_no_trial_of_training(told):
    assert told("ngc.summary", "value, trials") == [(5.0, 1)]


def test_contradictions_of_all_runs_of_the_series_are_counted(ledger):
    for run in runs(ledger, 1.0, 2.0):
        ledger.insert("fact", run_id=run, name="gpus", value="8", source="log", used=True)
        ledger.insert("fact", run_id=run, name="gpus", value="4", source="name", used=False)

    assert cells(ledger, "ngc.summary", "conflicts") == [(2,)]


def test_trial_runs_are_listed_in_the_order_of_their_trials(ledger):
    second, first = runs(ledger, 1.0)[0], None
    ledger.write("update run set trial = 2")
    first = ledger.run(ledger.summary(2.0), trial=1)

    assert cells(ledger, "ngc.summary", "trial_runs") == [([first, second],)]


def test_campaigns_are_found_by_glob(ledger):
    ledger.run(ledger.summary(1.0), campaigns=("a/x",))
    ledger.run(ledger.summary(2.0), campaigns=("b/x",))

    rows = ledger.rows("select campaign, value from speed_table where campaign glob 'a*' and is_default")

    assert rows == [("a/x", 1.0)]


def test_a_mean_does_not_depend_on_the_order_of_storage(ledger):
    ledger.rule("mean", kind="summary", statistic="mean", trial_statistic="mean")
    values = [0.1 * n * (1e10 if n % 3 else 1) for n in range(1, 60)]
    for value in values:
        ledger.run(*(ledger.summary(value / n) for n in range(1, 8)))
    forward = cells(ledger, "mean", "value, stdev")
    for table in ("kept.record", "run", "run_log"):
        ledger.write(f"create table turned as from {table} order by random()")
        ledger.write(f"delete from {table}")
        ledger.write(f"insert into {table} from turned")
        ledger.write("drop table turned")

    assert cells(ledger, "mean", "value, stdev") == forward
