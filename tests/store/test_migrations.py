"""The schema grows by numbered files; a ledger of any older version opens, a newer one is refused."""

import shutil
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger.errors import DatabaseError, DefinitionError
from benchledger.store import migrations
from benchledger.store.database import open_for_reading, open_for_writing
from benchledger.store.migrations import Migration, migrate, schema_version, shipped_migrations

pytestmark = pytest.mark.usefixtures("made_by_migrations")

# Ledgers as released versions wrote them, one file a version: bench-<schema version>.duckdb.
STORED = sorted((Path(__file__).parent / "older").glob("bench-*.duckdb"))
LATEST = shipped_migrations()[-1].version
SCHEMA = "select table_name, column_name, data_type, comment from duckdb_columns() where not internal order by all"


def schema(path):
    with closing(open_for_reading(path)) as con:
        return con.execute(SCHEMA).fetchall()


def test_versions_are_recorded_with_time_and_program(tmp_path):
    with closing(open_for_writing(tmp_path / "bench.duckdb")) as con:
        rows = con.execute(
            "select version, applied_at is not null, benchledger_version from kept.schema_version"
        ).fetchall()

    assert [version for version, _, _ in rows] == list(range(1, LATEST + 1))
    assert all(dated and program for _, dated, program in rows)


def test_opening_again_applies_nothing(tmp_path):
    con = duckdb.connect(str(tmp_path / "bench.duckdb"))

    assert migrate(con, "bench.duckdb") == list(range(1, LATEST + 1))
    assert migrate(con, "bench.duckdb") == []


@pytest.fixture
def older(tmp_path):
    """A ledger that stopped at version 1, with a row in it."""
    path = tmp_path / "older.duckdb"
    with duckdb.connect(str(path)) as con:
        migrate(con, "older.duckdb", shipped_migrations()[:1])
        con.execute("insert into kept.run_alias values ('old', 'new')")
    return path


def test_an_older_ledger_is_migrated_when_it_is_opened_for_writing(older, tmp_path):
    with closing(open_for_writing(older)) as con:
        assert con.execute("select old_key, run_key from kept.run_alias").fetchall() == [("old", "new")]

    open_for_writing(tmp_path / "fresh.duckdb").close()
    assert schema(older) == schema(tmp_path / "fresh.duckdb")


def test_a_ledger_of_an_edited_migration_is_refused_for_reading_and_writing(tmp_path):
    path = tmp_path / "bench.duckdb"
    with closing(open_for_writing(path)) as con:
        con.execute("update kept.schema_version set digest = 'of another file' where version = 2")

    for opened in (open_for_reading, open_for_writing):
        with pytest.raises(DatabaseError, match=r"with another 0002_views\.sql.*ingest the logs again"):
            opened(path)


def test_a_ledger_from_before_digests_is_refused(tmp_path):
    path = tmp_path / "bench.duckdb"
    with closing(open_for_writing(path)) as con:
        con.execute("alter table kept.schema_version drop column digest")

    with pytest.raises(DatabaseError, match=r"with another 0001_tables\.sql"):
        open_for_writing(path)


def test_reading_an_older_ledger_says_how_to_migrate_and_changes_nothing(older):
    before = older.read_bytes()

    with pytest.raises(DatabaseError, match=rf"has schema version 1, this program needs {LATEST}\. .*bench db migrate"):
        open_for_reading(older)
    assert older.read_bytes() == before


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
def test_a_ledger_of_a_released_version_is_migrated(stored, tmp_path):
    path = tmp_path / "bench.duckdb"
    shutil.copy(stored, path)
    with duckdb.connect(str(path), read_only=True) as con:
        runs = con.execute("select run_key from run order by all").fetchall()

    with closing(open_for_writing(path)) as con:
        assert con.execute("select run_key from run order by all").fetchall() == runs != []
        con.execute("select * from speed_table").fetchall()
    open_for_writing(tmp_path / "fresh.duckdb").close()
    assert schema(path) == schema(tmp_path / "fresh.duckdb")


@pytest.mark.parametrize("opening", [open_for_writing, open_for_reading])
def test_a_newer_ledger_is_refused_with_a_cure(tmp_path, opening):
    path = tmp_path / "bench.duckdb"
    with closing(open_for_writing(path)) as con:
        con.execute("insert into kept.schema_version values (99, now()::timestamp, '9.0.0', 'of a newer file')")

    with pytest.raises(
        DatabaseError, match=rf"schema version 99, this program knows up to {LATEST}\. Install the newer"
    ):
        opening(path)


def test_a_migration_that_fails_leaves_the_version_before_it(tmp_path):
    bad = tmp_path / "0002_bad.sql"
    bad.write_text("create table half (n integer); select * from nothing;")
    con = duckdb.connect(str(tmp_path / "bench.duckdb"))
    steps = [shipped_migrations()[0], Migration(2, bad)]

    with pytest.raises(DatabaseError, match=r"0002_bad\.sql failed and was undone.*as it was at version 1"):
        migrate(con, "bench.duckdb", steps)

    assert schema_version(con, "bench.duckdb") == 1
    assert con.execute("select count(*) from duckdb_tables() where table_name = 'half'").fetchone() == (0,)


def test_an_interrupted_migration_is_finished_by_the_next_opening(tmp_path, monkeypatch):
    path = tmp_path / "bench.duckdb"
    monkeypatch.setattr(migrations, "program_version", lambda: None)  # the insert of the version fails
    with pytest.raises(DatabaseError):
        open_for_writing(path)
    monkeypatch.undo()

    with closing(open_for_writing(path)) as con:
        assert schema_version(con, str(path)) == LATEST


@pytest.mark.parametrize("names", [["0001_a.sql", "0003_b.sql"], ["tables.sql"], ["0001_a.sql", "0001_b.sql"], []])
def test_a_gap_in_the_numbers_is_refused(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text("select 1;")

    with pytest.raises(DefinitionError):
        shipped_migrations(tmp_path)
