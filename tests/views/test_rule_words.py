"""What each word of a rule does with the records of a run."""

import pytest

from tests.views.conftest import given, in_halves

EIGHT = {"gpus": 8, "batch_size_per_gpu": 32, "global_batch_size": 256, "seq_len": 128}


def timed(ledger, number, seconds, name="elapsed", unit="s", kind="step", **columns):
    """A record that prints the time of a step."""
    piece = ledger.step(number)
    return type(piece)(kind, ((name, "step_time", seconds, unit, None),), "train", {"step": number, **columns})


def speed(ledger, rule, columns="value, unit, records_used, records_skipped, status"):
    return ledger.rows(f"select {columns} from run_speed where rule = ? order by all", rule)


@given(lambda ledger: ledger.run(timed(ledger, 1, 4.0), timed(ledger, 2, 2.0), case=EIGHT))
def test_a_printed_step_time_is_a_speed_of_the_global_batch(told):
    assert told("steps.median_skip0") == [((256 / 4 + 256 / 2) / 2, "samples/s", 2, 0, "ok")]


@in_halves
def test_a_printed_speed_beats_a_printed_time_and_a_time_beats_the_clock(ledger):
    both = ledger.step(2, at=60, speed=7.0)
    both = type(both)("step", (*both.values, ("elapsed", "step_time", 4.0, "s", None)), "train", both.columns)
    ledger.run(both, case=EIGHT)
    ledger.run(timed(ledger, 1, 4.0, logged_at=None), timed(ledger, 2, 4.0), case=EIGHT)

    yield
    assert speed(ledger, "steps.median_skip0", "value") == [(7.0,), (64.0,)]


@in_halves
def test_where_a_log_prints_tokens_its_times_are_no_second_speed(ledger):
    piece = ledger.step(1, speed=256.0, unit="tokens/s")
    values = (*piece.values, ("elapsed", "step_time", 4.0, "s", None))
    ledger.run(type(piece)("step", values, "train", {"step": 1}), case=EIGHT)

    yield
    assert speed(ledger, "steps.median_skip0", "value, unit") == [(256.0, "tokens/s")]


@in_halves
def test_flops_are_no_speed_that_would_silence_the_step_time(ledger):
    time = timed(ledger, 1, 4.0)
    values = (*time.values, ("tflops", "throughput", 7.5, "TFLOP/s", "gpu"))
    ledger.run(type(time)("step", values, "train", {"step": 1}), case=EIGHT)

    yield
    assert speed(ledger, "steps.median_skip0", "value, unit") == [(60.0, "TFLOP/s"), (64.0, "samples/s")]


@in_halves
def test_nor_do_flops_silence_the_clock(ledger):
    pieces = [ledger.step(n, at=at, speed=7.5, unit="TFLOP/s") for n, at in ((1, 0), (2, 4))]
    ledger.run(*pieces, case=EIGHT)

    yield
    assert speed(ledger, "steps.median_skip0", "value, unit") == [(7.5, "TFLOP/s"), (64.0, "samples/s")]


@given(
    lambda ledger: (
        ledger.rule("by_clock", quantity="interval", formats=["ngc"]),
        ledger.run(timed(ledger, 1, 4.0, clock_s=0.0), timed(ledger, 2, 4.0, clock_s=8.0), case=EIGHT),
    )
)
def test_a_printed_time_beats_the_clock_also_where_another_rule_reads_the_clock(told):
    assert told("by_clock", "value") == [(32.0,)]
    assert told("steps.median_skip0", "value") == [(64.0,)]


def test_steps_a_second_count_only_where_no_other_speed_is_printed(ledger):
    ledger.run(ledger.step(1, speed=2.0, unit="steps/s", name="speed"), case=EIGHT)
    both = ledger.step(1, speed=5.0)
    values = (*both.values, ("speed", "throughput", 2.0, "steps/s", "global"))
    ledger.run(type(both)("step", values, "train", {"step": 1}), case=EIGHT)
    ledger.rule("in_samples", quantity="throughput", name="speed", unit="samples/s")

    assert speed(ledger, "steps.median_skip0", "value, unit") == [(2.0, "steps/s"), (5.0, "samples/s")]
    assert speed(ledger, "in_samples", "value, unit") == [(512.0, "samples/s"), (512.0, "samples/s")]


