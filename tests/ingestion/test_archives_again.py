"""Archives seen again: unchanged, changed, grown, told anew, read again; and ingests that were interrupted."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchledger.ingestion import batches, members, pool, reading, units
from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.batches import BatchLimits
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.ingest import IngestOptions, ingest, ingest_with
from benchledger.ingestion.reading import Progress
from benchledger.ingestion.units import ReadFiles
from tests.ingestion.logs import ask, put, run_text, stable_tables
from tests.ingestion.packing import COMPRESS, tar, zipped

LOGS = {f"bert/run_{number}.log": run_text(seed=number, speed=200 + number).log for number in (1, 2, 3)}


def put_tar_gz(place: Path, files: dict[str, str]) -> Path:
    return put(place, COMPRESS["gz"](tar(files)))


def test_an_unchanged_archive_is_not_opened_and_its_members_are_unchanged(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = put_tar_gz(tmp_path / "old.tar.gz", LOGS)
    first = ingest(archive, db=db)
    monkeypatch.setattr(reading.ArchiveSources, "to_read", None)

    second = ingest(archive, db=db)

    assert second.files == {"unchanged": 3}
    assert [one.path for one in second.outcomes] == [one.path for one in first.outcomes]
    assert (second.archives, second.archived_files) == (1, 3)
    assert second.runs == first.runs == 3


def test_an_archive_that_was_touched_is_walked_and_nothing_in_it_is_scanned_again(db: Path, tmp_path: Path) -> None:
    archive = put_tar_gz(tmp_path / "old.tar.gz", LOGS)
    ingest(archive, db=db)
    before = stable_tables(db)
    os.utime(archive, (1, 1))

    again = ingest(archive, db=db)

    assert again.files == {"unchanged": 3}
    assert again.records == 0
    assert stable_tables(db) == before


def test_a_newer_archive_at_the_same_place_loads_what_is_new_and_supersedes_what_grew(db: Path, tmp_path: Path) -> None:
    whole = LOGS["bert/run_1.log"]
    cut = whole[: whole.index("\n", len(whole) // 2) + 1]
    archive = put_tar_gz(tmp_path / "old.tar.gz", {**LOGS, "bert/run_1.log": cut})
    ingest(archive, db=db)
    put_tar_gz(archive, {**LOGS, "bert/run_4.log": run_text(seed=4).log})

    assert ingest(archive, db=db).files == {"loaded": 2, "unchanged": 2}

    assert ask(db, "select status, count(*) from sighting group by all order by all") == [
        ("loaded", 4), ("superseded", 1)
    ]  # fmt: skip
    assert ask(db, "select count(*) from run") == [(4,)]


def test_facts_in_an_archive_hold_in_it_also_where_they_come_last(
    db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = {"bert/facts.toml": 'campaign = "spring"\n[environment]\ngpu_model = "A100-SXM4-40GB"\n'}
    first = put_tar_gz(tmp_path / "first" / "logs.tar.gz", {**facts, **LOGS, "cold/run.log": run_text(seed=9).log})
    last = put_tar_gz(tmp_path / "last" / "logs.tar.gz", {**LOGS, "cold/run.log": run_text(seed=9).log, **facts})
    ingest(first, db=db)
    # As if so much stood before it that it was written already.
    monkeypatch.setattr(units.Unit, "full", property(lambda unit: bool(unit.files)))
    ingest_with(IngestOptions(db2, batch_limits=BatchLimits(most_files=1)), last)

    asked = """select path, campaign, f.value from sighting left join kept.sighting_fact as f using (sighting_id)
               where f.name = 'gpu_model' or path like 'cold%' order by all"""
    assert {row[1:] for row in ask(db, asked)} == {("spring", "A100-SXM4-40GB"), ("logs/cold", None)}
    assert ask(db2, asked) == ask(db, asked)
    assert stable_tables(db2) == stable_tables(db)


def test_a_facts_toml_above_an_archive_holds_for_it_and_its_change_is_taken_up(db: Path, tmp_path: Path) -> None:
    facts = put(tmp_path / "logs" / "facts.toml", '[environment]\ngpu_model = "V100-SXM2-16GB"\n')
    inside = {**LOGS, "facts.toml": '[environment]\ndriver_version = "450.51"\n'}
    put_tar_gz(tmp_path / "logs" / "old.tar.gz", inside)
    put(tmp_path / "logs" / "lone.log.gz", COMPRESS["gz"](run_text(seed=7).log.encode()))
    ingest(tmp_path / "logs", db=db)
    put(facts, '[environment]\ngpu_model = "A100-SXM4-40GB"\n[[for]]\nmatch = "lone.log"\nnote = "alone"\n')

    again = ingest(tmp_path / "logs", db=db)

    assert again.files == {"unchanged": 5, "facts": 1}
    asked = """select archive, name, value, count(*) from kept.sighting_fact join sighting using (sighting_id)
               where name in ('gpu_model', 'driver_version', 'note') and log_id is not null
               group by all order by all"""
    assert ask(db, asked) == [
        ("lone.log.gz", "gpu_model", "A100-SXM4-40GB", 1),
        ("lone.log.gz", "note", "alone", 1),
        ("old.tar.gz", "driver_version", "450.51", 3),
        ("old.tar.gz", "gpu_model", "A100-SXM4-40GB", 3),
    ]
    assert ask(db, "select path, campaign from sighting where path like 'bert/%' order by all")[0][1] == "logs/old"


def test_refresh_reads_again_what_was_read_by_older_definitions_in_the_archives_where_it_lies(
    db: Path, tmp_path: Path
) -> None:
    ingest(
        put(tmp_path / "old.zip", zipped(LOGS)),
        put_tar_gz(tmp_path / "x.tar.gz", {"a.log": run_text(seed=8).log}),
        db=db,
    )
    before = stable_tables(db)
    import duckdb

    con = duckdb.connect(str(db))
    con.execute(
        """update log set definitions_hash = 'older'
           where log_id in (select log_id from sighting where path in ('bert/run_2.log', 'a.log'))"""
    )
    con.close()

    result = ingest(db=db, refresh=True)

    assert sorted(one.path for one in result.outcomes) == ["a.log", "bert/run_2.log"]
    assert result.files == {"loaded": 2}
    assert stable_tables(db) == before


def test_an_ingest_that_is_killed_in_an_archive_goes_on_and_ends_as_if_it_had_not_been(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = {f"bert/run_{number}.log": run_text(seed=number, speed=200 + number).log for number in range(12)}
    archive = put_tar_gz(tmp_path / "old.tar.gz", logs)
    killed = tmp_path / "killed.duckdb"
    script = f"""
