"""Lambda's published batch sizes reach the runs beside their benchmark.para files. Needs the real logs."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, str]:
    """The published global batch size by the path of its benchmark.para: the rows that are sure."""
    with open(shared / "corpus" / "manifest.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["format_family"] == "benchmark.para"]
    return {row["path"]: row["published_value"] for row in rows if row["verified"].startswith("yes")}


@pytest.fixture(scope="module")
def ledger(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("lambda")
    for folder in corpus.glob("lambdal+*"):
        shutil.copytree(folder, logs / folder.name)
    db = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    ingest(logs, db=db)
    return db


def test_the_runs_beside_them_have_it(ledger: Path, published: dict[str, str]) -> None:
    stated = ask(
        ledger,
        """select distinct regexp_replace(path, '[^/]*$', 'benchmark.para'), global_batch_size::varchar
           from sighting join run_log using (log_id) join run using (run_id) join bench_case using (case_id)
           where run_log.role = 'train'""",
    )
    found = {path: value for path, value in stated if path in published}

    assert len(found) >= 16
    assert found == {path: published[path] for path in found}
