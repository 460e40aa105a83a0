"""A ledger to ingest into."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.store.database import open_for_writing


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return made(tmp_path / "ledger")


@pytest.fixture
def db2(tmp_path: Path) -> Path:
    return made(tmp_path / "ledger2")


def made(folder: Path) -> Path:
    folder.mkdir()
    open_for_writing(folder / "bench.duckdb").close()
    return folder / "bench.duckdb"
