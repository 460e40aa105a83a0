"""Each rule of an owner on a made log, beside what the owner's script computes of the same lines."""

from __future__ import annotations

from math import isclose
from statistics import mean, median

import pytest

from benchledger.answers.rows import rows_of
from tests.kept.oracle import Run, apply_rule
from tests.views.conftest import in_halves

EIGHT = {"gpus": 8, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 256, "seq_len": 128}
TWO_NODES = EIGHT | {"gpus": 16, "nodes": 2, "global_batch_size": 512}


def timed(ledger, number, seconds, name="elapsed", kind="step", quantity="step_time", **columns):
    """A record that prints the time of a step."""
    piece = ledger.step(number)
    return type(piece)(kind, ((name, quantity, seconds, "s", None),), "train", {"step": number, **columns})


def uneven(number: int) -> float:
    """A time of which no window has the mean of another."""
    return 0.2 + (number * number % 17) / 100 + number / 1000


def told(ledger, rule: str, run_id: int) -> tuple[object, ...]:
    """A run's value by a rule with its unit and counts, the same by SQL and by the oracle."""
    (row,) = ledger.rows(
        "select value, unit, records_used, records_skipped from run_speed where rule = ? and run_id = ?", rule, run_id
    )
    (words,) = [row for row in rows_of(ledger.filled.sql("from kept.rule")) if row["rule"] == rule]
    (again,) = apply_rule(words, Run(ledger.filled, run_id))
    assert isclose(again.value or 0, row[0] or 0, rel_tol=1e-12)
    assert (again.unit, again.records_used, again.records_skipped) == row[1:]
    return row


@in_halves
def test_mxnet_rn50_is_the_mean_over_lines_of_the_median_over_ranks(ledger):
    speeds = [[1000 + 7.777 * step + rank**2 for rank in range(8)] for step in range(120)]
    lines = [
        ledger.step(step, speed=speed, rank=rank, epoch=0)
        for step, ranks in enumerate(speeds)
        for rank, speed in enumerate(ranks)
    ]
    run = ledger.run(*lines, format="ngc-mxnet-rn50", case=EIGHT)
    of_lines = [median(round(speed, 2) for speed in ranks) for ranks in speeds]

    yield
    assert told(ledger, "dlperf.mxnet_rn50", run)[0] == round(mean(of_lines[20:120]), 2)


@in_halves
def test_a_step_that_each_epoch_counts_anew_is_another_step(ledger):
    lines = [ledger.step(step, speed=100.0 * epoch + step, epoch=epoch) for epoch in range(2) for step in range(120)]
    run = ledger.run(*lines, format="gluon-cv-classification", case=EIGHT)

    yield
    assert told(ledger, "dlperf.mxnet_rn50", run) == (mean(range(20, 120)), "samples/s", 100, 140)


