"""A full disk, and limits on memory and on the size of files: told, exit 1, and the next ingest completes it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchledger import ingest
from benchledger.cli.memory_limit import NEEDED
from tests.ingestion.logs import one, put, run_text

BENCH = Path(sys.executable).with_name("bench")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for number in range(3):
        put(tmp_path / "logs" / f"{number}.log", run_text(seed=number, at=300 * number, steps=2000).log)
    return tmp_path / "logs"


@contextmanager
def small_disk(place: Path, kib: int) -> Iterator[Callable[[int], None]]:
    """A file system of so many KiB at `place`; the function makes it larger."""
    place.mkdir()

    def mount(*words: str) -> None:
        subprocess.run(["mount", *words, str(place)], check=True, capture_output=True)

    try:
        mount("-t", "tmpfs", "-o", f"size={kib}k", "tmpfs")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no small file system can be mounted here: {error}")
    try:
        yield lambda kib: mount("-o", f"remount,size={kib}k")
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def limited(limit: int, size: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command within a limit of the shell."""
    return subprocess.run(
        [BENCH, *words], capture_output=True, text=True, check=False, preexec_fn=lambda: resource.setrlimit(limit, (size, size)),
        env={**os.environ, "BENCH_DEFINITIONS": ""},
    )  # fmt: skip


def assert_told(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert all(word in done.stderr for word in words), done.stderr


def test_a_disk_that_is_full_at_the_checkpoint_is_told_and_the_next_ingest_completes_it(
    db: Path, db2: Path, logs: Path, tmp_path: Path
) -> None:
    ingest(logs, db=db2)
    # Room for the write-ahead log beside the ledger, but not for the rows in the ledger too.
    with small_disk(tmp_path / "disk", db.stat().st_size // 1024 + 2200) as grow:
        ledger = tmp_path / "disk" / "bench.duckdb"
        ledger.write_bytes(db.read_bytes())

        full = limited(resource.RLIMIT_CORE, 0, "--db", ledger, "ingest", logs)

        assert_told(full, "is kept in", "Free some disk space")
        assert Path(f"{ledger}.wal").stat().st_size > 0
        grow(64 * 1024)
        assert sum(ingest(logs, db=ledger).files.values()) == 3
        assert not Path(f"{ledger}.wal").exists()
        rows = one(ledger, "select count(*) from measurement")
    assert rows == one(db2, "select count(*) from measurement") > 6000


@pytest.mark.parametrize("kib", [8, 30, 64, 6000])
def test_a_limit_on_the_size_of_files_is_told_and_the_next_ingest_completes_it(
    logs: Path, tmp_path: Path, kib: int
) -> None:
    ledger = tmp_path / "bench.duckdb"

    full = limited(resource.RLIMIT_FSIZE, kib * 1024, "--db", ledger, "ingest", logs)

    assert_told(full, "ulimit -f")
    assert sum(ingest(logs, db=ledger).files.values()) == 3
    assert one(ledger, "select count(*) from log") == 3


@pytest.mark.parametrize("mib", [150, 800, 2000])
@pytest.mark.parametrize("words", [["ingest", "."], ["report", "speed"]])
def test_a_limit_on_memory_that_a_command_cannot_keep_is_told(db: Path, words: list[str], mib: int) -> None:
    assert_told(limited(resource.RLIMIT_AS, mib << 20, "--db", db, *words), "ulimit -v")


def test_an_ingest_works_within_the_least_memory_that_is_not_refused(logs: Path, tmp_path: Path) -> None:
    cpus = os.cpu_count() or 1
    size = NEEDED + (cpus << 26)

    done = limited(resource.RLIMIT_AS, size, "--db", tmp_path / "bench.duckdb", "ingest", logs)

    assert done.returncode == 0, done.stderr
