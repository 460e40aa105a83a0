"""SIGTERM stops a command in order, and leaves no process and no file; a second signal ends it at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import one, put, run_text
from tests.ingestion.packing import tar

pytestmark = [
    pytest.mark.usefixtures("heard"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc"),
]
# Other processes help with little.
CODE = "from benchledger.cli.main import main; from benchledger.ingestion import pool; pool.WORTH_A_PROCESS = 1 << 20; main()"
# Processes of an ingest that was stopped end within this time.
ENDED_S = 20.0


@pytest.fixture
def heard() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    for number in range(400):
        put(folder / f"c{number // 50}" / f"{number}.log", run_text(seed=number, steps=60, at=300 * number).log)
    for archive in range(3):
        texts = {f"{k}.log": run_text(seed=1000 * archive + k, steps=200, at=300 * k).log for k in range(60)}
        put(folder / f"{archive}.tar", tar(texts))
    return folder


def begun(db: Path, logs: Path, folder: Path) -> subprocess.Popen[str]:
    folder.mkdir()
    command = [sys.executable, "-c", CODE, "--db", str(db), "ingest", str(logs)]
    return subprocess.Popen(
        [*command, "--jobs", "2"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder), "BENCH_SCANNER": "python"},
    )  # fmt: skip


def of_group(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                stat = (process / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat[2]) == group and stat[0] != "Z":
                found.append(int(process.name))
    return found


def wait_for(process: subprocess.Popen[str], done: str) -> None:
    """Waits until workers run, or the ledger exists."""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if len(of_group(process.pid)) >= 3 if done == "workers" else Path(done).exists():
            return
        time.sleep(0.02)
    pytest.fail(f"it never came to {done}")


def ended(process: subprocess.Popen[str]) -> str:
    try:
        said = process.communicate(timeout=ENDED_S)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("it hangs")
    until = time.monotonic() + ENDED_S
    while of_group(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    left = of_group(process.pid)
    if left:
        os.killpg(process.pid, signal.SIGKILL)
    assert not left
    assert "Traceback" not in said, said
    return said


@pytest.mark.parametrize(
    ("sent", "wait_s"),
    [
        (signal.SIGTERM, 1.0),
        (signal.SIGKILL, 0.0),
        pytest.param(signal.SIGTERM, 0.0, marks=pytest.mark.long),
        pytest.param(signal.SIGKILL, 1.0, marks=pytest.mark.long),
    ],
)
def test_a_stopped_ingest_leaves_no_process_and_no_temporary_file(
    tmp_path: Path, logs: Path, wait_s: float, sent: signal.Signals
) -> None:
    db, temporary = tmp_path / "b.duckdb", tmp_path / "tmp"
    process = begun(db, logs, temporary)
    wait_for(process, "workers")
    time.sleep(wait_s)
    os.kill(process.pid, sent)

    said = ended(process)

    assert process.returncode == (143 if sent == signal.SIGTERM else -sent)
    assert sent == signal.SIGKILL or "stopped by SIGTERM" in said
    assert list(temporary.iterdir()) == []


def test_sigterm_to_the_whole_group_is_told_as_such(tmp_path: Path, logs: Path) -> None:
    process = begun(tmp_path / "b.duckdb", logs, tmp_path / "tmp")
    wait_for(process, "workers")
    os.killpg(process.pid, signal.SIGTERM)

    assert "stopped by SIGTERM" in ended(process)
    assert process.returncode == 143


# The signal comes when a hundred files were read, and no batch was due.
STOPS_ITSELF = """
import os
from functools import partial
from benchledger.cli.main import main
from benchledger.ingestion import batches, ingest

def write_if_due(self, bytes_left):
    if len(self._accounts.pending.sightings) >= 100:
        os.kill(os.getpid(), SENT)

