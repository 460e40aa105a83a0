"""What is read is written in batches, while other processes read on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchledger.ingestion import ingest as ingesting
from benchledger.ingestion import pool, read, write
from benchledger.ingestion.accounts import Pending
from benchledger.ingestion.arrived import ArrivedRecords
from benchledger.ingestion.ingest import ingest
from benchledger.scanning import columns, log_reader
from benchledger.store import rollups
from benchledger.store.rollups import frames
from tests.ingestion.logs import ask, put, run_text, stable_tables

FOLDERS = 4


def campaigns(folder: Path) -> Path:
    """A log, its twin and its telemetry in each of some folders; the twins of one half stand in folders of their own."""
    for number in range(FOLDERS):
        run = run_text(seed=number, steps=30, at=4000 * number)
        put(folder / f"c{number}" / "run.log", run.log)
        put(folder / f"c{number}" / ("twin" if number % 2 else ".") / "run.json", run.twin)
        put(folder / f"c{number}" / "gpu.csv", run.telemetry)
    return folder


def written(monkeypatch: pytest.MonkeyPatch) -> list[Pending]:
    seen: list[Pending] = []
    real = write.Writer.write

    def seeing(self: write.Writer, pending: Pending) -> None:
        seen.append(pending)
        real(self, pending)

    monkeypatch.setattr(write.Writer, "write", seeing)
    return seen


@pytest.mark.parametrize("jobs", [1, 2])
def test_logs_that_are_written_in_several_batches_give_the_same_tables(
    db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    logs = campaigns(tmp_path / "logs")
    ingest(logs, db=db)
    for place, name, small in ((ingesting, "BATCH_RECORDS", 1), (ingesting, "BATCH_FOLDERS", 1), (pool, "UNIT_FILES", 2),
                               (pool, "WORTH_A_PROCESS", 0)):  # fmt: skip
        monkeypatch.setattr(place, name, small)
    batches = written(monkeypatch)
    ingest(logs, db=db2, jobs=jobs)

    assert len([batch for batch in batches if batch.sightings]) == FOLDERS * 3 // 2
    assert stable_tables(db2) == stable_tables(db)


def test_a_batch_spans_some_folders_unless_it_holds_very_many_records(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = campaigns(tmp_path / "logs")
    monkeypatch.setattr(ingesting, "BATCH_RECORDS", 1)
    monkeypatch.setattr(ingesting, "BATCH_FOLDERS", 3)
    monkeypatch.setattr(pool, "UNIT_FILES", 1)
    batches = written(monkeypatch)
    ingest(logs, db=db)

    assert next(len(batch.folders) for batch in batches if batch.sightings) == 3
    assert any(batch.records > 1 for batch in batches)


def test_other_processes_read_ahead_by_bytes_not_by_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun: list[pool.Unit] = []
    done = pool.Batch()
    monkeypatch.setattr(pool.Pool, "_begin", lambda self, unit: begun.append(unit) or done)
    units = [pool.Unit(bytes=pool.READ_AHEAD // 8) for _ in range(30)]
    stream: Any = lambda batch: batch  # noqa: E731
    streams = [pool.Unit(settle=stream) for _ in range(30)]

    # Of streams none is begun before the one before it was taken: one walk through the archive gives them all.
    for given, ahead in ((units, 8), (streams, 1)):
        begun.clear()
        reading = pool.Pool(frozenset(), b"", tmp_path, 2).read(iter(given), pool.WORTH_A_PROCESS)
        assert len(begun) == ahead
        assert len(list(reading)) == len(begun) == 30


KEPT = ("kept_speed", "run_memory", "kept_loss", "kept_low_loss", "kept_evaluation", "run_clock")


@pytest.mark.parametrize("is_long", [False, True])
def test_what_is_kept_of_records_that_just_arrived_is_what_is_kept_of_them_when_they_are_read_back(
    db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_long: bool
) -> None:
    logs = campaigns(tmp_path / "logs")
    put(tmp_path / "logs" / "both.log", run_text(steps=90, seed=7).log + run_text(steps=90, seed=8, at=9000).log)
    if is_long:
        # Also read in small parts, so that their records wait in files.
        for place, name, small in ((rollups, "CHUNK_RECORDS", 1), (frames, "PART_RECORDS", 7), (columns, "ROWS_AT_ONCE", 1),
                                   (log_reader, "CHUNK", 4096), (read, "CHUNK", 4096)):  # fmt: skip
            monkeypatch.setattr(place, name, small)
    handed: list[int] = []
    real = ArrivedRecords.frames
    monkeypatch.setattr(
        ArrivedRecords, "frames", lambda self, logs, *lines: handed.extend(logs) or real(self, logs, *lines)
    )
    ingest(logs, db=db)
    # Each run's are gone through twice; both.log has two runs.
    assert set(Counter(handed).values()) == ({2, 4} if is_long else {1})
    monkeypatch.setattr(ArrivedRecords, "has", lambda self, logs: False)
    ingest(logs, db=db2)

    for table in KEPT:
        assert ask(db, f"from {table} order by all") == ask(db2, f"from {table} order by all")
    assert ask(db, "select count(*) from kept_speed where value is not null")[0][0] > FOLDERS
