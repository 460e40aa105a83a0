"""Ledgers whose rows are made by hand, one that a check finds fault with and one that it does not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchledger.store.database import open_for_writing
from benchledger.store.sync import sync_definitions
from tests.views.conftest import Ledger

Make = Callable[[Ledger], object]


@pytest.fixture(scope="session")
def empty_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("auditing") / "empty.duckdb"
    con = open_for_writing(path)
    sync_definitions(con)
    con.close()
    return path


@pytest.fixture
def ledger_of(empty_ledger: Path, tmp_path: Path) -> Callable[[Make], Path]:
    """A function that makes a ledger of what another one writes into it, closes it and tells where it is."""

    def made(make: Make) -> Path:
        path = tmp_path / "bench.duckdb"
        shutil.copy(empty_ledger, path)
        with writing(path) as ledger:
            make(ledger)
        return path

    return made


@contextmanager
def writing(path: Path) -> Iterator[Ledger]:
    con = open_for_writing(path)
    yield Ledger(con)
    con.close()
