"""Opening a ledger: made when it is missing, refused with a cure when it cannot be used."""

import os
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger import ingest
from benchledger.definitions import definition_cache, folders
from benchledger.definitions.rules import load_rules
from benchledger.errors import DatabaseError, UsageError
from benchledger.store import database, memory
from benchledger.store.database import SMALL_BYTES, SMALL_RECORDS, open_for_reading, open_for_writing
from tests.ingestion.logs import put


@pytest.mark.usefixtures("made_by_migrations")
def test_writing_makes_the_ledger_and_reading_finds_it(tmp_path):
    path = tmp_path / "bench.duckdb"
    with closing(open_for_writing(path)) as con:
        con.execute("insert into kept.exclusion (run_key, reason, excluded_at) values ('a-1', 'why', now())")

    with closing(open_for_reading(path)) as con:
        assert con.execute("select run_key from kept.exclusion").fetchall() == [("a-1",)]


def test_reading_cannot_write(tmp_path):
    path = tmp_path / "bench.duckdb"
    open_for_writing(path).close()

    with closing(open_for_reading(path)) as con, pytest.raises(duckdb.InvalidInputException):
        con.execute("delete from run")


def test_reading_a_missing_database_says_how_to_make_one_and_makes_none(tmp_path):
    with pytest.raises(DatabaseError, match=r"no such database.*bench ingest"):
        open_for_reading(tmp_path / "bench.duckdb")

    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(DatabaseError, match=f"folder {tmp_path / 'none'} does not exist"):
        open_for_writing(tmp_path / "none" / "bench.duckdb")


