"""Places for ledgers, which are made when something is ingested."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


@pytest.fixture
def db2(tmp_path: Path) -> Path:
    return tmp_path / "other.duckdb"
