"""The families beyond NGC PyTorch BERT, from their real logs: how runs end, and that published numbers are in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask


@pytest.fixture(scope="module")
def megatron(h200: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("megatron") / "bench.duckdb"
    ingest(*sorted(h200.glob("megatron_*")), db=db)
    return db


def test_words_may_end_a_run(megatron: Path) -> None:
    found = ask(megatron, "select distinct status, steps_done, steps_planned from run order by steps_planned")

    assert found == [("ok", 60, 60), ("ok", 100, 100)]


def test_tokens_per_second_are_in_megatron_s_iterations(megatron: Path) -> None:
    # The middle iteration; gpu.md of the machine states 14,784 and 61,440 tokens/s.
    found = ask(
        megatron,
        """
        select c.precision, c.gpus, median(c.global_batch_size * c.seq_len / m.value)
        from measurement m join run r using (run_id) join bench_case c using (case_id)
        where m.quantity = 'step_time' and m.unit = 's' group by all order by all
        """,
    )

    assert [(precision, gpus) for precision, gpus, _ in found] == [("bf16", 1), ("fp16", 2), ("fp32", 1)]
    assert [speed for _, _, speed in found] == pytest.approx([61_440, 119_700, 14_784], rel=0.02)


def test_megatron_reports_its_memory(megatron: Path) -> None:
    found = ask(
        megatron,
        """
        select c.precision, c.gpus, m.quantity, max(m.value) > 10000, any_value(m.unit)
        from measurement m join run r using (run_id) join bench_case c using (case_id)
        where m.quantity like 'memory%' group by all order by all
        """,
    )

    assert found == [
        (precision, gpus, f"memory_{kind}", True, "MiB")
        for precision, gpus in (("bf16", 1), ("fp16", 2), ("fp32", 1))
        for kind in ("allocated", "reserved")
    ]


def test_a_readme_s_printed_trials_are_its_runs(shared: Path, tmp_path: Path) -> None:
    db = tmp_path / "bench.duckdb"
    ingest(*(shared / "seeds").glob("001_*.txt"), db=db)

    found = ask(
        db,
        """
        select nodes, gpus, framework, model, batch_size_per_gpu, count(*), median(value)::decimal(9, 2)::varchar
        from run join bench_case using (case_id) join run_speed using (run_id) where rule = 'summary.last'
        group by all order by gpus
        """,
    )

    assert found == [
        (1, 1, "mxnet", "bert_base", 32, 7, "127.05"),
        (1, 8, "mxnet", "bert_base", 32, 7, "928.03"),
        (2, 16, "mxnet", "bert_base", 32, 7, "1136.44"),
        (4, 32, "mxnet", "bert_base", 32, 7, "1895.50"),
    ]


def test_a_log_that_stops_before_the_steps_that_it_states_is_truncated(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    steps = "".join(
        f"tobal step: {step}, epoch: 0, batch: {step - 1}, loss: 9.0, avg_batch_cost: 0.1 sec, ips: 960.0 sequences/sec\n"
        for step in range(10, 201, 10)
    )
    log.write_text(
        "Namespace(batch_size=96, gradient_merge_steps=1, max_predictions_per_seq=20, max_steps=500, model_type='bert')\n"
        + steps,
        encoding="utf-8",
    )
    db = tmp_path / "bench.duckdb"
    ingest(log, db=db)

    assert ask(db, "select status, steps_done, steps_planned from run") == [("truncated", 200, 500)]


@pytest.mark.parametrize(("last", "status"), [(999, "ok"), (749, "truncated")])
def test_a_log_that_counts_its_steps_from_0_did_all_at_one_less_than_planned(
    tmp_path: Path, last: int, status: str
) -> None:
    log = tmp_path / "run.log"
    log.write_text(
        "INFO:root:Namespace(accumulate=2, batch_size=16, ckpt_dir='/c/', ckpt_interval=500, dtype='float16', num_steps=1000)\n"
        + "".join(
            f"INFO:root:[step {step}]\tmlm_loss=2.2\tmlm_acc=56.1\tnsp_loss=0.07\tnsp_acc=97.2\t"
            "throughput=111.0K tks/s\tlr=0.0000960 time=125.74\n"
            for step in range(249, last + 1, 250)
        ),
        encoding="utf-8",
    )
    db = tmp_path / "bench.duckdb"
    ingest(log, db=db)

    assert ask(db, "select status, steps_done, steps_planned from run") == [(status, last, 1000)]


def test_an_extract_with_the_closing_summary_is_ok_and_one_without_it_is_not_called_truncated(tmp_path: Path) -> None:
    steps = "".join(
        f"DLL 2020-12-17 15:06:{second}.814933 - Iteration: {second}  throughput_train : 4459.9 seq/s mlm_loss : 10.3\n"
        for second in range(10, 20)
    )
    closing = "INFO:tensorflow:Throughput Average (sentences/sec) = 3351.06\n"
    for name, text in {"steps.log": steps.replace("15:06", "16:06"), "whole.log": steps + closing}.items():
        (tmp_path / name).write_text(text)
    db = tmp_path / "bench.duckdb"

    ingest(tmp_path, db=db)

    ended = (
        "select status, closing_speed from run join run_log using (run_id) join kept.segment using (log_id) order by 1"
    )
    assert ask(db, ended) == [("ok", 3351.06), ("unknown", None)]
