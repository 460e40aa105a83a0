"""How often an ingest opens its ledger, and how long it keeps others from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchledger.errors import DatabaseHeldError
from benchledger.ingestion import pool, units
from benchledger.ingestion.batches import BatchLimits
from benchledger.ingestion.ingest import IngestOptions, ingest_with
from benchledger.ingestion.reading import Progress
from benchledger.store import database
from tests.ingestion.logs import put, run_text


def logs(folder: Path, seeds: range) -> Path:
    for seed in seeds:
        put(folder / f"r{seed}" / "run.log", run_text(seed=seed, steps=30, at=4000 * seed).log)
    return folder


def openings(monkeypatch: pytest.MonkeyPatch, db: Path) -> list[Path]:
    seen: list[Path] = []
    real = database._connect

    def seeing(place: Path, **how: Any) -> Any:
        if place == db:
            seen.append(place)
        return real(place, **how)

    monkeypatch.setattr(database, "_connect", seeing)
    return seen


@pytest.mark.parametrize("there", [True, False])
def test_a_few_logs_are_written_at_one_opening(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    db = db if there else tmp_path / "new.duckdb"
    seen = openings(monkeypatch, db)
    # However slow this machine is.
    options = IngestOptions(db, batch_limits=BatchLimits(open_s=600.0, seconds=600.0))
    result = ingest_with(options, logs(tmp_path / "logs", range(2)))

    assert (result.runs, len(seen)) == (2, 1)


def test_a_new_ledger_that_is_made_while_others_read_is_opened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, name, small in ((pool, "WORTH_A_PROCESS", 0), (units, "UNIT_FILES", 1)):
        monkeypatch.setattr(place, name, small)
    seen = openings(monkeypatch, tmp_path / "new.duckdb")
    options = IngestOptions(tmp_path / "new.duckdb", jobs=2, batch_limits=BatchLimits(open_s=600.0, seconds=600.0))
    result = ingest_with(options, logs(tmp_path / "logs", range(2)))

    assert (result.runs, len(seen)) == (2, 1)


@pytest.mark.parametrize(("open_s", "lets_in"), [(600.0, False), (0.0, True)])
def test_who_reads_for_long_lets_others_look_at_the_ledger_meanwhile(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_s: float, lets_in: bool
) -> None:
    monkeypatch.setattr(units, "UNIT_FILES", 1)
    looks: list[bool] = []

    def look(done: Progress) -> None:
        if done.files_done == 2:
            try:
                database.open_for_reading(db, wait_s=0.0).close()
            except DatabaseHeldError:
                looks.append(False)
            else:
                looks.append(True)

    options = IngestOptions(db, progress=look, batch_limits=BatchLimits(open_s=open_s))
    ingest_with(options, logs(tmp_path / "logs", range(3)))

    assert looks == [lets_in]
