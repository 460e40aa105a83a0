"""What the private files are for, and what their loss costs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from benchledger import db_backup, ingest
from benchledger.errors import DatabaseError, UsageError
from benchledger.store.key_file import KEY_MAGIC, key_path
from benchledger.store.private_file import key_of
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, one, put, run_text


@pytest.fixture(scope="module")
def home(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one log, logs/, and the ledger into which it was read, ledger/. Read only."""
    home = tmp_path_factory.mktemp("home")
    put(home / "logs" / "deep" / "run.log", run_text().log)
    ingest(home / "logs", db=made(defined_ledger, home / "ledger"))
    return home


def test_no_real_path_is_in_the_ledger_and_the_private_files_are_the_owners(home: Path) -> None:
    db = home / "ledger" / "bench.duckdb"
    assert str(home).encode() not in db.read_bytes()
    private = Path(f"{db}.private")
    for file in (private, Path(f"{db}.key")):
        assert file.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(private) as con:
        assert con.execute("select place from seen_file").fetchall() == [(bytes(home / "logs" / "deep" / "run.log"),)]


@pytest.mark.parametrize("end", [".wal", ".private"])
def test_a_link_that_lay_there_before_the_ledger_is_not_written_through(db: Path, tmp_path: Path, end: str) -> None:
    log = put(tmp_path / "logs" / "run_gpu1.log", run_text().log)
    Path(f"{db}{end}").symlink_to(tmp_path / "target")

    with pytest.raises(DatabaseError, match="is a link, and its target would be written"):
        ingest(log, db=db)
    assert not (tmp_path / "target").exists()


def test_a_hard_link_in_the_place_of_the_write_ahead_log_is_not_written_through(filled: Path, tmp_path: Path) -> None:
    target = put(tmp_path / "target", "mine")
    Path(f"{filled}.wal").hardlink_to(target)

    with pytest.raises(DatabaseError, match="has another name, too"):
        ingest(put(tmp_path / "more" / "b.log", run_text(seed=7, at=9e4).log), db=filled)
    assert target.read_text() == "mine"


def test_a_ledger_named_by_a_link_is_written_at_its_own_place_with_its_own_private_files(
    filled: Path, tmp_path: Path
) -> None:
    links = tmp_path / "links"
    links.mkdir()
    for name, target in (("old.duckdb", filled), ("new.duckdb", tmp_path / "made.duckdb")):
        (links / name).symlink_to(target)
    log = put(tmp_path / "more" / "b.log", run_text(seed=7, at=9e4).log)
    ingest(log, db=links / "old.duckdb")
    ingest(log, db=links / "new.duckdb")
    db_backup(tmp_path / "backup.duckdb", db=links / "old.duckdb")

    assert ask(filled, "select count(*) from run") == [(2,)]
    assert key_of(tmp_path / "backup.duckdb") == key_of(filled)
    assert ask(tmp_path / "made.duckdb", "select count(*) from run") == [(1,)]
    assert key_path(tmp_path / "made.duckdb").is_file()
    assert sorted(file.name for file in links.iterdir() if file.is_symlink()) == ["new.duckdb", "old.duckdb"]
    assert len(list(links.iterdir())) == 2


def test_a_backup_keeps_the_key_where_the_list_of_files_is_gone(filled: Path, tmp_path: Path) -> None:
    Path(f"{filled}.private").unlink()
    db_backup(tmp_path / "backup.duckdb", db=filled)

    assert key_of(tmp_path / "backup.duckdb") == key_of(filled) is not None


def test_what_another_command_has_not_completed_is_no_log(db: Path, tmp_path: Path) -> None:
    for name in (
        "run.log.redacting.new-17",
        "a.duckdb.making.new-17",
        "a.duckdb.making.new-17.wal",
        ".run.md.making.new-17",
    ):
        put(tmp_path / "logs" / name, run_text().log)
    put(tmp_path / "logs" / "run.log.new-20261127", run_text().log)

    assert ingest(tmp_path / "logs", db=db).files == {"loaded": 1}


def test_the_cure_of_a_damaged_list_of_files_is_no_free_space(filled: Path, tmp_path: Path) -> None:
    Path(f"{filled}.private").write_bytes(b"SQLite format 3\0" + b"x" * 5000)

    with pytest.raises(DatabaseError, match=r"cannot be copied: .* Restore it from a backup, or move it away"):
        db_backup(tmp_path / "copy.duckdb", db=filled)


@pytest.mark.parametrize("lost", [["private"], ["key"]])
def test_without_a_private_file_everything_is_read_again_and_nothing_else_is_lost(
    filled: Path, logs: Path, lost: list[str]
) -> None:
    db = filled
    runs = ask(db, "select * from run")
    key = key_of(db)
    for name in lost:
        Path(f"{db}.{name}").unlink()

    result = ingest(logs, db=db)

    assert result.lost_private
    assert (key_of(db) == key) == ("key" not in lost)
    # By the same key it is the same place.
    assert result.files == {"duplicate" if "key" in lost else "unchanged": 1}
    assert result.bytes_read > 0
    assert ask(db, "select * from run") == runs
    assert one(db, "select trials from speed_table where is_default") == 1
    again = ingest(logs, db=db)
    assert (again.files, again.lost_private) == ({"unchanged": 1}, False)


def test_a_ledger_with_logs_and_no_private_file_needs_a_key(filled: Path, logs: Path, tmp_path: Path) -> None:
    db = filled
    key = tmp_path / "key"
    key_path(db).rename(key)
    Path(f"{db}.private").unlink()

    with pytest.raises(UsageError, match=r"has logs but no key.*--key-file FILE"):
        ingest(logs, db=db)
    assert not key_path(db).exists()
    assert ingest(logs, db=db, key_file=key).lost_private


def test_an_older_ledger_whose_key_is_in_its_list_of_files_goes_on_as_it_was(filled: Path, logs: Path) -> None:
    db = filled
    key = as_of_an_older_version(db)
    assert key_of(db) == key
    assert not key_path(db).exists()

    again = ingest(logs, db=db)

    assert (again.files, again.lost_private) == ({"unchanged": 1}, False)
    assert key_path(db).read_bytes() == KEY_MAGIC + key
    assert key not in Path(f"{db}.private").read_bytes()


def test_a_ledger_with_the_key_of_another_one_is_refused_with_the_cure(filled: Path, logs: Path, db2: Path) -> None:
    db = filled
    ingest(logs, db=db2)
    as_of_an_older_version(db)
    key_path(db).write_bytes(key_path(db2).read_bytes())

    with pytest.raises(DatabaseError, match=r"\.key: is not the key of .*\.private.* Move away the one"):
        ingest(logs, db=db)

    key_path(db).write_bytes(b"0" * 64)
    with pytest.raises(DatabaseError, match=r"\.key: is no key of a ledger. Restore it from a backup"):
        ingest(logs, db=db)


def as_of_an_older_version(db: Path) -> bytes:
    """Puts a ledger's key into its list of files."""
    key = key_of(db)
    assert key is not None
    with sqlite3.connect(Path(f"{db}.private")) as con:
        con.execute("create table secret (key blob not null)")
        con.execute("insert into secret values (?)", [key])
    key_path(db).unlink()
    return key
