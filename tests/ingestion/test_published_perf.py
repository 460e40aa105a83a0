"""The logs of PaddlePaddle/Perf's other models: their formats, nodes and how they ended. Needs the real logs."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask

# The format of each family of Perf, and how many of its logs there are.
FORMATS = {
    "paddle-ips(clas)": ("paddle-clas", 24),
    "paddle-ips(transformer)": ("paddle-transformer", 22),
    "paddle-ips(seg)": ("paddle-seg", 16),
    "paddle-ps-cpu(ctr)": ("paddle-ps", 15),
    "word2vec-paddle": ("paddle-ps", 10),
    "mmseg": ("mmseg", 32),
    "ngc-transformer(fairseq)": ("ngc-transformer", 23),
}


@pytest.fixture(scope="module")
def published(shared: Path) -> list[dict[str, str]]:
    with open(shared / "corpus" / "manifest.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["format_family"] in FORMATS]


@pytest.fixture(scope="module")
def ledger(corpus: Path, published: list[dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("perf")
    for row in published:
        place = logs / row["path"]
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(corpus / row["path"], place)
    db = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    ingest(logs, db=db)
    return db


@pytest.mark.parametrize("family", FORMATS)
def test_every_log_of_a_family_is_told_by_its_format_and_has_no_reject(
    ledger: Path, published: list[dict[str, str]], family: str
) -> None:
    formats = dict(ask(ledger, "select distinct path, format from sighting join log using (log_id)"))
    found = [formats.get(row["path"]) for row in published if row["format_family"] == family]

    assert found == [FORMATS[family][0]] * FORMATS[family][1]
    assert ask(ledger, "select * from reject") == []


def test_what_a_parameter_server_log_says_of_its_nodes_beats_its_name(ledger: Path) -> None:
    rows = ask(
        ledger,
        """select distinct path, nodes from sighting join run_log using (log_id) join run using (run_id)
           join bench_case using (case_id) where path like '%W2V_DataLoader_16Thread_8Node'""",
    )

    assert [nodes for _, nodes in rows] == [16]


def test_a_run_that_diverged_or_broke_off_keeps_its_speed_and_says_what_became_of_it(ledger: Path) -> None:
    rows = ask(
        ledger,
        """select run.status, count(distinct run_id) from log join run_log using (log_id) join run using (run_id)
           where log.format = 'ngc-transformer' group by all order by all""",
    )

    # NaN since step 26050; scoring that failed after the training; grep of the steps, or a log cut at its validation.
    assert rows == [("failed", 3), ("nan", 2), ("ok", 8), ("truncated", 4)]
