"""Ends an ingest at random moments, and compares what the next one completes with an undisturbed one, row by row."""

from __future__ import annotations

import errno
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

from benchledger import ingest
from benchledger.store import database
from benchledger.store.sync import sync_definitions
from tests.ingestion.logs import StableTables, put, run_text, stable_tables
from tests.torture.materials import archive
from tests.torture.readers import Counts

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
VICTIMS = ("main", "worker", "group")
HUNG_S = 40.0
# Time for workers to notice that their parent is gone.
ORPHANS_S = 10.0
_KNOWN = {"bench.duckdb", "bench.duckdb.key", "bench.duckdb.private", "bench.duckdb.lock", "tmp"}
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["benchledger.cli.main", "benchledger.cli.ingest", "benchledger.ingestion.ingest", "duckdb",
                                 "polars", "pyarrow", "tests.torture.kills"])  # fmt: skip


def write_logs(folder: Path) -> None:
    """Runs with twins and telemetry, and an archive."""
    for number in range(4):
        run = run_text(at=1000.0 * number, seed=number, steps=90, ends="oom" if number == 3 else "ok")
        for name, text in (("train.log", run.log), ("dllogger.json", run.twin), ("smi.csv", run.telemetry)):
            put(folder / f"run{number}" / name, text)
    members = {f"m/{number}.log": run_text(at=9000.0 + number, seed=number + 9).log.encode() for number in range(6)}
    put(folder / "old.tar.gz", archive(members, _Always())[1])


class _Always(random.Random):
    # The first choice, `tar`, is written as tar.gz: always the same bytes in one archive.
    def choice(self, given):  # type: ignore[no-untyped-def]
        return given[1] if len(given) > 1 and given[1] == "tar.gz" else given[0]


