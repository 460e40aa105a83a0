"""TensorFlow's and Paddle's BERT and Megatron: every run has a default speed or says why not. Needs the real logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask

FORMATS = ["tf-ngc-bert", "paddle-bert", "megatron-gpt"]


def test_every_log_of_the_families_has_one_default_speed_or_says_why_not(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
        """select run_id, count(*), count(value) from run_speed join kept.run_format using (run_id)
           where is_default and phase = 'train' and list_contains(?, format) group by all""",
        FORMATS,
    )
    silent = ask(
        corpus_ledger,
        """select distinct status from run_speed join kept.run_format using (run_id) where is_default and phase = 'train'
           and value is null and status <> 'ok' and list_contains(?, format)""",
        FORMATS,
    )
    logs = ask(
        corpus_ledger,
        "select count(*) from run_log join log using (log_id) where role = 'train' and list_contains(?, format)",
        FORMATS,
    )

    assert {count for _, count, _ in rows} == {1}
    assert [(len(rows),)] == logs
    assert sum(values for *_, values in rows) >= 70
    assert {status for (status,) in silent} <= {"failed", "truncated", "missing_fact", "too_few_records"}


def test_logs_of_many_nodes_without_a_summary_speak_by_the_fallback_and_say_so(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
        """select distinct rule, gpus from speed_table join kept.series_run using (series_id) join kept.run_format using (run_id)
           where is_default and value is not null and format = 'tf-ngc-bert' order by all""",
    )

    assert rows == [("ngc.tf_mean", 32), ("ngc.tf_summary", 1), ("ngc.tf_summary", 8)]


def test_no_table_of_a_default_mixes_two_rules_in_a_series(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger, "select series_id from speed_table where is_default group by series_id, unit having count(*) > 1"
    )

    assert rows == []


def test_megatron_on_h200_is_told_in_tokens_a_second(h200: Path, tmp_path: Path) -> None:
    db = tmp_path / "bench.duckdb"
    ingest(*sorted(h200.glob("megatron_*")), db=db)

    rows = ask(
        db,
        "select precision, gpus, seq_len, value, unit, rule from speed_table where is_default order by precision, gpus",
    )

    assert [(*row[:3], *row[4:]) for row in rows] == [
        ("bf16", 1, 1024, "tokens/s", "megatron.tokens"),
        ("fp16", 2, 1024, "tokens/s", "megatron.tokens"),
        ("fp32", 1, 1024, "tokens/s", "megatron.tokens"),
    ]
    assert rows[0][3] == pytest.approx(61_440, rel=1e-3)
    assert rows[2][3] == pytest.approx(14_784, rel=1e-3)


def test_paddles_modes_agree_where_a_log_prints_time_steps_and_speed(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
        """select s.value, t.value, u.value from run_speed s
           left join run_speed t on t.run_id = s.run_id and t.rule = 'paddle.mode0'
           left join run_speed u on u.run_id = s.run_id and u.rule = 'paddle.mode3'
           join kept.run_format f on f.run_id = s.run_id
           where s.rule = 'paddle.mode_minus1' and s.value is not null and list_contains(?, f.format)""",
        FORMATS,
    )
    by_time = [(speed, other) for speed, other, _ in rows if other is not None]
    by_steps = [(speed, other) for speed, _, other in rows if other is not None]

    assert len(by_time) >= 15
    assert len(by_steps) >= 4
    # A mean of times is harmonic in speed: the slow first line weighs more. steps/s are printed with two decimals.
    assert [pair for pair in by_time if not 0.9 * pair[0] < pair[1] < 1.003 * pair[0]] == []
    assert [pair for pair in by_steps if pair[0] != pytest.approx(pair[1], rel=1e-3)] == []
