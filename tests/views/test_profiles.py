"""Profiles: kernels by time, and how busy a device was; a profile counts without a training log too."""

import pytest

from tests.views.conftest import in_halves

UTILIZATION = "select device, metric, value, kernels, busy_s, profiled_s from kept.utilization_table order by all"


def kernel_values(ledger, label, step, **values):
    """A launch as ncu states it: a record for each metric."""
    piece = ledger.step(1).__class__
    quantities = {"cycles": ("kernel_cycles", None)}
    return [
        piece(
            "kernel",
            (
                (
                    name,
                    *quantities.get(name, ("pipe_utilization", "%"))[:1],
                    value,
                    quantities.get(name, (0, "%"))[1],
                    "gpu",
                ),
            ),
            None,
            {"label": label, "step": step},
        )
        for name, value in values.items()
    ]


def span(ledger, seconds):
    piece = ledger.step(1).__class__
    return piece("summary", (("span", "profiled_time", seconds, "s", "global"),), None)


@in_halves
def test_a_profile_shows_without_a_run(ledger):
    log = ledger.log(ledger.kernel("gemm", 0.0, 1.0))

    yield
    assert ledger.rows("select run_id, log_id, label, value from kept.profile_table") == [(None, log, "gemm", 1.0)]
    assert ledger.rows("select run_id, log_id, label, calls, total_s from kept.kernel_table") == [
        (None, log, "gemm", 1, 1.0)
    ]
    assert ledger.rows("select run_id, log_id from kept.utilization_table") == [(None, log)]


@in_halves
def test_a_profile_of_a_run_says_which(ledger):
    run = ledger.run()
    ledger.attach(run, ledger.log(ledger.kernel("gemm", 0.0, 1.0)), "profile")

    yield
    for view in ("kept.profile_table", "kept.kernel_table", "kept.utilization_table"):
        assert ledger.rows(f"select v.run_id, v.case_id = run.case_id from {view} v join run using (run_id)") == [
            (run, True)
        ]


def test_an_excluded_run_has_no_profile(ledger):
    run = ledger.run()
    ledger.attach(run, ledger.log(ledger.kernel("gemm", 0.0, 1.0)), "profile")
    (key,) = ledger.rows("select run_key from run")[0]
    ledger.insert("kept.exclusion", run_key=key, reason="bad", excluded_at="2026-11-21")

    for view in ("kept.profile_table", "kept.kernel_table", "kept.utilization_table"):
        assert ledger.rows(f"select * from {view}") == []


def test_kernels_that_overlap_are_busy_once(ledger):
    ledger.log(
        span(ledger, 10.0),
        ledger.kernel("a", 0.0, 4.0, device="0"),
        ledger.kernel("b", 1.0, 1.0, device="0"),
        ledger.kernel("c", 3.0, 2.0, device="0"),
        ledger.kernel("d", 7.0, 1.0, device="0"),
    )

    assert ledger.rows(UTILIZATION) == [("0", "compute", 60.0, 4, 6.0, 10.0)]


def test_devices_do_not_share_their_kernels(ledger):
    ledger.log(span(ledger, 10.0), ledger.kernel("a", 0.0, 4.0, device="0"), ledger.kernel("a", 2.0, 1.0, device="1"))

    assert ledger.rows(UTILIZATION) == [("0", "compute", 40.0, 1, 4.0, 10.0), ("1", "compute", 10.0, 1, 1.0, 10.0)]


@in_halves
def test_without_a_stated_span_it_is_from_the_first_kernel_to_the_last(ledger):
    ledger.log(ledger.kernel("a", 5.0, 1.0), ledger.kernel("a", 8.0, 1.0))

    yield
    assert ledger.rows("select value, profiled_s, method from kept.utilization_table") == [
        (50.0, 4.0, "time with a kernel running over the time from the first kernel to the last")
    ]


def test_pipes_are_weighted_by_cycles(ledger):
    ledger.log(
        *kernel_values(ledger, "a", 0, cycles=100.0, tensor=80.0),
        *kernel_values(ledger, "b", 1, cycles=300.0, tensor=40.0),
    )

    assert ledger.rows("select metric, value, kernels from kept.utilization_table") == [("tensor", 50.0, 2)]


def test_a_metric_that_the_device_lacks_is_no_zero(ledger):
    ledger.log(*kernel_values(ledger, "a", 0, cycles=100.0, tensor=80.0, fp16=None))

    assert ledger.rows("select metric, value, kernels from kept.utilization_table order by 1") == [
        ("fp16", None, 0), ("tensor", 80.0, 1),
    ]  # fmt: skip


@in_halves
def test_a_kernels_share_is_of_its_device(ledger):
    ledger.log(ledger.kernel("a", 0.0, 3.0), ledger.kernel("b", 3.0, 1.0), ledger.kernel("a", 4.0, 4.0))

    yield
    assert ledger.rows("select label, calls, total_s, mean_s, share_percent from kept.kernel_table order by 1") == [
        ("a", 2, 7.0, 3.5, 87.5), ("b", 1, 1.0, 1.0, 12.5),
    ]  # fmt: skip


@pytest.mark.parametrize(("kind", "rows"), [("GPU activities", [("gemm", 10, 5.0, 0.5, None)]), ("API calls", [])])
def test_a_profilers_own_sums_are_taken_as_they_are(ledger, kind, rows):
    piece = ledger.step(1).__class__
    values = (
        ("Time", "kernel_time_total", 5.0, "s", "gpu"),
        ("Calls", "kernel_calls", 10.0, None, "gpu"),
        ("Type", None, None, None, None),
    )
    log = ledger.log(piece("kernel", values, None, {"label": "gemm", "texts": [None, None, kind]}))

    assert ledger.rows("select label, calls, total_s, mean_s, share_percent from kept.kernel_table") == rows
    assert log


@pytest.mark.parametrize("none", [float("nan"), float("inf")])
def test_a_launch_whose_value_or_cycles_are_no_number_does_not_count(ledger, none):
    ledger.log(
        *kernel_values(ledger, "a", 0, cycles=100.0, tensor=80.0),
        *kernel_values(ledger, "b", 1, cycles=300.0, tensor=none),
        *kernel_values(ledger, "c", 2, cycles=none, tensor=10.0),
    )

    assert ledger.rows("select metric, value, kernels from kept.utilization_table") == [("tensor", 80.0, 1)]


def test_tbds_own_script_leaves_out_the_launch_with_the_highest_id_of_the_file(ledger):
    ledger.log(
        *kernel_values(ledger, "b", 7, cycles=300.0, tensor=40.0),
        *kernel_values(ledger, "a", 6, cycles=100.0, tensor=80.0),
    )

    assert ledger.rows("select value, tbd_value from kept.utilization_table") == [(50.0, 80.0)]


def test_a_single_launch_is_none_to_tbds_own_script(ledger):
    ledger.log(*kernel_values(ledger, "a", 0, cycles=100.0, tensor=80.0))

    assert ledger.rows("select value, tbd_value from kept.utilization_table") == [(80.0, None)]
