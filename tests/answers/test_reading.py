"""The connection with which an answer asks."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger.answers.rows import reading
from benchledger.store import database
from benchledger.store.database import open_for_writing


@pytest.mark.parametrize("records", [False, True])
def test_an_answer_has_one_thread_unless_it_reads_records(
    records: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SMALL_BYTES", 0)
    open_for_writing(tmp_path / "bench.duckdb").close()
    with closing(duckdb.connect()) as con:
        every = con.execute("select current_setting('threads')").fetchone()

    with reading(tmp_path / "bench.duckdb", records=records) as con:
        found = con.execute("select current_setting('threads')").fetchone()

    assert found == (every if records else (1,))
