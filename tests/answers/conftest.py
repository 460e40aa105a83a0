"""One ledger for the tests of a file, in which the runs that are `given` to a test are a campaign of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.ledger_rows import ledger_rows

Own = dict[str, Any]


@pytest.fixture(scope="module")
def given_all(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs that are `given` to the tests of a file, each in the campaign that its test names. Only to be asked."""
    db = tmp_path_factory.mktemp("given") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        for name, test in vars(request.module).items():
            if hasattr(test, "given"):
                ledger.campaign = name
                test.given(ledger)
    return db


@pytest.fixture
def own(request: pytest.FixtureRequest, given_all: Path) -> Own:
    """The arguments with which a report shows what is given to this test, and nothing else."""
    return {"db": given_all, "campaign": request.function.__name__}
