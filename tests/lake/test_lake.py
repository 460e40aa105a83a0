"""A lake of units gives the ledger of one ingest, whatever was killed, read twice, or changed in between."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchledger import (
    ingest,
    lake_compact,
    lake_gc,
    lake_ingest,
    lake_publish,
    lake_settle,
    lake_status,
    use_definitions,
)
from benchledger.errors import BenchledgerError, DatabaseError, UsageError
from benchledger.ingestion.outcomes import LEFT_OUT
from benchledger.ingestion.remote import store_at
from benchledger.ingestion.seams import inputs_of
from benchledger.lake import ingest as driver
from benchledger.lake.objects import Lake, is_marker, open_lake
from benchledger.lake.units import Choices, read_into_lake, units_of
from benchledger.store.key_file import read_key_file, stored_key
from tests.cli.bench import run_bench
from tests.ingestion.bucket import BUCKET, bucket
from tests.ingestion.logs import one, put, run_text
from tests.ingestion.test_merge import differences
from tests.ingestion.tied_logs import tied_logs
from tests.lake.conftest import here

pytest.importorskip("obstore")

# To read a unit takes half a second: 16, 7 and 4 of them.
SMALL, LARGER, LARGEST = 50_000, 100_000, 150_000


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return tied_logs(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = put(tmp_path_factory.mktemp("key") / "key", "0123456789abcdef" * 4)
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def ledger(sources: list[Path], key_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    ingest(*sources, db=db, key_file=key_file)
    return db


# Two processes import for as long as they read: threads stand in for them where the lake itself is asked about.
@pytest.mark.parametrize(
    ("executor", "unit_bytes"), [("threads", LARGER), pytest.param("processes", SMALL, marks=pytest.mark.long)]
)
def test_a_lake_filled_unit_by_unit_gives_the_ledger_of_one_ingest(
    sources: list[Path], key_file: Path, ledger: Path, tmp_path: Path, executor: str, unit_bytes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    lake, into = tmp_path / "lake", tmp_path / "lake.duckdb"
    if executor == "threads":
        monkeypatch.setattr(driver, "executor_of", here)

    done = lake_ingest(*sources, lake=lake, cluster="local:2", key_file=key_file, unit_bytes=unit_bytes)
    published = lake_publish(lake=lake, into=into, key_file=key_file)

    assert done.units == done.read == published.units > 5
    assert differences(into, ledger) == {}
    assert run_bench("report", "speed", "--format", "csv", db=into).stdout == (
        run_bench("report", "speed", "--format", "csv", db=ledger).stdout
    )
    # What spans units is settled once, and publish takes it over.
    settled, before = lake_settle(lake=lake), set(lake.rglob("*"))
    assert (settled.is_new, lake_settle(lake=lake).is_new, set(lake.rglob("*"))) == (True, False, before)
    assert 0 < settled.runs < published.runs
    lake_publish(lake=lake, into=tmp_path / "settled.duckdb")
    assert differences(tmp_path / "settled.duckdb", ledger) == {}
    # A rerun writes nothing.
    times = {path: path.stat().st_mtime_ns for path in lake.rglob("*")}
    again = lake_ingest(*reversed(sources), lake=lake, cluster="local:2", key_file=key_file, unit_bytes=unit_bytes)
    assert (again.units, again.read) == (done.units, 0)
    assert {path: path.stat().st_mtime_ns for path in lake.rglob("*")} == times
    # No object holds the key or a real path.
    content = b"".join(path.read_bytes() for path in lake.rglob("*") if path.is_file())
    names = "".join(str(path.relative_to(lake)) for path in lake.rglob("*")).encode()
    for secret in (read_key_file(key_file), key_file.read_bytes(), str(sources[0].parent).encode()):
        assert secret not in content + names
    status = lake_status(lake=lake)
    assert (status.units, status.read, status.unneeded) == (done.units, done.units, 0)


def test_what_was_killed_is_read_again_and_what_it_left_is_invisible(
    sources: list[Path], key_file: Path, ledger: Path, tmp_path: Path, near: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    put_new, markers = Lake.put_new, []

    def killed(self: Lake, key: str, content: bytes) -> bool:
        # Between the tables of the third unit and its marker.
        if key.startswith("markers/"):
            markers.append(key)
            if len(markers) == 3:
                raise MemoryError
        return put_new(self, key, content)

    monkeypatch.setattr(Lake, "put_new", killed)
    with pytest.raises(BenchledgerError, match="Units that were read stay"):
        lake_ingest(*sources, lake=lake, key_file=key_file, unit_bytes=LARGEST)
    monkeypatch.setattr(Lake, "put_new", put_new)
    with pytest.raises(UsageError, match="holds nothing yet"):
        lake_publish(lake=lake, into=tmp_path / "early.duckdb")

    done = lake_ingest(*sources, lake=lake, key_file=key_file, unit_bytes=LARGEST)

    assert done.read < done.units
    lake_publish(lake=lake, into=tmp_path / "lake.duckdb")
    assert differences(tmp_path / "lake.duckdb", ledger) == {}
    status = lake_status(lake=lake)
    left = status.unneeded
    assert left > 0
    strange = [
        put(lake / name, "of somebody else")
        for folder in ("units", "units/foo", "units/foo/bar", "markers", "lists", "lists/x", "packs", "snapshots",
                       "leases", "tables", "tables/main/run", "tables/main/run/_delta_log")
        for name in (f"{folder}/.DS_Store", f"{folder}/old.json")
    ]  # fmt: skip
    assert lake_status(lake=lake) == status
    assert lake_gc(lake=lake, older_than_hours=0, dry_run=True).objects == left
    assert lake_gc(lake=lake, older_than_hours=24).objects == 0
    assert lake_gc(lake=lake, older_than_hours=0).objects == left
    assert all(path.exists() for path in strange)
    lake_publish(lake=lake, into=tmp_path / "after.duckdb")
    assert differences(tmp_path / "after.duckdb", ledger) == {}


RULE = """
family = "mine"

