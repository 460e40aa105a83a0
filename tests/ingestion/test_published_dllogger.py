"""The logs of NVIDIA's other models: their formats, and what their owner's tables say of them. Needs the real logs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.ingestion.logs import ask
from tests.ingestion.published import Row, paths_of, rows_of_families

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


@pytest.fixture
def published(shared: Path) -> list[Row]:
    return rows_of_families(shared, FAMILIES)


def test_the_table_of_the_oldest_mxnet_log_is_what_was_published(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
        "select value from measurement where name = 'table.1' and line in "
        "(select line from measurement where name = 'table.gpus') and value > 1000 and log_id in "
        "(select log_id from sighting where path like '%@76c46877/%') order by 1",
    )

    assert rows == [(1447.6,), (9765.6,)]


def test_benchmark_py_s_table_agrees_with_the_epochs_that_it_is_made_of(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
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


def test_every_log_of_the_families_is_of_its_format(corpus_ledger: Path, published: list[Row]) -> None:
    paths = paths_of(corpus_ledger, published)
    seen = ask(corpus_ledger, "select path, coalesce(format, ''), status from sighting left join log using (log_id)")
    rows = Counter((name, status) for path, name, status in seen if path in paths)
    failed = ask(
        corpus_ledger,
        "select path, run_id from sighting join run_log using (log_id) join run using (run_id) where run.status = 'failed'",
    )

    assert len({run for path, run in failed if path in paths}) == 29
    # `Avg = 907.118`, eight times, is all that the unrecognised one holds.
    assert sorted((*told, count) for told, count in rows.items()) == [
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


def test_what_counts_frames_and_values_of_sound_is_in_items_and_never_in_samples(corpus_ledger: Path) -> None:
    rows = ask(
        corpus_ledger,
        """select rule, unit, count(*) > 20 from run_speed join kept.run_format using (run_id)
           where format = 'ngc-tacotron2' and phase = 'train' and value is not null
               and (ends_with(rule, '.last') or ends_with(rule, '.tacotron2')) group by all order by all""",
    )

    assert rows == [(rule, "items/s", True) for rule in ("lambda.tacotron2", "summary.last", "tacotron2.last")]
