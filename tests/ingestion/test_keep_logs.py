"""Kept contents outlive the folder: their lines are shown, refresh reads them, forget removes them."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from benchledger import db_backup, db_check, explain, forget, ingest, merge
from benchledger.errors import NothingFoundError, UsageError
from benchledger.ingestion import write
from benchledger.ingestion.keep_logs import PART
from benchledger.scanning.content import content_hash
from benchledger.store.log_contents import LogContents
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, one, put, run_text
from tests.ingestion.test_replay import define, definitions  # noqa: F401 - a fixture

HOST = "node17.secret-cluster.example"


def kept(db: Path) -> dict[str, bytes]:
    with closing(LogContents(db)) as contents:
        return {one: b"".join(contents.read(one)) for one in contents.forms()}


def hashes(db: Path) -> set[str]:
    return {row[0] for row in ask(db, "select content_hash from log")}


def run_folder(folder: Path) -> Path:
    """Two runs, one of them with a copy elsewhere; lines with the name of a machine; facts; and a picture."""
    put(folder / "a" / "run.log", f"host: {HOST}\n" + run_text(steps=8, seed=1).log)
    put(folder / "b" / "run.log", run_text(steps=8, seed=2, batch=48).log)
    put(folder / "copy" / "run.log", run_text(steps=8, seed=2, batch=48).log)
    put(folder / "facts.toml", '[environment]\ngpu_model = "H200"\n')
    put(folder / "picture.bin", b"\x89PNG\0\0\0\1" * 50)
    return folder


@pytest.fixture(scope="module")
def home(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two runs, logs/, and the ledger that keeps its contents, ledger/. Read only."""
    home = tmp_path_factory.mktemp("home")
    ingest(run_folder(home / "logs"), db=made(defined_ledger, home / "ledger"), keep_logs=True)
    return home


def test_each_content_is_kept_once_for_its_owner_only(filled: Path, logs: Path) -> None:
    db = filled
    texts = {(logs / name / "run.log").read_bytes() for name in ("a", "b")}

    ingest(logs, db=db, keep_logs=True, refresh=True)

    assert set(kept(db).values()) == texts
    assert {content_hash(text) for text in kept(db).values()} == set(kept(db))
    assert stat.S_IMODE(Path(f"{db}.logs").stat().st_mode) == 0o600
    # The ledger's own files are no logs.
    assert "unrecognised" not in ingest(logs, db=db).files


def test_the_lines_behind_a_number_are_shown_when_the_folder_is_gone(db: Path, tmp_path: Path) -> None:
    logs = run_folder(tmp_path / "logs")
    put(logs / "a" / "run.log", run_text(steps=8, seed=1).log.replace("final_loss", "master : 10.1.2.3  final_loss"))
    last = (logs / "a" / "run.log").read_text().splitlines()[-1]
    ingest(logs, db=db, keep_logs=True)
    shutil.rmtree(logs)

    cell = explain(db=db, batch_size_per_gpu=32, lines=True)

    (line,) = cell.readings.filter(use="kept")["text"]  # type: ignore[union-attr]
    assert "10.1.2.3" in last
    assert "10.1.2.3" not in line
    assert line.partition(" master ")[0] == last.partition(" master ")[0]
    assert f"| {line}" in run_bench("explain", "--batch-size-per-gpu", "32", "--lines", db=db).stdout


def test_lines_need_kept_contents_and_a_cell(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "run.log", run_text(steps=3).log)
    ingest(tmp_path / "run.log", db=db)
    with pytest.raises(NothingFoundError, match="read them once more with --keep-logs --refresh"):
        explain(db=db, batch_size_per_gpu=32, lines=True)
    with pytest.raises(UsageError, match="lines behind a cell"):
        explain(one(db, "select run_key from run"), db=db, lines=True)

    ingest(tmp_path / "run.log", db=db, keep_logs=True, refresh=True)

    assert explain(db=db, batch_size_per_gpu=32, lines=True).readings["text"].drop_nulls().len() == 1  # type: ignore[union-attr]


