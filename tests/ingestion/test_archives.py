"""Logs in archives come out as they would from a folder, each accounted for at its own place."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.ingestion.ingest import ingest
from tests.ingestion.conftest import made
from tests.ingestion.logs import StableTables, ask, put, run_text, stable_tables
from tests.ingestion.packing import COMPRESS, tar, wrapped, zipped

KINDS = ["tar", "zip", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "zip.tar"]
FILES = {"bert/run_1.log": run_text(seed=1).log, "bert/run_2.log": run_text(seed=2, speed=210).log}


def outcomes(db: Path, *paths: Path) -> dict[str, tuple[str, str | None]]:
    return {one.path: (one.status, one.reason) for one in ingest(*paths, db=db).outcomes}


def _named(kind: str) -> str:
    # An archive within another is a folder of its own.
    return "all" if kind == "zip.tar" else "logs"


@pytest.fixture(scope="module")
def of_folder(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> StableTables:
    folder = tmp_path_factory.mktemp("folder")
    for name, text in FILES.items():
        put(folder / "logs" / name, text)
    db = made(defined_ledger, folder / "ledger")
    ingest(folder / "logs", db=db)
    return stable_tables(db)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_gives_what_its_folder_gives(db: Path, of_folder: StableTables, tmp_path: Path, kind: str) -> None:
    result = ingest(put(tmp_path / f"logs.{kind}", wrapped(kind, FILES)), db=db)

    assert result.files == {"loaded": 2}
    assert (result.archives, result.archived_files, result.damaged_archives) == (1, 2, 0)
    assert stable_tables(db) == of_folder


def test_every_kind_of_archive_gives_the_bytes_of_its_folder(db: Path, of_folder: StableTables, tmp_path: Path) -> None:
    result = ingest(*(put(tmp_path / kind / _named(kind), wrapped(kind, FILES)) for kind in KINDS), db=db)

    # The same bytes are a log once, and each of them is a copy elsewhere.
    assert result.files == {"loaded": 2, "duplicate": 2 * (len(KINDS) - 1)}
    assert (result.archives, result.archived_files, result.damaged_archives) == (len(KINDS), 2 * len(KINDS), 0)
    assert [one.path for one in result.outcomes] == list(FILES) * len(KINDS)
    tables = stable_tables(db)
    within = [row for row in tables["speed_table"] if "'all/inner'" in row]
    tables["speed_table"] = [row for row in tables["speed_table"] if row not in within]
    assert len(within) == len(of_folder["speed_table"])
    assert tables == of_folder


def test_a_compressed_log_stands_where_the_log_would(db: Path, tmp_path: Path) -> None:
    for number, kind in enumerate(COMPRESS):
        put(tmp_path / "logs" / f"kind {kind}" / f"run.log.{kind}", COMPRESS[kind](run_text(seed=number).log.encode()))

    result = ingest(tmp_path / "logs", db=db)

    assert [(one.path, one.status) for one in result.outcomes] == [
        (f"kind {kind}/run.log", "loaded") for kind in sorted(COMPRESS)
    ]
    assert ask(db, "select path, archive, member, campaign from sighting order by path") == [
        (f"kind {kind}/run.log", f"kind {kind}/run.log.{kind}", None, f"logs/kind {kind}") for kind in sorted(COMPRESS)
    ]


def test_archives_are_told_by_content_not_by_name(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "really_a_tar.log", tar(FILES))
    put(tmp_path / "logs" / "really_a_log.zip", run_text(seed=3).log)

    assert {path: status for path, (status, _) in outcomes(db, tmp_path / "logs").items()} == {
        "bert/run_1.log": "loaded",
        "bert/run_2.log": "loaded",
        "really_a_log.zip": "loaded",
    }


def test_a_sighting_tells_the_archive_the_way_through_it_and_the_members_own_time(db: Path, tmp_path: Path) -> None:
    inner = zipped({"c/run.log": run_text().log})
    put(tmp_path / "logs" / "2021" / "all.tar.gz", COMPRESS["gz"](tar({"a/inner.zip": inner})))

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select path, archive, member, campaign, modified_at::varchar from sighting") == [
        ("c/run.log", "2021/all.tar.gz", "a/inner.zip!/c/run.log", "logs/2021/all/a/inner/c", "2020-09-13 12:26:40")
    ]


def test_a_log_at_the_top_of_an_archive_is_in_the_campaign_of_the_archives_name(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "2021-05.tar.gz", COMPRESS["gz"](tar({"run.log": run_text().log})))

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select campaign from sighting") == [("logs/2021-05",)]


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_each_empty_member_has_an_outcome_but_its_path_states_no_fact(db: Path, tmp_path: Path, kind: str) -> None:
    members = {f"bert_fp16_gpu8/run_{number}.log": "" for number in range(30)}
    archive = put(tmp_path / f"logs.{kind}", wrapped(kind, members))

    assert ingest(archive, db=db).files == {"empty": 30}
    assert ingest(archive, db=db).files == {"unchanged": 30}
    rows = "select count(distinct path), count(log_id), count(campaign), count(name_rule), count(root_id) from sighting"
    assert ask(db, rows) == [(30, 30, 0, 0, 0)]
