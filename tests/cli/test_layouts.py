"""What the reports print, to the letter."""

from __future__ import annotations

from pathlib import Path

from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows


def test_the_speed_table_is_printed_as_readme_000_has_it(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.readme_000()

    result = run_bench("-v", "report", "speed", db=tmp_path / "bench.duckdb")

    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        "speed: campaign ngc; framework pytorch; implementation ngc; model bert_base; task pretraining; "
        "gpu_model V100-SXM2-16GB; unit samples/s; rule ngc.summary\n"
        "\n"
        "| gpus | FP32(BS=32) | FP32(BS=48) | FP16(BS=64) | FP16(BS=96) |\n"
        "|------|-------------|-------------|-------------|-------------|\n"
        "| 1    | 127.09      | 126.48      | 511.13      | 532.24      |\n"
        "| 8    | 1018.40     | 1012.80     | 4063.19     | 4207.36     |\n"
        "\n"
        "8 of 8 cells filled\n"
        "trials: 1 per cell, 0 dropped; records: 1 used per cell, 0 skipped\n"
    )


def test_tables_say_by_what_they_and_their_rows_are_split(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, seq_len=128)
        ledger.run(2.0, seq_len=512)
        ledger.run(3.0, campaign="other")

    first, second = run_bench("report", "speed", db=tmp_path / "bench.duckdb").stdout.split("\n\nspeed: ")

    assert first.splitlines()[1:3] == ["one of 2 tables, split by campaign", "rows split by seq_len"]
    assert second.startswith("campaign other; framework pytorch; ")
    assert second.splitlines()[1] == "one of 2 tables, split by campaign"


def test_the_trials_stand_under_their_table(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(100.0)
        ledger.run(103.0)

    result = run_bench("report", "speed", "--trials", db=tmp_path / "bench.duckdb")

    assert result.stdout.endswith(
        "| gpus | case        | trial 1 | trial 2 | mean   | median |\n"
        "|------|-------------|---------|---------|--------|--------|\n"
        "| 1    | FP32(BS=32) | 100.00  | 103.00  | 101.50 | 101.50 |\n"
    )


def test_what_brackets_mean_is_said_where_there_are_some(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(100.0, status="timeout")

    result = run_bench("report", "speed", "--trials", db=tmp_path / "bench.duckdb")

    assert result.stdout.endswith(
        "| gpus | case        | trial 1  | mean | median |\n"
        "|------|-------------|----------|------|--------|\n"
        "| 1    | FP32(BS=32) | (100.00) | -    | -      |\n"
        "in brackets: the number of a trial that does not count\n"
    )


def test_the_memory_table_has_the_same_layout(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.device_memory(ledger.run(127.09), ("0", 15000.0))
        ledger.run(gpus=8, status="oom")

    result = run_bench("-v", "report", "memory", db=tmp_path / "bench.duckdb")

    assert result.stdout == (
        "memory: campaign ngc; framework pytorch; implementation ngc; model bert_base; task pretraining; "
        "gpu_model V100-SXM2-16GB; unit MiB; definition device\n"
        "\n"
        "| gpus | FP32(BS=32) |\n"
        "|------|-------------|\n"
        "| 1    | 15000.00    |\n"
        "| 8    | OOM         |\n"
        "\n"
        "1 of 2 cells filled; missing: 8 x fp32 BS=32: oom\n"
        "device: all memory in use on the device, by telemetry; highest sample of the fullest device\n"
    )


def test_the_speedup_table_is_printed_as_readme_001_has_it(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(127.05)
        ledger.run(928.03, gpus=8)

    result = run_bench("-v", "report", "speedup", db=tmp_path / "bench.duckdb")

    assert result.stdout == (
        "speedup: campaign ngc; framework pytorch; implementation ngc; model bert_base; task pretraining; "
        "gpu_model V100-SXM2-16GB; precision fp32; seq_len 128; scaling weak; batch_size_per_gpu 32; "
        "unit samples/s; rule ngc.summary\n"
        "\n"
        "| node_num | gpu_num | samples/s | speedup | efficiency |\n"
        "|----------|---------|-----------|---------|------------|\n"
        "| 1        | 1       | 127.05    | 1.00    | 1.000      |\n"
        "| 1        | 8       | 928.03    | 7.30    | 0.913      |\n"
        "\n"
        "2 of 2 cells filled\n"
        "base: 1 GPU, 127.05 samples/s\n"
    )


def test_a_run_is_shown_with_logs_facts_speeds_and_status(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        oom = {"status": "oom", "reason": "out of memory", "text": "CUDA out of memory", "path": "logs/a.log"}
        run = ledger.run(key="aaaa00000000-1", **oom)
        ledger.fact(run, "gpus", "1", "log", used=True)

    result = run_bench("show", "aaaa", db=tmp_path / "bench.duckdb")

    assert result.stdout.splitlines()[:6] == [
        "run aaaa00000000-1: oom, out of memory",
        "evidence: logs/a.log:100 CUDA out of memory",
        "campaign: ngc",
        "case: bert_base_bs32_fp32_1",
        "steps: unknown done, unknown planned",
        "started: 2021-03-01 12:04 (log)",
    ]
    assert "| train | logs/a.log | 1          | 100       |" in result.stdout
    assert "| gpus | 1     |              | True | log    |       |" in result.stdout
    assert "| ngc.summary | True       | train |       |      | 0 " in result.stdout
    assert "\nmemory: none\n" in result.stdout
