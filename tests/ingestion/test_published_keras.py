"""DLPerf's published medians of TensorFlow's Keras ResNet50 come out of its logs by both of its rules. Needs the real logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask


def test_the_result_json_claims_what_its_logs_give(corpus: Path, tmp_path: Path) -> None:
    db = tmp_path / "bench.duckdb"
    ingest(*corpus.glob("Oneflow-Inc+DLPerf@e36df2ea/Tensorflow/resnet50v1.5"), db=db)

    rows = ask(
        db,
        """with claimed as (
               select regexp_extract(name, '(\\d+)n(\\d+)g.median_speed', 1)::int as nodes,
                   regexp_extract(name, '(\\d+)n(\\d+)g.median_speed', 2)::int as cards, value
               from kept.measurement_all where name like 'rn50.%.median_speed'
           )
           select s.nodes, s.gpus, s.value, claimed.value from speed_table s
           join claimed on claimed.nodes = s.nodes and claimed.nodes * claimed.cards = s.gpus
           where rule = 'dlperf.tf2_rn50_time' order by s.gpus""",
    )

    assert [(nodes, gpus) for nodes, gpus, *_ in rows] == [(1, 1), (1, 8), (4, 32)]
    assert [ours for *_, ours, _ in rows] == pytest.approx([claimed for *_, claimed in rows], rel=1e-12)


def test_the_readme_and_the_result_json_are_two_readings_of_the_same_logs(corpus: Path, tmp_path: Path) -> None:
    db = tmp_path / "bench.duckdb"
    ingest(*corpus.glob("Oneflow-Inc+DLPerf@*/Tensorflow/resnet50v1.5/logs"), db=db)

    rows = ask(
        db,
        """select rule, gpus, trials, value, is_default from speed_table
           where rule in ('dlperf.tf2_rn50', 'dlperf.tf2_rn50_time') order by rule, gpus""",
    )
    speedups = ask(db, "select gpus, speedup from speedup_table where rule = 'dlperf.tf2_rn50_time' order by gpus")

    assert rows == [
        ("dlperf.tf2_rn50", 1, 5, 321.8, True),
        ("dlperf.tf2_rn50", 8, 5, 2458.74, True),
        ("dlperf.tf2_rn50", 32, 5, 9418.44, True),
        ("dlperf.tf2_rn50_time", 1, 5, 321.74, False),
        ("dlperf.tf2_rn50_time", 8, 5, 2458.22, False),
        ("dlperf.tf2_rn50_time", 32, 5, 9415.85, False),
    ]
    assert [row for row in speedups if row[0] > 1] == [(8, 7.64), (32, 29.27)]
    assert ask(db, "select * from reject") == []
    assert ask(db, "select status, count(*) from run group by all") == [("ok", 15)]
