"""The logs of NVIDIA's other models: their formats, and what their owner's tables say of them. Needs the real logs."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask

FAMILIES = (
    "dllogger-text(ngc-pytorch-convnets)",
    "dllogger-text(ngc-tf-convnets)",
    "dllogger-text(ncf)",
    "dllogger-text(tacotron2)",
    "mxnet-ngc-dll-mpi",
    "ngc-ssd-text",
    "ngc-gnmt-text",
    "ngc-transformerxl-text",
)


@pytest.fixture(scope="module")
def published(shared: Path) -> list[dict[str, str]]:
    with open(shared / "corpus" / "manifest.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["format_family"] in FAMILIES]


@pytest.fixture(scope="module")
def ledger(corpus: Path, published: list[dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("dllogger")
    for row in published:
        place = logs / row["path"]
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(corpus / row["path"], place)
    db = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    ingest(logs, db=db)
    return db


def test_the_table_of_the_oldest_mxnet_log_is_what_was_published(ledger: Path) -> None:
    rows = ask(
        ledger,
        "select value from measurement where name = 'table.1' and line in "
        "(select line from measurement where name = 'table.gpus') and value > 1000 and log_id in "
        "(select log_id from sighting where path like '%@76c46877/%') order by 1",
    )

    assert rows == [(1447.6,), (9765.6,)]


def test_benchmark_py_s_table_agrees_with_the_epochs_that_it_is_made_of(ledger: Path) -> None:
    rows = ask(
        ledger,
        """with cell as (
               select m.log_id, gpus.value as gpus, m.value from measurement m
               join measurement gpus on gpus.log_id = m.log_id and gpus.line = m.line and gpus.name = 'table.gpus'
               where m.name = 'table.1'
           )
           select cell.value, s.value from run_log join run using (run_id) join bench_case using (case_id)
           join run_speed s using (run_id) join cell on cell.log_id = run_log.log_id and cell.gpus = bench_case.gpus
           where s.rule = 'convnets.mxnet_table' and s.value is not null and isfinite(cell.value)""",
    )

    assert len(rows) >= 12
    assert [row for row in rows if row[0] != row[1]] == []


def test_every_log_of_the_families_is_of_its_format(ledger: Path) -> None:
    rows = ask(
        ledger,
        "select coalesce(format, ''), status, count(*) from sighting left join log using (log_id) group by all order by all",
    )

    failed = ask(ledger, "select count(*) from run where status = 'failed'")

    assert failed == [(29,)]
    # `Avg = 907.118`, eight times, is all that the unrecognised one holds.
    assert rows == [
        ("", "unrecognised", 1),
        ("ngc-gnmt", "loaded", 22),
        ("ngc-mxnet-rn50", "duplicate", 2),
        ("ngc-mxnet-rn50", "loaded", 13),
        ("ngc-ncf", "loaded", 22),
        ("ngc-pytorch-convnets", "duplicate", 3),
        ("ngc-pytorch-convnets", "loaded", 48),
        ("ngc-ssd", "loaded", 22),
        ("ngc-tacotron2", "loaded", 44),
        ("ngc-tf-convnets", "duplicate", 3),
        ("ngc-tf-convnets", "loaded", 24),
        ("ngc-transformer-xl", "loaded", 49),
    ]
    assert ask(ledger, "select * from reject") == []