@given(lambda ledger: ledger.run(timed(ledger, 1, 4.0, unit=None), case=EIGHT))
def test_a_step_time_of_an_unknown_unit_gives_no_speed(told):
    assert told("steps.median_skip0", "value, status, reason") == [(None, "missing_fact", "unit")]


@given(lambda ledger: ledger.run(timed(ledger, 1, 0.0), timed(ledger, 2, 4.0), case=EIGHT))
def test_no_time_at_all_is_dropped_and_counted(told):
    assert told("steps.median_skip0") == [(64.0, "samples/s", 1, 1, "ok")]


def test_a_rule_reads_the_quantity_that_it_names(ledger):
    ledger.rule("by_time", quantity="step_time", unit="samples/s")
    ledger.rule("by_clock", quantity="interval", unit="samples/s", formats=["ngc"])
    first, second = ledger.step(1, at=0, speed=1.0), ledger.step(2, at=8, speed=1.0)
    pieces = [
        type(p)("step", (*p.values, ("elapsed", "step_time", 4.0, "s", None)), "train", p.columns)
        for p in (first, second)
    ]
    ledger.run(*pieces, case=EIGHT)

    assert speed(ledger, "by_time", "value") == [(64.0,)]
    assert speed(ledger, "by_clock", "value, records_used") == [(32.0, 1)]
    assert speed(ledger, "steps.median_skip0", "value") == [(1.0,)]


@pytest.mark.parametrize(
    ("speeds", "value", "used"),
    [((9.0, 100.0, 1.0, 8.0, 7.0), 8.0, 3), ((9.0, 100.0, 1.0, 8.0), 29.5, 4)],
)
def test_a_trimmed_mean_leaves_out_the_lowest_and_the_highest_where_there_are_enough(ledger, speeds, value, used):
    ledger.rule("r", statistic="trimmed", trim=1, trim_from=5)
    ledger.run(*(ledger.step(step, speed=speed) for step, speed in enumerate(speeds)))

    assert ledger.rows("select value, records_used from run_speed where rule = 'r'") == [(value, used)]


def test_a_mean_of_times_is_volume_over_time_and_a_mean_of_rates_is_more(ledger):
    expected = {
        ("mean", "rates"): (256 / 1 + 256 / 3) / 2,
        ("mean", "times"): 256 / 2,
        ("median", "rates"): (256 / 1 + 256 / 3) / 2,
        ("median", "times"): 256 / 2,
        ("last", "rates"): 256 / 3,
    }
    for statistic, average_of in expected:
        ledger.rule(f"{statistic} of {average_of}", quantity="step_time", statistic=statistic, average_of=average_of)
    ledger.run(timed(ledger, 1, 1.0), timed(ledger, 2, 3.0), case=EIGHT)

    found = {words: speed(ledger, " of ".join(words), "value")[0][0] for words in expected}
    assert found == pytest.approx(expected, rel=1e-15)


@given(
    lambda ledger: (
        ledger.rule("harmonic", average_of="times"),
        ledger.run(ledger.step(1, speed=10.0), ledger.step(2, speed=40.0)),
    )
)
def test_a_mean_of_printed_rates_by_times_is_harmonic(told):
    assert told("harmonic", "value") == [(16.0,)]


@given(
    lambda ledger: (
        ledger.rule("by intervals", average_of="times", quantity="interval"),
        ledger.run(ledger.step(0, at=0), ledger.step(10, at=5), ledger.step(11, at=10), case=EIGHT),
    )
)
def test_intervals_of_several_steps_weigh_by_their_steps(told):
    assert told("by intervals", "value") == [(256 * 11 / 10,)]


