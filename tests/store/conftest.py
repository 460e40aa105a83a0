"""What the tests of this folder share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger.definitions import definition_cache
from benchledger.store import database


@pytest.fixture
def made_by_migrations(making_ledgers: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ledgers are made by the migrations, as users' first ones are, and no compiled definitions are kept."""
    monkeypatch.setattr(database, "_make", making_ledgers)
    monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, "")
