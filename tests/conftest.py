"""The real logs that some tests read, which lie beside the repository, and ledgers that all tests share."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchledger import ingest
from benchledger.scanning import native_scanner
from benchledger.scanning.samples import load_formats
from benchledger.store import database
from benchledger.store.confined import mark_checked
from benchledger.store.sync import sync_definitions
from tests.ledger_rows import ledger_rows

# The longest files come first, so that no process is left alone with one; those that fill a ledger for all processes
# stand beside one that needs none, so that nobody waits for it.
FIRST = (
    "kept/test_oracle.py",
    "torture/test_torture.py",
    "ingestion/test_watch.py",
    "ingestion/test_roots.py",
    "ingestion/test_ctrl_c.py",
    "docs/test_commands_run.py",
    "scanning/test_corpus.py",
    "ingestion/test_published_values.py",
    "ingestion/test_archives_corpus.py",
    "scanning/test_scanner_equals_reference.py",
    "scanning/test_scanner_equals_reference_on_samples.py",
    "ingestion/test_idempotence.py",
    "ingestion/test_archives_damaged.py",
    "benchmarks/test_bench.py",
    # Of the long tests.
    "explain/test_by_hand.py",
    "scanning/test_mangled_numbers.py",
    "reproducing/test_corpus.py",
    "lake/test_lake.py",
    # By their names these would come last of all.
    "upkeep/test_db.py",
    "store/test_hostile.py",
    "store/test_lock_wait.py",
    "views/test_rule_words.py",
    "views/test_convergence_kept.py",
    "views/test_golden.py",
    "views/test_convergence.py",
    "views/test_run_speed.py",
    "views/test_long_runs.py",
    "views/test_speed_table.py",
    "views/test_rules_of_owners.py",
    "views/test_published.py",
    "views/test_kept_goldens.py",
    "views/test_series.py",
)

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def pytest_configure(config: pytest.Config) -> None:
    """What the program keeps between starts is no business of the user's who runs the tests; all processes share it."""
    # Thousands of tests are collected, and none becomes garbage: to look for it takes as long as to collect them.
    gc.disable()
    cache: pytest.Cache | None = getattr(config, "cache", None)
    os.environ["BENCH_CACHE"] = str(cache.mkdir("bench")) if cache is not None else ""
    # Where the native scanner was not compiled, as if the reference reader was asked for: an ingest says nothing of it.
    if not native_scanner.is_available():
        os.environ["BENCH_SCANNER"] = "python"
    # To compile all formats takes seconds: else each process does it, while it collects.
    if getattr(config.option, "numprocesses", None):
        load_formats()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest files first."""
    tests = Path(__file__).parent
    place = {tests / file: number for number, file in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def pytest_collection_finish() -> None:
    gc.freeze()
    # By default, looking for garbage takes 2 to 6 % of the tests' time; `bench` looks even less often (cli/main.py).
    gc.set_threshold(100_000)
    gc.enable()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the corpus, its manifest and the reference READMEs."""
    if not (SHARED / "corpus").is_dir():
        pytest.skip(f"no real logs here: {SHARED}/corpus is absent")
    return SHARED


@pytest.fixture(scope="session")
def corpus(shared: Path, pytestconfig: pytest.Config) -> Path:
    """The 869 logs of logs.tar.xz, unpacked: <owner+repo>@<commit8>/<original path>. Read only."""
    return unpacked(shared / "corpus" / "logs.tar.xz", pytestconfig)


@pytest.fixture(scope="session")
def h200(shared: Path, pytestconfig: pytest.Config) -> Path:
    """The logs of h200.tar.xz, unpacked. Read only."""
    return unpacked(shared / "corpus" / "h200.tar.xz", pytestconfig)


