"""Files that belong together are replaced so that a kill leaves no file of one ledger beside a file of another."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import duckdb
import pytest

from benchledger import db_backup, db_check, ingest
from benchledger.store.key_file import stored_key
from benchledger.store.private_file import places_in, private_paths
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put, run_text
from tests.killing import stopped_runs

ENDS = ("", ".private", ".key", ".logs", ".wal")


@pytest.fixture
def two(db: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A ledger and a copy of another one with the same key: with kept contents and a write-ahead log."""
    other, copy = tmp_path / "other.duckdb", tmp_path / "copies" / "copy.duckdb"
    ingest(
        put(tmp_path / "other" / "a.log", run_text(seed=9).log).parent, db=other, key_file=f"{db}.key", keep_logs=True
    )
    copy.parent.mkdir()
    db_backup(copy, db=other)
    held = duckdb.connect(str(copy), config={"wal_autocheckpoint": "1GB"})
    held.execute("insert into kept.run_alias values ('of the other', 'ledger')")
    for end in ENDS:
        shutil.copy(f"{copy}{end}", tmp_path / f"kept{end}")
    held.close()
    return db, copy


def put_back(copy: Path, home: Path) -> None:
    for file in copy.parent.iterdir():
        file.unlink()
    for end in ENDS:
        shutil.copy(home / f"kept{end}", f"{copy}{end}")


def owners(copy: Path, db: Path) -> set[str]:
    """Whose files lie there."""
    private, key, contents = private_paths(copy)
    found = set()
    assert not key.exists() or stored_key(copy) == stored_key(db)
    if private.exists():
        found.add("new" if places_in(copy) == places_in(db) else "old")
    if contents.exists():
        found.add("old")
    if copy.exists():
        found.add("new" if ask(copy, "from log order by all") == ask(db, "from log order by all") else "old")
        if found == {"new"}:
            assert ask(copy, "from kept.run_alias") == []
    return found


@pytest.mark.parametrize("public", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_backup_killed_while_it_replaces_a_copy_leaves_files_of_one_ledger(
    two: tuple[Path, Path], tmp_path: Path, public: bool
) -> None:
    db, copy = two
    words = ("--db", db, "db", "backup", copy, "--force", *(["--public"] if public else []))
    put_back(copy, tmp_path)
    seen = []
    for killed in stopped_runs(copy.parent, *words):
        assert killed.returncode == -signal.SIGKILL
        seen.append(owners(copy, db))
        if not copy.exists():
            # The next one completes it.
            assert run_bench(*words[2:], db=db).exit_code == 0
            assert owners(copy, db) == {"new"}
            assert db_check(db=copy)["ok"].all()
        put_back(copy, tmp_path)

    assert all(len(whose) <= 1 for whose in seen)
    assert {"old"} in seen
    assert set() in seen or public
    assert owners(copy, db) == {"new"}


def test_ctrl_c_while_a_copy_is_replaced_leaves_one_whole_ledger(two: tuple[Path, Path], tmp_path: Path) -> None:
    db, copy = two
    put_back(copy, tmp_path)
    for stopped in stopped_runs(copy.parent, "--db", db, "db", "backup", copy, "--force", sent=signal.SIGINT):
        assert stopped.returncode == 130, stopped.stderr
        assert copy.exists()
        assert Path(f"{copy}.key").exists()
        assert len(owners(copy, db)) == 1
        assert not list(copy.parent.glob("*.making*"))
        put_back(copy, tmp_path)


def test_a_killed_merge_leaves_no_ledger_without_its_key_and_the_next_says_the_cure(db: Path, tmp_path: Path) -> None:
    more, into = tmp_path / "more.duckdb", tmp_path / "merged" / "all.duckdb"
    ingest(put(tmp_path / "more" / "a.log", run_text(seed=5).log).parent, db=more, key_file=f"{db}.key")
    into.parent.mkdir()
    for _ in stopped_runs(into.parent, "merge", db, more, "--into", into):
        assert not into.exists() or stored_key(into) == stored_key(db)
        left = [file for file in into.parent.iterdir() if ".making." not in file.name]
        assert not left or "remove it" in run_bench("merge", db, more, "--into", into).stderr or into.exists()
        shutil.rmtree(into.parent)
        into.parent.mkdir()
    for file in into.parent.iterdir():
        file.unlink()
    put(Path(f"{into}.wal"), "of a ledger that is gone")
    assert "If a killed command left it" in run_bench("merge", db, more, "--into", into).stderr
    assert "belongs to a ledger that is gone" in run_bench("ingest", tmp_path / "more", db=into).stderr


def test_a_killed_compact_leaves_the_ledger(db: Path, tmp_path: Path) -> None:
    before = ask(db, "from kept.record order by all")
    for _ in stopped_runs(tmp_path, "--db", db, "db", "compact"):
        assert ask(db, "from kept.record order by all") == before
        assert db_check(db=db)["ok"].all()


def test_a_site_whose_export_was_killed_is_written_again(db: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    words = ("site", site)
    assert run_bench(*words, db=db).exit_code == 0
    for _ in stopped_runs(site / ".data", "--db", db, *words):
        again = run_bench(*words, db=db)
        assert again.exit_code == 0, again.stderr
        assert (site / "data" / "site.js").exists()
        assert not list(site.glob(".data.*"))