batches.Batches.write_if_due = write_if_due
ingest.IngestOptions = partial(ingest.IngestOptions, batch_limits=batches.BatchLimits(rest_s=REST_S))
main()
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("rest_s", [60, 0])
def test_what_was_read_is_written_before_a_stop_if_that_is_quick(
    tmp_path: Path, logs: Path, sent: signal.Signals, rest_s: int
) -> None:
    db = tmp_path / "b.duckdb"
    code = STOPS_ITSELF.replace("SENT", str(int(sent))).replace("REST_S", str(rest_s))
    command = [sys.executable, "-c", code, "--db", str(db), "ingest", str(logs), "--jobs", "1"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)

    assert process.returncode == 128 + sent, process.stderr
    kept = one(db, "select count(*) from log") if db.exists() else 0
    assert kept >= 100 if rest_s else kept == 0
    assert f"; {kept} logs are kept" in process.stderr


# A call that hears no signal for two seconds, as a large commit, begins when the ledger is open.
UNHEARD = """
import hashlib, os, signal, threading, time
from benchledger.cli import main, signals
from benchledger.store import database
signals._UNHEARD_S, connect = 0.3, database._connect

def slow(*words, **more):
    con = connect(*words, **more)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 4_000_000)
    database._connect = connect
    return con

database._connect = slow
main.main()
"""


@pytest.mark.parametrize(
    ("words", "is_ended"),
    [
        (("exclude", "RUN", "--reason", "x"), False),
        (("db", "compact"), False),
        (("db", "backup", "copy.duckdb"), False),
        (("history", "--accept", "RUN", "--reason", "x"), False),
        (("db", "check"), True),
    ],
)
def test_a_signal_ends_no_call_of_a_command_that_writes(tmp_path: Path, words: tuple[str, ...], is_ended: bool) -> None:
    db = tmp_path / "b.duckdb"
    ingest(put(tmp_path / "logs" / "a.log", run_text(seed=1).log).parent, db=db)
    key = one(db, "select run_key from run")
    command = [sys.executable, "-c", UNHEARD, "--db", str(db), *(key if word == "RUN" else word for word in words)]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert process.returncode == 143, process.stderr
    said = "ended at once: a running call did not react to the signal" if is_ended else "stopped by SIGTERM"
    assert process.stderr.strip() == said
    assert not list(tmp_path.glob("*.making*"))


def test_a_second_signal_ends_at_once(tmp_path: Path, logs: Path) -> None:
    db, started = tmp_path / "b.duckdb", time.monotonic()
    process = begun(db, logs, tmp_path / "tmp")
    wait_for(process, "workers")
    # How fast the machine is at present.
    start_s = time.monotonic() - started
    os.kill(process.pid, signal.SIGSTOP)
    os.kill(process.pid, signal.SIGINT)
    os.kill(process.pid, signal.SIGCONT)
    time.sleep(0.4)
    os.kill(process.pid, signal.SIGINT)
    began = time.monotonic()

    said = ended(process)

    assert time.monotonic() - began < max(2.0, 2 * start_s)
    assert process.returncode == 130
    assert "ended at once" in said or "stopped by Ctrl-C" in said


def test_a_forked_process_that_does_not_listen_itself_ends_without_a_word() -> None:
    code = """
import os, signal, sys, time
from benchledger.cli.signals import handle_signals
handle_signals()
child = os.fork()
if not child:
    time.sleep(60)
time.sleep(0.2)
os.kill(child, signal.SIGTERM)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stderr) == (128 + signal.SIGTERM, "")


def test_a_signal_while_logging_hands_on_its_lock_stops_the_command_afterwards() -> None:
    code = """
import logging, os, signal, time
from benchledger.cli.signals import handle_signals
handle_signals()
logging.Filterer.filter = lambda *_: os.kill(os.getpid(), signal.SIGTERM) or print("filtered", flush=True)
try:
    logging.getLogger("x").warning("y")
    time.sleep(10)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)

    assert (done.stdout, done.stderr) == ("filtered\nstopped\n", "")