def test_a_rule_says_in_which_unit_it_answers(ledger):
    expected = {"samples/s": 64.0, "tokens/s": 64.0 * 128, "steps/s": 0.25, "s": 4.0, None: 64.0}
    for unit in expected:
        ledger.rule(f"in {unit}", quantity="step_time", unit=unit)
    ledger.run(timed(ledger, 1, 4.0), case=EIGHT)

    for unit, value in expected.items():
        assert speed(ledger, f"in {unit}", "value, unit") == [(value, unit or "samples/s")]


@given(
    lambda ledger: (
        ledger.rule("tokens", unit="tokens/s"),
        ledger.rule("samples", unit="samples/s"),
        ledger.run(ledger.step(1, speed=2.0), case=EIGHT),
        ledger.run(ledger.step(1, speed=256.0, unit="tokens/s"), case=EIGHT),
    )
)
def test_samples_become_tokens_and_tokens_samples_by_the_sequence_length(told):
    assert told("tokens", "value") == [(256.0,), (256.0,)]
    assert told("samples", "value") == [(2.0,), (2.0,)]


def test_of_two_speeds_that_lead_to_the_unit_the_one_that_is_printed_in_it_counts(ledger):
    ledger.rule("tokens", unit="tokens/s")
    piece = ledger.step(1, speed=2.0)
    values = (*piece.values, ("tok", "throughput", 999.0, "tokens/s", "global"))
    ledger.run(type(piece)("step", values, "train", {"step": 1}), case=EIGHT)

    assert speed(ledger, "tokens", "value") == [(999.0,)]


@pytest.mark.parametrize(
    ("case", "needed"), [({"gpus": 8}, "global_batch_size"), ({"global_batch_size": 8}, "seq_len")]
)
def test_a_unit_that_needs_an_unknown_fact_names_it(ledger, case, needed):
    ledger.rule("r", quantity="step_time", unit="tokens/s")
    ledger.run(timed(ledger, 1, 4.0), case=case)

    assert speed(ledger, "r", "value, status, reason") == [(None, "missing_fact", needed)]


@given(lambda ledger: (ledger.rule("in flops", unit="TFLOP/s"), ledger.run(ledger.step(1, speed=2.0), case=EIGHT)))
def test_a_loss_does_not_become_a_speed_by_naming_a_unit(told):
    assert told("in flops") == []


@given(
    lambda ledger: (
        ledger.rule("21 to 40", after_step=20, to_step=40),
        ledger.run(*(ledger.step(n, speed=float(n)) for n in (10, 20, 30, 40, 50))),
    )
)
def test_a_window_by_step_numbers_takes_the_steps_above_one_and_up_to_another(told):
    assert told("21 to 40") == [(35.0, "samples/s", 2, 3, "ok")]


def test_an_interval_lies_in_a_window_by_step_numbers_with_both_ends(ledger):
    ledger.rule("r", quantity="interval", average_of="times", after_step=20, to_step=120, complete=True)
    at = {10: 0, 20: 10, 70: 11, 120: 12, 130: 99}
    ledger.run(*(ledger.step(n, at=t) for n, t in at.items()), case=EIGHT)

    assert speed(ledger, "r") == [(256 * 100 / 2, "samples/s", 2, 2, "ok")]


def test_a_difference_of_two_steps_needs_both(ledger):
    ledger.rule("r", quantity="interval", average_of="times", after_step=20, to_step=120, complete=True)
    for steps in ((10, 30, 70, 120, 130), (10, 20, 70, 110, 130), (130, 140)):
        ledger.run(*(ledger.step(n, at=n) for n in steps), case=EIGHT)

    assert speed(ledger, "r", "value, status") == [(None, "too_few_records")] * 3


