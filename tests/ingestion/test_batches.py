"""What is read is written in batches, while other processes read on."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest

from benchledger.errors import DatabaseError
from benchledger.ingestion import batches, pool, read, unit, write
from benchledger.ingestion.accounts import Accounts, Pending
from benchledger.ingestion.arrived import ArrivedRecords
from benchledger.ingestion.ingest import ingest
from benchledger.scanning import columns, log_reader
from benchledger.store import rollups
from benchledger.store.rollups import frames
from tests.ingestion.conftest import made
from tests.ingestion.logs import StableTables, ask, put, run_text, stable_tables

FOLDERS = 2


def campaigns(folder: Path) -> Path:
    """A log, its twin and its telemetry in each of some folders; the twins of one half stand in folders of their own."""
    for number in range(FOLDERS):
        run = run_text(seed=number, steps=30, at=4000 * number)
        put(folder / f"c{number}" / "run.log", run.log)
        put(folder / f"c{number}" / ("twin" if number % 2 else ".") / "run.json", run.twin)
        put(folder / f"c{number}" / "gpu.csv", run.telemetry)
    return folder


def written(monkeypatch: pytest.MonkeyPatch) -> list[Pending]:
    seen: list[Pending] = []
    real = write.Writer.write

    def seeing(self: write.Writer, pending: Pending) -> None:
        seen.append(pending)
        real(self, pending)

    monkeypatch.setattr(write.Writer, "write", seeing)
    return seen


@pytest.fixture(scope="module")
def of_one_batch(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> StableTables:
    folder = tmp_path_factory.mktemp("once")
    db = made(defined_ledger, folder / "ledger")
    ingest(campaigns(folder / "logs"), db=db)
    return stable_tables(db)


@pytest.mark.parametrize("jobs", [1, 2])
def test_logs_that_are_written_in_several_batches_give_the_same_tables(
    db: Path, of_one_batch: StableTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    logs = campaigns(tmp_path / "logs")
    for place, name, small in ((batches, "BATCH_RECORDS", 1), (batches, "BATCH_FOLDERS", 1), (unit, "UNIT_FILES", 2),
                               (pool, "WORTH_A_PROCESS", 0)):  # fmt: skip
        monkeypatch.setattr(place, name, small)
    found = written(monkeypatch)
    ingest(logs, db=db, jobs=jobs)

    assert len([batch for batch in found if batch.sightings]) == FOLDERS * 3 // 2
    assert stable_tables(db) == of_one_batch


def test_a_batch_spans_some_folders_unless_it_holds_very_many_records(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = campaigns(tmp_path / "logs")
    monkeypatch.setattr(batches, "BATCH_RECORDS", 1)
    monkeypatch.setattr(batches, "BATCH_FOLDERS", 2)
    monkeypatch.setattr(unit, "UNIT_FILES", 1)
    found = written(monkeypatch)
    ingest(logs, db=db)

    assert next(len(batch.folders) for batch in found if batch.sightings) == 2
    assert any(batch.records > 1 for batch in found)


class Reads:
    """What Batches asks of accounts: so many records of 100 bytes, each unit in a folder of its own."""

    def __init__(self) -> None:
        self.pending, self.bytes_read = Pending(), 0

    def add(self, records: int) -> None:
        self.pending.records += records
        self.pending.folders.add(str(self.bytes_read))
        self.bytes_read += 100 * records

    def take(self) -> Pending:
        taken, self.pending = self.pending, Pending()
        return taken


class Writes:
    """What Batches asks of a writer; `wait` keeps it from ending what it writes."""

    def __init__(self, wait: Event | None = None) -> None:
        self.records, self.began, self.interrupted, self._wait = list[int](), Event(), Event(), wait

    def write(self, pending: Pending) -> None:
        self.began.set()
        assert self._wait is None or self._wait.wait(60)
        self.records.append(pending.records)

    def let_go(self) -> None:
        pass

    def interrupt(self) -> None:
        self.interrupted.set()
        assert self._wait is not None
        self._wait.set()


def begun(reads: Reads, writes: Writes, others_read: bool) -> batches.Batches:
    accounts: Any = reads
    writer: Any = writes
    return batches.Batches(accounts, writer, others_read)


@pytest.mark.parametrize(("others_read", "records"), [(True, [500_000] * 4), (False, [800_000] * 2)])
def test_where_other_processes_read_batches_are_smaller(others_read: bool, records: list[int]) -> None:
    reads, writes, left = Reads(), Writes(), 260_000_000
    with begun(reads, writes, others_read) as batch:
        while left:
            reads.add(50_000)
            left -= 5_000_000
            batch.write_if_full(left)
        batch.finish()

    assert writes.records == records
    assert reads.pending.records == 2_600_000 - sum(records)


class Long:
    """What Batches asks of the records of a long log."""

    rows = 1_000_000


@pytest.mark.parametrize(("most", "records"), [(8_000_000, [1_000_000]), (2_000_000, [1_000_000, 2_000_000])])
def test_long_logs_that_are_read_while_a_batch_is_written_are_one_batch_unless_they_are_very_long(
    monkeypatch: pytest.MonkeyPatch, most: int, records: list[int]
) -> None:
    monkeypatch.setattr(batches, "MOST_WAITING", most)
    reads, writes, long = Reads(), Writes(ended := Event()), Long()
    with begun(reads, writes, others_read=True) as batch:
        for left in (900_000_000, 800_000_000, 700_000_000):
            reads.add(long.rows)
            waiting: list[Any] = reads.pending.waiting
            waiting.append(long)
            if left == 700_000_000:
                Timer(0.1, ended.set).start()
            batch.write_if_full(left)
        ended.set()
        batch.finish()

    assert writes.records == records


def test_little_that_is_left_is_no_batch_of_its_own() -> None:
    reads, writes = Reads(), Writes()
    with begun(reads, writes, others_read=False) as batch:
        reads.add(100_000)
        for _ in range(4):
            reads.add(200_000)
            batch.write_if_full(left=44_000_000)
        assert not writes.records

        batch.write_if_full(left=45_000_000)
        assert writes.records == [900_000]


def test_what_is_read_while_a_batch_is_written_is_accounted_for(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, name, small in ((batches, "BATCH_RECORDS", 1), (batches, "BATCH_FOLDERS", 1), (unit, "UNIT_FILES", 2),
                               (pool, "WORTH_A_PROCESS", 0)):  # fmt: skip
        monkeypatch.setattr(place, name, small)
    writing, added = Event(), Event()
    real_write, real_add = write.Writer.write, Accounts.add

    def waiting(self: write.Writer, pending: Pending) -> None:
        writing.set()
        assert added.wait(60)
        real_write(self, pending)

    def adding(self: Accounts, *unit: Any) -> Any:
        if writing.is_set():
            added.set()
        return real_add(self, *unit)

    monkeypatch.setattr(write.Writer, "write", waiting)
    monkeypatch.setattr(Accounts, "add", adding)
    ingest(campaigns(tmp_path / "logs"), db=db, jobs=2)

    assert ask(db, "select count(*) from run") == [(FOLDERS * 3 // 2,)]


def test_what_goes_wrong_while_a_batch_is_written_beside_the_reading_is_told(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, name, small in ((batches, "BATCH_RECORDS", 1), (batches, "BATCH_FOLDERS", 1), (unit, "UNIT_FILES", 2),
                               (pool, "WORTH_A_PROCESS", 0)):  # fmt: skip
        monkeypatch.setattr(place, name, small)

    def failing(*_: object) -> None:
        raise DatabaseError("no space")

    monkeypatch.setattr(write, "derive", failing)
    with pytest.raises(DatabaseError, match="no space"):
        ingest(campaigns(tmp_path / "logs"), db=db, jobs=2)

    assert ask(db, "select count(*) from log") == [(0,)]


def test_ctrl_c_ends_what_is_written_beside_the_reading() -> None:
    reads, writes = Reads(), Writes(Event())

    def stopped() -> None:
        with begun(reads, writes, others_read=True) as batch:
            for _ in range(6):
                reads.add(100_000)
            batch.write_if_full(left=100_000_000)
            assert writes.began.wait(60)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert writes.interrupted.is_set()


def test_other_processes_read_ahead_by_bytes_not_by_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun: list[object] = []

    def begin(_: object, __: object, to_read: object = None) -> Future[read.Batch]:
        begun.append(to_read)
        done = Future[read.Batch]()
        done.set_result(read.Batch())
        return done

    monkeypatch.setattr(ProcessPoolExecutor, "submit", begin)
    processes = pool.Pool(frozenset(), b"", tmp_path, 2)
    processes.start(pool.WORTH_A_PROCESS)
    begun.clear()

    reading = processes.read(unit.Unit(bytes=pool.READ_AHEAD // 8) for _ in range(30))
    assert len(begun) == 8
    assert len(list(reading)) == len(begun) == 30


KEPT = ("kept_speed", "run_memory", "kept_loss", "kept_low_loss", "kept_evaluation", "run_clock")


@pytest.mark.parametrize("is_long", [False, True])
def test_what_is_kept_of_records_that_just_arrived_is_what_is_kept_of_them_when_they_are_read_back(
    db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_long: bool
) -> None:
    logs = campaigns(tmp_path / "logs")
    put(tmp_path / "logs" / "both.log", run_text(steps=90, seed=7).log + run_text(steps=90, seed=8, at=9000).log)
    if is_long:
        # Also read in small parts, so that their records wait in files.
        for place, name, small in ((rollups, "LONG_RUN", 1), (frames, "PART_RECORDS", 7), (columns, "ROWS_AT_ONCE", 1),
                                   (log_reader, "CHUNK", 4096), (read, "CHUNK", 4096)):  # fmt: skip
            monkeypatch.setattr(place, name, small)
    handed: list[int] = []
    real = ArrivedRecords.frames
    monkeypatch.setattr(
        ArrivedRecords, "frames", lambda self, logs, *lines: handed.extend(logs) or real(self, logs, *lines)
    )
    ingest(logs, db=db)
    # Each run's are gone through twice; both.log has two runs.
    assert set(Counter(handed).values()) == ({2, 4} if is_long else {1})
    monkeypatch.setattr(ArrivedRecords, "has", lambda self, logs: False)
    ingest(logs, db=db2)

    for table in KEPT:
        assert ask(db, f"from {table} order by all") == ask(db2, f"from {table} order by all")
    assert ask(db, "select count(*) from kept_speed where value is not null")[0][0] > FOLDERS


def test_what_writes_is_imported_while_other_processes_read(defined_ledger: Path, tmp_path: Path) -> None:
    db = made(defined_ledger, tmp_path / "ledger")
    code = f"""import sys
from benchledger.cli.left_out import leave_out
leave_out()
from benchledger.ingestion import ingest, pool, unit, write
pool.WORTH_A_PROCESS, unit.UNIT_FILES = 1, 1
real, found = write.Writer.write, []
def seeing(self, pending):
    before = set(sys.modules)
    real(self, pending)
    found.append(sorted(name for name in sys.modules.keys() - before if name.startswith(("benchledger", "polars", "pyarrow"))))
write.Writer.write = seeing
ingest.ingest({str(campaigns(tmp_path / "logs"))!r}, db={str(db)!r}, jobs=2)
print(found[0])"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
