"""DLPerf's published medians of TensorFlow's Keras ResNet50 come out of its logs by both of its rules. Needs the real logs."""

from __future__ import annotations

from pathlib import Path

from benchledger import ingest
from tests.ingestion.logs import ask


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
