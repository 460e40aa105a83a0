"""The speed of one run under each kind of rule."""

import pytest

from tests.views.conftest import given, in_halves

EIGHT = {"gpus": 8, "batch_size_per_gpu": 32, "global_batch_size": 256}


def speed(ledger, rule, columns="value, unit, records_used, records_skipped, status"):
    return ledger.rows(f"select {columns} from run_speed where rule = ? order by all", rule)


@given(lambda ledger: ledger.run(ledger.summary(1.0), ledger.summary(127.09)))
def test_ngc_summary_is_the_last_one_of_the_log(told):
    assert told("ngc.summary") == [(127.09, "samples/s", 1, 1, "ok")]


@given(lambda ledger: ledger.run(ledger.summary(5.0, name="ips")))
def test_a_rule_that_names_a_value_reads_no_other(told):
    assert told("summary.last") == [(5.0, "samples/s", 1, 0, "ok")]
    assert told("ngc.summary") == [(None, None, 0, 0, "too_few_records")]


@in_halves
def test_the_default_rule_is_that_of_the_format(ledger):
    ledger.run(ledger.summary(5.0), format="ngc")

    yield
    assert ledger.rows("select rule from run_speed where is_default") == [("ngc.summary",)]


def test_a_rule_is_applied_only_to_its_formats(ledger):
    ledger.rule("theirs", formats=["paddle"])
    ledger.run(ledger.step(1, speed=1.0), format="ngc")
    run = ledger.run(ledger.step(1, speed=1.0), format="paddle")

    assert speed(ledger, "theirs", "run_id") == [(run,)]


@given(
    lambda ledger: ledger.run(
        ledger.summary(5.0), ledger.summary(9.0, phase="inference", name="inference_sequences_per_second")
    )
)
def test_another_phase_is_a_row_of_its_own(told):
    assert told("summary.last", "phase, value") == [("inference", 9.0), ("train", 5.0)]


@given(lambda ledger: ledger.run(ledger.summary(10.0, scope="gpu"), case=EIGHT))
def test_speed_per_gpu_is_multiplied_by_the_gpus(told):
    assert told("ngc.summary", "value, status") == [(80.0, "ok")]


@in_halves
def test_a_speed_per_node_is_multiplied_by_the_nodes(ledger):
    ledger.run(ledger.summary(10.0, scope="node"), case={"nodes": 4})

    yield
    assert ledger.rows("select value, status from run_speed where rule = 'summary.last'") == [(40.0, "ok")]


@in_halves
def test_a_missing_fact_is_named_and_no_speed_is_invented(ledger):
    missing = {"gpu": "gpus", "node": "nodes", None: "scope"}
    runs = [ledger.run(ledger.summary(10.0, scope=scope), case={"global_batch_size": 32}) for scope in missing]

    yield
    assert speed(ledger, "ngc.summary", "run_id, value, status, reason") == [
        (run, None, "missing_fact", fact) for run, fact in zip(runs, missing.values(), strict=True)
    ]


@given(lambda ledger: ledger.run(ledger.summary(10.0, scope=None)))
def test_on_one_gpu_the_scope_does_not_matter(told):
    assert told("ngc.summary", "value, status") == [(10.0, "ok")]


@given(
    lambda ledger: ledger.run(*(ledger.step(n, speed=float(value)) for n, value in enumerate([1000, 1, 2, 6], start=1)))
)
def test_mean_and_median_leave_out_the_first_records(told):
    assert told("steps.mean_skip1") == [(3.0, "samples/s", 3, 1, "ok")]
    assert told("steps.median_skip0") == [(4.0, "samples/s", 4, 0, "ok")]


def test_a_window_takes_so_many_records_and_no_more(ledger):
    ledger.rule("window", skip=1, take=2)
    ledger.run(*(ledger.step(n, speed=float(n)) for n in range(1, 6)))

    assert speed(ledger, "window") == [(2.5, "samples/s", 2, 3, "ok")]


@given(lambda ledger: ledger.run(*(ledger.step(n, speed=1.0) for n in range(1, 4))))
def test_a_log_shorter_than_the_skip_has_no_speed(told):
    assert told("steps.mean_skip20") == [(None, "samples/s", 0, 3, "too_few_records")]
    assert "skips 20" in told("steps.mean_skip20", "reason")[0][0]


def test_records_count_in_the_order_of_the_log_however_they_are_stored(ledger):
    ledger.run(*(ledger.step(n, speed=float(n)) for n in range(1, 4)))
    ledger.write("create table turned as from kept.record order by line desc")
    ledger.write("delete from kept.record")
    ledger.write("insert into kept.record from turned")

    assert speed(ledger, "steps.mean_skip1", "value") == [(2.5,)]


