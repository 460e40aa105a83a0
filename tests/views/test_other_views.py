"""Failures, largest batches, profiles and losses."""

import pytest

from tests.views.conftest import in_halves


def test_a_failure_shows_the_line_that_decided_it(ledger):
    run = ledger.run(status="oom", reason="out of memory", status_line=7)
    log = ledger.rows("select log_id from run_log where run_id = ?", run)[0][0]
    ledger.write("update run set status_log_id = ?", log)
    ledger.insert(
        "kept.segment",
        log_id=log,
        segment=1,
        role="train",
        first_line=1,
        last_line=9,
        first_record_line=1,
        last_record_line=9,
        records=0,
        step_records=0,
        expects_closing=True,
        final_loss_nan=False,
        event_status="oom",
        event_line=7,
        event_text="RuntimeError: CUDA out of memory",
    )

    rows = ledger.rows("select run_id, campaign, status, log_id, line, text from kept.failure_table")

    assert rows == [(run, "c", "oom", log, 7, "RuntimeError: CUDA out of memory")]


def test_an_event_that_did_not_decide_is_not_shown(ledger):
    ledger.run(status="too_few_steps", reason="66 of 120 steps", status_line=9)
    log = ledger.rows("select log_id from run_log")[0][0]
    ledger.write("update run set status_log_id = ?", log)
    ledger.insert(
        "kept.segment",
        log_id=log,
        segment=1,
        role="train",
        first_line=1,
        last_line=9,
        first_record_line=1,
        last_record_line=9,
        records=0,
        step_records=0,
        expects_closing=True,
        final_loss_nan=False,
        event_line=7,
        event_text="SIGTERM",
    )

    assert ledger.rows("select text, line from kept.failure_table") == [("66 of 120 steps", 9)]


@in_halves
def test_a_failure_without_a_line_shows_its_reason(ledger):
    ledger.run(status="too_few_steps", reason="66 of 120 steps")

    yield
    assert ledger.rows("select text, line from kept.failure_table") == [("66 of 120 steps", None)]


@pytest.mark.parametrize("status", ["ok", "unknown"])
def test_what_did_not_fail_is_no_failure(ledger, status):
    ledger.run(status=status)

    assert ledger.rows("select * from kept.failure_table") == []


def test_an_excluded_run_is_no_failure(ledger):
    ledger.run(status="oom", run_key="k")
    ledger.insert("kept.exclusion", run_key="k", reason="r", excluded_at="2026-11-21")

    assert ledger.rows("select * from kept.failure_table") == []


def test_the_largest_batch_that_ran_and_the_smallest_that_did_not(ledger):
    for batch, status in ((32, "ok"), (64, "unknown"), (96, "oom"), (128, "oom"), (192, "failed")):
        ledger.run(case={"gpus": 1, "batch_size_per_gpu": batch}, status=status)

    assert ledger.rows("select campaign, gpus, largest_ok, smallest_oom from kept.max_batch_table") == [
        ("c", 1, 64, 96)
    ]


def test_a_run_out_of_memory_that_tells_no_card_and_another_accumulation_stands_with_the_only_card_of_its_kin(ledger):
    ran = {"gpus": 1, "batch_size_per_gpu": 2048, "global_batch_size": 65536, "gradient_accumulation": 32}
    ledger.run(case=ran, environment={"gpu_model": "H200"})
    ledger.run(case={"gpus": 1, "batch_size_per_gpu": 4096}, status="oom")
    ledger.run(case={"gpus": 1, "batch_size_per_gpu": 64}, campaigns=("other",), status="oom")

    rows = ledger.rows(
        "select campaign, gpu_model, gradient_accumulation, largest_ok, smallest_oom from kept.max_batch_table"
    )

    assert sorted(rows) == [("c", "H200", 32, 2048, 4096), ("other", None, None, None, 64)]


def test_a_run_out_of_memory_that_tells_no_card_stands_alone_where_its_kin_have_two_or_its_case_ran(ledger):
    for card in ("H200", "V100"):
        ledger.run(case={"gpus": 1, "batch_size_per_gpu": 32}, environment={"gpu_model": card}, campaigns=("two",))
    ledger.run(case={"gpus": 1, "batch_size_per_gpu": 64}, campaigns=("two",), status="oom")
    ledger.run(case={"gpus": 8, "batch_size_per_gpu": 32}, environment={"gpu_model": "H200"}, campaigns=("ran",))
    ledger.run(case={"gpus": 1, "batch_size_per_gpu": 32}, campaigns=("ran",))
    ledger.run(case={"gpus": 1, "batch_size_per_gpu": 64}, campaigns=("ran",), status="oom")

    rows = ledger.rows(
        "select campaign, largest_ok from kept.max_batch_table where gpu_model is null and smallest_oom = 64"
    )

    assert sorted(rows) == [("ran", 32), ("two", None)]


@in_halves
def test_a_kernel_has_the_mean_and_the_total_of_its_calls(ledger):
    run = ledger.run()
    piece = ledger.step(1).__class__
    calls = [
        piece("kernel", (("gpu_time", "kernel_time", seconds, "s", "gpu"),), None, {"label": "gemm"})
        for seconds in (1.0, 3.0)
    ]
    ledger.attach(run, ledger.log(*calls), "profile")

    yield
    rows = ledger.rows("select run_id, label, name, value, unit, records, total from kept.profile_table")

    assert rows == [(run, "gemm", "gpu_time", 2.0, "s", 2, 4.0)]
