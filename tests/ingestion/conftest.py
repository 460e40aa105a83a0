"""A ledger to ingest into: copied from one that the migrations made, which is quicker than making it each time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchledger.store.database import open_for_writing


@pytest.fixture(scope="session")
def empty_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ledger") / "empty.duckdb"
    open_for_writing(place).close()
    return place


@pytest.fixture
def db(empty_ledger: Path, tmp_path: Path) -> Path:
    (tmp_path / "ledger").mkdir()
    return Path(shutil.copy(empty_ledger, tmp_path / "ledger" / "bench.duckdb"))


@pytest.fixture
def db2(empty_ledger: Path, tmp_path: Path) -> Path:
    (tmp_path / "ledger2").mkdir()
    return Path(shutil.copy(empty_ledger, tmp_path / "ledger2" / "bench.duckdb"))
