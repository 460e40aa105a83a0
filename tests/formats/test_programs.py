"""Small logs of programs, as other releases, options and loggers print them: what is known of each run, and how fast it was.

A file of programs/ holds a log in our own words, its format, the case and status of its run, its speed by the default rule,
and how many pieces of it are rejects.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask, put

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "programs").glob("*.toml"))}
CASE = (
    "framework", "implementation", "model", "task", "precision", "batch_size_per_gpu", "global_batch_size", "nodes", "gpus",
    "seq_len", "gradient_accumulation",
)  # fmt: skip


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    for name, path in PROGRAMS.items():
        put(folder / "logs" / name / f"{name}.log", tomllib.loads(path.read_text(encoding="utf-8"))["log"])
    ingest(folder / "logs", db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


def found(ledger: Path, name: str) -> dict[str, Any]:
    of_log = f"from sighting join log using (log_id) where path like '%/{name}.log'"
    of_run = f"where run_id in (select run_id from run_log where log_id in (select log_id {of_log}))"
    ((log_format, rejects),) = ask(ledger, f"select format, rejects {of_log}")
    ((status, *case),) = ask(
        ledger, f"select status, {', '.join(CASE)}, options from run join bench_case using (case_id) {of_run}"
    )
    speeds = ask(
        ledger,
        f"select value, unit from run_speed {of_run} and is_default and phase = 'train' and value is not null order by unit",
    )
    options = json.loads(case.pop() or "{}")
    return {
        "format": log_format,
        "status": status,
        "rejects": rejects,
        "case": {key: value for key, value in zip(CASE, case, strict=True) if value is not None} | options,
        "speed": [list(speed) for speed in speeds],
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_log_of_a_program_tells_its_case_and_its_speed(ledger: Path, name: str) -> None:
    expected = tomllib.loads(PROGRAMS[name].read_text(encoding="utf-8"))
    del expected["log"]

    actual = found(ledger, name)

    assert actual | {"speed": []} == expected | {"speed": []}
    assert actual["speed"] == [[pytest.approx(value), unit] for value, unit in expected["speed"]]
