"""The corpus in one ledger, made once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest


@pytest.fixture(scope="session")
def corpus_ledger(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("explain") / "bench.duckdb"
    ingest(*sorted((shared / "corpus").glob("*.tar.xz")), db=db)
    return db