@pytest.mark.parametrize("content", [b"", b"x", b"speed: 127.09\n" * 1000, b"SQLite format 3\0" + bytes(100)])
@pytest.mark.parametrize("opening", [open_for_writing, open_for_reading])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path, content, opening):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(DatabaseError, match=r"notes\.txt: is not a DuckDB database\. Name a ledger instead$"):
        opening(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("opening", [open_for_writing, open_for_reading])
def test_a_folder_is_refused(tmp_path, opening):
    with pytest.raises(DatabaseError, match="cannot open it"):
        opening(tmp_path)


def test_a_database_of_something_else_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("create table invoice as select 1 as amount")

    for opening in (open_for_writing, open_for_reading):
        with pytest.raises(DatabaseError, match="no ledger of benchledger"):
            opening(path)
    with duckdb.connect(str(path)) as con:
        assert con.execute("select table_name from duckdb_tables()").fetchall() == [("invoice",)]


@pytest.mark.parametrize("name", ["kept.duckdb", "Kept.db", "kept"])
@pytest.mark.parametrize("opening", [open_for_writing, open_for_reading])
def test_a_ledger_is_not_named_like_its_schema(tmp_path, opening, name):
    open_for_writing(tmp_path / "bench.duckdb").close()
    (tmp_path / "bench.duckdb").rename(tmp_path / name)

    with pytest.raises(DatabaseError, match=r"from the schema kept.*another file with --db"):
        opening(tmp_path / name)


def test_a_foreign_schema_version_table_is_not_taken_for_ours(tmp_path):
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("create schema kept; create table kept.schema_version as select 1 as version")

    with pytest.raises(DatabaseError, match="no ledger of benchledger"):
        open_for_writing(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "bench.duckdb"
    open_for_writing(path).close()
    path.chmod(stat.S_IWUSR)

    with pytest.raises(DatabaseError, match="permissions"):
        open_for_reading(path)


@pytest.mark.parametrize("suffix", ["", ".wal"])
def test_a_pipe_in_the_place_of_a_ledger_or_its_log_of_changes_is_not_opened(tmp_path, suffix):
    path = tmp_path / "bench.duckdb"
    if suffix:
        open_for_writing(path).close()
    os.mkfifo(f"{path}{suffix}")

    with pytest.raises(UsageError, match=f"{suffix}: no regular file"):
        open_for_reading(path)


def test_threads_that_open_at_once_all_get_a_whole_ledger(tmp_path):
    path = tmp_path / "bench.duckdb"
    open_for_writing(path).close()
    counted = []

    def ask():
        with closing(open_for_reading(path)) as con:
            counted.append(con.execute("select count(*) from speed_table").fetchone())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert counted == [(0,)] * 8


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no /proc here: threads are not told")
def test_a_closed_ledger_leaves_no_thread_behind_and_duckdb_as_it_was(tmp_path):
    open_for_writing(tmp_path / "bench.duckdb").close()
    code = f"""
import os
from benchledger.store import database, memory
from benchledger.store.database import SMALL_BYTES, SMALL_RECORDS, open_for_writing
open_for_writing({str(tmp_path / "bench.duckdb")!r}).close()
print(len(os.listdir("/proc/self/task")))
import duckdb
print(duckdb.sql("select 42").fetchone()[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stdout.split() == ["1", "42"], done.stderr


@pytest.mark.usefixtures("made_by_migrations")
def test_what_somebody_opened_before_stays_open(tmp_path):
    code = f"""
import duckdb
duckdb.sql("create table mine as select 42 as answer")
from benchledger.store import database, memory
from benchledger.store.database import SMALL_BYTES, SMALL_RECORDS, open_for_writing
open_for_writing({str(tmp_path / "bench.duckdb")!r}).close()
print(duckdb.sql("from mine").fetchone()[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stdout.split() == ["42"], done.stderr


@pytest.mark.parametrize(("records", "alone"), [(5, True), (SMALL_RECORDS, False), (None, False)])
def test_few_records_into_a_small_ledger_are_written_by_one_thread(
    records: int | None, alone: bool, tmp_path: Path
) -> None:
    with closing(open_for_writing(tmp_path / "bench.duckdb")) as con:
        (threads,) = con.execute("select current_setting('threads')").fetchone() or ()

    with closing(open_for_writing(tmp_path / "bench.duckdb", records=records)) as con:
        (found,) = con.execute("select current_setting('threads')").fetchone() or ()

    assert found == (1 if alone else threads)


def test_a_small_ledger_is_read_by_one_thread_and_a_large_one_by_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_for_writing(tmp_path / "bench.duckdb").close()
    with closing(duckdb.connect()) as con:
        (every,) = con.execute("select current_setting('threads')").fetchone() or ()
    found = []
    for small in (SMALL_BYTES, 0):
        monkeypatch.setattr(database, "SMALL_BYTES", small)
        with closing(open_for_reading(tmp_path / "bench.duckdb")) as con:
            found += con.execute("select current_setting('threads')").fetchone() or ()

    assert found == [1, every]


def test_what_a_killed_process_left_beside_the_ledger_is_no_log_and_goes(tmp_path: Path) -> None:
    left = tmp_path / "bench.duckdb.tmp"
    left.mkdir()
    (left / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"\0" * 64)
    (left / "mine.txt").write_text("no log either, but not ours to remove")

    result = ingest(tmp_path, db=tmp_path / "bench.duckdb")

    assert [outcome.path for outcome in result.outcomes] == ["bench.duckdb.tmp/mine.txt"]
    assert [file.name for file in left.iterdir()] == ["mine.txt"]


@pytest.mark.usefixtures("made_by_migrations")
def test_only_what_a_killed_process_made_beside_a_new_ledger_is_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    own = [put(tmp_path / f"bench.duckdb.new-{number}", "mine") for number in (20201127, ended.pid)]
    left = put(tmp_path / f"bench.duckdb.making.new-{ended.pid}", "half a ledger")
    for file in (*own, left):
        os.utime(file, (1_600_000_000, 1_600_000_000))

    open_for_writing(tmp_path / "bench.duckdb").close()

    assert [file.exists() for file in (*own, left)] == [True, True, False]


@pytest.mark.usefixtures("made_by_migrations")
def test_a_link_with_the_name_of_a_half_made_ledger_is_not_written_through(tmp_path: Path) -> None:
    theirs = put(tmp_path / "theirs.txt", "theirs")
    (tmp_path / f"bench.duckdb.making.new-{os.getpid()}").symlink_to(theirs)

    with pytest.raises(DatabaseError, match="is a link"):
        open_for_writing(tmp_path / "bench.duckdb")

    assert theirs.read_text() == "theirs"


def test_a_ledger_is_written_within_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MEMORY_OF_A_THREAD", 24 << 20)
    sorted_twice = "select md5(i::varchar) as a, row_number() over (order by md5(i::varchar) desc) as b from range(1000000) as n(i)"

    with closing(open_for_writing(tmp_path / "bench.duckdb", records=0)) as con:
        memory.set_for_writing(con, 0, 2)
        con.execute(f"create temp table sorted as {sorted_twice}")
        assert list(tmp_path.glob("bench.duckdb.tmp-*/*"))
        assert con.execute("select count(distinct a), max(b) from sorted").fetchone() == (1000000, 1000000)

    assert not list(tmp_path.glob("bench.duckdb.tmp*"))


@pytest.mark.usefixtures("made_by_migrations")
def test_new_ledgers_know_the_shipped_rules_unless_somebody_adds_rules_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, str(tmp_path / "cache"))
    (tmp_path / "own").mkdir()

    def rules_of(name: str) -> int:
        with closing(open_for_writing(tmp_path / name)) as con:
            return con.execute("select count(*) from kept.rule").fetchone()[0]

    assert [rules_of("first.duckdb"), rules_of("copied.duckdb")] == [len(load_rules())] * 2

    monkeypatch.setenv(folders.ENVIRONMENT_VARIABLE, str(tmp_path / "own"))

    assert rules_of("own.duckdb") == 0
