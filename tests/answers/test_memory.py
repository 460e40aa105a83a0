"""The memory table: one definition of memory a table."""

from __future__ import annotations

import pytest

from benchledger import report_memory
from benchledger.errors import NothingFoundError
from tests.answers.conftest import Own
from tests.ledger_rows import LedgerRows
from tests.views.conftest import given


def three_trials_on_two_devices(ledger: LedgerRows) -> None:
    for most in (9000.0, 9100.0, 9900.0):
        run = ledger.run(1.0, gpus=2)
        ledger.device_memory(run, ("0", 100.0), ("0", most), ("1", 50.0), ("1", most - 1))


@given(three_trials_on_two_devices)
def test_memory_is_the_median_over_trials_of_the_fullest_device(own: Own) -> None:
    table = report_memory(**own).tables[0]

    assert table.frame.rows() == [("2", "9100.00")]
    assert table.facts["unit"] == "MiB"
    assert table.facts["definition"] == "device"


def device_and_allocated_memory(ledger: LedgerRows) -> None:
    run = ledger.run(1.0)
    ledger.device_memory(run, ("0", 9000.0))
    (log,) = (
        ledger.con.execute("select log_id from run_log where run_id = ? and role = 'train'", [run]).fetchone() or ()
    )
    ledger.record(log, 50, ledger.allocated_shape, 7000.0, device="0")


@given(device_and_allocated_memory)
def test_two_definitions_of_memory_are_two_tables(own: Own) -> None:
    report = report_memory(**own)

    assert [table.facts["definition"] for table in report.tables] == ["allocated", "device"]
    assert [table.frame["FP32(BS=32)"].to_list() for table in report.tables] == [["7000.00"], ["9000.00"]]


@given(
    lambda ledger: [
        ledger.device_memory(ledger.run(1.0), ("0", 9000.0)),
        ledger.run(8.0, gpus=8),
        ledger.device_memory(ledger.run(gpus=16, status="oom"), ("0", 16000.0)),
    ]
)
def test_a_case_without_memory_is_a_dash_and_one_that_ran_out_says_oom(own: Own) -> None:
    table = report_memory(**own).tables[0]

    assert table.frame.rows() == [("1", "9000.00"), ("8", "-"), ("16", "OOM")]
    assert str(table.coverage) == "1 of 3 cells filled; missing: 8 x fp32 BS=32: no device memory, 16 x fp32 BS=32: oom"


@given(lambda ledger: ledger.run(1.0))
def test_a_ledger_without_memory_says_where_memory_comes_from(own: Own) -> None:
    with pytest.raises(
        NothingFoundError, match=r"none of the 1 selected series has a memory sample. Memory comes from"
    ):
        report_memory(**own)


def a_machine_with_another_program(ledger: LedgerRows) -> None:
    ledger.device_memory(ledger.run(1.0, batch_size_per_gpu=32), ("0", 5000.0), ("1", 1024.0))
    ledger.device_memory(ledger.run(1.0, batch_size_per_gpu=64), ("0", 5000.0), ("1", 1023.0))


@given(a_machine_with_another_program)
def test_more_monitored_devices_in_use_than_gpus_are_a_note(own: Own) -> None:
    (note,) = (note for note in report_memory(**own).tables[0].notes if "another program" in note)

    assert note.endswith(": bert_base_bs32_fp32_1")
