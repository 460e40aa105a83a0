"""Ledgers whose rows are made by hand, one that a check finds fault with and one that it does not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from benchledger.store.database import open_for_writing
from tests.views.conftest import Ledger

Make = Callable[[Ledger], object]


@pytest.fixture(scope="session")
def made_before() -> dict[Make, Path]:
    """The ledgers that tests of this process have asked for so far. Read only."""
    return {}


@pytest.fixture
def ledger_of(
    defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, made_before: dict[Make, Path]
) -> Callable[[Make], Path]:
    """A function that makes a ledger of what another one writes into it, closes it and tells where it is.

    For who asks again it is copied: to fill one takes longer than most checks.
    """

    def made(make: Make) -> Path:
        if make not in made_before:
            path = tmp_path_factory.mktemp("audited") / "bench.duckdb"
            shutil.copy(defined_ledger, path)
            with writing(path) as ledger:
                make(ledger)
            made_before[make] = path
        return Path(shutil.copy(made_before[make], tmp_path / "bench.duckdb"))

    return made


@contextmanager
def writing(path: Path) -> Iterator[Ledger]:
    with closing(open_for_writing(path, records=0)) as con:
        con.begin()
        ledger = Ledger(con)
        yield ledger
        ledger.keep()
        con.commit()
