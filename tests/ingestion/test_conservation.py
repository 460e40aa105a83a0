"""Every file seen has one outcome, and every piece of a loaded log is a record, ignored, a reject or unread."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchledger import ingest, query
from benchledger.errors import DatabaseError
from tests.ingestion.logs import ask, one, put, run_text


def test_every_file_of_a_mixed_folder_has_one_outcome(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    run = run_text()
    put(logs / "a" / "run.log", run.log)
    put(logs / "b" / "copy.log", run.log)
    put(logs / "empty.log", "")
    put(logs / "blank.log", " \n\n")
    put(logs / "notes.txt", "no log at all\n")
    put(logs / "facts.toml", 'campaign = "c"\n')
    put(logs / "bad" / "facts.toml", "[case]\ngpus = 'many'\n")
    os.mkfifo(logs / "pipe")
    (logs / "dangling").symlink_to("nowhere")

    result = ingest(logs, db=db)

    assert {outcome.path: outcome.status for outcome in result.outcomes} == {
        "a/run.log": "loaded",
        "b/copy.log": "duplicate",
        "bad/facts.toml": "unreadable",
        "blank.log": "empty",
        "dangling": "unreadable",
        "empty.log": "empty",
        "facts.toml": "facts",
        "notes.txt": "unrecognised",
        "pipe": "unreadable",
    }
    assert sum(result.files.values()) == len(result.outcomes) == one(db, "select count(*) from sighting")


def test_a_second_ingest_finds_everything_unchanged_and_reads_nothing(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    put(tmp_path / "logs" / "notes.txt", "no log at all\n")
    put(tmp_path / "logs" / "facts.toml", 'campaign = "c"\n')
    ingest(tmp_path / "logs", db=db)

    again = ingest(tmp_path / "logs", db=db)

    assert again.files == {"unchanged": 3}
    assert again.bytes_read == 0
    assert [outcome.kept for outcome in again.outcomes] == ["facts", "unrecognised", "loaded"]


def test_the_pieces_of_a_log_add_up_and_a_broken_line_is_kept_as_a_reject(db: Path, tmp_path: Path) -> None:
    text = run_text(steps=30).log
    broken = "DLL 2026-01-02 03:00:09.123456 - Training Epoch: zero Training Iteration: 7  step_loss : 1.0 \n"
    put(tmp_path / "logs" / "run.log", text + broken)

    result = ingest(tmp_path / "logs", db=db)

    assert result.rejects == 1
    assert result.pieces == result.records + result.ignored + result.rejects
    assert one(db, "select pieces - records - ignored - rejects from log") == 0
    assert one(db, "select count(*) from kept.record") == result.records
    line, offset, reason, kept = ask(db, "select line, byte_offset, reason, text from reject")[0]
    assert (line, offset, kept) == (text.count("\n") + 1, len(text.encode()), broken.rstrip("\n"))
    assert reason.startswith("no template")
    assert result.outcomes[0].first_rejects[0].startswith(f"{line}: no template")


def test_a_line_with_a_measurement_that_the_format_does_not_know_is_counted_and_shown(db: Path, tmp_path: Path) -> None:
    text = run_text(steps=5).log
    put(
        tmp_path / "logs" / "run.log",
        text + "held-out: accuracy 0.71\nheld-out: accuracy 0.74\nsaved, no measurement\n",
    )

    result = ingest(tmp_path / "logs", db=db)

    assert result.unread == 2
    assert result.pieces == result.records + result.ignored + result.rejects + result.unread
    assert one(db, "select pieces - records - ignored - rejects - unread from log") == 0
    assert ask(db, "select line, lines, text from kept.unread") == [
        (text.count("\n") + 1, 2, "held-out: accuracy 0.71")
    ]
    assert query("unread", db=db).select("lines", "logs").rows() == [(2, 1)]


def test_a_record_that_is_lost_on_the_way_stops_the_load(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchledger.scanning.columns import RecordColumns

    put(tmp_path / "logs" / "run.log", run_text(steps=5).log)
    take = RecordColumns.take
    monkeypatch.setattr(RecordColumns, "take", lambda self: take(self).slice(1))

    with pytest.raises(DatabaseError, match=r"run\.log: what was read of it cannot be written: log\.records is"):
        ingest(tmp_path / "logs", db=db)
    assert one(db, "select count(*) from log") == 0


def test_a_dry_run_accounts_for_everything_and_writes_nothing(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    before = db.read_bytes()

    result = ingest(tmp_path / "logs", db=db, dry_run=True)

    assert result.files == {"loaded": 1}
    assert result.records > 100
    assert db.read_bytes() == before
    assert not Path(f"{db}.private").exists()
    assert ingest(tmp_path / "logs", db=db).files == {"loaded": 1}


def test_a_dry_run_needs_no_database(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)

    result = ingest(tmp_path / "logs", db=tmp_path / "none.duckdb", dry_run=True)

    assert result.files == {"loaded": 1}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logs"]


def test_the_ledger_in_the_ingested_folder_is_no_log(tmp_path: Path) -> None:
    put(tmp_path / "run.log", run_text().log)

    ingest(tmp_path, db=tmp_path / "bench.duckdb")

    assert ingest(tmp_path, db=tmp_path / "bench.duckdb").files == {"unchanged": 1}
