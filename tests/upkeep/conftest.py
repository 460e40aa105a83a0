"""A small campaign that was ingested once: copied for each test that writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchledger import ingest
from benchledger.store.database import open_for_writing
from tests.ingestion.logs import put, run_text


def put_campaign(folder: Path) -> Path:
    """Two trials on one GPU and one on eight; the last one runs out of memory."""
    put(folder / "fp32" / "a.log", run_text(seed=1).log)
    put(folder / "fp32" / "b.log", run_text(seed=2, at=1000, speed=210.0).log)
    put(folder / "fp32" / "c.log", run_text(seed=3, at=2000, gpus=8, ends="oom").log)
    return folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made")
    ingest(put_campaign(home / "logs"), db=home / "bench.duckdb")
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A folder with a ledger, its private files and the logs of which it knows (at their old places)."""
    for name in ("bench.duckdb", "bench.duckdb.private", "bench.duckdb.key"):
        shutil.copy(made / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def db(home: Path) -> Path:
    return home / "bench.duckdb"


@pytest.fixture
def new_db(tmp_path: Path) -> Path:
    """An empty ledger."""
    open_for_writing(tmp_path / "new.duckdb").close()
    return tmp_path / "new.duckdb"
