"""However a run ends, its log is staged whole, its status is in the ledger, and the message says what helps."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import BenchledgerError
from benchledger.running.failure import Exit, failure_of
from tests.running.conftest import Bench

NAME = "nlp_bert_base_sp_bs4_fp32_cpu"


def test_a_run_that_ends_well_is_ok(bench: Bench) -> None:
    frame = bench.run(trials=2)

    assert frame["status"].to_list() == ["ok", "ok"]
    assert bench.staged() == [f"{NAME}_trial1", f"{NAME}_trial2"]
    assert [(name, status) for name, status, _ in bench.ledger()] == [
        (f"{NAME}, trial 1", "ok"),
        (f"{NAME}, trial 2", "ok"),
    ]


@pytest.mark.parametrize(
    ("ends", "mark", "status", "says", "cure"),
    [
        ("too_large", "oom", "oom", "out of memory", "--sweep batch_size=max"),
        ("killed", "killed", "failed", "SIGKILL", "dmesg"),
        ("full", "disk", "failed", "disk is full", "--staging"),
        ("slow", "timeout", "timeout", "longer than the 1 s", "--timeout"),
        ("in_summary", "timeout", "timeout", "longer than the 1 s", "--timeout"),
    ],
)
def test_each_failure_has_its_status_and_a_cure(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, ends: str, mark: str, status: str, says: str, cure: str
) -> None:
    monkeypatch.setenv("TOY_ENDS", ends)
    monkeypatch.setenv("TOY_LARGEST", "1")
    frame = bench.run(timeout_s=1.0 if mark == "timeout" else 60.0)

    assert frame["status"].to_list() == [mark]
    assert says in frame["why"][0]
    assert cure in frame["why"][0]
    assert bench.staged() == [f"{NAME}_trial1_{mark}"]
    assert [found for _, found, _ in bench.ledger()] == [status]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte, where this user may have one."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("only root can make a small disk")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_log_that_fills_the_disk_is_staged_with_its_manifest(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, small_disk: Path
) -> None:
    monkeypatch.setenv("TOY_ENDS", "fills")
    frame = bench.run(staging=small_disk / "staging")
    (log,) = small_disk.rglob("*.log")
    db = bench.folder / "bench.duckdb"
    benchledger.ingest(small_disk / "staging", db=db)

    assert frame["status"].to_list() == ["disk"]
    assert "Free some space" in frame["why"][0]
    assert log.parent.name == f"{NAME}_trial1_disk"
    [(status, reason)] = benchledger.sql("select status, reason from run", db=db).rows()
    assert status == "failed"
    assert "the disk is full" in reason


def test_on_a_disk_that_is_full_already_no_run_begins(bench: Bench, small_disk: Path) -> None:
    (small_disk / "full").write_bytes(b"x" * 1_000_000)
    with pytest.raises(BenchledgerError, match=r"cannot be written here: No space left on device\. Free some space"):
        bench.run(staging=small_disk / "staging")


def test_a_run_whose_bench_run_got_sigterm_is_not_ok_whatever_its_summary_says(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_ENDS", "in_summary")

    def send() -> None:
        # It waits in its third step.
        until = time.monotonic() + 30
        while time.monotonic() < until and not any(b"pid " in log.read_bytes() for log in _logs(bench)):
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGTERM)

    sender = threading.Thread(target=send)
    sender.start()
    frame = bench.run(trials=3)
    sender.join()
    ((_, status, reason),) = bench.ledger()

    assert frame["status"].to_list() == ["killed"]
    assert (status, "SIGTERM" in reason) == ("failed", True)
    assert "training_sequences_per_second" in next(bench.staging.rglob("*.log")).read_text()


@pytest.mark.parametrize("ends", ["slow", "leaves_a_child"])
def test_no_process_of_a_run_outlives_it(bench: Bench, monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    monkeypatch.setenv("TOY_ENDS", ends)
    bench.run(timeout_s=1.0 if ends == "slow" else None)

    # One that is killed is gone only once the system has come to it.
    until = time.monotonic() + 10
    while (left := _processes_of(bench)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left


def test_without_keep_going_a_failure_is_the_last(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_ENDS", "too_large")
    monkeypatch.setenv("TOY_LARGEST", "4")
    sweep = ["batch_size=4,8,2"]

    assert bench.run(sweep=sweep)["status"].to_list() == ["ok", "oom", "not run"]
    assert bench.run(sweep=sweep, keep_going=True)["status"].to_list() == ["ok", "oom", "ok"]


def test_a_program_that_cannot_be_started_fails_with_its_name(bench: Bench) -> None:
    frame = bench.run(python=str(bench.folder / "no-python"))

    assert frame["exit_code"].to_list() == [127]
    assert bench.staged() == [f"{NAME}_trial1_missing"]


def test_a_run_that_fails_before_its_program_begins_is_one_run_with_its_reason(bench: Bench) -> None:
    why = bench.run(python=str(bench.folder / "no-python"))["why"][0]
    db = bench.folder / "bench.duckdb"
    benchledger.ingest(bench.staging, db=db)

    [(status, reason)] = benchledger.sql("select status, reason from run", db=db).rows()
    assert status == "failed"
    assert reason == f"exit code 127: {why}; none of its logs is in a known format"


def test_one_of_several_processes_that_is_killed_is_told_as_such(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text(
        "Root Cause (first observed failure):\n  exitcode  : -9 (pid: 12)  (SIGKILL)\n"
        "  traceback : Signal 9 (SIGKILL) received by PID 12\n==========\n"
    )
    failure = failure_of(Exit(1), log)

    assert failure is not None
    assert (failure.mark, "dmesg" in failure.cure) == ("killed", True)
    log.write_text("it broke here\n==========\n")
    assert "it broke here" in str(failure_of(Exit(1), log))


def _logs(bench: Bench) -> list[Path]:
    return list((bench.folder / "staging.unfinished").rglob("*.log"))


def _processes_of(bench: Bench) -> list[Path]:
    return [path for path in Path("/proc").glob("[0-9]*/environ") if _mentions(path, str(bench.folder))]


def _mentions(path: Path, text: str) -> bool:
    if path.parent.name == str(os.getpid()):
        return False
    try:
        return f"BENCH_DEFINITIONS={text}" in path.read_text(errors="replace")
    except OSError:
        return False
