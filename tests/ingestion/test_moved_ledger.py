"""A ledger that is moved or replaced during an ingest gets no twin at its old place, and nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger import db_compact, ingest
from benchledger.errors import DatabaseError
from benchledger.ingestion.batches import Batches, BatchLimits
from benchledger.ingestion.ingest import IngestOptions, ingest_with
from tests.ingestion.logs import one, put, run_text

LOGS = 12


def put_logs(folder: Path) -> Path:
    for number in range(LOGS):
        put(folder / f"{number}" / "a.log", run_text(seed=number, at=300 * number).log)
    return folder


def _rename(db: Path) -> None:
    db.rename(db.with_name("moved.duckdb"))


def _replace(db: Path) -> None:
    _rename(db)
    ingest(put(db.parent / "other" / "a.log", run_text(seed=99).log).parent, db=db.with_name("other.duckdb"))
    db.with_name("other.duckdb").rename(db)


def _move_all(db: Path) -> None:
    for file in db.parent.glob("b.duckdb*"):
        file.rename(file.with_name(file.name.replace("b.", "moved.", 1)))


def _with_change(monkeypatch: pytest.MonkeyPatch, db: Path, change: Callable[[Path], object], method: str) -> None:
    """Changes the ledger once, when it has some logs: between two batches, or while one is open."""
    real, changed = getattr(Batches, method), []

    def changing(self: Batches, *words: object, **more: object) -> object:
        found = real(self, *words, **more)
        if not changed and db.exists() and self._taken_bytes:
            if method == "finish":
                self._writer.close()
            changed.append(change(db))
        return found

    monkeypatch.setattr(Batches, method, changing)


@pytest.mark.parametrize("method", ["finish", "write_rest"])
@pytest.mark.parametrize("change", [_rename, _replace, _move_all])
@pytest.mark.parametrize("is_new", [True, False])
def test_a_ledger_that_is_moved_during_an_ingest_has_no_twin_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], method: str, is_new: bool
) -> None:
    logs, db, moved = put_logs(tmp_path / "logs"), tmp_path / "b.duckdb", tmp_path / "moved.duckdb"
    if not is_new:
        ingest(put(tmp_path / "before" / "a.log", run_text(seed=50).log).parent, db=db)
    few = BatchLimits(records=10, folders=1, seconds=0)
    with monkeypatch.context() as patch:
        _with_change(patch, db, change, method)
        with pytest.raises(DatabaseError, match="was moved or replaced during this ingest"):
            ingest_with(IngestOptions(db, batch_limits=few), logs)

    assert db.exists() == (change is _replace)
    if db.exists():
        assert one(db, "select count(*) from log") == 1
        db.unlink()
    for end in ("", ".private", ".key"):
        if Path(f"{moved}{end}").exists():
            shutil.move(f"{moved}{end}", f"{db}{end}")
    ingest(logs, db=db)
    assert one(db, "select count(*) from log") == LOGS + (not is_new)


def test_a_ledger_that_is_compacted_during_an_ingest_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, db = put_logs(tmp_path / "logs"), tmp_path / "b.duckdb"
    _with_change(monkeypatch, db, lambda place: db_compact(db=place), "finish")

    ingest_with(IngestOptions(db, batch_limits=BatchLimits(records=10, folders=1, seconds=0)), logs)

    assert one(db, "select count(*) from log") == LOGS