import os, signal
from pathlib import Path
from benchledger.ingestion import units, write
from benchledger.ingestion.batches import BatchLimits
from benchledger.ingestion.ingest import IngestOptions, ingest_with
units.Unit.full = property(lambda unit: len(unit.files) > 1)
written = []
write_once = write.Writer.write
def write_and_die(self, pending):
    write_once(self, pending)
    written.append(1)
    if len(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
write.Writer.write = write_and_die
ingest_with(IngestOptions(Path({str(killed)!r}), batch_limits=BatchLimits(most_files=2)), {str(archive)!r})
"""
    assert subprocess.run([sys.executable, "-c", script]).returncode == -9
    half = ask(killed, "select count(*) from log")[0][0]
    assert 0 < half < 12

    resumed = ingest(archive, db=killed)
    ingest(archive, db=db)

    assert resumed.files == {"unchanged": half, "loaded": 12 - half}
    assert stable_tables(killed) == stable_tables(db)
    assert ingest(archive, db=killed).files == {"unchanged": 12}


def test_progress_goes_by_the_bytes_of_the_archive_within_its_large_members_too(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "SMALL", 1000)
    archive = put(tmp_path / "old.tar", tar(LOGS | {"large.log": run_text(seed=5, steps=4000).log}))
    told: list[Progress] = []

    ingest(archive, db=db, progress=told.append)

    size = archive.stat().st_size
    done = [one.bytes_done for one in told]
    assert done == sorted(done)
    assert done[-1] == size == told[-1].bytes_total
    assert len([one for one in done if 0 < one < size]) >= 3


def test_archives_and_files_mix_in_the_order_in_which_they_are_found(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a.log", run_text(seed=1).log)
    put(tmp_path / "logs" / "b.zip", zipped({"z.log": run_text(seed=2).log, "y.txt": "hello\n"}))
    put(tmp_path / "logs" / "c.log", run_text(seed=3).log)
    put(tmp_path / "logs" / "d.log.xz", COMPRESS["xz"](run_text(seed=4).log.encode()))

    for _ in range(2):
        result = ingest(tmp_path / "logs", db=db, jobs=2)
        assert [one.path for one in result.outcomes] == ["a.log", "z.log", "y.txt", "c.log", "d.log"]
    assert result.files == {"unchanged": 5}


def test_processes_give_what_one_gives(db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = put_tar_gz(tmp_path / "old.tar.gz", LOGS | {"junk": "x\n", "empty": ""})
    monkeypatch.setattr(members, "SMALL", len(LOGS["bert/run_2.log"]) - 1)
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(units, "UNIT_FILES", 2)
    alone, together = ingest(archive, db=db, jobs=1), ingest(archive, db=db2, jobs=3)

    assert together.outcomes == alone.outcomes
    assert stable_tables(db2) == stable_tables(db)


@pytest.mark.parametrize(("is_archive", "others"), [(True, True), (False, False)])
def test_one_large_archive_is_worth_other_processes_and_one_log_is_not(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_archive: bool, others: bool
) -> None:
    packed = tar(LOGS)
    log = put(tmp_path / "a.log", packed if is_archive else LOGS["bert/run_1.log"])
    monkeypatch.setattr(reading, "LARGE", 1)
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", log.stat().st_size * pool.EXPANSION)
    begun: list[bool] = []
    begin = batches.Batches.__init__

    def beginning(self: batches.Batches, *arguments: Any, reads_ahead: bool, **named: Any) -> None:
        begun.append(reads_ahead)
        begin(self, *arguments, reads_ahead=reads_ahead, **named)

    monkeypatch.setattr(batches.Batches, "__init__", beginning)

    assert ingest(log, db=db, jobs=2).files == {"loaded": 3 if is_archive else 1}
    assert begun == [others]


@pytest.mark.parametrize("jobs", [1, 2])
def test_small_archives_are_read_together_and_each_is_known_again(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 0)
    for name, text in LOGS.items():
        put(tmp_path / "logs" / f"{name}.gz", COMPRESS["gz"](text.encode()))
    put(tmp_path / "logs" / "bert" / "run_2.log.gz", COMPRESS["gz"](LOGS["bert/run_2.log"].encode())[:-30])
    (tmp_path / "logs" / "bert" / "run_4.log").write_text(LOGS["bert/run_3.log"])
    told: list[Progress] = []
    units: list[list[str]] = []
    add = Accounts.add

    def adding(self: Accounts, files: list[FoundFile], batch: ReadFiles) -> list[FoundFile]:
        units.append([file.shown for file in files if file.within])
        return add(self, files, batch)

    monkeypatch.setattr(Accounts, "add", adding)
    first = ingest(tmp_path / "logs", db=db, jobs=jobs, progress=told.append)

    assert ["bert/run_1.log", "bert/run_2.log", "bert/run_2.log.gz", "bert/run_3.log"] in units
    assert [(one.path, one.status) for one in first.outcomes] == [
        ("bert/run_1.log", "loaded"), ("bert/run_2.log", "loaded"), ("bert/run_2.log.gz", "unreadable"),
        ("bert/run_3.log", "duplicate"), ("bert/run_4.log", "loaded"),
    ]  # fmt: skip
    done = [one.bytes_done for one in told]
    assert done == sorted(done)
    assert ingest(tmp_path / "logs", db=db, jobs=jobs).files == {"unchanged": 5}


@pytest.mark.parametrize("jobs", [1, 2])
def test_standard_input_may_be_an_archive(db: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 0)
    packed = COMPRESS["zst"](tar({**LOGS, "bert/facts.toml": '[environment]\ngpu_model = "H200"\n'}))

    result = ingest(db=db, stdin=io.BytesIO(packed), jobs=jobs)

    assert result.files == {"loaded": 3, "facts": 1}
    assert ask(
        db,
        "select distinct archive, value from sighting join kept.sighting_fact using (sighting_id) where name = 'gpu_model'",
    ) == [("stdin", "H200")]
