"""Every stored number leads to its log, line and byte offset."""

from __future__ import annotations

import re
from pathlib import Path

from benchledger import ingest
from tests.ingestion.logs import ask, put, run_text


def test_every_number_stands_in_the_log_at_its_line_and_offset(db: Path, tmp_path: Path) -> None:
    run = run_text(precision="fp16", steps=40)
    texts = {"r/run.log": run.log, "r/dllogger.json": run.twin, "r/run.csv": run.telemetry}
    for path, text in texts.items():
        put(tmp_path / "logs" / path, text)
    ingest(tmp_path / "logs", db=db)

    rows = ask(
        db,
        """select s.path, m.line, m.byte_offset, m.name, m.value from kept.measurement_all as m
           join sighting as s using (log_id) where m.value is not null""",
    )

    assert len(rows) > 300
    for path, line, offset, name, value in rows:
        data = texts[path].encode()
        assert data.count(b"\n", 0, offset) + 1 == line
        end = data.find(b"\n", offset)
        printed = [
            float(number) for number in re.findall(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", data[offset:end])
        ]
        assert value in printed, (path, line, name, value)


def test_the_line_that_decided_a_status_stands_in_its_log(db: Path, tmp_path: Path) -> None:
    for number, ends in enumerate(["ok", "oom", "killed", "terminated"]):
        put(
            tmp_path / "logs" / f"{ends}.log",
            run_text(ends=ends, steps={"terminated": 66, "killed": 53}.get(ends, 120), at=300 * number).log,
        )
    ingest(tmp_path / "logs", db=db)

    decided = {}
    for path, status, line in ask(
        db, "select s.path, r.status, r.status_line from run r join sighting s on s.log_id = r.status_log_id"
    ):
        lines = (tmp_path / "logs" / path).read_bytes().decode().split("\n")
        decided[path] = (status, lines[line - 1])

    assert decided["ok.log"][0] == "ok"
    assert "training_sequences_per_second" in decided["ok.log"][1]
    assert decided["oom.log"][0] == "oom"
    assert "out of memory" in decided["oom.log"][1]
    assert decided["killed.log"][0] == "truncated"
    assert decided["terminated.log"][0] == "too_few_steps"
    assert "training_sequences_per_second" in decided["terminated.log"][1]
