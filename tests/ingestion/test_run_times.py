"""When a run was, and by whose clock: its log's, its manifest's, else no more than the time of a file."""

from __future__ import annotations

import json
import os
import re
import zipfile
from datetime import datetime
from pathlib import Path

from click.testing import CliRunner

from benchledger import ingest, runs
from benchledger.cli.main import bench
from tests.ingestion.conftest import Given, given
from tests.ingestion.logs import ask, one, put, run_text

TIME = "select started_at, ended_at, time_source from kept.run_time"
# What TensorFlow's BERT prints: no line of it has a year.
YEARLESS = """I0526 05:23:05.762720 139937729738560 run_pretraining.py:640] -----------------------------
I0526 05:25:05.762720 139937729738560 run_pretraining.py:650] Throughput Average (sentences/sec) = 1067.19
"""


def text_of(*command: str) -> str:
    done = CliRunner().invoke(bench, list(command))
    assert done.exit_code == 0, done.output
    return done.output


def set_time(path: Path, when: datetime) -> None:
    stamp = (when - datetime(1970, 1, 1)).total_seconds()
    os.utime(path, (stamp, stamp))


def test_a_logs_own_time_counts_and_its_last_dated_line_is_not_called_its_end(db: Path, tmp_path: Path) -> None:
    path = put(tmp_path / "logs" / "train.log", run_text().log)
    set_time(path, datetime(2011, 1, 1))

    ingest(tmp_path / "logs", db=db)

    assert one(db, TIME)[2] == "log"
    assert one(db, TIME)[0].year == 2026
    assert re.search(r"2026-01-02 03:00 \(log\)", text_of("--db", str(db), "runs"))
    shown = text_of("--db", str(db), "show", one(db, "select run_key from run"))
    assert re.search(r"^last dated line: 2026-01-02 0\d:\d\d \(log\)$", shown, re.MULTILINE)
    assert "\nended:" not in shown


def test_a_log_without_a_year_has_the_time_of_its_file_and_says_so(db: Path, tmp_path: Path) -> None:
    path = put(tmp_path / "logs" / "x.log", YEARLESS)
    set_time(path, datetime(2021, 5, 26, 7, 30, 5))

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select started_at, ended_at, time_source from run") == (None, None, None)
    assert one(db, TIME) == (datetime(2021, 5, 26, 7, 30, 5), None, "file")
    assert "2021-05-26 07:30 (file)" in text_of("--db", str(db), "runs")
    assert "started: 2021-05-26 07:30 (file)" in text_of("--db", str(db), "show", one(db, "select run_key from run"))
    assert runs(db=db)["time_source"].to_list() == ["file"]


def test_a_log_that_was_packed_today_does_not_come_before_a_run_that_tells_its_time(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "train.log", run_text().log)
    set_time(put(tmp_path / "logs" / "x" / "old.log", YEARLESS), datetime(2031, 1, 1))
    later = put(tmp_path / "logs" / "y" / "older.log", YEARLESS.replace("1067.19", "1066.19"))
    set_time(later, datetime(2032, 1, 1))

    ingest(tmp_path / "logs", db=db)

    assert [(when.year, source) for when, source in runs(db=db).select("started_at", "time_source").rows()] == [
        (2026, "log"),
        (2032, "file"),
        (2031, "file"),
    ]


def test_of_several_files_the_earliest_counts_and_the_run_is_the_same(db: Path, tmp_path: Path) -> None:
    for folder, year in (("a", 2023), ("b", 2022)):
        set_time(put(tmp_path / "logs" / folder / "x.log", YEARLESS), datetime(year, 5, 26))
    ingest(tmp_path / "logs" / "a", db=db)
    before = ask(db, "select * from run")

    ingest(tmp_path / "logs" / "b", db=db)

    assert one(db, TIME)[0] == datetime(2022, 5, 26)
    assert ask(db, "select * from run") == before


@given({
    "x.log": YEARLESS,
    "run.json": json.dumps(
        {"benchledger_manifest": 1, "files": ["x.log"], "started_at": "2021-05-26T05:23:05Z",
         "ended_at": "2021-05-26T05:26:00Z"}
    ),
})  # fmt: skip
def test_a_manifest_gives_the_year_that_the_log_omits(own: Given) -> None:
    assert own.one(TIME) == (datetime(2021, 5, 26, 5, 23, 5), datetime(2021, 5, 26, 5, 26), "manifest")
    assert "2021-05-26 05:23 (manifest)" in text_of("--db", str(own.db), "runs")


@given({
    "train.log": run_text().log,
    "run.json": json.dumps(
        {"benchledger_manifest": 1, "files": ["train.log"], "started_at": "2020-01-01", "ended_at": "2020-01-02"}
    ),
})  # fmt: skip
def test_a_logs_time_is_not_replaced_by_its_manifests(own: Given) -> None:
    started, ended, source = own.one(TIME)
    assert (started.year, ended.year, source) == (2026, 2026, "log")


def test_a_member_of_an_archive_has_the_time_that_the_archive_says(db: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with zipfile.ZipFile(tmp_path / "logs" / "old.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("x.log", (2021, 5, 26, 7, 30, 4)), YEARLESS)

    ingest(tmp_path / "logs", db=db)

    assert one(db, TIME) == (datetime(2021, 5, 26, 7, 30, 4), None, "member")
    assert "2021-05-26 07:30 (archive member)" in text_of("--db", str(db), "runs")
    # Another copy of the same bytes, with an earlier time: the run itself is as it was.
    before = ask(db, "select * from run")
    set_time(put(tmp_path / "plain" / "x.log", YEARLESS), datetime(2021, 5, 25))
    ingest(tmp_path / "plain", db=db)
    assert one(db, TIME)[::2] == (datetime(2021, 5, 25), "file")
    assert ask(db, "select * from run") == before
