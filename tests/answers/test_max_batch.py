"""Largest batch size that ran, and smallest that ran out of memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import report_max_batch, report_speed
from benchledger.errors import NothingFoundError, UsageError
from tests.answers.conftest import Own
from tests.ledger_rows import LedgerRows
from tests.views.conftest import given


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def readme_001(ledger: LedgerRows) -> None:
    """The batch sizes of README 001: 24 and 32 ran, 48 and 64 did not."""
    for nodes, gpus in ((1, 1), (1, 8), (2, 16)):
        for batch in (24, 32):
            ledger.run(100.0, framework="mxnet", nodes=nodes, gpus=gpus, batch_size_per_gpu=batch)
        for batch in (48, 64):
            ledger.run(framework="mxnet", nodes=nodes, gpus=gpus, batch_size_per_gpu=batch, status="oom")


@given(lambda ledger: [readme_001(ledger), ledger.run(1.0, framework="mxnet", precision="fp16", batch_size_per_gpu=64)])
def test_it_says_what_ran_and_what_did_not_by_gpus_and_precision(own: Own) -> None:
    (table,) = report_max_batch(**own).tables

    assert table.frame.rows() == [
        ("1", "fp32", "32", "48"), ("1", "fp16", "64", "-"), ("8", "fp32", "32", "48"), ("16", "fp32", "32", "48"),
    ]  # fmt: skip
    assert table.notes == (
        "batch size 48 ran out of memory: 1 x FP32, 8 x FP32, 16 x FP32; ran: 24, 32",
    )  # fmt: skip


@given(readme_001)
def test_the_note_of_readme_001_is_generated_in_its_layout(own: Own) -> None:
    (table,) = report_max_batch(**own, layout="dlperf", lang="zh").tables

    assert (table.above.section, table.above.title) == ("FP32", "BERT-base")
    assert table.frame.columns == ["节点数", "卡数", "最大单卡 batch size", "OOM"]
    assert table.frame.rows() == [("1", "1", "32", "48"), ("1", "8", "32", "48"), ("2", "16", "32", "48")]
    (note,) = table.notes
    assert note == (
        "注意：batch_size_per_device = 48及以上会导致显存OOM，故 BERT-base 仅测试了batch size = 24, 32的情况 "
        "(1 x FP32, 8 x FP32, 16 x FP32)"
    )


@given(
    lambda ledger: [
        ledger.readme_000(),
        ledger.run(precision="fp16", batch_size_per_gpu=128, status="oom"),
        ledger.run(gpus=8, precision="bf16", batch_size_per_gpu=32, status="oom"),
    ]
)
def test_the_layout_of_readme_000_has_a_column_per_precision(own: Own) -> None:
    (table,) = report_max_batch(**own, layout="paddle", rows="1,8,32").tables

    assert table.frame.columns == ["GPUs", "FP32(BS=max)", "AMP(BS=max)", "BF16(BS=max)"]
    assert table.frame.rows() == [("1", "48", "96 (128 OOM)", "-"), ("8", "48", "96", "- (32 OOM)"), ("32", *"---")]


@given(
    lambda ledger: [
        ledger.run(1.0, batch_size_per_gpu=batch, global_batch_size=512, gradient_accumulation=512 // batch)
        for batch in (32, 64)
    ]
)
def test_the_batch_size_of_a_fixed_global_batch_is_found_over_all_its_accumulations(own: Own) -> None:
    assert report_max_batch(**own).tables[0].frame.rows() == [("1", "fp32", "64", "-")]


@given(
    lambda ledger: [ledger.run(1.0), ledger.run(batch_size_per_gpu=64, status="oom", environment={"gpu_model": None})]
)
def test_a_run_out_of_memory_that_tells_no_card_stands_with_its_kin(own: Own) -> None:
    assert report_max_batch(**own).tables[0].frame.rows() == [("1", "fp32", "32", "64")]


@given(lambda ledger: [ledger.run(status="oom", batch_size_per_gpu=48), ledger.run(1.0, batch_size_per_gpu=64)])
def test_a_larger_batch_than_one_that_failed_is_no_limit(own: Own) -> None:
    (table,) = report_max_batch(**own).tables

    assert table.notes == ("batch size 48 ran out of memory, and a larger one ran: 1 x FP32; ran: 64",)


@given(lambda ledger: [ledger.run(1.0, batch_size_per_gpu=96), ledger.run(1.0, batch_size_per_gpu=16, seq_len=512)])
def test_rows_split_by_what_tells_two_cases_apart(own: Own) -> None:
    (table,) = report_max_batch(**own).tables

    assert table.frame.columns[:3] == ["gpus", "precision", "seq_len"]
    assert table.frame.rows() == [("1", "fp32", "128", "96", "-"), ("1", "fp32", "512", "16", "-")]


@given(lambda ledger: [ledger.run(1.0, batch_size_per_gpu=96), ledger.run(1.0, batch_size_per_gpu=64, gpus=8)])
def test_columns_that_are_asked_for_split_by_what_they_leave_out(own: Own) -> None:
    (table,) = report_max_batch(**own, columns="precision,largest_ok").tables

    assert table.frame.columns == ["precision", "gpus", "largest that ran"]
    assert table.frame.rows() == [("fp32", "1", "96"), ("fp32", "8", "64")]


@given(lambda ledger: ledger.run(status="nan"))
def test_other_failures_say_nothing_of_memory(own: Own) -> None:
    with pytest.raises(NothingFoundError, match="no selected run states its batch size and whether it fitted"):
        report_max_batch(**own)


def test_a_filter_by_what_is_looked_for_is_refused(db: Path) -> None:
    with pytest.raises(UsageError, match="remove the filter by batch_size_per_gpu"):
        report_max_batch(db=db, batch_size_per_gpu=32)


@given(
    lambda ledger: [
        ledger.run(1.0, batch_size_per_gpu=32),
        ledger.run(2.0, batch_size_per_gpu=64),
        ledger.run(status="oom", batch_size_per_gpu=128),
        ledger.run(3.0, gpus=8, batch_size_per_gpu=32),
        ledger.run(gpus=8, status="oom", batch_size_per_gpu=64, precision="fp16"),
    ]
)
def test_the_columns_max_of_the_speed_table_are_of_these_batch_sizes(own: Own) -> None:
    (table,) = report_speed(**own, columns="fp32:max,fp16:max").tables

    assert table.frame.rows() == [("1", "2.00", "-"), ("8", "3.00", "OOM")]
    assert table.notes[0] == "BS=max: 1 x FP32(BS=64), 8 x FP32(BS=32), 8 x FP16(BS=64)"
