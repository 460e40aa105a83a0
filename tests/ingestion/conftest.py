"""A ledger to ingest into."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
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


@pytest.fixture
def logs(home: Path) -> Path:
    return home / "logs"


@pytest.fixture
def filled(home: Path, tmp_path: Path) -> Path:
    """A copy of the ledger of `logs`, with its private files. The module's `home` holds both."""
    return shutil.copytree(home / "ledger", tmp_path / "filled") / "bench.duckdb"


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard: what a script starts in the background is born deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
