"""A log that has grown supersedes its older self; another content at the same place does not."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchledger import ingest
from benchledger.scanning import native_scanner
from tests.ingestion.logs import ask, one, put, run_text


def test_a_log_that_has_grown_supersedes_its_older_self(db: Path, tmp_path: Path) -> None:
    text = run_text().log
    log = put(tmp_path / "logs" / "run.log", text[: len(text) // 2])
    ingest(tmp_path / "logs", db=db)
    old_key, old_status = one(db, "select run_key, status from run")
    put(log, text)

    result = ingest(tmp_path / "logs", db=db)

    assert result.files == {"loaded": 1}
    assert old_status == "truncated"
    new_key, new_status = one(db, "select run_key, status from run")
    assert new_status == "ok"
    assert ask(db, "select status, count(*) from sighting group by all order by all") == [
        ("loaded", 1),
        ("superseded", 1),
    ]
    assert ask(db, "select old_key, run_key from kept.run_alias") == [(old_key, new_key)]
    assert one(db, "select count(distinct run_id) from measurement where run_id is not null") == 1
    assert one(db, "select count(distinct log_id) from measurement") == 1
    assert one(db, "select count(distinct log_id) from kept.measurement_all") == 2


@pytest.mark.parametrize("scanner", ["native", pytest.param("python", marks=pytest.mark.long)])
def test_a_partly_written_last_line_is_no_reject_while_a_log_grows(
    db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanner: str
) -> None:
    monkeypatch.setenv("BENCH_SCANNER", scanner if native_scanner.is_available() else "python")
    texts = [run_text(steps=30, seed=seed, at=1000.0 * seed).log for seed in range(4)]
    for number, text in enumerate(texts):
        lines = re.findall(r".*\n", text)
        cut = (0, 5, len(lines[10]) // 2, len(lines[10]) - 20)[number]
        put(tmp_path / "logs" / f"{number}.log", "".join(lines[:10]) + lines[10][:cut])
    rejects = ingest(tmp_path / "logs", db=db).rejects
    unfinished = one(db, "select count(distinct log_id) from kept.ignored_piece where reason = 'unfinished last line'")
    for number, text in enumerate(texts):
        put(tmp_path / "logs" / f"{number}.log", text)
    grown = ingest(tmp_path / "logs", db=db)

    assert (rejects, grown.rejects) == (0, 0)
    assert unfinished > 0
    ingest(tmp_path / "logs", db=db2)
    values = (
        "select path, list_sort(list(value)) from measurement join sighting using (log_id) group by path order by path"
    )
    assert ask(db, values) == ask(db2, values)


def test_a_last_line_that_ends_and_is_none_stays_a_reject(db: Path, tmp_path: Path) -> None:
    lines = re.findall(r".*\n", run_text(steps=30).log)
    put(tmp_path / "logs" / "run.log", "".join(lines[:10]) + lines[10][: len(lines[10]) // 2] + "\n")

    assert ingest(tmp_path / "logs", db=db).rejects == 1


def test_a_log_that_grows_twice_keeps_every_key_it_ever_had(db: Path, tmp_path: Path) -> None:
    text = run_text().log
    log = tmp_path / "logs" / "run.log"
    keys = []
    for part in (3, 2, 1):
        put(log, text[: len(text) // part])
        ingest(tmp_path / "logs", db=db)
        keys.append(one(db, "select run_key from run"))

    assert len(set(keys)) == 3
    assert ask(db, "select old_key, run_key from kept.run_alias order by all") == sorted(
        (key, keys[2]) for key in keys[:2]
    )


def test_another_content_at_the_same_place_supersedes_nothing(db: Path, tmp_path: Path) -> None:
    log = put(tmp_path / "logs" / "run.log", run_text(seed=1).log)
    ingest(tmp_path / "logs", db=db)
    put(log, run_text(seed=2, at=500, steps=110).log)

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select count(*) from run") == 2
    assert ask(db, "select status from sighting") == [("loaded",), ("loaded",)]


def test_growth_is_seen_though_the_first_ingest_of_the_longer_log_was_killed(db: Path, tmp_path: Path) -> None:
    text = run_text().log
    log = put(tmp_path / "logs" / "run.log", text[: len(text) // 2])
    ingest(tmp_path / "logs", db=db)
    put(log, text)
    code = f"""
import os, signal
from benchledger.ingestion import write
write.derive = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)
import pytest

from benchledger import ingest
from benchledger.scanning import native_scanner
ingest({str(tmp_path / "logs")!r}, db={str(db)!r})
"""
    killed = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False)
    assert killed.returncode == -signal.SIGKILL

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select status from run") == [("ok",)]
    assert ask(db, "select status, count(*) from sighting group by all order by all") == [
        ("loaded", 1),
        ("superseded", 1),
    ]
