"""What PaddlePaddle/Perf published for its other models comes out of their logs by named rules. Needs the real logs.

A lost row fails: each family's count is stated.
"""

from __future__ import annotations

import csv
import math
import re
import shutil
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask

# Family: how many of its rows are sure, and how many of them the format's default rule gives.
FAMILIES = {"paddle-ips(clas)": (10, 8), "paddle-ips(transformer)": (6, 3), "ngc-transformer(fairseq)": (5, 3)}
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


@pytest.fixture(scope="module")
def speeds(ledger: Path) -> dict[tuple[str, str], float]:
    """By path and rule, where the rule gives one; the default's once more as "default"."""
    rows = ask(
        ledger,
        """select distinct path, rule, is_default, value from sighting join run_log using (log_id)
           join run_speed using (run_id) where phase = 'train' and value is not null""",
    )
    by_rule = {(path, rule): value for path, rule, _, value in rows}
    return by_rule | {(path, "default"): value for path, _, is_default, value in rows if is_default}


def rule_of(row: dict[str, str]) -> str:
    """The rule that the manifest states in words."""
    unit = {"paddle-ips(transformer)": "words", "ngc-transformer(fairseq)": "tokens"}.get(row["format_family"], "mean")
    skip = re.search(r"skipping first (\d+)", row["aggregation_rule"])
    return f"perf.{unit}_skip{skip[1]}" if skip else f"perf.{unit}_last"


def same_digits(value: float | None, row: dict[str, str]) -> bool:
    """As printed, rounded; or cut off where the manifest says that its owner did (docs/rules.md, Rounding)."""
    if value is None:
        return False
    digits = len(row["published_value"].partition(".")[2])
    if "truncated" in row["verified"]:
        value = math.floor(value * 10**digits) / 10**digits
    return f"{value:.{digits}f}" == row["published_value"]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_yes_row_comes_out_at_its_printed_digits(
    speeds: dict[tuple[str, str], float], published: list[dict[str, str]], family: str
) -> None:
    rows = [row for row in published if row["format_family"] == family and row["verified"].startswith("yes")]
    wrong = [
        (row["path"], row["published_value"])
        for row in rows
        if not same_digits(speeds.get((row["path"], rule_of(row))), row)
    ]
    by_default = [same_digits(speeds.get((row["path"], "default")), row) for row in rows]

    assert wrong == []
    assert (len(rows), sum(by_default)) == FAMILIES[family]


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
