"""The logs of PaddlePaddle/Perf's other models: their formats, nodes and how they ended. Needs the real logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingestion.logs import ask
from tests.ingestion.published import Row, rows_of_families

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


@pytest.fixture
def published(shared: Path) -> list[Row]:
    return rows_of_families(shared, FORMATS)


@pytest.mark.parametrize("family", FORMATS)
def test_every_log_of_a_family_is_told_by_its_format_and_has_no_reject(
    corpus_ledger: Path, published: list[Row], family: str
) -> None:
    formats = dict(ask(corpus_ledger, "select distinct path, format from sighting join log using (log_id)"))
    found = [formats.get(row["path"]) for row in published if row["format_family"] == family]

    assert found == [FORMATS[family][0]] * FORMATS[family][1]
    assert ask(corpus_ledger, "select * from reject join log using (log_id) where format = ?", FORMATS[family][0]) == []


def test_what_a_parameter_server_log_says_of_its_nodes_beats_its_name(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
        """select distinct path, nodes from sighting join run_log using (log_id) join run using (run_id)
           join bench_case using (case_id) where path like '%W2V_DataLoader_16Thread_8Node'""",
    )

    assert [nodes for _, nodes in rows] == [16]


def test_a_run_that_diverged_or_broke_off_keeps_its_speed_and_says_what_became_of_it(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
        """select run.status, count(distinct run_id) from log join run_log using (log_id) join run using (run_id)
           where log.format = 'ngc-transformer' group by all order by all""",
    )

    # NaN since step 26050; scoring that failed after the training; grep of the steps, or a log cut at its validation. One
    # more, cut before its scoring failed, is a copy of one that failed.
    assert rows == [("failed", 3), ("nan", 2), ("ok", 8), ("truncated", 3)]