def test_a_difference_by_records_counts_lines_within_the_filter(ledger):
    # The 2nd to the 4th line of those above 5: steps 7 and 9, whatever the loss scaler repeats before.
    ledger.rule("r", quantity="interval", average_of="times", after_step=6, skip=1, take=2, complete=True)
    steps = (0, 0, 4, 5, 6, 7, 8, 9, 10)
    ledger.run(*(ledger.step(n, at=n * n) for n in steps), case=EIGHT)

    assert speed(ledger, "r", "value") == [(256 * 2 / (81 - 49),)]


@given(
    lambda ledger: (
        ledger.rule("part", skip=1, take=3),
        ledger.rule("whole", skip=1, take=3, complete=True),
        ledger.run(*(ledger.step(n, speed=1.0) for n in (1, 2, 3))),
    )
)
def test_a_window_that_must_be_whole_gives_nothing_for_part_of_it(told):
    assert told("part", "value, status") == [(1.0, "ok")]
    assert told("whole", "value, status, reason") == [
        (None, "too_few_records", "2 records in the window; the rule wants the whole of it")
    ]


def test_the_median_over_ranks_is_taken_step_by_step_before_the_window(ledger):
    ledger.rule("r", quantity="throughput", ranks="median", skip=1, take=1, formats=["ngc"])
    by_step = {1: [9.0, 9.0, 9.0], 2: [1.0, 5.0, 100.0], 3: [7.0, 7.0, 7.0]}
    # As the ranks print: one after the other, with no number of their own.
    ledger.run(*(ledger.step(step, speed=value) for step, values in by_step.items() for value in values))

    assert speed(ledger, "r") == [(5.0, "samples/s", 1, 2, "ok")]


def test_ranks_that_print_the_same_number_all_count(ledger):
    ledger.rule("r", quantity="throughput", ranks="median", skip=1, take=1, formats=["ngc"])
    by_step = {1: [9.0, 8.0, 9.0], 2: [5.0, 5.0, 100.0], 3: [7.0, 6.0, 6.0]}
    ledger.run(*(ledger.step(step, speed=value) for step, values in by_step.items() for value in values))

    assert speed(ledger, "r") == [(5.0, "samples/s", 1, 2, "ok")]


@given(
    lambda ledger: (
        ledger.rule(
            "rounded latencies",
            quantity="step_time",
            ranks="median",
            reading_rounding="round_even",
            reading_rounding_digits=1,
            unit="samples/s",
        ),
        ledger.run(*(timed(ledger, 1, seconds) for seconds in (0.44, 0.46, 0.91)), case=EIGHT),
    )
)
def test_latencies_are_rounded_before_their_median_is_taken(told):
    assert told("rounded latencies", "value") == [(512.0,)]


@given(
    lambda ledger: (
        ledger.rule("rounded readings", quantity="step_time", reading_rounding="round_even", reading_rounding_digits=0),
        ledger.run(timed(ledger, 1, 1.2), timed(ledger, 2, 1.9), case=EIGHT),
    )
)
def test_every_reading_is_rounded_before_the_mean(told):
    assert told("rounded readings", "value") == [((256 + 128) / 2,)]


@given(
    lambda ledger: (
        ledger.rule("zero fails", zero_fails=True, rounding="round_even", rounding_digits=3),
        ledger.run(ledger.step(1, speed=0.0001)),
        ledger.run(ledger.step(1, speed=0.7)),
        ledger.run(ledger.step(1, speed=1.0)),
    )
)
def test_what_its_owner_calls_a_failure_is_a_status_and_no_trial(told):
    assert told("zero fails", "value, status, is_trial") == [
        (0.7, "failed", False),
        (1.0, "ok", True),
        (None, "failed", False),
    ]