@given(lambda ledger: ledger.run(ledger.step(10, at=0), ledger.step(20, at=4), ledger.step(30, at=6), case=EIGHT))
def test_interval_speed_is_global_batch_over_the_time_between_steps(told):
    assert told("steps.median_skip0") == [((256 * 10 / 4 + 256 * 10 / 2) / 2, "samples/s", 2, 0, "ok")]
    assert told("steps.mean_skip1") == [(1280.0, "samples/s", 1, 1, "ok")]


@given(lambda ledger: ledger.run(ledger.step(1, at=0), ledger.step(1, at=2), ledger.step(1, at=4)))
def test_a_repeated_step_is_an_iteration_too(told):
    assert told("steps.median_skip0") == [(16.0, "samples/s", 2, 0, "ok")]


@given(
    lambda ledger: ledger.run(
        *(ledger.step(step, at=at) for step, at in ((1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (2, 2), (3, 1.5)))
    )
)
def test_steps_that_fall_back_and_steps_in_no_time_give_no_speed(told):
    assert told("steps.median_skip0") == [(32.0, "samples/s", 1, 4, "ok")]


@given(lambda ledger: ledger.run(ledger.step(1, clock_s=10.0), ledger.step(2, clock_s=12.0)))
def test_interval_speed_uses_the_clock_of_a_log_without_dates(told):
    assert told("steps.median_skip0", "value") == [(16.0,)]


@given(
    lambda ledger: ledger.run(
        ledger.step(1, at=0, rank=0),
        ledger.step(1, at=0.5, rank=1),
        ledger.step(2, at=1, rank=0),
        ledger.step(2, at=2.5, rank=1),
    )
)
def test_intervals_are_taken_within_a_rank(told):
    assert told("steps.median_skip0", "value, records_used") == [(24.0, 2)]


@given(lambda ledger: ledger.run(ledger.step(1, at=0), ledger.step(2, at=1), case={"gpus": 1}))
def test_interval_speed_without_a_global_batch_size_is_a_missing_fact(told):
    assert told("steps.median_skip0", "value, status, reason") == [(None, "missing_fact", "global_batch_size")]


@given(lambda ledger: ledger.run(ledger.step(1, at=0), ledger.step(2, at=1, speed=7.0)))
def test_printed_speed_beats_intervals(told):
    assert told("steps.median_skip0", "value") == [(7.0,)]


@given(lambda ledger: ledger.run(ledger.step(1), ledger.step(2)))
def test_steps_without_any_time_give_no_row(told):
    assert told("steps.median_skip0") == []


def test_the_first_rank_alone_or_all_ranks(ledger):
    ledger.rule("first", ranks="first")
    ledger.rule("all", ranks="all")
    ledger.run(*(ledger.step(n, speed=float(10 * rank + n), rank=rank) for n in (1, 2) for rank in (1, 3)))

    assert speed(ledger, "first", "value, records_used, records_skipped") == [(11.5, 2, 2)]
    assert speed(ledger, "all", "value, records_used, records_skipped") == [(21.5, 4, 0)]


def test_records_without_a_rank_count_as_one_rank(ledger):
    ledger.rule("first", ranks="first")
    ledger.run(ledger.step(1, speed=2.0), ledger.step(2, speed=4.0))

    assert speed(ledger, "first", "value") == [(3.0,)]


@given(lambda ledger: ledger.run(ledger.summary(5.0), ledger.summary(0.0)))
def test_a_last_speed_of_zero_is_no_positive_speed(told):
    assert told("lambda.bert", "value, status") == [(None, "too_few_records")]
    assert told("ngc.summary", "value, status") == [(0.0, "ok")]


@given(
    lambda ledger: ledger.run(*(ledger.step(n, speed=speed) for n, speed in enumerate([4.0, -9.0, 0.0, 6.0], start=1)))
)
def test_a_speed_below_zero_or_of_zero_after_a_step_enters_no_speed(told):
    assert told("steps.median_skip0", "value, records_used, records_skipped") == [(5.0, 2, 2)]


def test_a_positive_mean_leaves_out_zeros_within_its_window(ledger):
    ledger.rule("positive", skip=1, positive_only=True)
    ledger.run(*(ledger.step(n, speed=value) for n, value in enumerate([9.0, 0.0, 4.0, -1.0, 6.0], start=1)))

    assert speed(ledger, "positive") == [(5.0, "samples/s", 2, 3, "ok")]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_speed_that_is_no_number_is_dropped_and_counted(ledger, value):
    ledger.run(ledger.step(1, speed=1.0), ledger.step(2, speed=3.0))
    # Binding a parameter would turn nan into NULL.
    ledger.write(f"update kept.record set values = [1.0, '{value}'::double] where line = 1")

    assert speed(ledger, "steps.median_skip0") == [(3.0, "samples/s", 1, 1, "ok")]


@given(
    lambda ledger: ledger.run(
        ledger.step(1, speed=1.0), ledger.step(2, speed=2.0, unit="tokens/s"), ledger.step(3, speed=3.0, unit=None)
    )
)
def test_each_unit_is_a_row_and_a_lost_unit_is_mixed(told):
    assert told("steps.median_skip0", "unit, value, status") == [
        ("samples/s", 1.0, "ok"),
        ("tokens/s", 2.0, "ok"),
        (None, None, "ambiguous"),
    ]


@given(lambda ledger: ledger.run(ledger.summary(3.0, unit=None)))
def test_a_unit_that_no_record_states_stays_null(told):
    assert told("ngc.summary", "unit, value, status") == [(None, 3.0, "ok")]


def test_two_names_in_one_unit_are_never_averaged(ledger):
    ledger.run(ledger.step(1, speed=1.0, name="total_ips"), ledger.step(2, speed=9.0, name="compute_ips"))
    ledger.rule("named", name="total_ips")

    assert speed(ledger, "steps.median_skip0", "value, status") == [(None, "ambiguous")]
    assert "compute_ips, total_ips" in speed(ledger, "steps.median_skip0", "reason")[0][0]
    assert speed(ledger, "named", "value, status") == [(1.0, "ok")]


@given(lambda ledger: ledger.run(ledger.step(1, speed=1.0), ledger.step(2, speed=9.0, scope="gpu")))
def test_one_name_per_gpu_and_global_is_mixed(told):
    assert told("steps.median_skip0", "value, status") == [(None, "ambiguous")]


@in_halves
def test_a_run_that_ran_out_of_memory_is_a_row_without_a_value(ledger):
    ledger.run(status="oom", reason="CUDA out of memory")

    yield
    assert ledger.rows("select rule, value, unit, status, reason, is_default from run_speed") == [
        ("ngc.summary", None, None, "oom", "CUDA out of memory", True)
    ]


@given(lambda ledger: ledger.run(ledger.summary(5.0), status="failed"))
def test_a_failed_run_keeps_its_value_and_its_status(told):
    assert told("ngc.summary", "value, status, is_trial") == [(5.0, "failed", False)]


@given(lambda ledger: ledger.run(ledger.summary(5.0), status="unknown"))
def test_a_run_that_says_nothing_of_its_end_counts(told):
    assert told("ngc.summary", "value, status, is_trial") == [(5.0, "ok", True)]


@in_halves
def test_a_log_of_telemetry_gives_no_speed(ledger):
    ledger.log(ledger.memory(5.0))

    yield
    assert ledger.rows("select * from run_speed") == []


@in_halves
def test_seconds_a_step_are_made_of_samples_a_second_by_the_global_batch(ledger):
    ledger.run(
        ledger.summary(4.0, name="train_samples_per_second"), format="hf-trainer", case={"global_batch_size": 64}
    )
    ledger.run(ledger.summary(4.0, name="train_samples_per_second"), format="hf-trainer", case={"gpus": 2})

    yield
    assert ledger.rows(
        "select value, unit, status, reason from run_speed where rule = 'hf.seconds' order by value"
    ) == [
        (16.0, "s", "ok", None),
        (None, "s", "missing_fact", "global_batch_size"),
    ]


def test_a_speed_of_nought_takes_no_number_of_seconds(ledger):
    ledger.rule("test.seconds", unit="s")
    for _ in range(2):
        ledger.run(*(ledger.step(step, speed=0.0) for step in range(3)))

    told = ledger.rows("select value, status, reason from run_speed where rule = 'test.seconds'")

    assert told == 2 * [(None, "failed", "its records come to no finite number")]


def test_steps_of_more_than_two_batches_each_are_no_speed_beside_a_closing_throughput(ledger):
    """Nobody states how many batches a logged step is: the speed of one of them a step is right or absent."""
    batches = {ledger.run(*(ledger.step(step, at=2.0 * step) for step in range(5)), ledger.summary(128.0 * count),
                          case=EIGHT): count for count in (1, 2, 3, 4, 8, 88)}  # fmt: skip
    rows = ledger.rows(
        "select run_id, rule, value, status, is_trial from run_speed where rule in ('steps.mean_skip1', 'steps.median_skip0')"
    )

    assert sorted(rows) == sorted(
        (run, rule, *((128.0, "ok", True) if count <= 2 else (None, "ambiguous", False)))
        for run, count in batches.items()
        for rule in ("steps.mean_skip1", "steps.median_skip0")
    )
    assert ledger.rows("select count(*) from run_speed where rule = 'ngc.summary' and value is not null") == [(6,)]


def test_a_default_that_the_closing_throughput_contradicts_gives_way_to_its_fallback(ledger):
    ledger.write("update kept.rule set fallback = 'ngc.summary' where rule = 'steps.mean_skip1'")
    ledger.run(ledger.step(1, speed=1.0), ledger.step(2, speed=1.0), ledger.summary(9.0), format="paddle")

    assert ledger.rows("select rule, value from run_speed where is_default") == [("ngc.summary", 9.0)]
