"""The second new ledger is a copy of what the migrations made of the first: no other, and no older than it is."""

import shutil
from contextlib import closing
from datetime import UTC, datetime

import duckdb
import pytest

from benchledger.definitions import definition_cache
from benchledger.store import database, migrations
from benchledger.store.database import open_for_reading, open_for_writing

SCHEMA = "select table_name, column_name, data_type, comment from duckdb_columns() where not internal order by all"
SHIPPED = migrations.shipped_migrations


@pytest.fixture(autouse=True)
def kept_in(made_by_migrations, tmp_path, monkeypatch):
    monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def steps(tmp_path, monkeypatch):
    """The tables alone, for views take most of the time; a test may edit them."""
    shutil.copytree(migrations.shipped_migrations()[0].path.parent, tmp_path / "steps", ignore=only_the_first)
    for module in (database, migrations):
        monkeypatch.setattr(module, "shipped_migrations", lambda: SHIPPED(tmp_path / "steps"))
    monkeypatch.setattr(database, "sync_definitions", lambda _: None)
    return tmp_path / "steps"


def only_the_first(_folder, names):
    return sorted(names)[1:]


@pytest.fixture
def applied(monkeypatch):
    """How many migrations ran, ledger by ledger."""
    counts = []

    def counted(con, place, steps=None):
        counts.append(len(migrations.migrate(con, place, steps)))
        return counts[-1]

    monkeypatch.setattr(database, "migrate", counted)
    return counts


def made(path):
    with closing(open_for_writing(path)) as con:
        return con.execute(SCHEMA).fetchall()


def test_a_copy_has_the_schema_that_the_migrations_make(tmp_path, applied):
    first, second = made(tmp_path / "first.duckdb"), made(tmp_path / "second.duckdb")

    assert second == first
    assert sum(applied) == 1


def test_a_copy_says_when_it_was_made(tmp_path):
    made(tmp_path / "first.duckdb")
    began = datetime.now(UTC).replace(tzinfo=None)
    made(tmp_path / "second.duckdb")

    with closing(open_for_reading(tmp_path / "second.duckdb")) as con:
        (dated,) = con.execute("select min(applied_at) from kept.schema_version").fetchone()
    assert dated >= began


def test_what_is_written_to_a_copy_is_in_no_later_one(tmp_path):
    with closing(open_for_writing(tmp_path / "first.duckdb")) as con:
        con.execute("insert into kept.run_alias values ('old', 'new')")

    with closing(open_for_writing(tmp_path / "second.duckdb")) as con:
        assert con.execute("select count(*) from kept.run_alias").fetchone() == (0,)


def test_a_damaged_copy_is_made_anew(tmp_path, kept_in, applied):
    made(tmp_path / "first.duckdb")
    path = next(kept_in.glob("ledger-*"))
    path.write_bytes(path.read_bytes()[:-1])

    assert made(tmp_path / "second.duckdb") == made(tmp_path / "first.duckdb")
    assert sum(applied) == 2


def test_an_edited_migration_makes_another_ledger(tmp_path, kept_in, steps):
    made(tmp_path / "first.duckdb")
    (edited,) = steps.iterdir()
    edited.write_text(edited.read_text() + "\ncreate table extra (n integer);\n")

    with closing(open_for_writing(tmp_path / "second.duckdb")) as con:
        assert con.execute("select count(*) from extra").fetchone() == (0,)
    assert len(list(kept_in.glob("ledger-*"))) == 2


def test_another_duckdb_makes_its_own(tmp_path, kept_in, monkeypatch):
    made(tmp_path / "first.duckdb")
    monkeypatch.setattr(duckdb, "__version__", "9.9.9")
    made(tmp_path / "second.duckdb")

    assert len(list(kept_in.glob("ledger-*"))) == 2