def test_a_fallback_is_the_default_of_a_run_that_the_first_rule_gives_nothing_for(ledger):
    ledger.rule("first", kind="summary", statistic="last", fallback="second")
    ledger.rule("second", skip=1, fallback="third")
    ledger.rule("third")
    ledger.insert("kept.format", format="tf", version=1, default_rule="first", role="train")
    whole = ledger.run(ledger.step(1, speed=1.0), ledger.step(2, speed=2.0), ledger.summary(3.0), format="tf")
    cut = ledger.run(ledger.step(1, speed=1.0), ledger.step(2, speed=2.0), format="tf")
    short = ledger.run(ledger.step(1, speed=1.0), format="tf")
    silent = ledger.run(ledger.step(1), format="tf")

    assert ledger.rows("select run_id, rule, value from run_speed where is_default order by run_id") == [
        (whole, "first", 3.0),
        (cut, "second", 2.0),
        (short, "third", 1.0),
        (silent, "first", None),
    ]


def test_a_series_has_one_default_and_drops_the_runs_that_it_says_nothing_of(ledger):
    ledger.rule("first", kind="summary", statistic="last", fallback="second")
    ledger.rule("second")
    ledger.insert("kept.format", format="tf", version=1, default_rule="first", role="train")
    for campaign in ("mixed", "cut"):
        ledger.run(ledger.step(1, speed=1.0), format="tf", campaigns=(campaign,))
    ledger.run(ledger.step(1, speed=1.0), ledger.summary(3.0), format="tf", campaigns=("mixed",))

    rows = ledger.rows(
        "select campaign, rule, value, trials, trials_dropped from speed_table where is_default order by campaign"
    )

    assert rows == [("cut", "second", 1.0, 1, 0), ("mixed", "first", 3.0, 1, 1)]


def test_the_fallbacks_of_a_format_are_listed_in_their_order(ledger):
    ledger.rule("first", fallback="second")
    ledger.rule("second")
    ledger.insert("kept.format", format="tf", version=1, default_rule="first", role="train")

    assert ledger.rows("select rule, place from kept.default_rule where format = 'tf' order by place") == [
        ("first", 1),
        ("second", 2),
    ]


ACCUMULATED = {"gpus": 8, "batch_size_per_gpu": 4, "gradient_accumulation": 8, "global_batch_size": 256, "seq_len": 128}


def test_where_a_step_is_one_pass_its_samples_are_those_of_a_pass(ledger):
    expected = {
        ("global", "samples/s"): 64.0,
        ("pass", "samples/s"): 8.0,
        ("pass", "tokens/s"): 1024.0,
        ("pass", "steps/s"): 0.25,
    }
    for batch, unit in expected:
        ledger.rule(f"{batch} {unit}", quantity="step_time", unit=unit, batch=batch)
    ledger.run(timed(ledger, 1, 4.0), case=ACCUMULATED)

    assert {words: speed(ledger, " ".join(words), "value") for words in expected} == {
        words: [(value,)] for words, value in expected.items()
    }


@pytest.mark.parametrize(("case", "needed"), [({"gpus": 8}, "batch_size_per_gpu"), ({"batch_size_per_gpu": 8}, "gpus")])
def test_a_pass_needs_its_batch_and_the_gpus(ledger, case, needed):
    ledger.rule("r", quantity="step_time", batch="pass")
    ledger.run(timed(ledger, 1, 4.0), case=case)

    assert speed(ledger, "r", "value, reason") == [(None, needed)]


@given(
    lambda ledger: (
        ledger.rule("positive", average_of="times", positive_only=True),
        ledger.run(ledger.step(1, speed=2.0), ledger.step(2, speed=0.0), ledger.step(3, speed=6.0), case=EIGHT),
    )
)
def test_a_positive_mean_of_times_leaves_out_the_steps_of_what_is_not_positive(told):
    assert told("positive") == [(2 / (1 / 2 + 1 / 6), "samples/s", 2, 1, "ok")]


@given(
    lambda ledger: (
        ledger.rule("median over ranks", quantity="throughput", ranks="median"),
        ledger.run(ledger.step(None, speed=2.0), case=EIGHT),
    )
)
def test_of_records_without_a_step_a_median_over_ranks_counts_none_and_says_so(told):
    assert told("median over ranks", "value, records_used, records_skipped, status") == [
        (None, 0, 0, "too_few_records")
    ]
