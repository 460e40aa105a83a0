"""What is read is written in batches, while other processes read on."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event, Timer
from typing import Any

import duckdb
import pytest

from benchledger.errors import DatabaseError
from benchledger.ingestion import derive, pool, read, units
from benchledger.ingestion.accounts import Pending
from benchledger.ingestion.batches import Batches, BatchLimits
from benchledger.ingestion.ingest import IngestOptions, ingest, ingest_with
from benchledger.ingestion.load import sql_text
from benchledger.kept import fill
from benchledger.scanning import columns, log_reader
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


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes read a handful of files."""
    monkeypatch.setattr(units, "UNIT_FILES", 2)
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 0)


@pytest.fixture(scope="module")
def of_one_batch(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> StableTables:
    folder = tmp_path_factory.mktemp("once")
    db = made(defined_ledger, folder / "ledger")
    ingest(campaigns(folder / "logs"), db=db)
    return stable_tables(db)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("small_units")
def test_logs_that_are_written_in_several_batches_give_the_same_tables(
    db: Path, of_one_batch: StableTables, tmp_path: Path, jobs: int
) -> None:
    each_folder = BatchLimits(records=1, folders=1)
    ingest_with(IngestOptions(db, jobs=jobs, batch_limits=each_folder), campaigns(tmp_path / "logs"))

    assert ask(db, "select count(distinct load_number) from log") == [(FOLDERS * 3 // 2,)]
    assert stable_tables(db) == of_one_batch


@pytest.mark.usefixtures("small_units")
def test_a_batch_spans_some_folders(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "UNIT_FILES", 1)
    ingest_with(IngestOptions(db, batch_limits=BatchLimits(records=1, folders=2)), campaigns(tmp_path / "logs"))

    folders = "select count(distinct folder) from log join sighting using (log_id) group by load_number"
    assert ask(db, f"{folders} order by load_number limit 1") == [(2,)]


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
    """What Batches asks of a writer; `wait` keeps it from ending what it writes, `fails` is what that ends with."""

    def __init__(self, wait: Event | None = None, fails: Exception | None = None) -> None:
        self.records, self.began, self.interrupted = list[int](), Event(), Event()
        self._wait, self._fails = wait, fails

    def write(self, pending: Pending) -> None:
        self.began.set()
        assert self._wait is None or self._wait.wait(60)
        if self._fails is not None:
            raise self._fails
        self.records.append(pending.records)

    def open(self, records: int) -> None:
        pass

    def close(self) -> None:
        pass

    def interrupt(self) -> None:
        self.interrupted.set()
        assert self._wait is not None
        self._wait.set()


def begun(reads: Reads, writes: Writes, reads_ahead: bool, **limits: float) -> Batches:
    accounts: Any = reads
    writer: Any = writes
    return Batches(accounts, writer, reads_ahead=reads_ahead, limits=BatchLimits(**limits))  # type: ignore[arg-type]


@pytest.mark.parametrize(("reads_ahead", "records"), [(True, [500_000] * 4), (False, [800_000] * 2)])
def test_where_other_processes_read_batches_are_smaller(reads_ahead: bool, records: list[int]) -> None:
    reads, writes, left = Reads(), Writes(), 260_000_000
    with begun(reads, writes, reads_ahead) as batch:
        while left:
            reads.add(50_000)
            left -= 5_000_000
            batch.write_if_due(left)
        batch.finish()

    assert writes.records == records
    assert reads.pending.records == 2_600_000 - sum(records)


class Long:
    """What Batches asks of the records of a long log."""

    rows = 1_000_000


@pytest.mark.parametrize(("most", "records"), [(8_000_000, [1_000_000]), (2_000_000, [1_000_000, 2_000_000])])
def test_long_logs_that_are_read_while_a_batch_is_written_are_one_batch_unless_they_are_very_long(
    most: int, records: list[int]
) -> None:
    reads, writes, long = Reads(), Writes(ended := Event()), Long()
    with begun(reads, writes, reads_ahead=True, most_spilled=most) as batch:
        for left in (900_000_000, 800_000_000, 700_000_000):
            reads.add(long.rows)
            spilled: list[Any] = reads.pending.spilled
            spilled.append(long)
            if left == 700_000_000:
                Timer(0.1, ended.set).start()
            batch.write_if_due(left)
        ended.set()
        batch.finish()

    assert writes.records == records


def test_little_that_is_left_is_no_batch_of_its_own() -> None:
    reads, writes = Reads(), Writes()
    with begun(reads, writes, reads_ahead=False) as batch:
        reads.add(100_000)
        for _ in range(4):
            reads.add(200_000)
            batch.write_if_due(bytes_left=44_000_000)
        assert not writes.records

        batch.write_if_due(bytes_left=45_000_000)
        assert writes.records == [900_000]


def test_what_is_read_while_a_batch_is_written_is_accounted_for() -> None:
    reads, writes = Reads(), Writes(ended := Event())
    with begun(reads, writes, reads_ahead=True) as batch:
        for _ in range(6):
            reads.add(100_000)
        batch.write_if_due(bytes_left=100_000_000)
        assert writes.began.wait(60)
        reads.add(200_000)
        batch.write_if_due(bytes_left=80_000_000)
        assert (writes.records, reads.pending.records) == ([], 200_000)
        ended.set()
        batch.write_rest()

    assert writes.records == [600_000, 200_000]


def test_what_goes_wrong_while_a_batch_is_written_is_raised_by_the_next_call() -> None:
    reads, writes = Reads(), Writes(fails=DatabaseError("no space"))
    with begun(reads, writes, reads_ahead=True) as batch:
        for _ in range(6):
            reads.add(100_000)
        batch.write_if_due(bytes_left=100_000_000)
        with pytest.raises(DatabaseError, match="no space"):
            batch.write_rest()


@pytest.mark.parametrize("is_long", [False, True])
def test_ctrl_c_waits_for_what_is_being_written_and_ends_it_if_that_takes_long(is_long: bool) -> None:
    reads, writes = Reads(), Writes(ended := Event())

    def stopped() -> None:
        with begun(reads, writes, reads_ahead=True, grace_s=0.1 if is_long else 60) as batch:
            for _ in range(6):
                reads.add(100_000)
            batch.write_if_due(bytes_left=100_000_000)
            assert writes.began.wait(60)
            if not is_long:
                Timer(0.3, ended.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert writes.interrupted.is_set() == is_long
    assert is_long or writes.records == [600_000]


def test_other_processes_read_ahead_by_bytes_not_by_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun: list[object] = []

    def begin(_: object, __: object, to_read: object = None) -> Future[units.ReadFiles]:
        begun.append(to_read)
        done = Future[units.ReadFiles]()
        done.set_result(units.ReadFiles())
        return done

    monkeypatch.setattr(ProcessPoolExecutor, "submit", begin)
    processes = pool.Pool(partial(read.process_reader, frozenset(), b"", tmp_path), jobs=2)
    processes.start(pool.WORTH_A_PROCESS)
    begun.clear()

    reading = processes.read(units.Unit(bytes=pool.READ_AHEAD // 8) for _ in range(30))
    assert len(begun) == 8
    assert len(list(reading)) == len(begun) == 30


KEPT = ("kept.speed", "run_memory", "kept.loss", "kept.low_loss", "kept.evaluation_all", "kept.run_clock")


def test_what_is_kept_of_logs_whose_records_wait_in_files_is_what_is_kept_of_them_in_memory(
    db: Path, db2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = campaigns(tmp_path / "logs")
    put(tmp_path / "logs" / "both.log", run_text(steps=90, seed=7).log + run_text(steps=90, seed=8, at=9000).log)
    ingest(logs, db=db)
    for place, name, small in ((fill, "LONG_RUN", 1), (columns, "ROWS_AT_ONCE", 1), (log_reader, "CHUNK", 4096),
                               (read, "CHUNK", 4096)):  # fmt: skip
        monkeypatch.setattr(place, name, small)
    ingest(logs, db=db2)

    for table in KEPT:
        assert ask(db, f"from {table} order by all") == ask(db2, f"from {table} order by all")
    assert ask(db, "select count(*) from kept.speed where value is not null")[0][0] > FOLDERS


def test_what_writes_is_imported_while_other_processes_read(defined_ledger: Path, tmp_path: Path) -> None:
    db = made(defined_ledger, tmp_path / "ledger")
    code = f"""import sys
from benchledger.cli.import_blocker import block_imports
block_imports()
from benchledger.ingestion import ingest, pool, units, write
pool.WORTH_A_PROCESS, units.UNIT_FILES = 1, 1
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


@pytest.mark.parametrize("table", ["run", "run_log"])
def test_a_run_that_is_derived_twice_is_refused(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    again = f"insert into {table} from {table};\nselect error("
    monkeypatch.setattr(derive, "sql_text", lambda name: sql_text(name).replace("select error(", again, 1))
    log = put(tmp_path / "run.log", run_text(steps=5).log)

    with pytest.raises(duckdb.InvalidInputException, match="was derived twice"):
        ingest(log, db=db)
    assert ask(db, "from log") == []