@in_halves
def test_ngc_mxnet_is_timed_by_the_line_that_ends_a_round_of_all_ranks(ledger):
    at = [sum(uneven(n) for n in range(number)) for number in range(8 * 125)]
    # Ranks print in any order: not the rank of a line counts, but its number.
    lines = [ledger.step(n // 8, at=at[n], rank=(3 * n + n // 8) % 8) for n in range(8 * 125)]
    run = ledger.run(*lines, format="ngc-mxnet-rn50", case=EIGHT)
    stamps = [round(second, 6) for second in at]
    took = stamps[120 * 8 - 1] - stamps[20 * 8 - 1]

    yield
    assert told(ledger, "dlperf.ngc_mxnet_time", run) == (round(256 / (took / 100), 2), "samples/s", 100, 24)


@in_halves
def test_a_round_is_read_only_by_the_rule_that_asks_for_it(ledger):
    lines = [ledger.step(n, at=2.0 * n) for n in range(1, 150)]
    run = ledger.run(*lines, format="ngc-mxnet-rn50", case=EIGHT)

    yield
    assert told(ledger, "steps.median_skip0", run) == (128.0, "samples/s", 148, 0)
    rounds = (
        "select records_used from run_speed join kept.rule using (rule) where rule.quantity = 'round' and run_id = ?"
    )
    assert ledger.rows(rounds, run) == [(100,)]


@in_halves
def test_pytorch_rn50_sums_printed_times_of_lines_21_to_120_above_iteration_5(ledger):
    run = ledger.run(*(timed(ledger, n, uneven(n)) for n in range(140)), format="pytorch-imagenet", case=EIGHT)
    lines = [uneven(n) for n in range(140) if n > 5]

    yield
    assert told(ledger, "dlperf.pt_rn50", run)[0] == round(256 / (sum(lines[20:120]) / 100), 2)


@in_halves
def test_paddle_rn50_is_a_mean_of_speeds_and_its_clock_rule_one_of_times(ledger):
    lines = [timed(ledger, n, uneven(n), "elapse", logged_at=ledger.step(n, at=5.0 * n).columns["logged_at"])
             for n in range(140)]  # fmt: skip
    run = ledger.run(*lines, format="paddle-clas", case=EIGHT)
    speeds = [round(256 / uneven(n), 4) for n in range(1, 140)]

    yield
    assert told(ledger, "dlperf.paddle_rn50", run)[0] == round(mean(speeds[20:120]), 2)
    assert told(ledger, "dlperf.paddle_rn50_time", run)[0] == round(256 / 5, 2)


@in_halves
def test_arcface_multiplies_the_speed_of_a_node(ledger):
    speeds = [800.06 + 31 * n for n in range(9)]
    lines = [ledger.step(20 * n, speed=speed, scope="node") for n, speed in enumerate(speeds)]
    run = ledger.run(*lines, format="mxnet-arcface", case=TWO_NODES)

    yield
    assert told(ledger, "dlperf.arcface", run)[0] == round(mean(2 * round(speed, 1) for speed in speeds[1:6]), 2)


@pytest.mark.parametrize(("rule", "window"), [("partialfc", slice(19, None)), ("partialfc_every20", slice(1, 6))])
def test_partialfc_has_no_upper_bound_in_one_release_and_five_lines_in_another(ledger, rule, window):
    speeds = [5000.06 + 13 * n for n in range(130)]
    run = ledger.run(*(ledger.step(n, speed=speed) for n, speed in enumerate(speeds)), format="mxnet-partial-fc")

    assert told(ledger, f"dlperf.{rule}", run)[0] == round(mean(round(speed, 1) for speed in speeds[window]), 2)


@in_halves
def test_oneflow_face_counts_the_20th_line_too(ledger):
    speeds = {n: 100.0 + n * n for n in range(1, 140)}
    run = ledger.run(*(ledger.step(n, speed=speed) for n, speed in speeds.items()), format="oneflow-insightface")
    lines = [speed for n, speed in speeds.items() if n > 5]

    yield
    assert told(ledger, "dlperf.oneflow_face", run)[:3] == (round(mean(lines[19:120]), 2), "samples/s", 101)


@in_halves
def test_mindspore_divides_by_the_times_of_all_ranks(ledger):
    lines = [timed(ledger, n, uneven(n + 3 * rank), rank=rank) for n in range(1, 140) for rank in range(8)]
    run = ledger.run(*lines, format="mindspore", case=EIGHT)
    cost = sum(uneven(n + 3 * rank) for n in range(21, 121) for rank in range(8))

    yield
    assert told(ledger, "dlperf.mindspore", run)[0] == round(256 / (cost / (100 * 8)), 2)


@in_halves
def test_tf2_bert_is_timed_from_line_20_to_line_120(ledger):
    at = [sum(uneven(n) for n in range(number)) for number in range(131)]
    run = ledger.run(*(ledger.step(n, at=at[n]) for n in range(1, 131)), format="tf2-bert", case=EIGHT)
    took = round(at[120], 6) - round(at[20], 6)

    yield
    assert told(ledger, "dlperf.tf2_bert", run)[0] == round(256 / (took / 100), 2)


@in_halves
def test_wide_and_deep_is_timed_over_a_thousand_iterations(ledger):
    run = ledger.run(*(ledger.step(n, at=n * n / 1e5) for n in range(100, 1300, 100)), format="oneflow-wdl", case=EIGHT)

    yield
    assert told(ledger, "dlperf.wdl_latency", run)[:2] == ((1100**2 - 100**2) / 1e5 / 1000, "s")


@in_halves
def test_wide_and_deeps_mean_leaves_out_the_first_and_the_last(ledger):
    times = [9.0, *(uneven(n) for n in range(10)), 7.0]
    run = ledger.run(*(timed(ledger, 100 * n, time) for n, time in enumerate(times, 1)), format="oneflow-wdl")
    short = ledger.run(*(timed(ledger, 100 * n, 1.0) for n in (1, 2)), format="oneflow-wdl")

    yield
    assert told(ledger, "dlperf.wdl_latency_mean", run) == (pytest.approx(mean(times[1:-1])), "s", 10, 2)
    assert told(ledger, "dlperf.wdl_latency_mean", short)[0] is None


@in_halves
def test_hugectr_drops_the_record_of_iteration_100(ledger):
    run = ledger.run(*(timed(ledger, n, uneven(n // 100) / 100) for n in range(100, 1300, 100)), format="hugectr")

    yield
    assert told(ledger, "dlperf.hugectr_latency", run)[0] == pytest.approx(mean(uneven(n) for n in range(2, 13)) / 100)


@in_halves
def test_paddles_mode_4_is_the_mean_of_the_seconds_an_epoch(ledger):
    took = [178.0364, 176.25, 181.5]
    lines = [timed(ledger, None, s, "epoch_time", "summary", "epoch_time", epoch=n) for n, s in enumerate(took)]
    run = ledger.run(*lines, ledger.summary(15446.0, name="epoch_ips"), format="paddle-ps")

    yield
    assert told(ledger, "paddle.mode4", run) == (round(mean(took), 3), "s", 3, 0)
    assert told(ledger, "summary.last", run)[0] == 15446.0


@in_halves
def test_paddles_mode_4_of_an_epoch_below_a_second_is_a_failure(ledger):
    run = ledger.run(timed(ledger, None, 0.25, "epoch_time", "summary", "epoch_time"), format="paddle-ps")

    yield
    assert ledger.rows("select status from run_speed where rule = 'paddle.mode4' and run_id = ?", run) == [("failed",)]


@in_halves
def test_superbench_leaves_out_64_steps_and_means_speeds_or_times(ledger):
    run = ledger.run(*(timed(ledger, n, uneven(n)) for n in range(1, 201)), case=EIGHT)
    times = [uneven(n) for n in range(65, 201)]

    yield
    assert told(ledger, "superbench.throughput", run) == (
        pytest.approx(mean(256 / s for s in times)), "samples/s", 136, 64
    )  # fmt: skip
    assert told(ledger, "superbench.step_time", run)[:2] == (pytest.approx(mean(times)), "s")


@in_halves
def test_optimum_means_throughputs_over_processes_and_puts_their_latencies_together(ledger):
    # The processes print in no order, and one of them is faster than the other.
    lines = [timed(ledger, n, uneven(n) * (rank + 1), rank=rank) for rank in (1, 0) for n in range(1, 151)]
    run = ledger.run(*lines, case=EIGHT, format="optimum-benchmark")
    times = [[uneven(n) * (rank + 1) for n in range(41, 141)] for rank in range(2)]

    yield
    assert told(ledger, "optimum.throughput", run) == (
        pytest.approx(mean(100 * 32 / mean(of_rank) for of_rank in times)), "samples/s", 200, 100
    )  # fmt: skip
    assert told(ledger, "optimum.throughput_per_step", run) == (
        pytest.approx(mean(256 / mean(of_rank) for of_rank in times)), "samples/s", 200, 100
    )  # fmt: skip
    assert told(ledger, "optimum.latency", run)[:2] == (pytest.approx(mean(times[0] + times[1])), "s")


@in_halves
def test_the_number_that_optimum_prints_is_one_of_its_own_logs_only(ledger):
    run = ledger.run(*(timed(ledger, n, 1.0) for n in range(1, 151)), case=EIGHT)

    yield
    rules = "select rule, value from run_speed where run_id = ? and starts_with(rule, 'optimum.') order by rule"
    assert ledger.rows(rules, run) == [("optimum.latency", 1.0), ("optimum.throughput_per_step", 256.0)]


@in_halves
def test_optimum_wants_each_process_whole(ledger):
    lines = [timed(ledger, n, 1.0, rank=rank) for rank in (0, 1) for n in range(1, 141 - rank)]
    run = ledger.run(*lines, case=EIGHT, format="optimum-benchmark")

    yield
    assert told(ledger, "optimum.throughput", run)[0] is None


@pytest.mark.parametrize(
    ("speeds", "rate", "used"), [([9.0, 1.0, 5.0, 100.0, 4.0], 6.0, 3), ([9.0, 1.0, 5.0, 100.0], 28.75, 4)]
)
def test_milabench_leaves_out_the_extremes_of_five_and_more(ledger, speeds, rate, used):
    run = ledger.run(*(ledger.step(n, speed=speed) for n, speed in enumerate(speeds, 1)))

    assert told(ledger, "milabench.rate", run) == (rate, "samples/s", used, len(speeds) - used)


@in_halves
def test_flops_of_a_gpu_are_made_of_the_parameters_that_are_stated(ledger):
    run, other = (ledger.run(*(timed(ledger, n, uneven(n)) for n in range(1, 9)), format="megatron-gpt", case=EIGHT)
                  for _ in range(2))  # fmt: skip
    ledger.insert("fact", run_id=run, name="params_b", value="1.5", source="facts.toml", used=True)
    seconds = mean(uneven(n) for n in range(2, 9))

    yield
    assert told(ledger, "megatron.tflops_per_gpu", run) == (
        pytest.approx(1.5 * 4 * 2 * 128 * 256 / (seconds * 8 * 1e3)), "TFLOP/s", 7, 1
    )  # fmt: skip
    assert told(ledger, "megatron.tflops", run)[0] == pytest.approx(1.5 * 4 * 2 * 128 * 256 / (seconds * 1e3))
    assert told(ledger, "megatron.tflops_per_gpu", other)[0] is None
    reason = (
        "select reason from run_speed where rule = 'megatron.tflops_per_gpu' and value is null and run_id in (?, ?)"
    )
    assert ledger.rows(reason, run, other) == [("params_b",)]


@in_halves
def test_a_rule_of_one_gpu_scales_as_one_of_all_does(ledger):
    for gpus in (1, 8):
        case = {**EIGHT, "gpus": gpus, "global_batch_size": 32 * gpus}
        run = ledger.run(*(timed(ledger, n, 0.5) for n in range(1, 151)), format="megatron-gpt", case=case)
        ledger.insert("fact", run_id=run, name="params_b", value="1.5", source="facts.toml", used=True)
        ledger.run(*(timed(ledger, n, 0.5) for n in range(1, 151)), format="optimum-benchmark", case=case)

    yield
    rows = ledger.rows(
        """select rule, value / base_value, speedup, efficiency from speedup_table
           where campaign = 'test_a_rule_of_one_gpu_scales_as_one_of_all_does' and gpus = 8
               and (starts_with(rule, 'megatron.tflops') or rule = 'optimum.throughput')
           order by rule"""
    )

    assert rows == [
        ("megatron.tflops", 8, 8, 1),
        ("megatron.tflops_per_gpu", 1, 8, 1),
        ("optimum.throughput", 1, 8, 1),
    ]
