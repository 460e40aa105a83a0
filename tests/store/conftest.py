"""Here every ledger is made by the migrations, as users' first ones are."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger.definitions import definition_cache
from benchledger.store import database


@pytest.fixture(autouse=True)
def made_by_migrations(making_ledgers: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_make", making_ledgers)
    monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, "")
