"""An ingest of a few files asks the ledger for what these can be, and gives the same as one that knows all."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest
from benchledger.ingestion import few_files
from benchledger.ingestion.discover import discover
from benchledger.ingestion.load import sql_text
from benchledger.ingestion.plan import Plan
from benchledger.store.copies import open_in_memory
from benchledger.store.private_file import PrivateFile, SeenFile
from tests.ingestion.logs import put, run_text, stable_tables

TEXTS = [run_text(seed=number, steps=5, at=1000.0 * number).log for number in range(4)]


def day(logs: Path, db: Path, key: Path) -> list[list[tuple[str, str, str | None]]]:
    """Ingests of few files at a time, each file in another state than before: their outcomes."""
    told = []

    def see(*paths: Path) -> None:
        result = ingest(*paths, db=db, key_file=key)
        told.append([(one.path, one.status, one.kept) for one in result.outcomes])

    first, grown = put(logs / "0.log", TEXTS[0]), put(logs / "c" / "1.log", TEXTS[1][: len(TEXTS[1]) // 2])
    put(logs / "facts.toml", '[environment]\ngpu = "H100-SXM5-80GB"\n')
    see(logs)
    os.utime(first, ns=(10**18, 10**18))
    see(first, put(logs / "c" / "copy.log", TEXTS[0]), put(grown, TEXTS[1]), put(logs / "2.log", TEXTS[2]))
    see(put(first, TEXTS[3]), put(logs / "c" / "README.md", f"# Results\n\n```\n{TEXTS[2]}```\n"), grown)
    see(put(first, TEXTS[0]), put(logs / "no.log", "nothing\n"))
    return told


def test_few_files_are_told_as_if_all_were_known(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole: list[bool] = []
    know = Plan.know

    def noting(self: Plan, *words: Any) -> None:
        know(self, *words)
        whole.append(self.is_whole)

    monkeypatch.setattr(Plan, "know", noting)
    key = put(tmp_path / "key", "0123456789abcdef" * 4 + "\n")
    key.chmod(0o600)
    found = []
    for most in (few_files.MOST, -1):
        monkeypatch.setattr(few_files, "MOST", most)
        shutil.rmtree(tmp_path / "logs", ignore_errors=True)
        again = Path(shutil.copy(db, tmp_path / f"ledger{most}.duckdb"))
        found.append((day(tmp_path / "logs", again, key), stable_tables(again)))

    assert whole == [True, False, False, False] + [True] * 4
    assert found[0] == found[1]


def test_all_has_to_be_known_where_files_tell_of_others(tmp_path: Path) -> None:
    logs = put(tmp_path / "logs" / "run.log", TEXTS[0]).parent
    with closing(PrivateFile(tmp_path / "bench.duckdb")) as new:
        assert few_files.seen_at([], new, []) is None

    def seen(tops: list[Path] | None = None) -> Any:
        with closing(PrivateFile(tmp_path / "bench.duckdb")) as private:
            files = list(discover([logs], set()))
            return few_files.seen_at(files, private, list(map(str, tops or [])))

    assert seen() == {}
    facts = put(logs / "facts.toml", "note = 'x'\n")
    assert seen() is None
    with closing(PrivateFile(tmp_path / "bench.duckdb")) as private:
        size, mtime = facts.stat().st_size, facts.stat().st_mtime_ns
        private.remember([SeenFile(str(facts), size, mtime, 1, None, "", "facts")])
    assert list(seen()) == [str(facts)]
    assert seen([logs.parent]) is None
    shutil.make_archive(str(logs / "all"), "gztar", tmp_path / "logs", "run.log")
    assert seen() is None


def test_what_manifests_list_is_found_without_comparing_all_places() -> None:
    with closing(open_in_memory()) as con:
        # Of what a transaction has added, DuckDB does not know how many rows it is.
        con.execute("begin")
        con.execute(
            """insert into sighting
                   (sighting_id, log_id, path, place, folder, stem, ingested_at, definitions_hash, status)
               select i, i, 'p', 'place' || i, 'f', 's', '2026-01-01', 'x', 'loaded' from range(5000) as t(i)"""
        )
        con.execute("insert into kept.sighting_file select i, 'x', 'place' || (i + 1) from range(0, 3000, 9) as t(i)")
        active, listed, *_ = sql_text("derive_scope").split(";\n")
        con.execute(active)

        assert "create or replace temp table listed_log" in listed
        assert "NESTED_LOOP" not in con.execute(f"explain {listed}").fetchall()[0][1]
