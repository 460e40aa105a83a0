"""Workers of a lake that start at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from benchledger.lake import ingest as driver


@contextmanager
def here(_: str) -> Iterator[Executor]:
    """Threads of this process, in the place of a cluster: they start at once."""
    with ThreadPoolExecutor(1) as threads:
        yield threads


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "executor_of", here)
