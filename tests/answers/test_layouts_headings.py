"""What stands above the tables of a layout: sections once, titles, units, and what tells one table from another."""

from __future__ import annotations

from pathlib import Path

from benchledger import report_failures, report_speed, report_speedup
from benchledger.exports.output_forms import report_text
from tests.ledger_rows import ledger_rows


def test_a_section_stands_once_above_all_its_tables_and_wide_precisions_come_first(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for precision in ("fp16", "fp32"):
            for batch in (32, 24):
                ledger.run(1.0, precision=precision, batch_size_per_gpu=batch)
                ledger.run(2.0, precision=precision, batch_size_per_gpu=batch, gpus=8)

    text = report_text(report_speedup(db=tmp_path / "bench.duckdb", layout="dlperf"), "markdown")

    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "### FP32", "#### BERT-base batch_size = 24", "#### BERT-base batch_size = 32",
        "### FP16", "#### BERT-base batch_size = 24", "#### BERT-base batch_size = 32",
    ]  # fmt: skip


def test_tables_of_one_title_say_in_which_facts_they_differ(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, campaign="spring")
        ledger.run(2.0, campaign="autumn", framework="mxnet")

    report = report_speed(db=tmp_path / "bench.duckdb", layout="paddle")

    assert report_text(report, "markdown").split("\n\n")[:2] == [
        "### Speed: autumn, mxnet", "> Unit: samples/s",
    ]  # fmt: skip


def test_the_facts_of_a_titled_table_stand_below_it(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0)

    plain = report_text(report_speed(db=tmp_path / "bench.duckdb"), "markdown")
    titled = report_text(report_speed(db=tmp_path / "bench.duckdb", layout="paddle"), "markdown")

    facts = "campaign ngc; framework pytorch; implementation ngc; model bert_base; task pretraining; "
    assert plain.startswith(f"speed: {facts}")
    assert titled.startswith("### Speed\n\n> Unit: samples/s\n\n| GPUs |")
    assert f"\n- {facts}" in titled
    assert "rule ngc.summary" in titled


def test_failures_are_headed_in_the_language_asked_for(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(status="oom", reason="out of memory", text="CUDA out of memory")

    heads = [report_failures(db=tmp_path / "bench.duckdb", lang=lang).tables[0].frame.columns for lang in ("en", "zh")]

    assert heads == [
        ["campaign", "run", "case", "gpu_model", "status", "reason", "line", "text"],
        ["测试批次", "运行", "用例", "GPU 型号", "状态", "原因", "日志行", "内容"],
    ]
