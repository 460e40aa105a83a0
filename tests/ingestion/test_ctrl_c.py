"""Ctrl-C in the middle of an ingest: what it says is kept is in the ledger, and that is nearly all that was read."""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import one, put, run_text
from tests.ingestion.packing import tar

BENCH = Path(sys.executable).with_name("bench")
pytestmark = pytest.mark.usefixtures("heard")


@dataclass
class Stopped:
    """An ingest that Ctrl-C stopped: its last words, its processor time, and when it had read how many files."""

    said: str
    seconds: float
    cpu_seconds: float = 0.0
    signalled: float = 0.0
    returncode: int = -1
    read: list[tuple[float, int]] = field(default_factory=list)

    @property
    def too_late(self) -> bool:
        """Whether it had read everything before the signal."""
        return self.returncode == 0

    def kept(self) -> int:
        """How many logs it says are kept."""
        found = re.search(r"stopped by Ctrl-C; (\d+) logs? (?:is|are) kept", self.said)
        assert found is not None, self.said
        return int(found[1])

    def read_by(self, moment: float) -> int:
        """How many files it had read by then."""
        return max((files for at, files in self.read if at <= moment), default=0)


def stopped(command: list[str], *, after_s: float | None = None, after_files: int = 0) -> Stopped:
    """Runs a command on a terminal of its own; then Ctrl-C goes to all its processes.

    That is `after_s` seconds after it has drawn its progress bar, or when it has read so many files.
    """
    ours, its = os.openpty()
    used = cpu_of_children()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=its, start_new_session=True,
        env={**os.environ, "BENCH_SCANNER": "python", "BENCH_DEFINITIONS": ""},
    )  # fmt: skip
    os.close(its)
    began, text, told = time.monotonic(), bytearray(), Stopped("", 0.0)

    def listen() -> None:
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                return
            text.extend(part)
            if done := re.findall(rb"(\d+) of \d+ files", text[-2000:]):
                told.read.append((time.monotonic() - began, int(done[-1])))

    listener = threading.Thread(target=listen)
    listener.start()
    drawn = None
    while process.poll() is None:
        at = time.monotonic() - began
        drawn = at if drawn is None and text else drawn
        if drawn is not None and at >= drawn + after_s if after_s is not None else told.read_by(at) >= after_files:
            break
        time.sleep(0.02)
    told.signalled = time.monotonic() - began
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    process.wait(60)
    listener.join()
    os.close(ours)
    told.seconds, told.said = time.monotonic() - began, text.decode(errors="replace")
    told.returncode, told.cpu_seconds = process.returncode, cpu_of_children() - used
    assert told.returncode in (0, 130), told.said
    assert "Traceback" not in told.said, told.said
    return told


def cpu_of_children() -> float:
    """The processor time of all processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def logs(folder: Path, count: int) -> Path:
    for number in range(count):
        put(folder / f"c{number // 50}" / f"{number}.log", run_text(seed=number, steps=90, at=300 * number).log)
    return folder


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.long), 2])
def test_ctrl_c_names_the_logs_that_are_kept_and_the_next_ingest_goes_on(tmp_path: Path, jobs: int) -> None:
    places, db = logs(tmp_path / "logs", 200), tmp_path / "bench.duckdb"
    # Every 5 seconds would be a long test: here it is every half. To count the logs may take long on a busy machine.
    code = (
        "from functools import partial; from benchledger.cli import ingest as command; "
        "from benchledger.cli.main import main; command._COUNTED_S = 60; "
        "from benchledger.ingestion import batches, ingest, pool, units; "
        "limits = batches.BatchLimits(seconds=0.5); "
        "ingest.IngestOptions = partial(ingest.IngestOptions, batch_limits=limits); "
        "pool.WORTH_A_PROCESS, units.SLOW_UNIT_BYTES = 1 << 20, 1 << 18; main()"
    )
    command = [sys.executable, "-c", code, "--db", str(db), "ingest", str(places), "--jobs", str(jobs)]

    ended = stopped(command, after_files=120)

    assert 0 < ended.kept() < 200
    assert ended.kept() == one(db, "select count(*) from log")
    ingest(places, db=db)
    assert one(db, "select count(*) from log") == one(db, "select count(*) from run") == 200


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """8,000 logs, made once: that takes thirteen seconds of processor time."""
    return logs(tmp_path_factory.mktemp("many") / "logs", 8000)


@pytest.mark.long
@pytest.mark.parametrize("form", ["one process", "two processes", "archive"])
def test_at_any_moment_ctrl_c_loses_what_was_read_in_some_five_seconds_and_says_so(
    tmp_path: Path, many: Path, form: str
) -> None:
    places, db = many, tmp_path / "bench.duckdb"
    if form == "archive":
        files = {str(path.relative_to(places)): path.read_bytes() for path in sorted(places.rglob("*.log"))}
        places = put(tmp_path / "logs.tar", tar(files))
    command = [str(BENCH), "--db", str(db), "ingest", str(places), "--jobs", "1" if form == "one process" else "2"]
    before = 0
    for _ in range(2 if form == "two processes" else 1):
        ended = stopped(command, after_s=random.uniform(9, 14))

        if ended.too_late and not before:
            pytest.skip("this machine reads 8,000 logs in less than fourteen seconds")
        kept = 8000 if ended.too_late else ended.kept()
        assert kept == one(db, "select count(*) from log")
        # What was read more than five seconds before, and what it took to write that.
        assert kept - before >= ended.read_by(ended.signalled - 9)
        assert kept > before
        assert ended.seconds - ended.signalled < 12
        before = kept
        if ended.too_late:
            break


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_the_reading_of_long_logs_soon(tmp_path: Path, jobs: int) -> None:
    text = run_text(steps=3000).log
    for number in range(2):
        put(tmp_path / "logs" / f"{number}.log", text * 120 + f"{number}\n")
    db = tmp_path / "bench.duckdb"
    ended = stopped([str(BENCH), "--db", str(db), "ingest", str(tmp_path / "logs"), "--jobs", str(jobs)], after_s=0.5)

    # To read both takes half a minute and more.
    assert ended.cpu_seconds < 10
    assert ended.returncode == 130
    # A busy machine may not count the logs in time.
    assert re.search("stopped by Ctrl-C; (0 logs are|what was committed is) kept", ended.said), ended.said
    assert not db.exists() or one(db, "select count(*) from log") == 0
