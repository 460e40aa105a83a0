"""`bench ingest --watch`: what comes into a folder is read once it is complete, whatever happens to the program."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import benchledger
from benchledger import ingest
from benchledger.errors import UsageError
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.ingest import IngestOptions
from benchledger.ingestion.watch import Arrivals, BatchProcess
from benchledger.store.lock_wait import set_wait_listener
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, one, put, run_text

pytest.importorskip("watchfiles")
BENCH = Path(sys.executable).with_name("bench")
# What a ledger says of its logs now, whatever came in between.
QUESTIONS = (
    "select run_key, status, reason from run",
    "select run_key, fact, value, source from fact join run using (run_id)",
    "select name, value, text, line, content_hash from measurement join log using (log_id)",
    "select * exclude (series_id, cell) from speed_table",
    "select path, log_id, status from sighting where status <> 'superseded'",
)


def names(ready: dict[str, FoundFile]) -> set[str]:
    return {os.path.basename(place) for place in ready}


def test_a_file_is_complete_when_it_is_quiet(tmp_path: Path) -> None:
    arrivals = Arrivals(set(), 0.3)
    old, new = put(tmp_path / "old.log", "a"), put(tmp_path / "new.log", "a")
    os.utime(old, (0, time.time() - 100))

    # At the start the time of a file says how long it has been quiet.
    first = arrivals.look((tmp_path,))
    assert names(first) == {"old.log"}
    arrivals.take(first)
    put(new, "ab")
    time.sleep(0.35)
    assert arrivals.look((tmp_path,)) == {}
    time.sleep(0.35)
    second = arrivals.look((tmp_path,))
    assert names(second) == {"new.log"}
    arrivals.take(second)
    assert arrivals.look((tmp_path,)) == {}
    put(old, "more")
    arrivals.look((tmp_path,))
    time.sleep(0.35)
    third = arrivals.look((tmp_path,))
    assert names(third) == {"old.log"}
    # As where a folder is unmounted while its files are read: they are read when it is back.
    old.rename(tmp_path / "away")
    arrivals.take(third)
    (tmp_path / "away").rename(old)
    assert arrivals.look((tmp_path,)) == {}
    time.sleep(0.35)
    assert names(arrivals.look((tmp_path,))) == {"old.log"}


def test_a_manifest_makes_the_files_that_it_lists_complete(tmp_path: Path) -> None:
    arrivals = Arrivals(set(), 1000.0)
    for name in ("run.log", "part/gpus.csv", "other.log"):
        put(tmp_path / name, "a")
    text = json.dumps({"benchledger_manifest": 1, "files": ["run.log", "part/gpus.csv"]})
    put(tmp_path / "run.json", text[:-5])

    assert arrivals.look((tmp_path,)) == {}
    put(tmp_path / "run.json", text)
    assert names(arrivals.look((tmp_path,))) == {"run.json", "run.log", "gpus.csv"}


def test_a_watch_cannot_be_a_dry_run_and_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (["--dry-run"], ["--refresh"], ["--strict"]):
        assert run_bench("ingest", "--watch", tmp_path, *words).exit_code == 2
    monkeypatch.setitem(sys.modules, "watchfiles", None)

    refused = run_bench("ingest", "--watch", tmp_path)

    assert refused.exit_code == 2
    assert "benchledger[watch]" in refused.stderr


def test_a_ledger_that_another_program_holds_is_written_later(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchledger.ingestion.watch.TRY_AGAIN_S", 0.1)
    set_wait_listener(lambda _: None)
    put(tmp_path / "logs" / "run.log", run_text(steps=20).log)
    code = "import sys, duckdb; con = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, db], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    batches = benchledger.watch(tmp_path / "logs", db=db, quiet_s=0.1, wait_s=0.2)
    try:
        assert f"PID {holder.pid}" in next(batches).problem
    finally:
        holder.communicate()

    result = next(batch.result for batch in batches if batch.result is not None)

    assert result.files == {"loaded": 1}
    # It is open only while a batch is written.
    assert one(db, "select count(*) from run") == 1


def test_a_folder_that_is_removed_is_waited_for_while_others_are_read(db: Path, tmp_path: Path) -> None:
    logs = put(tmp_path / "logs" / "run.log", run_text(steps=20).log).parent
    other = put(tmp_path / "other" / "run.log", run_text(steps=19).log).parent
    batches = benchledger.watch(logs, other, db=db, quiet_s=0.1)

    def loaded() -> int:
        batch = next(batches).result
        assert batch is not None
        return batch.files.get("loaded", 0)

    with closing(batches):  # type: ignore[type-var]
        assert loaded() == 2
        logs.rename(tmp_path / "away")
        assert next(batches).problem == f"{logs}: was removed, or is not mounted; it is read again when it is back"
        put(other / "next.log", run_text(steps=18).log)
        assert loaded() == 1
        put(tmp_path / "away" / "next.log", run_text(steps=21).log)
        (tmp_path / "away").rename(logs)
        assert loaded() == 1
        logs.rename(tmp_path / "away")
        other.rename(tmp_path / "gone")
        assert {next(batches).problem.partition(":")[0] for _ in range(2)} == {str(logs), str(other)}
    assert one(db, "select count(*) from log") == 4
    with pytest.raises(UsageError, match="no such file or folder"):
        next(iter(benchledger.watch(tmp_path / "none", db=db)))


def test_a_batch_whose_process_is_killed_is_tried_again(db: Path, tmp_path: Path) -> None:
    logs = put(tmp_path / "logs" / "run.log", run_text(steps=20).log).parent
    ready = list(Arrivals(set(), 0.0).look((logs,)).values())
    with closing(BatchProcess(IngestOptions(db))) as process:
        threading.Timer(
            0.2, lambda: [os.kill(pid, signal.SIGKILL) for pid in process._processes.executor._processes]
        ).start()

        assert "was killed" in process.run((logs,), ready).problem
        again = process.run((logs,), ready).result

    assert again is not None
    assert again.files == {"loaded": 1}


@dataclass
class Watched:
    """A watch as a process, which can be ended and started again."""

    staging: Path
    db: Path
    key: Path
    quiet_s: float
    process: subprocess.Popen[bytes] | None = None
    rss: list[tuple[int, int]] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)

    def start(self) -> None:
        # A shell lets what runs in the background ignore SIGINT, and so what that starts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with self.output.open("ab") as out:
            self.process = subprocess.Popen(
                [BENCH, "--db", self.db, "ingest", "--watch", "--jobs", "1", "--quiet-for", str(self.quiet_s),
                 "--key-file", self.key, self.staging],
                stdout=out, stderr=out, env={**os.environ, "BENCH_DEFINITIONS": ""},
            )  # fmt: skip

    @property
    def output(self) -> Path:
        return self.db.with_suffix(".out")

    def measure(self) -> None:
        assert self.process is not None
        assert self.process.poll() is None, self.output.read_text()
        there = Path("/proc") / str(self.process.pid)
        try:
            children = (there / "task" / str(self.process.pid) / "children").read_text().split()
            texts = [Path(f"/proc/{pid}/status").read_text() for pid in [self.process.pid, *children]]
        except OSError:
            # Not on Linux, or a process has just ended.
            return
        own, *others = (sum(map(int, re.findall(r"VmRSS:\s+(\d+)", text))) for text in texts)
        self.rss.append((own, max(others, default=0)))

    def end(self, how: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(how)
        self.codes.append(self.process.wait(60))

    def wait_for(self, files: int) -> None:
        """Waits until so many files are in the ledger, by the lines that it prints."""
        for _ in range(600):
            time.sleep(0.5)
            self.measure()
            if not self.db.exists():
                continue
            try:
                if one(self.db, "select count(*) from sighting where status <> 'superseded'") >= files:
                    return
            except Exception:  # noqa: BLE001 - it is being written
                continue
        pytest.fail(self.output.read_text()[-3000:])


def day(watched: Watched, logs: int, seconds: float, ends: list[signal.Signals], burst: int) -> int:
    """A day of training in some seconds: logs written in halves, bursts, manifests, growth, and ends of the watch."""
    noise = random.Random(1)
    began, written, at_end, next_burst = time.monotonic(), 0, list(ends), logs // 5
    watched.start()
    while written < logs:
        elapsed = time.monotonic() - began
        hour = int(24 * written / logs)
        folder = watched.staging / f"campaign{written % 3}" / f"hour{hour:02}"
        if written >= next_burst:
            next_burst += logs // 3
            for number in range(burst):
                put(
                    folder / "burst" / f"{written + number}.log",
                    run_text(seed=written + number, steps=3, at=written + number).log,
                )
            written += burst
        elif written % 10 == 4:
            made = run_text(seed=written, steps=3, at=written)
            put(folder / f"run{written}" / "run.log", made.log)
            put(
                folder / f"run{written}" / "run.json",
                json.dumps({"benchledger_manifest": 1, "files": ["run.log"], "run": f"r{written}"}),
            )
            written += 2
        else:
            text = run_text(seed=written, steps=3, at=written).log
            path = put(folder / f"{written}.log", text[: noise.randrange(len(text))])
            time.sleep(0.002)
            with path.open("w") as file:
                file.write(text)
            written += 1
        if at_end and written >= logs * (1 - len(at_end) / (len(ends) + 1)):
            watched.end(at_end.pop(0))
            watched.start()
        watched.measure()
        time.sleep(max(0.0, seconds * written / logs - elapsed))
    watched.wait_for(written)
    watched.end(signal.SIGTERM)
    return written


def assert_equal_to_one_ingest(watched: Watched, other: Path) -> None:
    ingest(watched.staging, db=other, key_file=watched.key)
    for question in QUESTIONS:
        assert ask(watched.db, f"from ({question}) order by all") == ask(other, f"from ({question}) order by all"), (
            question
        )


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    key = put(tmp_path / "key", "0123456789abcdef" * 4 + "\n")
    key.chmod(0o600)
    (tmp_path / "staging").mkdir()
    return Watched(tmp_path / "staging", tmp_path / "watched.duckdb", key, 0.5)


def without_orphans(output: str) -> str:
    """Without what Python prints in a process whose parent was killed before it had sent it anything."""
    return re.sub(
        r'Traceback .*\n  File "<string>", line 1, in <module>\n(  .*\n)*EOFError: Ran out of input\n', "", output
    )


def test_a_day_with_restarts_gives_the_ledger_of_one_ingest(watched: Watched, tmp_path: Path) -> None:
    files = day(watched, 60, 6.0, [signal.SIGKILL, signal.SIGTERM], burst=20)

    assert files > 60
    # SIGTERM is the usual end.
    assert watched.codes == [-signal.SIGKILL, 0, 0]
    assert not re.search("Traceback|Error", without_orphans(watched.output.read_text()))
    assert_equal_to_one_ingest(watched, tmp_path / "once.duckdb")


def told_batches(output: str) -> str:
    """Files and seconds of the batches, in ten parts of the day."""
    found = re.findall(r"files: ([\d,]+) = .* in ([\d.]+) (m?s)", output)
    batches = [
        (int(files.replace(",", "")), float(took) / (1000 if unit == "ms" else 1)) for files, took, unit in found
    ]
    size = -(-len(batches) // 10) or 1
    parts = [list(zip(*batches[start : start + size], strict=True)) for start in range(0, len(batches), size)]
    return "; ".join(
        f"{len(times)} of {sum(files) / len(times):.0f} in {sum(times) / len(times):.2f} s" for files, times in parts
    )


@pytest.mark.long
def test_a_long_day_with_restarts_gives_the_ledger_of_one_ingest_in_flat_memory(
    watched: Watched, tmp_path: Path
) -> None:
    # `make watch LOGS=50000`
    logs = int(os.environ.get("BENCH_WATCH_LOGS", "500"))
    ends = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT] * 3
    files = day(watched, logs, logs / 50, ends, burst=min(logs // 10, 5000))
    print(f"{files} files; ends: {watched.codes}")
    print("KiB of the watch and of its batches, ten times:", watched.rss[:: max(1, len(watched.rss) // 10)])
    print("batches:", told_batches(watched.output.read_text()))
    assert_equal_to_one_ingest(watched, tmp_path / "once.duckdb")
    half = len(watched.rss) // 2
    first, second = (
        [max(each) for each in zip(*part, strict=True)] for part in (watched.rss[:half], watched.rss[half:])
    )
    one_ingest = subprocess.Popen(
        [BENCH, "--db", tmp_path / "again.duckdb", "ingest", "--jobs", "1", watched.staging], stdout=subprocess.DEVNULL
    )
    _, code, used = os.wait4(one_ingest.pid, 0)
    assert code == 0
    print(f"rows are equal; KiB at most: {first}, then {second}; one ingest of all: {used.ru_maxrss}")

    # What the watch knows of each file is some hundred bytes. The process of its batches is replaced.
    assert second[0] < first[0] + 5_000 + files
    assert second[1] < 1.4 * used.ru_maxrss