def test_redacted_contents_hold_no_private_name_and_the_same_lines(db: Path, tmp_path: Path) -> None:
    text = f"host: {HOST}\n" + run_text(steps=8).log
    put(tmp_path / "logs" / "run.log", text)
    put(tmp_path / "logs" / "data.bin", b"\0\1\2" * 100)

    ingest(tmp_path / "logs", db=db, keep_redacted=True)

    (content,) = kept(db).values()
    assert HOST.encode() not in content
    assert content.splitlines()[1:] == text.encode().splitlines()[1:]
    assert len(content.splitlines()) == len(text.splitlines())
    # Later ingests keep in the same form, without being asked.
    put(tmp_path / "logs" / "more.log", f"host: {HOST}\n" + run_text(steps=5).log)
    ingest(tmp_path / "logs", db=db)
    assert len(kept(db)) == 2
    assert all(HOST.encode() not in content for content in kept(db).values())
    # Asked for raw ones, it replaces them.
    ingest(tmp_path / "logs", db=db, keep_logs=True, refresh=True)
    assert all(HOST.encode() in content for content in kept(db).values())


def test_redacted_contents_hold_no_name_that_only_a_later_part_identifies(db: Path, tmp_path: Path) -> None:
    text = "INFO:gcn43: ready\n" + run_text(steps=8).log + "filler of a long log\n" * (PART // 20) + "hostname: gcn43\n"
    put(tmp_path / "logs" / "run.log", text)
    ingest(tmp_path / "logs", db=db, keep_redacted=True)

    (content,) = kept(db).values()
    assert b"gcn43" not in content
    assert content.count(b"\n") == text.count("\n")


def test_refresh_reads_kept_contents_where_the_folder_and_the_archive_are_gone(
    db: Path,
    tmp_path: Path,
    definitions: Path,  # noqa: F811
) -> None:
    define(definitions, 1, "speed")
    logs, archived = tmp_path / "logs", tmp_path / "old"
    put(logs / "deep" / "a.log", "toy step 1 speed=2.5\ntoy step 2 speed=3.5\n")
    put(logs / "facts.toml", '[environment]\ngpu_model = "H200"\n[case]\nmodel = "toy"\n')
    put(archived / "b.log", "toy step 1 speed=12.5\n")
    put(archived / "facts.toml", '[environment]\ngpu_model = "A100-SXM4-80GB"\n')
    with tarfile.open(tmp_path / "old.tar", "w") as tar:
        tar.add(archived, "years")
    shutil.rmtree(archived)
    ingest(logs, tmp_path / "old.tar", db=db, keep_logs=True)
    beside = Path(shutil.copy(db, tmp_path / "beside.duckdb"))
    for end in ("private", "key"):
        shutil.copy(f"{db}.{end}", f"{beside}.{end}")
    define(definitions, 2, "rate")
    ingest(db=beside, refresh=True)
    shutil.rmtree(logs)
    (tmp_path / "old.tar").unlink()

    done = ingest(db=db, refresh=True)

    assert done.files == {"loaded": 2}
    assert done.stale == 0
    for table in ("measurement", "speed_table", "environment", "fact", "run"):
        assert ask(db, f"select * from {table} order by all") == ask(beside, f"select * from {table} order by all")
    shown = "select path, archive, member, modified_at, campaign, status from sighting order by all"
    assert ask(db, shown) == ask(beside, shown)
    assert len(kept(db)) == 2
    assert ingest(db=db, refresh=True).files == {}


def test_a_forgotten_log_leaves_no_byte_of_its_content(filled: Path, logs: Path) -> None:
    db = filled
    (gone,) = [one for one, content in kept(db).items() if HOST.encode() in content]
    with closing(sqlite3.connect(f"{db}.logs")) as con:
        (data,) = con.execute("select data from part where content_hash = ?", [gone]).fetchone()
    assert data in Path(f"{db}.logs").read_bytes()

    forget(gone, dry_run=True, db=db)
    assert len(kept(db)) == 2
    forget(gone, db=db)

    assert set(kept(db)) == hashes(db) - {gone} - {content_hash((logs / "picture.bin").read_bytes())}
    assert data[-100:] not in Path(f"{db}.logs").read_bytes()


def loose(db: Path) -> list[str]:
    """What `bench db check` says of kept contents."""
    found = [row for row in db_check(db=db).rows(named=True) if "--keep-logs" in row["what"]]
    assert len(found) == 1
    return [row["found"].partition(",")[0] for row in found if not row["ok"]]


def test_a_broken_file_of_kept_contents_is_found_by_the_check(filled: Path) -> None:
    Path(f"{filled}.logs").write_bytes(b"no SQLite file" * 100)

    assert "file is not a database" in loose(filled)[0]


def test_an_ingest_that_fails_after_it_kept_contents_leaves_none_that_anyone_uses(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "first.log", run_text(steps=3).log)
    ingest(tmp_path / "first.log", db=db, keep_logs=True)
    store = write.store_contents
    monkeypatch.setattr(write, "store_contents", lambda *given: (store(*given), 1 / 0))
    logs = run_folder(tmp_path / "logs")
    with pytest.raises(ZeroDivisionError):
        ingest(logs, db=db)
    # As after a kill: contents of logs that the ledger does not have.
    assert len(kept(db)) == 3
    assert len(hashes(db)) == 1
    assert loose(db) == ["2 without a log"]
    monkeypatch.undo()

    put(tmp_path / "second.log", run_text(steps=4).log)
    ingest(tmp_path / "second.log", db=db)
    assert set(kept(db)) == hashes(db)
    assert loose(db) == []

    ingest(logs, db=db)
    assert len(kept(db)) == 4
    assert set(kept(db)) < hashes(db)


def test_a_grown_log_is_kept_as_it_is_now(db: Path, tmp_path: Path) -> None:
    text = run_text(steps=9).log
    log = put(tmp_path / "logs" / "run.log", text[: len(text) // 2])
    ingest(tmp_path / "logs", db=db, keep_logs=True)
    put(log, text)

    ingest(tmp_path / "logs", db=db)

    assert list(kept(db).values()) == [text.encode()]


def test_a_long_log_is_kept_in_parts_of_whole_lines(db: Path, tmp_path: Path) -> None:
    line = "x" * 99 + "\n"
    text = run_text(steps=3).log + line * (2 * PART // 100) + "y" * (PART + 10) + "\n" + "last\n"
    put(tmp_path / "run.log", text)

    ingest(tmp_path / "run.log", db=db, keep_logs=True)

    ((found, content),) = kept(db).items()
    assert content == text.encode()
    total = text.count("\n")
    with closing(LogContents(db)) as contents:
        lines = contents.lines(found, [1, total // 2, total, total + 1])
    assert lines == {1: text.splitlines()[0].encode(), total // 2: b"x" * 99, total: b"last"}


def test_many_small_logs_share_a_trained_dictionary(db: Path, tmp_path: Path) -> None:
    for seed in range(40):
        put(tmp_path / "logs" / f"{seed}.log", run_text(steps=8, seed=seed).log)
    texts = {path.read_bytes() for path in (tmp_path / "logs").iterdir()}

    ingest(tmp_path / "logs", db=db, keep_logs=True)

    with closing(sqlite3.connect(f"{db}.logs")) as con:
        dictionaries = con.execute("select count(*), count(distinct dictionary_id) from content").fetchall()
        (size,) = con.execute("select sum(length(data)) from part").fetchone()
    assert dictionaries == [(40, 1)]
    assert size < sum(map(len, texts)) / 8
    assert set(kept(db).values()) == texts


def test_backups_and_merged_ledgers_keep_contents_and_public_ones_do_not(filled: Path, tmp_path: Path) -> None:
    db = filled
    other, both = tmp_path / "other.duckdb", tmp_path / "both.duckdb"
    put(tmp_path / "more" / "run.log", run_text(steps=5, seed=9).log)
    ingest(tmp_path / "more", db=other, keep_logs=True, key_file=Path(f"{db}.key"))

    db_backup(tmp_path / "copy.duckdb", db=db)
    db_backup(tmp_path / "public.duckdb", db=db, public=True)
    merge(db, other, into=both)

    assert kept(tmp_path / "copy.duckdb") == kept(db)
    assert not Path(f"{tmp_path}/public.duckdb.logs").exists()
    assert kept(both) == {**kept(db), **kept(other)}
    for copy in (tmp_path / "copy.duckdb", both):
        assert stat.S_IMODE(Path(f"{copy}.logs").stat().st_mode) == 0o600


def test_a_ledger_keeps_nothing_unless_it_is_asked(db: Path, tmp_path: Path) -> None:
    ingest(run_folder(tmp_path / "logs"), db=db)
    ingest(tmp_path / "logs", db=db, keep_logs=True, dry_run=True, refresh=True)

    assert not Path(f"{db}.logs").exists()
    assert run_bench("ingest", "--keep-logs", "--keep-redacted", str(tmp_path), db=db).exit_code == 2
