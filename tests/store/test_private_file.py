"""The private files hold real paths and the key: for their owner only."""

import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from benchledger.errors import DatabaseError
from benchledger.store.key_file import key_path
from benchledger.store.private_file import PrivateFile, SeenFile, key_of, private_path


def seen(place="/home/ann/logs/a.log", **columns):
    given = {
        "size": 1,
        "mtime_ns": 2**62,
        "sighting_id": 3,
        "log_id": None,
        "definitions_hash": "d",
        "status": "loaded",
    }
    return SeenFile(place, **{**given, **columns})


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def db(tmp_path):
    return tmp_path / "bench.duckdb"


def test_it_lies_beside_the_database_for_its_owner_only(db):
    umask = os.umask(0)
    try:
        PrivateFile(db).close()
    finally:
        os.umask(umask)

    assert private_path(db) == db.with_name("bench.duckdb.private")
    assert mode(private_path(db)) == mode(key_path(db)) == 0o600


def test_a_mode_that_others_can_read_is_taken_back(db):
    PrivateFile(db).close()
    for path in (private_path(db), key_path(db)):
        path.chmod(0o644)

    PrivateFile(db).close()
    assert mode(private_path(db)) == mode(key_path(db)) == 0o600


def test_key_and_files_survive(db):
    first = PrivateFile(db)
    first.remember([seen(), seen("b", log_id=2**62)])
    first.close()
    again = PrivateFile(db)

    assert (first.is_new, again.is_new) == (True, False)
    assert again.key == first.key
    assert len(first.key) == 32
    assert again.seen() == {seen().place: seen(), "b": seen("b", log_id=2**62)}


def test_what_was_remembered_survives_a_kill(db):
    code = (
        "import os, sys; from benchledger.store.private_file import *; f = PrivateFile(sys.argv[1]);"
        "f.remember([SeenFile('a', 1, 2, 3, None, 'd', 'loaded')]); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(db)])

    assert list(PrivateFile(db).seen()) == ["a"]


def test_two_databases_have_two_keys(tmp_path):
    assert PrivateFile(tmp_path / "a").key != PrivateFile(tmp_path / "b").key


def test_a_file_seen_again_has_its_new_state_only(db):
    private = PrivateFile(db)
    private.remember([seen(size=1)])
    private.remember([seen(size=2)])

    assert private.seen() == {seen().place: seen(size=2)}


def test_forgotten_places_are_gone_and_unknown_ones_no_error(db):
    private = PrivateFile(db)
    private.remember([seen("a"), seen("b")])
    private.forget(["a", "never seen"])

    assert list(private.seen()) == ["b"]


def test_a_path_that_is_not_utf_8_comes_back_as_it_was(db):
    place = os.fsdecode(b"/logs/\xff\xfe.log")
    private = PrivateFile(db)
    private.remember([seen(place)])

    assert private.seen() == {place: seen(place)}


def test_a_file_that_is_no_private_file_is_refused_with_a_cure(db):
    private_path(db).write_bytes(b"not sqlite" * 1000)

    with pytest.raises(DatabaseError, match=r"bench\.duckdb\.private: .*move it away"):
        PrivateFile(db)


def test_its_key_is_read_without_touching_it(db):
    PrivateFile(db).close()
    key_path(db).chmod(0o444)
    before = key_path(db).stat()

    assert key_of(db) is not None
    assert key_path(db).stat()[:] == before[:]
    assert key_path(db).stat().st_mtime_ns == before.st_mtime_ns


def test_where_there_is_no_private_file_there_is_no_key_and_none_is_made(db):
    assert key_of(db) is None
    assert not private_path(db).exists()

    private_path(db).touch()
    assert key_of(db) is None


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        ("attempt to write a readonly database", "Give yourself the right to read it and to write it"),
        ("unable to open database file", "Give yourself the right to read it and to write it"),
        ("database is locked", "Close the program that holds it, then do this again"),
        ("database or disk is full", "Free some disk space"),
    ],
)
def test_nobody_is_told_to_move_it_away_who_only_cannot_write_it(db, monkeypatch, error, cure):
    def refusing(*_, **__):
        raise sqlite3.OperationalError(error)

    monkeypatch.setattr(sqlite3, "connect", refusing)

    with pytest.raises(DatabaseError) as raised:
        PrivateFile(db)

    assert str(raised.value) == f"{private_path(db)}: the private file cannot be used: {error}. {cure}"


def test_processes_that_make_it_at_once_agree_on_the_key(db):
    code = "import sys; from benchledger.store.private_file import *; print(PrivateFile(sys.argv[1]).key.hex())"
    command = [sys.executable, "-c", code, str(db)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    keys = [process.communicate()[0] for process in processes]

    assert keys == [PrivateFile(db).key.hex() + "\n"] * 6


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(30, "Read-only file system")])
def test_a_folder_that_cannot_be_written_is_named_with_the_cure(db, monkeypatch, error):
    real = os.open

    def refusing(path, *rest, **named):
        if str(path).startswith(str(db)):
            raise error
        return real(path, *rest, **named)

    monkeypatch.setattr(os, "open", refusing)

    with pytest.raises(DatabaseError, match="cannot create a file in this folder") as raised:
        PrivateFile(db)

    assert str(raised.value).startswith(f"{db.parent}: ")
    assert error.strerror in str(raised.value)
    assert "--db" in str(raised.value)
    assert "backup" not in str(raised.value)
