"""A ledger for each test."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """The place of a new ledger."""
    return tmp_path / "bench.duckdb"
