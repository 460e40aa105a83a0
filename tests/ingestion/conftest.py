"""A ledger to ingest into."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def db(defined_ledger: Path, tmp_path: Path) -> Path:
    return made(defined_ledger, tmp_path / "ledger")


@pytest.fixture
def db2(defined_ledger: Path, tmp_path: Path) -> Path:
    return made(defined_ledger, tmp_path / "ledger2")


def made(ledger: Path, folder: Path) -> Path:
    folder.mkdir()
    return Path(shutil.copy(ledger, folder / "bench.duckdb"))
