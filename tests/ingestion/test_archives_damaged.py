"""Damaged archives in an ingest: what could be read is loaded, the rest is an outcome with place, fact and cure."""

from __future__ import annotations

import gzip
import itertools
import json
import os
from pathlib import Path

import pytest

from benchledger.archives.limits import Limits
from benchledger.ingestion import members
from benchledger.ingestion.ingest import ingest
from benchledger.ingestion.outcomes import FileOutcome
from benchledger.scanning import log_reader
from benchledger.scanning.content import content_hash
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, one, put, run_text, stable_tables
from tests.ingestion.packing import COMPRESS, tar, zipped

LOGS = {f"bert/run_{number}.log": run_text(seed=number, speed=200 + number).log for number in (1, 2, 3)}


def without_its_end(packed: bytes) -> bytes:
    """A tar that ends after its last member, to which another can be added."""
    size = len(packed.rstrip(b"\0"))
    return packed[: -(-size // 512) * 512]


def test_a_cut_archive_loads_its_whole_members_and_names_what_is_missing(db: Path, tmp_path: Path) -> None:
    whole = tar(LOGS)
    archive = put(tmp_path / "old.tar", whole[: whole.index(b"bert/run_2.log") + 2512])

    for status in ("loaded", "unchanged"):
        result = ingest(archive, db=db)

        size = len(LOGS["bert/run_2.log"].encode())
        there = f"cut off: 2,000 of its {size:,} bytes are there; the rest is missing: get a whole copy"
        missing = "the tar ends in its middle; the rest is missing: get a whole copy"
        bad = "unreadable" if status == "loaded" else "unchanged"
        assert [(one.path, one.status, one.reason) for one in result.outcomes][1:] == [
            ("bert/run_2.log", bad, there), ("old.tar", bad, missing)
        ]  # fmt: skip
        assert result.outcomes[0].status == status
        assert (result.archives, result.archived_files, result.damaged_archives) == (1, 2, 1)
    assert ask(db, "select count(*) from run") == [(1,)]


def test_a_cut_lone_log_is_a_truncated_run_until_the_whole_one_comes(db: Path, tmp_path: Path) -> None:
    text = LOGS["bert/run_1.log"].encode()
    place = tmp_path / "logs" / "run.log.gz"
    put(place, gzip.compress(text)[:-2000])

    first = ingest(tmp_path / "logs", db=db)

    assert [(one.path, one.status) for one in first.outcomes] == [("run.log", "loaded"), ("run.log.gz", "unreadable")]
    assert ask(db, "select status from run") == [("truncated",)]
    assert ask(db, "select rejects from log") == [(0,)]
    put(place, gzip.compress(text))
    assert ingest(tmp_path / "logs", db=db).files == {"loaded": 1}
    assert ask(db, "select status from run") == [("ok",)]


RESTS = {"newline": b"\n", "words": b"-- signature --", "noise": os.urandom(3000).replace(b"\x1f", b"x")}


@pytest.fixture(scope="module")
def followed(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, FileOutcome]]:
    """A ledger of compressed logs and archives that other bytes follow, and what became of each file."""
    home = tmp_path_factory.mktemp("followed")
    for number, (kind, rest) in enumerate(itertools.product(COMPRESS, RESTS)):
        folder = home / "logs" / f"{kind}-{rest}"
        put(folder / f"run.log.{kind}", COMPRESS[kind](text_before(kind, rest)) + RESTS[rest])
        archive = tar({f"{folder.name}/other.log": run_text(seed=200 + number).log})
        put(folder / f"logs.tar.{kind}", COMPRESS[kind](archive) + RESTS[rest])
    db = made(defined_ledger, home / "ledger")
    return db, {outcome.path: outcome for outcome in ingest(home / "logs", db=db).outcomes}


def text_before(kind: str, rest: str) -> bytes:
    return f"{kind} {rest}\n{LOGS['bert/run_1.log']}".rstrip("\n").encode()


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("rest", RESTS)
def test_a_complete_compressed_log_is_read_and_bytes_behind_it_are_told(
    followed: tuple[Path, dict[str, FileOutcome]], kind: str, rest: str
) -> None:
    db, outcomes = followed
    folder = f"{kind}-{rest}/"
    told = {path.removeprefix(folder): one for path, one in outcomes.items() if path.startswith(folder)}

    assert {path: outcome.status for path, outcome in told.items()} == {
        "run.log": "loaded", f"run.log.{kind}": "unreadable", "other.log": "loaded", f"logs.tar.{kind}": "unreadable",
    }  # fmt: skip
    assert "follow bytes that are no" in str(told[f"run.log.{kind}"].reason)
    text = text_before(kind, rest)
    assert one(db, "select lines from log where content_hash = $1", content_hash(text)) == text.count(b"\n") + 1


def test_what_a_limit_kept_out_is_read_when_the_limit_is_raised(db: Path, tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(70_000_000) + b"\n" + LOGS["bert/run_2.log"].encode())
    archive = put(tmp_path / "old.tar", tar({"a.log": LOGS["bert/run_1.log"], "b.log.gz": bomb}))

    assert ingest(archive, db=db).files == {"loaded": 1, "unreadable": 1}
    assert ingest(archive, db=db).files == {"unchanged": 1, "unreadable": 1}
    assert ingest(archive, db=db, limits=Limits(ratio=6000)).files == {"unchanged": 1, "loaded": 1}
    assert ingest(archive, db=db).files == {"unchanged": 2}


def test_an_archive_without_files_is_empty(db: Path, tmp_path: Path) -> None:
    archive = put(tmp_path / "none.zip", zipped({}))

    for status in ("empty", "unchanged"):
        result = ingest(archive, db=db)

        assert [(one.path, one.status) for one in result.outcomes] == [("none.zip", status)]
        assert (result.archives, result.archived_files, result.damaged_archives) == (1, 0, 0)


def test_two_members_of_one_name_are_both_accounted_for(db: Path, tmp_path: Path) -> None:
    one, other = (tar({"run.log": LOGS[f"bert/run_{number}.log"]}) for number in (1, 2))
    archive = put(tmp_path / "old.tar", without_its_end(one) + other)

    for status in ("loaded", "unchanged"):
        result = ingest(archive, db=db)

        assert [(one.path, one.status) for one in result.outcomes] == [("run.log", status)] * 2


def test_a_large_member_is_read_as_it_streams_also_where_its_format_shows_late(
    db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_reader, "CHUNK", 64 * 1024)
    monkeypatch.setattr(members, "SMALL", 1000)
    early = run_text(seed=1, steps=4000).log
    late = "nobody knows this line\n" * 10_000 + run_text(seed=2, steps=3000).log
    unknown = "nobody knows this line\n" * 20_000
    texts = {
        "bert/early.log": early,
        "bert/late.log": late,
        "bert/unknown.log": unknown,
        "bert/z.log": LOGS["bert/run_3.log"],
    }
    for name, text in texts.items():
        put(tmp_path / "logs" / name, text)
    ingest(tmp_path / "logs", db=db)

    for packed in (
        put(tmp_path / "logs.tar.gz", COMPRESS["gz"](tar(texts))),
        put(tmp_path / "logs.zip", zipped(texts)),
    ):
        result = ingest(packed, db=db2)

    assert result.files == {"duplicate": 4}
    assert stable_tables(db2) == stable_tables(db)


def test_the_summary_counts_archives_and_names_what_is_damaged(db: Path, tmp_path: Path) -> None:
    good = put(tmp_path / "good.zip", zipped(LOGS))
    bad = put(tmp_path / "bad.tar", tar({"x.log": LOGS["bert/run_1.log"]})[:3000])

    done = run_bench("ingest", good, bad, db=db)

    assert done.exit_code == 0
    assert "files: 5 = 3 loaded + 2 unreadable" in done.stdout
    assert "archives: 2 contained 4 of these files; 1 damaged, read in part" in done.stdout
    assert "bad.tar: the tar ends in its middle; the rest is missing: get a whole copy" in done.stderr
    told = json.loads(run_bench("ingest", good, bad, "--format", "json", db=db).stdout)
    assert (told["archives"], told["archived_files"], told["damaged_archives"]) == (2, 4, 1)
    assert run_bench("ingest", bad, "--strict", db=db).exit_code == 1


def test_limits_are_options(db: Path, tmp_path: Path) -> None:
    archive = put(tmp_path / "old.tar.gz", COMPRESS["gz"](tar({"in.tar": tar(LOGS)})))

    def said(*options: str) -> str:
        return run_bench("ingest", archive, "--dry-run", *options, db=db).stderr

    assert "unreadable" not in said("--archive-bytes", "10MB", "--archive-depth", "3", "--archive-ratio", "9")
    assert "more than 1 archives within one another; if it is no bomb, allow more with --archive-depth" in said(
        "--archive-depth", "1"
    )
    assert "more than 1,000 bytes came out of it" in said("--archive-bytes", "1kB")
    assert "'lots' is not a size; write for example 500MB or 256GiB" in said("--archive-bytes", "lots")