def run_ingest(db: str, logs: str, temporary: str, environment: dict[str, str]) -> None:
    """`bench ingest` in this process, with a session, a folder for temporary files, and other processes, of its own."""
    from benchledger.cli.main import main
    from benchledger.ingestion import pool, reading, units

    os.setsid()
    os.environ.update(environment, TMPDIR=temporary, BENCH_DEFINITIONS="")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pool.WORTH_A_PROCESS, units.UNIT_FILES, reading.UNIT_FILES = 0, 3, 3
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(os.open(said_of(Path(db)), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    sys.argv = ["bench", "--db", db, "ingest", logs, "--jobs", "2"]
    main()


def said_of(db: Path) -> Path:
    """Where the standard error of its ingests is: not in the folder in which writes fail."""
    return db.parent.with_suffix(".said")


class Endings:
    """Ingests of one set of logs that end before they are done, and the undisturbed one with which they are compared."""

    def __init__(self, home: Path, seed: int) -> None:
        self._home, self._rng = home, random.Random(seed)
        self.counts = Counts()
        self._logs = home / "logs"
        write_logs(self._logs)
        self._empty = home / "empty" / "bench.duckdb"
        self._empty.parent.mkdir(parents=True)
        with closing(database.open_for_writing(self._empty)) as con:
            sync_definitions(con)
        library = shim(home)
        self.has_faults = library is not None
        # The server of all these processes starts with the first one, and hands it on.
        if library is not None:
            os.environ["LD_PRELOAD"] = str(library)
        # Twice: the first one also fills caches.
        for name in ("first", "whole"):
            db = self._new(name)
            began = time.monotonic()
            self._start(db).join()
            self._seconds = time.monotonic() - began
            self._expected: StableTables = stable_tables(db)
            assert self._expected["run"], said_of(db).read_text()
            os.environ.pop("LD_PRELOAD", None)

    def _new(self, name: str) -> Path:
        db = self._home / name / "bench.duckdb"
        db.parent.mkdir()
        shutil.copy(self._empty, db)
        return db

    def _start(self, db: Path, **environment: str) -> multiprocessing.process.BaseProcess:
        (db.parent / "tmp").mkdir(exist_ok=True)
        words = (str(db), str(self._logs), str(db.parent / "tmp"), environment)
        process = _CONTEXT.Process(target=run_ingest, args=words)
        process.start()
        return process

    def _completed(self, what: str, db: Path) -> None:
        # The next ingest completes it: no row is lost, none is there twice, and nothing else is left.
        said = said_of(db)
        if said.exists() and "Traceback" in said.read_text(errors="replace"):
            told = said.read_text(errors="replace")[-3000:]
            self.counts.wrong.append(f"{what}: a traceback: {told}")
        try:
            ingest(self._logs, db=db, jobs=1)
            found = stable_tables(db)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next ingest did not complete the ledger
            self.counts.wrong.append(f"{what}: the next ingest fails: {type(error).__name__}: {error}")
            return
        for name, rows in self._expected.items():
            lost, more = len(set(rows) - set(found[name])), len(found[name]) - len(set(found[name]))
            self.counts.of.update(rows_lost=lost, rows_twice=more)
            if found[name] != rows:
                self.counts.wrong.append(f"{what}: {name}: {lost} rows lost, {more} twice, of {len(rows)}")
        left = {path.name for path in (*db.parent.iterdir(), *(db.parent / "tmp").iterdir())} - _KNOWN
        self.counts.of["leftovers"] += len(left)
        if left:
            self.counts.wrong.append(f"{what}: left behind: {sorted(left)}")
        shutil.rmtree(db.parent)

    def _ended(self, what: str, process: multiprocessing.process.BaseProcess) -> None:
        # It ends, and no process of it lives on.
        assert process.pid is not None
        process.join(HUNG_S)
        if process.is_alive():
            self.counts.of["hung"] += 1
            self.counts.wrong.append(f"{what}: hung for {HUNG_S:.0f} s")
            process.kill()
            process.join()
        ended = time.monotonic() + ORPHANS_S
        while (orphans := in_session(process.pid)) and time.monotonic() < ended:
            time.sleep(0.05)
        self.counts.of["orphans"] += len(orphans)
        if orphans:
            self.counts.wrong.append(f"{what}: {len(orphans)} processes live on")
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def killed(self, number: int) -> None:
        """Kills one ingest up to four times, and completes it."""
        db = self._new(f"k{number}")
        told = [self._kill(db) for _ in range(self._rng.choice((1, 2, 3, 4)))]
        self._completed(f"kill {number} ({', '.join(told)})", db)

    def _kill(self, db: Path) -> str:
        process = self._start(db)
        assert process.pid is not None
        sign, victim = self._rng.choice(SIGNALS), self._rng.choice(VICTIMS)
        delay = self._rng.uniform(0, self._seconds)
        what = f"{sign.name} to {victim} after {delay:.2f} s"
        process.join(delay)
        if process.is_alive():
            self.counts.of.update(["kills", f"{sign.name} to {victim}"])
        workers = [pid for pid in in_session(process.pid) if pid != process.pid]
        with suppress(ProcessLookupError):
            if victim == "group":
                os.killpg(process.pid, sign)
            else:
                os.kill(self._rng.choice(workers) if victim == "worker" and workers else process.pid, sign)
        self._ended(what, process)
        return what

    def faulted(self, number: int) -> None:
        """Lets writes of one ingest fail below the folder of its ledger, and completes it."""
        db = self._new(f"f{number}")
        kind = self._rng.choice(("ENOSPC", "EIO", "once", "short"))
        after = self._rng.choice((self._rng.randrange(10), self._rng.randrange(400)))
        # A write that fails once or is short may be tried again: then nothing is wrong.
        environment = {"TORTURE_FOLDER": f"{db.parent}/", "TORTURE_AFTER": str(after),
                       "TORTURE_ERRNO": str(errno.ENOSPC if kind == "ENOSPC" else errno.EIO)}  # fmt: skip
        environment |= {"once": {"TORTURE_ONCE": "1"}, "short": {"TORTURE_SHORT": "1", "TORTURE_ONCE": "1"}}.get(
            kind, {}
        )
        what = f"fault {number} ({kind} after {after} writes)"
        process = self._start(db, **environment)
        self._ended(what, process)
        self.counts.of.update(["faults", f"{kind}: exit {process.exitcode}"])
        if process.exitcode not in (0, 1):
            self.counts.wrong.append(f"{what}: exit {process.exitcode}: {_last(db)}")
        if process.exitcode == 1 and "Error: " not in _last(db):
            self.counts.wrong.append(f"{what}: exit 1 without a message: {_last(db)}")
        self._completed(what, db)


def shim(folder: Path) -> Path | None:
    """Compiles faults.c; None without a compiler, or where there is no LD_PRELOAD."""
    compiler = shutil.which(os.environ.get("CC") or "cc")
    if compiler is None or sys.platform != "linux":
        return None
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def _last(db: Path) -> str:
    said = said_of(db)
    return said.read_text(errors="replace")[-600:] if said.exists() else ""


def in_session(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, _, _, its = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(its) == session and state != "Z":
                    found.append(int(entry.name))
    return found
