"""What the private file is for, and what its loss costs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from benchledger import ingest
from tests.ingestion.logs import ask, one, put, run_text


def test_no_real_path_is_in_the_ledger_and_the_private_file_is_the_owners(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "deep" / "run.log", run_text().log)

    ingest(tmp_path / "logs", db=db)

    assert str(tmp_path).encode() not in db.read_bytes()
    private = Path(f"{db}.private")
    assert private.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(private) as con:
        assert con.execute("select place from seen_file").fetchall() == [
            (bytes(tmp_path / "logs" / "deep" / "run.log"),)
        ]


def test_without_the_private_file_everything_is_read_again_and_nothing_else_is_lost(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    ingest(tmp_path / "logs", db=db)
    runs = ask(db, "select * from run")
    Path(f"{db}.private").unlink()

    result = ingest(tmp_path / "logs", db=db)

    assert result.lost_private
    assert result.files == {"duplicate": 1}
    assert ask(db, "select * from run") == runs
    assert one(db, "select trials from speed_table where is_default") == 1
    again = ingest(tmp_path / "logs", db=db)
    assert (again.files, again.lost_private) == ({"unchanged": 1}, False)
