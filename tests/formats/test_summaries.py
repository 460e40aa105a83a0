"""A summary's throughput is a closing number: what a program prints of each step is none."""

from __future__ import annotations

from pathlib import Path

from benchledger import ingest
from benchledger.definitions.format_file import read_formats
from benchledger.definitions.template import Hole
from tests.ingestion.logs import ask

ITERATION = (
    " iteration        {step}/    1000 | consumed samples:         1024 | elapsed time per iteration (ms): 150000.0 | "
    "learning rate: 0.000E+00 | global batch size:  1024 | lm loss: 1.2E+01 | number of skipped iterations:   0 |"
)
DEEPSPEED = "steps: {step} loss: 12.7902 iter time (s): 150.471 samples/sec: 7.052"


def test_no_summary_that_has_a_step_has_a_throughput() -> None:
    of_a_step = []
    for definition in read_formats().values():
        speeds = {field.name for field in definition.fields.values() if field.quantity == "throughput"}
        for record in definition.records:
            for template in record.templates if record.kind == "summary" else ():
                holes = {part.name for part in template.parts if isinstance(part, Hole)}
                if "step" in holes and holes & speeds:
                    of_a_step.append(f"{definition.name}: {template.source}")

    assert of_a_step == []


def test_a_line_of_deepspeed_about_a_step_is_neither_a_second_step_nor_a_closing_speed(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "main.out"
    log.parent.mkdir()
    log.write_text("\n".join(line.format(step=step) for step in (1, 2) for line in (DEEPSPEED, ITERATION)) + "\n")
    db = tmp_path / "bench.duckdb"
    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select steps_done, status from run") == [(2, "truncated")]
    assert ask(db, "select value from measurement where name = 'samples_per_sec'") == [(7.052,), (7.052,)]
    assert ask(db, "select value from run_speed where rule = 'summary.last' and value is not null") == []