@pytest.fixture(scope="session")
def corpus_ledger(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked logs.tar.xz in one ledger, made once for all processes. Read only."""
    return made_once(tmp_path_factory, "corpus", lambda db: ingest(corpus, db=db))


@pytest.fixture(scope="session")
def archives_ledger(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both archives and the reference READMEs in one ledger, made once for all processes. Read only."""
    archives = sorted((shared / "corpus").glob("*.tar.xz"))

    def make(db: Path) -> None:
        # Pseudonyms, and what is ordered by them, are then the same in every run of the tests.
        key = db.with_name("key")
        key.write_text("0123456789abcdef" * 4 + "\n")
        key.chmod(0o600)
        ingest(*archives, shared / "seeds", db=db, key_file=key)

    return made_once(tmp_path_factory, "archives", make)


@pytest.fixture(scope="session")
def empty_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger as the migrations leave it, made once for all processes. Read only."""
    return made_once(tmp_path_factory, "empty", lambda db: database.open_for_writing(db).close())


@pytest.fixture(scope="session")
def defined_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger without logs that knows rules, formats and what is published, made once for all processes. Read only."""

    def make(db: Path) -> None:
        with closing(database.open_for_writing(db)) as con:
            sync_definitions(con)

    return made_once(tmp_path_factory, "defined", make)


@pytest.fixture(scope="session")
def one_run_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with one run of 127.09 samples/s, made once for all processes. Read only: a copy takes a millisecond."""

    def make(db: Path) -> None:
        with ledger_rows(db) as ledger:
            ledger.run(127.09)

    return made_once(tmp_path_factory, "one_run", make)


@pytest.fixture(scope="session")
def demo_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of data/made in one ledger, made once for all processes. Read only."""
    logs = Path(__file__).resolve().parent.parent / "data" / "made"
    return made_once(tmp_path_factory, "demo", lambda db: ingest(logs, db=db))


@pytest.fixture(scope="session")
def measured_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of data/measured in one ledger, made once for all processes. Read only."""
    logs = Path(__file__).resolve().parent.parent / "data" / "measured"

    def make(db: Path) -> None:
        result = ingest(logs, db=db)
        assert (set(result.files), result.rejects) == ({"loaded"}, 0)

    return made_once(tmp_path_factory, "measured", make)


@pytest.fixture(scope="session", autouse=True)
def making_ledgers(defined_ledger: Path) -> Iterator[Callable[[Path], None]]:
    """Makes new ledgers as copies of one, for migrations and definitions take longer than most tests; gives how it was."""
    by_migrations = database._make

    def copy(place: Path) -> None:
        shutil.copyfile(defined_ledger, place)
        mark_checked(place)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_make", copy)
        yield by_migrations


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A ledger that a function makes, in the folder that the processes of this test run share."""
    own = factory.getbasetemp()
    home = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "ledgers"
    home.mkdir(exist_ok=True)
    db = home / name / "bench.duckdb"
    with open(home / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not db.exists():
            scratch = home / f"{name}.half"
            scratch.mkdir()
            make(scratch / "bench.duckdb")
            scratch.rename(db.parent)
    return db


def unpacked(archive: Path, config: pytest.Config) -> Path:
    """The archive's content in pytest's cache: unpacked once, by whichever process comes first, until it changes."""
    if not archive.is_file():
        pytest.skip(f"no real logs here: {archive} is absent")
    state = archive.stat()
    home = cache_folder(config)
    target = home / f"{archive.name.partition('.')[0]}-{state.st_size}-{state.st_mtime_ns}"
    if not target.is_dir():
        scratch = Path(tempfile.mkdtemp(dir=home))
        with tarfile.open(archive) as tar:
            if hasattr(tarfile, "data_filter"):
                tar.extractall(scratch, filter="data")
            else:
                tar.extractall(scratch)  # the first releases of Python 3.11 have no filters
        try:
            scratch.rename(target)  # whole or not at all
        except OSError:
            shutil.rmtree(scratch)  # another process was first
    return target


def cache_folder(config: pytest.Config) -> Path:
    cache: pytest.Cache | None = getattr(config, "cache", None)  # none with -p no:cacheprovider
    return cache.mkdir("corpus") if cache is not None else Path(tempfile.mkdtemp())
