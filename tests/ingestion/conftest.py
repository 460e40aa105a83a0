"""A ledger to ingest into, or one that has read, in one ingest, what is `given` to the tests of a file."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from benchledger import ingest
from tests.ingestion.logs import later, put

Files = dict[str, str | bytes]
# Which rows of a relation with such a column are of one root; the first that a relation has decides.
_OWN = {
    "campaign": "campaign = '{root}' or starts_with(campaign, '{root}/')",
    "run_id": "run_id in (select run_id from ledger.kept.run_campaign where {campaign})",
    "log_id": "log_id in (select log_id from ledger.sighting where {campaign})",
    "case_id": "case_id in (select case_id from ledger.run where {run_id})",
    "environment_id": "environment_id in (select environment_id from ledger.run where {run_id})",
}
_COLUMNS = """
select schema_name, table_name, list(column_name)
from duckdb_columns() where database_name = 'ledger' and not internal group by all
"""


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


def given(files: Files | Callable[[], Files]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Says what a test asks about: these logs are a root of their own of the one ingest of the file's tests.

    An ingest takes longer than what most tests ask, and hardly longer for the logs of all of them.
    """

    def marked(test: Callable[..., None]) -> Callable[..., None]:
        test.given = files if callable(files) else lambda: files  # type: ignore[attr-defined]
        return test

    return marked


@dataclass(frozen=True)
class Given:
    """What a ledger holds of one of its roots."""

    root: str
    db: Path
    con: duckdb.DuckDBPyConnection
    relations: list[tuple[str, str, list[str]]]

    def ask(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a question, for which the ledger holds nothing else."""
        own: dict[str, str] = {}
        for column, rows in _OWN.items():
            own[column] = rows.format(root=self.root, **own)
        asked = [one for one in self.relations if re.search(rf"\b{one[1]}\b", statement)]
        # First all tables, then all names: the ledger's views must not find these instead of their own.
        for schema, name, columns in asked:
            rows = next((rows for column, rows in own.items() if column in columns), "true")
            self.con.execute(f"create or replace temp table own_{name} as from ledger.{schema}.{name} where {rows}")
        for _, name, _ in asked:
            self.con.execute(f"create temp view {name} as from own_{name}")
        try:
            return self.con.execute(statement.replace("kept.", ""), list(parameters)).fetchall()
        finally:
            for _, name, _ in asked:
                self.con.execute(f"drop view temp.{name}")

    def one(self, statement: str, *parameters: Any) -> Any:
        """The only value of the only row."""
        rows = self.ask(statement, *parameters)
        assert len(rows) == 1, rows
        return rows[0][0] if len(rows[0]) == 1 else rows[0]

    @property
    def unpaired(self) -> int:
        """How many logs that belong to a run by their format are of none."""
        roles = "('telemetry', 'profile', 'tracker', 'sidecar')"
        logs = f"select log_id from log join kept.format using (format) where role in {roles} and records > 0"
        return int(self.one(f"select count(*) from ({logs}) where log_id not in (select log_id from run_log)"))


@pytest.fixture(scope="module")
def given_all(
    request: pytest.FixtureRequest, defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Given]:
    """The logs that are `given` to the tests of a file, each test's in a folder that has its name."""
    home = tmp_path_factory.mktemp("given")
    roots = {name: test.given() for name, test in vars(request.module).items() if hasattr(test, "given")}
    for number, (name, files) in enumerate(roots.items()):
        for path, text in files.items():
            # No log is a copy of another test's.
            put(home / "roots" / name / path, later(text, 1000 * number) if isinstance(text, str) else text)
    db = made(defined_ledger, home / "ledger")
    ingest(*(home / "roots" / name for name in roots), db=db)
    with duckdb.connect() as con:
        con.execute(f"attach '{db}' as ledger (read_only)")
        seen = con.execute("select distinct split_part(campaign, '/', 1) from ledger.sighting").fetchall()
        assert {root for (root,) in seen} >= roots.keys()
        yield Given("", db, con, con.execute(_COLUMNS).fetchall())


@pytest.fixture
def own(request: pytest.FixtureRequest, given_all: Given) -> Given:
    """What is given to this test."""
    return replace(given_all, root=request.function.__name__)
