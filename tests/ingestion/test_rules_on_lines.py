"""Rules on the lines of their programs: each number is worked out here from the text alone, as its owner's script does."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from statistics import mean, median

import pytest

from benchledger import ingest
from tests.ingestion.conftest import Files, Given, given
from tests.ingestion.logs import ask

SPEEDS = "select rule, value, unit, is_default from run_speed where list_contains(?, rule) order by rule"


def speeds(own: Given | Path, *rules: str) -> list[tuple[object, ...]]:
    return ask(own, SPEEDS, list(rules)) if isinstance(own, Path) else own.ask(SPEEDS, list(rules))


def log_of(name: str, lines: list[str]) -> Files:
    return {name: "\n".join(lines) + "\n"}


LATENCIES = [[251.04 + step / 10 + rank * rank for rank in range(8)] for step in range(1, 201)]


@given(
    log_of(
        "bert/bz32/1n8g/bert_base_b32_fp32_3.log",
        [
            f"[step {step}]\tmlm_loss=10.15625\tmlm_acc= 2.31\tnsp_loss= 0.71\tnsp_acc=51.50\tthroughput=16.3K tks/s\t"
            f"lr=0.0000100 time=25.10, latency={latency} ms/batch"
            for step, ranks in enumerate(LATENCIES, start=1)
            for latency in ranks
        ],
    )
)
def test_mxnet_bert_takes_the_median_over_ranks_of_each_step_and_the_second_hundred(own: Given) -> None:
    by_step = [median(1000 / round(latency, 1) * 32 * 8 for latency in ranks) for ranks in LATENCIES]

    assert speeds(own, "dlperf.mxnet_bert", "gluonnlp.latency") == [
        ("dlperf.mxnet_bert", round(mean(by_step[100:200]), 2), "samples/s", False),
        ("gluonnlp.latency", pytest.approx(1 / median(1 / (1000 / median(ranks) * 256) for ranks in LATENCIES[20:]), rel=1e-3),
         "samples/s", True),
    ]  # fmt: skip


@given(
    log_of(
        "1n8g/bert_base_b32_fp32_3.log",
        [
            f"INFO:root:[step {step}]\tmlm_loss=2.24810\tmlm_acc=56.13896\tnsp_loss=0.07310\tnsp_acc=97.237\t"
            f"throughput={tokens}K tks/s\tlr=0.0000960 time=125.74"
            for step, tokens in ((249, 90.0), (499, 111.0), (749, 113.0))
        ],
    )
)
def test_a_gluon_log_without_latency_speaks_by_its_tokens(own: Given) -> None:
    assert speeds(own, "gluonnlp.tokens") == [("gluonnlp.tokens", 112_000.0, "tokens/s", True)]


@given(
    log_of(
        "hvd.log",
        [
            "Number of GPUs: 2",
            *(
                f"[1,{rank}]<stdout>:Iter #{step}: {speed} img/sec per GPU"
                for step, speeds_of_ranks in enumerate([(10.0, 20.0), (100.0, 110.0), (104.0, 114.0)])
                for rank, speed in enumerate(speeds_of_ranks)
            ),
        ],
    )
)
def test_the_first_step_of_each_rank_is_left_out(own: Given) -> None:
    assert speeds(own, "steps.mean_skip1", "steps.median_skip0") == [
        ("steps.mean_skip1", 2 * mean([100, 110, 104, 114]), "samples/s", False),
        ("steps.median_skip0", 2 * median([10, 20, 100, 110, 104, 114]), "samples/s", False),
    ]


def oneflow(steps: dict[int, float]) -> Files:
    settings = ["batch_size_per_device = 24", "gpu_num_per_node = 8", "num_nodes = 2", "max_predictions_per_seq = 20"]
    lines = [
        f"step: {step}, total_loss: 9.725, mlm_loss: 8.960, nsp_loss: 0.766, throughput: 54.982 {1598056519.0 + at}"
        for step, at in steps.items()
    ]
    return log_of("2n8g/oneflow.log", settings + lines)


@given(oneflow({19: 0, 39: 3, 59: 30, 79: 31, 99: 32, 119: 40, 139: 900}))
def test_oneflow_bert_is_the_difference_of_two_timestamps(own: Given) -> None:
    assert speeds(own, "dlperf.oneflow", "dlperf.oneflow_from20") == [
        ("dlperf.oneflow", 100 * 24 * 16 / 40, "samples/s", True),
        ("dlperf.oneflow_from20", None, "samples/s", False),
    ]


@given(oneflow({20: 0, 70: 30, 120: 40}))
def test_oneflow_bert_that_prints_other_steps_counts_from_20(own: Given) -> None:
    assert speeds(own, "dlperf.oneflow_from20") == [("dlperf.oneflow_from20", 960.0, "samples/s", True)]


@given(oneflow({19: 0, 39: 3}))
def test_a_short_log_of_oneflow_bert_falls_back_to_its_steps(own: Given) -> None:
    assert own.ask("select rule, value from run_speed where is_default") == [("steps.mean_skip1", 54.982)]


@given(
    log_of(
        "throughput_data_pretarin/batch_8.log",
        ["Running throughput average: 12.1", "Running throughput average: 41.73"],
    )
)
def test_the_last_running_average_of_tbd_counts(own: Given) -> None:
    assert speeds(own, "tbd.running_average") == [("tbd.running_average", 41.73, "samples/s", True)]


def test_dlperfs_clock_rule_for_ngc_pytorch_bert(h200: Path, tmp_path: Path) -> None:
    folder = h200 / "ngc_bert_base_sp_bs32_fp32"
    ingest(folder, db=tmp_path / "bench.duckdb")
    (log,) = folder.glob("*.log")
    stamps = [
        datetime.fromisoformat(stamp)
        for stamp, step in re.findall(
            r"DLL (\S+ \S+) - Training Epoch: \d+ Training Iteration: (\d+) ", log.read_text()
        )
        if int(step) > 5
    ]
    seconds = (stamps[109] - stamps[19]).total_seconds()

    assert speeds(tmp_path / "bench.duckdb", "dlperf.ngc_pt_bert") == [
        ("dlperf.ngc_pt_bert", round(32 * 90 / seconds, 2), "samples/s", False)
    ]


def test_dlperfs_rules_for_ngc_tensorflow_bert(corpus: Path, tmp_path: Path) -> None:
    name = "tf_bert_pretraining_lamb_base_fp32_bs32_gpu32.log"
    (log,) = corpus.glob(f"*76c46877/Bert/OtherReports/TensorFlow/logs/{name}")
    ingest(log, db=tmp_path / "bench.duckdb")
    printed = [float(value) for value in re.findall(r"throughput_train : (\S+)", log.read_text())]

    assert speeds(tmp_path / "bench.duckdb", "dlperf.ngc_tf_bert", "dlperf.ngc_tf_bert_time") == [
        ("dlperf.ngc_tf_bert", round(mean(printed[2:12]), 2), "samples/s", False),
        ("dlperf.ngc_tf_bert_time", None, "samples/s", False),  # it ends before iteration 120
    ]


def test_paddles_rule_for_bert_skips_ten_and_fails_a_log_of_ten(corpus: Path, tmp_path: Path) -> None:
    (log,) = corpus.glob("*58c854be/Bert/logs/base_bs48_fp32_gpu8.log")
    text = log.read_text(errors="replace")
    lines = [line for line in text.splitlines(keepends=True) if re.search(r"[lb]al step", line)]
    printed = [float(value) for value in re.findall(r"ips: ([\d.]+) seq", text)]
    assert len(printed) == len(lines)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "base_bs48_fp32_gpu8.log").write_text(text)
    (tmp_path / "short").mkdir()
    (tmp_path / "short" / "base_bs48_fp32_gpu8.log").write_text("".join(lines[:10]))
    ingest(tmp_path / "logs", tmp_path / "short", db=tmp_path / "bench.duckdb")

    rows = ask(tmp_path / "bench.duckdb", "select value, status from run_speed where rule = 'paddle.bert' order by 1")

    assert rows == [(round(8 * mean(printed[10:]), 3), "ok"), (None, rows[1][1])]
    assert rows[1][1] in ("too_few_records", "truncated")


def test_bigsciences_flops_are_of_the_parameters_that_facts_toml_states(corpus: Path, tmp_path: Path) -> None:
    (log,) = corpus.glob("bigscience@*/experiments/gpt2-meg/meg_gpt2_perf_n16.out")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / log.name).write_bytes(log.read_bytes())
    (tmp_path / "logs" / "facts.toml").write_text("[run]\nparams_b = 52\n")
    db = tmp_path / "bench.duckdb"
    ingest(tmp_path / "logs", db=db)
    (ms,) = [re.findall(r"elapsed time per iteration \(ms\): ([\d.]+)", log.read_text(errors="replace"))[1:]]
    seconds = mean(map(float, ms)) / 1000

    ((_, value, unit, is_default),) = speeds(db, "megatron.tflops_per_gpu")

    assert value == pytest.approx(52 * 4 * 2 * 1024 * 1024 / (seconds * 64 * 1e3))
    assert (unit, is_default) == ("TFLOP/s", False)
    # Its page has 52.8, of seconds that it rounds first.
    assert f"{value * seconds / round(seconds):.1f}" == "52.8"