[[rule]]
method          = "later"
source          = "a test"
description     = "Median of the steps after the second."
kind            = "step"
skip            = 2
statistic       = "median"
trial_statistic = "median"
"""


def test_packs_of_units_and_changed_definitions_give_the_ledger_of_one_ingest(
    key_file: Path, tmp_path: Path, near: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, lake, text = tmp_path / "logs", tmp_path / "lake", run_text(seed=1).log
    for number in (0, 2):
        put(logs / str(number) / "run.log", run_text(seed=number).log)
    put(logs / "1" / "run.log", text[: len(text) // 2])
    put(logs / "3" / "same.log", run_text(seed=0).log)

    def filled() -> tuple[int, int]:
        done = lake_ingest(logs, lake=lake, key_file=key_file, unit_bytes=1)
        assert done.units == 4
        return done.read, done.derived

    def published_like_one_ingest(name: str) -> Path:
        ingest(logs, db=tmp_path / f"{name}.one", key_file=key_file)
        lake_publish(lake=lake, into=tmp_path / name)
        assert differences(tmp_path / name, tmp_path / f"{name}.one") == {}
        return tmp_path / name

    assert filled() == (4, 0)
    put_new = Lake.put_new

    def killed(self: Lake, key: str, content: bytes) -> bool:
        if key.startswith("packs/"):
            raise MemoryError
        return put_new(self, key, content)

    monkeypatch.setattr(Lake, "put_new", killed)
    with pytest.raises(MemoryError):
        lake_compact(lake=lake)
    monkeypatch.setattr(Lake, "put_new", put_new)
    assert lake_gc(lake=lake, older_than_hours=0).objects > 0
    done = lake_compact(lake=lake)
    assert (done.units, done.objects_before > 2 * done.objects) == (8, True)
    assert lake_compact(lake=lake).units == 0
    assert lake_gc(lake=lake, older_than_hours=24).objects == 0
    assert lake_gc(lake=lake, older_than_hours=0).objects >= done.objects_before
    assert (lake_status(lake=lake).read, filled()) == (4, (0, 0))
    published_like_one_ingest("packed")

    # A pack with a unit that is not listed any more.
    put(logs / "1" / "run.log", text)
    assert filled() == (1, 0)
    assert lake_gc(lake=lake, older_than_hours=0).objects > 0
    put(tmp_path / "mine" / "queries" / "rules" / "mine.toml", RULE)
    use_definitions(tmp_path / "mine")
    try:
        # A rule is nothing that reading depends on.
        assert filled() == (0, 4)
        into = published_like_one_ingest("ruled")
    finally:
        use_definitions()
    assert one(into, "select count(distinct run_id) from kept.speed where rule = 'mine.later'") == 3


@pytest.mark.parametrize(
    ("place", "said"), [("lake", r"a lake needs .*\[lake\]"), ("s3://b/lake", r"files .*\[cloud\]")]
)
def test_without_obstore_the_line_that_installs_it_is_told(
    place: str, said: str, key_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    monkeypatch.chdir(tmp_path)
    store_at.cache_clear()

    with pytest.raises(UsageError, match=f"(?s){said}"):
        lake_ingest(tmp_path, lake=place, key_file=key_file)


def test_of_two_workers_at_one_unit_one_commits(sources: list[Path], key_file: Path, tmp_path: Path) -> None:
    lake = open_lake(str(tmp_path / "lake"), make=True)
    key = read_key_file(key_file)
    choices = Choices(lake.place, str(key_file), driver.datetime.now(driver.UTC))
    unit = next(units_of(inputs_of(*sources), key, SMALL, choices))

    # Without a lease that holds, both read.
    with ThreadPoolExecutor(2) as threads:
        outcomes = [one.result().how for one in [threads.submit(read_into_lake, unit, 0.0) for _ in range(2)]]

    # Who comes second may find the unit read and not derived yet.
    assert outcomes.count("read") == 1
    assert set(outcomes) <= {"read", "derived", "known"}
    marker = lake.marker(unit.digest)
    assert marker is not None
    assert {tuple(key.split("/")[1:3]) for key in lake.objects("units")} == {
        (digest, (lake.marker(digest) or {})["writer"]) for digest in lake.markers()
    }
    lake.delete([f"markers/{unit.digest}"])
    assert lake.put_new(f"leases/{unit.digest}", driver.datetime.now(driver.UTC).isoformat().encode())
    assert read_into_lake(unit, 900.0).how == "leased"


def test_what_is_in_no_table_is_told_as_by_an_ingest_into_a_ledger(key_file: Path, tmp_path: Path, near: None) -> None:
    logs, lake = tmp_path / "logs", tmp_path / "lake"
    put(logs / "a" / "run.log", run_text().log)
    put(logs / "a" / "facts.toml", "[defaults\n")
    put(logs / "a" / "b" / "notes.txt", "nothing that a program printed\n")
    put(logs / "a" / "b" / "empty.log", "")
    (logs / "a" / "c").mkdir()
    (logs / "a" / "c" / "cut.log.gz").write_bytes(gzip.compress(run_text().log.encode())[:40])
    whole = ingest(logs, db=tmp_path / "bench.duckdb", key_file=key_file)

    done = lake_ingest(logs, lake=lake, key_file=key_file, unit_bytes=1)

    told = sorted((one.place or one.path, one.status, one.reason) for one in whole.outcomes if one.status in LEFT_OUT)
    assert len(told) == 4
    assert [(one.place, one.status, one.reason) for one in done.left_out] == told
    assert done.recognised
    refused = run_bench("ingest", logs, "--lake", tmp_path / "other", "--key-file", key_file)
    assert refused.exit_code == 1
    said = refused.stderr
    assert all(f"  {place}: {reason}\n" in said for place, _, reason in told)
    assert "facade.duckdb" not in said
    # What was read before is not read again, so that only the tables tell.
    put(logs / "d" / "more.txt", "nothing either\n")
    assert lake_ingest(logs, lake=lake, key_file=key_file, unit_bytes=1).left_out[0].path.endswith("more.txt")
    run_bench("ingest", logs, "--lake", tmp_path / "other", "--key-file", key_file)
    again = run_bench("ingest", logs, "--lake", tmp_path / "other", "--key-file", key_file).stderr
    assert f"read before with: bench --db {tmp_path / 'other'}/facade.duckdb query unrecognised" in again


@pytest.mark.parametrize("files", [{}, {"notes.txt": "nothing that a program printed\n"}])
def test_a_lake_into_which_nothing_was_read_is_exit_1(key_file: Path, tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "logs").mkdir()
    for name, text in files.items():
        put(tmp_path / "logs" / name, text)

    assert run_bench("ingest", tmp_path / "logs", "--lake", tmp_path / "lake", "--key-file", key_file).exit_code == 1


def test_only_what_changed_is_read_again_in_a_bucket(key_file: Path, tmp_path: Path, near: None) -> None:
    pytest.importorskip("moto")
    place = f"s3://{BUCKET}/lake"
    text = run_text(seed=5).log
    with bucket() as store:
        for number in range(3):
            store.put(f"logs/{number}/run.log", run_text(seed=number).log.encode())
        store.put("logs/grows/run.log", text[: len(text) // 2].encode())
        first = run_bench("ingest", f"s3://{BUCKET}/logs", "--lake", place, "--key-file", key_file)
        assert first.exit_code == 0, first.stderr
        assert first.stdout.splitlines()[:2] == ["files: 4", "units: 1, 1 read now"]
        done = lake_ingest(f"s3://{BUCKET}/logs", lake=place, key_file=key_file, unit_bytes=1)
        assert (done.units, done.read) == (4, 4)
        store.put("logs/grows/run.log", text.encode())

        grown = lake_ingest(f"s3://{BUCKET}/logs", lake=place, key_file=key_file, unit_bytes=1)

        assert (grown.units, grown.read) == (4, 1)
        into, whole = tmp_path / "lake.duckdb", tmp_path / "whole.duckdb"
        keyless = run_bench("lake", "publish", place, "--into", into)
        assert (keyless.exit_code, "the first ingest into it needs --key-file FILE" in keyless.stderr) == (0, True)
        ingest(f"s3://{BUCKET}/logs", db=whole, key_file=key_file)
        assert differences(into, whole) == {}
        assert one(into, "select count(*) from run where status = 'ok'") == 4
        assert run_bench("lake", "status", place).stdout.startswith("sources: 1\nunits: 4, 4 read\n")
        assert int(re.search(r"\d+", run_bench("lake", "gc", place, "--older-than-hours", "0").stdout)[0]) > 0  # type: ignore[index]
        held = b"".join(store.contents("lake/").values())
        assert str(BUCKET).encode() + b"/logs" not in held


@pytest.mark.parametrize("command", ["status", "check", "gc"])
def test_a_folder_that_is_no_lake_is_refused(tmp_path: Path, command: str) -> None:
    told = run_bench("lake", command, tmp_path)

    assert (told.exit_code, "is no lake" in told.stderr) == (2, True)


def test_another_key_and_wrong_words_are_refused(
    sources: list[Path], key_file: Path, tmp_path: Path, near: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    monkeypatch.delenv("BENCH_KEY_FILE", raising=False)
    with pytest.raises(UsageError, match=r"--key-file FILE, or \$BENCH_KEY_FILE"):
        lake_ingest(sources[1], lake=lake)
    monkeypatch.setenv("BENCH_KEY_FILE", str(key_file))
    assert lake_ingest(sources[1], lake=lake).read == 1
    keyed = tmp_path / "keyed.duckdb"
    assert "has no key" not in run_bench("lake", "publish", lake, "--into", keyed).stderr
    assert stored_key(keyed) == read_key_file(key_file)
    monkeypatch.delenv("BENCH_KEY_FILE")
    keyless = tmp_path / "keyless.duckdb"
    assert "the first ingest into it needs --key-file" in run_bench("lake", "publish", lake, "--into", keyless).stderr
    refused = run_bench("--db", keyless, "ingest", sources[1])
    assert (refused.exit_code, "has logs but no key" in refused.stderr) == (2, True)
    monkeypatch.setenv("BENCH_KEY_FILE", str(key_file))
    other = put(tmp_path / "other", "f" * 64)
    other.chmod(0o600)
    with pytest.raises(UsageError, match="made with another key"):
        lake_ingest(sources[1], lake=lake, key_file=other)
    with pytest.raises(UsageError, match="local:N"), driver_executor("local:none"):
        pass
    done = run_bench("ingest", sources[1], "--lake", lake, "--refresh")
    assert (done.exit_code, "--refresh does not go with --lake" in done.stderr) == (2, True)
    assert run_bench("lake", "check", lake).stdout == "units: 1, problems: 0\n"
    # Links that another user of the folder made.
    keep = put(tmp_path / "mine" / "a.parquet", "mine")
    unit = next((lake / "units").iterdir())
    for link in (unit / f"{0:016}", lake / "packs"):
        link.symlink_to(keep.parent)
        told = run_bench("lake", "gc", lake, "--older-than-hours", "0")
        assert (told.exit_code, "would lead out of the lake" in told.stderr, keep.read_text()) == (1, True, "mine")
        link.unlink()
    logs, sightings = (next(lake.glob(f"units/*/*/{name}.parquet")) for name in ("log", "sighting"))
    logs.write_bytes(logs.read_bytes()[:-9])
    sightings.unlink()
    checked = run_bench("lake", "check", lake)
    assert checked.exit_code == 1
    assert [re.search(r"(\w+)\.parquet: (.*?)[ :(]+", line)[1] for line in checked.stdout.splitlines()[1:]] == [  # type: ignore[index]
        "log", "sighting",
    ]  # fmt: skip
    shutil.rmtree(lake / "markers")
    assert run_bench("lake", "check", lake).exit_code == 1
    with pytest.raises(DatabaseError, match="1 of 1 units that are listed have no marker"):
        lake_publish(lake=lake, into=tmp_path / "x.duckdb")
    assert not os.path.exists(tmp_path / "x.duckdb")


driver_executor = driver.executor_of


@pytest.mark.long
def test_a_dask_cluster_stands_in_for_processes(
    sources: list[Path], key_file: Path, ledger: Path, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        lake = tmp_path / "lake"
        done = lake_ingest(*sources, lake=lake, cluster=cluster.scheduler_address, key_file=key_file, unit_bytes=SMALL)

    assert done.units == done.read > 5
    lake_publish(lake=lake, into=tmp_path / "lake.duckdb")
    assert differences(tmp_path / "lake.duckdb", ledger) == {}


@pytest.mark.long
def test_killed_workers_and_drivers_leave_nothing_that_counts(
    sources: list[Path], key_file: Path, ledger: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    code = (
        "import sys, benchledger\n"
        "if __name__ == '__main__':\n"
        "    lake, key, *paths = sys.argv[1:]\n"
        f"    benchledger.lake_ingest(*paths, lake=lake, cluster='local:2', key_file=key, unit_bytes={SMALL}, lease_s=2)\n"
    )
    script = put(tmp_path / "drive.py", code)
    words = [sys.executable, str(script), str(lake), str(key_file), *map(str, sources)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for seconds in (3.5, 6.0):
        # Two drivers at once; both die with all their workers in the middle of it.
        drivers = [
            subprocess.Popen(words, env=env, start_new_session=True, stderr=subprocess.DEVNULL) for _ in range(2)
        ]
        time.sleep(seconds)
        for one_of_them in drivers:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(one_of_them.pid, signal.SIGKILL)
            one_of_them.wait()

    drivers = [subprocess.Popen(words, env=env) for _ in range(2)]

    assert [one_of_them.wait() for one_of_them in drivers] == [0, 0]
    lake_publish(lake=lake, into=tmp_path / "lake.duckdb")
    assert differences(tmp_path / "lake.duckdb", ledger) == {}


def test_an_object_that_holds_no_json_is_told_by_its_name(tmp_path: Path) -> None:
    lake = open_lake(str(tmp_path))
    put(tmp_path / "snapshots" / "00000099", "[" * 100_000)

    with pytest.raises(DatabaseError, match="snapshots/00000099: is not valid JSON"):
        lake.json("snapshots/00000099", is_marker)


@pytest.mark.parametrize("changed", [
    "[]", '"x"', "{}", '{"writer": "../../x", "rows": {}}', '{"writer": "a", "rows": []}',
    '{"writer": "a", "rows": {"../log": 1}}', '{"writer": "a", "rows": {"log": "1"}}',
])  # fmt: skip
def test_a_marker_of_another_shape_is_told_by_its_name(tmp_path: Path, changed: str) -> None:
    put(tmp_path / "markers" / "0a", changed)

    with pytest.raises(DatabaseError, match="markers/0a: has unknown contents: it was changed"):
        open_lake(str(tmp_path)).own_marker("0a")


def test_the_bytes_of_a_damaged_object_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from benchledger.cli.lake import _print
    from benchledger.lake.upkeep import LakeCheck

    _print(LakeCheck("lake", 1, ()), "table", "x.parquet: cannot be read (\x0f\x1b[31m)")

    assert capsys.readouterr().out == "x.parquet: cannot be read (\\x0f\\x1b[31m)\n"


def test_a_process_of_the_lake_ends_with_a_killed_driver() -> None:
    program = (
        "import os, signal\n"
        "from benchledger.lake.ingest import executor_of\n"
        "if __name__ == '__main__':\n"
        "    with executor_of('local:1') as processes:\n"
        "        print(processes.submit(os.getpid).result(), flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    # The output ends when the last process that can write to it has ended.
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20)

    assert killed.returncode == -signal.SIGKILL
    assert int(killed.stdout)
