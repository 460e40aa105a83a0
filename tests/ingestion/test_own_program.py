"""A program that prints another's lines says whose it is; without that, they are its whose lines they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchledger

STEP = "INFO:root:[step {0}]\tmlm_loss=5.50000\tnsp_loss= 0.70\tthroughput=10.0K tks/s\tlr=0.0001 time=0.05, latency=50.0 ms/batch\n"
STEPS = "".join(STEP.format(step) for step in range(1, 31))
SETTINGS = "INFO:root:Namespace(accumulate=1, batch_size=16, ckpt_interval=9, gluonnlp='0.10.0',{0} max_seq_length=32, num_steps=30, phase2=False, total_batch_size=16)\n"


@pytest.mark.parametrize(
    ("stated", "implementation"), [(" implementation='benchledger',", "benchledger"), ("", "gluon-nlp")]
)
def test_who_prints_says_so_and_contradicts_nobody(tmp_path: Path, stated: str, implementation: str) -> None:
    (tmp_path / "run.log").write_text(SETTINGS.format(stated) + STEPS)
    db = tmp_path / "bench.duckdb"
    benchledger.ingest(tmp_path / "run.log", db=db)
    case = "select framework, implementation from run join bench_case using (case_id)"

    assert benchledger.sql(case, db=db).rows() == [("mxnet", implementation)]
    assert benchledger.sql("from conflict", db=db).rows() == []
