"""The same bytes give the same ledger, however often, in whatever order and under whatever names they come."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.conftest import made
from tests.ingestion.logs import StableTables, ask, one, put, run_text, stable_tables


def write_logs(folder: Path) -> list[Path]:
    paths = []
    for number, (precision, ends) in enumerate([("fp32", "ok"), ("fp16", "killed"), ("fp32", "oom")]):
        run = run_text(
            precision=precision, ends=ends, steps=53 if ends == "killed" else 120, at=100.0 * number, seed=number
        )
        place = folder / f"ngc_bert_base_sp_bs32_{precision}_run{number + 1}"
        paths += [put(place / "train.log", run.log), put(place / "dllogger.json", run.twin)]
        paths.append(put(folder / "nvidia_smi" / f"smi{number}.csv", run.telemetry))
    return paths


@pytest.fixture(scope="module")
def once(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the logs and a ledger of one ingest of them. Read only."""
    folder = tmp_path_factory.mktemp("once")
    write_logs(folder / "logs")
    ingest(folder / "logs", db=made(defined_ledger, folder / "ledger"))
    return folder


@pytest.fixture(scope="module")
def of_one_ingest(once: Path) -> StableTables:
    """What a ledger holds after one ingest of the logs."""
    return stable_tables(once / "ledger" / "bench.duckdb")


def test_same_log_in_two_folders_loads_once_and_its_run_is_in_both_campaigns(db: Path, tmp_path: Path) -> None:
    run = run_text().log
    put(tmp_path / "logs" / "a" / "run.log", run)
    put(tmp_path / "logs" / "b" / "other.log", run)

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select count(*) from run") == 1
    assert ask(db, "select path, status from sighting order by path") == [
        ("a/run.log", "loaded"),
        ("b/other.log", "duplicate"),
    ]
    assert ask(db, "select campaign from kept.run_campaign order by 1") == [("logs/a",), ("logs/b",)]


def test_runs_of_an_ingest_are_those_of_its_files_also_where_they_are_unchanged(db: Path, tmp_path: Path) -> None:
    paths = [put(tmp_path / "logs" / f"{number}.log", run_text(seed=number).log) for number in range(3)]
    ingest(tmp_path / "logs", db=db)
    runs = []
    for path in paths:
        runs.append(ingest(tmp_path / "logs", db=db).runs)
        path.unlink()

    assert runs == [3, 2, 1]
    assert ingest(tmp_path / "logs", db=db).runs == 0


@pytest.mark.parametrize(
    ("seed", "at_once"),
    [(1, 3), pytest.param(1, 1, marks=pytest.mark.long), pytest.param(2, 1, marks=pytest.mark.long)],
)
def test_logs_one_by_one_or_a_few_at_a_time_in_any_order_give_the_ledger_of_one_ingest(
    db: Path, of_one_ingest: StableTables, tmp_path: Path, seed: int, at_once: int
) -> None:
    folder = tmp_path / "logs"
    paths = write_logs(folder)
    random.Random(seed).shuffle(paths)

    # The root decides paths and campaigns: each ingest is of the whole folder as it is so far.
    hidden = tmp_path / "hidden"
    for path in paths:
        put(hidden / path.relative_to(folder), path.read_bytes())
    for path in paths:
        put(folder / "x", b"").unlink()
        path.unlink()
    for number, path in enumerate(paths, start=1):
        put(path, (hidden / path.relative_to(folder)).read_bytes())
        if number % at_once == 0:
            ingest(folder, db=db)

    assert stable_tables(db) == of_one_ingest


def test_twice_and_with_two_processes_give_the_same_ledger(
    db: Path, once: Path, of_one_ingest: StableTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = shutil.copytree(once / "ledger", tmp_path / "again") / "bench.duckdb"
    assert ingest(once / "logs", db=again, refresh=True).files == {"loaded": 9}
    assert stable_tables(again) == of_one_ingest

    monkeypatch.setattr("benchledger.ingestion.pool.WORTH_A_PROCESS", 0)
    monkeypatch.setattr("benchledger.ingestion.units.UNIT_FILES", 2)
    ingest(once / "logs", db=db, jobs=2)
    assert stable_tables(db) == of_one_ingest


def test_an_ingest_that_is_killed_is_completed_by_the_next(
    db: Path, of_one_ingest: StableTables, tmp_path: Path
) -> None:
    write_logs(tmp_path / "logs")
    code = f"""
import os, signal
from benchledger.ingestion import write
derive = write.derive
def stop(*arguments):
    derive(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
write.derive = stop
from benchledger import ingest
ingest({str(tmp_path / "logs")!r}, db={str(db)!r})
"""
    killed = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert Path(f"{db}.private").exists()

    assert ingest(tmp_path / "logs", db=db).files["loaded"] == 9
    assert stable_tables(db) == of_one_ingest


def test_two_ingests_at_once_load_every_log_once(db: Path, of_one_ingest: StableTables, tmp_path: Path) -> None:
    write_logs(tmp_path / "logs")
    code = f"from benchledger import ingest; ingest({str(tmp_path / 'logs')!r}, db={str(db)!r})"

    both = [subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2]) for _ in range(2)]

    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert stable_tables(db) == of_one_ingest


@pytest.mark.usefixtures("heard")
def test_a_second_ctrl_c_ends_what_is_being_written_and_leaves_the_ledger_as_it_was(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    code = f"""
from benchledger.ingestion import write
def derive(con, *_):
    print("deriving", flush=True)
    con.execute("select sum(a.range * b.range) from range(10000000) a, range(10000000) b")
write.derive = derive
import sys
from benchledger.cli.main import main
sys.argv = ["bench", "--db", {str(db)!r}, "ingest", {str(tmp_path / "logs")!r}]
main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"deriving\n"
    for _ in range(2):
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
    began = time.monotonic()
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 130
    # The first one waits for 10 seconds.
    assert time.monotonic() - began < 9
    assert b"Traceback" not in errors
    assert b"ended at once; what was committed is kept" in errors
    assert one(db, "select count(*) from log") == 0
    assert ingest(tmp_path / "logs", db=db).files == {"loaded": 1}


def test_an_unchanged_file_is_told_by_its_path_below_what_is_given_now(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a" / "b" / "run.log", run_text().log)
    told = {}
    for folder in ("logs/a", "logs", "logs/a/b", "logs/a"):
        (outcome,) = ingest(tmp_path / folder, db=db).outcomes
        told[folder] = outcome.path

    assert told == {"logs/a": "b/run.log", "logs": "a/b/run.log", "logs/a/b": "run.log"}
