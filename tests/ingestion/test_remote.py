"""Logs in a bucket are read as those on a disk: by the real interface of S3, from a server on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from benchledger import ingest
from benchledger.errors import UsageError
from benchledger.ingestion import pool, remote
from benchledger.store.private_file import places_in
from tests.cli.bench import run_bench
from tests.ingestion.bucket import BUCKET, Bucket, bucket
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, one, put, run_text
from tests.ingestion.tied_logs import tied_logs

pytest.importorskip("obstore")
pytest.importorskip("moto")

HOME = f"s3://{BUCKET}/team"
# All that people read of runs; ids of places differ, since the places do.
SAME = (
    "select * exclude (load_number) from log order by all",
    "select * from run order by all",
    "select * from bench_case order by all",
    "select * from environment order by all",
    "select path, archive, member, status, campaign_path, folder_path, stem, words from sighting order by all",
    "select * exclude (sighting_id, log_id) from fact where name <> 'campaign' order by all",
    "select run_id, role, segment, paired_by from run_log order by all",
    "select case_id, rule, value, unit, trials, stdev, status from speed_table order by all",
)


@pytest.fixture(scope="module")
def store() -> Iterator[Bucket]:
    with bucket() as opened:
        yield opened


@pytest.fixture(scope="module")
def both(store: Bucket, defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A folder, the ledger of it, and that of the same files in a bucket."""
    top = tmp_path_factory.mktemp("remote")
    folder = tied_logs(top)[0]
    put(folder / "odd names" / "a b#1%2.log", run_text(seed=50).log)
    put(
        folder / "zips" / "more.zip",
        _zip(top, {"in/x.log": run_text(seed=51).log, "facts.toml": "[case]\nnodes = 3\n"}),
    )
    store.put_folder(folder, "team/logs")
    here, there = made(defined_ledger, top / "here"), made(defined_ledger, top / "there")
    key_file = put(top / "key", "0123456789abcdef" * 4)
    key_file.chmod(0o600)
    ingest(folder, db=here, key_file=key_file)
    with pytest.MonkeyPatch.context() as patch:
        # By other processes, which are started anew where this one has asked a store.
        patch.setattr(pool, "WORTH_A_PROCESS", 0)
        ingest(f"{HOME}/logs/", db=there, key_file=key_file, jobs=2)
    return folder, here, there


def _zip(top: Path, files: dict[str, str]) -> bytes:
    for name, text in files.items():
        put(top / "packed" / name, text)
    return Path(shutil.make_archive(str(top / "more"), "zip", top / "packed")).read_bytes()


def test_a_bucket_gives_what_a_folder_gives(both: tuple[Path, Path, Path]) -> None:
    _, here, there = both
    for question in SAME:
        assert ask(there, question) == ask(here, question), question
    assert one(there, "select count(*) from run") > 8
    assert one(there, "select count(*) from speed_table where value is not null") > 5
    # The address is private, as a real path is.
    assert f"{HOME}/logs/alone/train6.log" in places_in(there)
    assert b"s3://" not in there.read_bytes()


def test_nothing_is_read_again_until_it_changes(store: Bucket, both: tuple[Path, Path, Path], tmp_path: Path) -> None:
    there = Path(shutil.copy(both[2], tmp_path / "bench.duckdb"))
    for name in ("key", "private"):
        shutil.copy(f"{both[2]}.{name}", f"{there}.{name}")

    again = ingest(f"{HOME}/logs", db=there)

    # One facts.toml is refused each time.
    assert again.files.keys() == {"unchanged", "unreadable"}
    assert again.bytes_read == 0
    runs = one(there, "select count(*) from run")
    text = run_text(seed=60).log
    store.put("team/logs/grows/x.log", text[: len(text) // 2].encode())
    ingest(f"{HOME}/logs/grows", db=there)
    store.put("team/logs/grows/x.log", text.encode())
    store.put("team/logs/grows/facts.toml", b"[environment]\nos = 'Debian'\n")
    ingest(f"{HOME}/logs/grows/x.log", db=there)
    assert ask(there, "select status from sighting where path = 'grows/x.log' order by 1") == [
        ("loaded",),
        ("superseded",),
    ]
    assert one(there, "select count(*) from run") == runs + 1
    assert one(there, "select count(*) from environment where os = 'Debian'") == 1
    store.delete("team/logs/grows/facts.toml")
    ingest(f"{HOME}/logs", db=there)
    assert one(there, "select count(*) from environment where os = 'Debian'") == 0
    assert ingest(f"{HOME}/logs/grows", db=there, refresh=True).bytes_read == len(text.encode())


def test_what_cannot_be_read_is_told_with_the_cure(store: Bucket, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for address, said in (
        (f"s3://{BUCKET}/nothing", "no files there"),
        ("s3://nobody", "cannot be listed: .* AWS_ACCESS_KEY_ID"),
        ("ftp://host/x", "known: s3://BUCKET/FOLDER"),
        ("https://host/x?sign=1", "without a question mark"),
    ):
        with pytest.raises(UsageError, match=said):
            ingest(address, db=db)
    done = run_bench("ingest", f"s3://{BUCKET}/nothing", db=db)
    assert (done.exit_code, done.stderr) == (2, f"Error: s3://{BUCKET}/nothing: no files there\n")


def test_the_name_of_a_bucket_is_private(store: Bucket, db: Path) -> None:
    store.put("alone/x.log", run_text(seed=70).log.encode())
    ingest(f"s3://{BUCKET}/alone", db=db)
    assert one(db, "select campaign from sighting") == "alone"
    ingest(f"s3://{BUCKET}", db=db)
    (name,) = set(ask(db, "select name from kept.root"))
    assert name[0].startswith("bucket-")
    assert one(db, "select campaign from sighting where path = 'alone/x.log'") == f"{name[0]}/alone"


def test_one_log_on_a_web_server_and_one_by_a_file_address(db: Path, tmp_path: Path) -> None:
    log = put(tmp_path / "logs" / "a" / "run.log", run_text().log)
    handler = partial(_Quiet, directory=str(tmp_path / "logs"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        there = ingest(f"http://127.0.0.1:{server.server_port}/a/run.log", db=db)
    finally:
        server.shutdown()
        server.server_close()

    here = ingest(log.as_uri(), db=db)

    assert (there.files, here.files) == ({"loaded": 1}, {"duplicate": 1})
    assert one(db, "select count(*) from run") == 1


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_a_server_whose_answers_lie_costs_its_own_files_only(tmp_path: Path) -> None:
    log = put(tmp_path / "run.log", run_text().log)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Liar)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/a"
    try:
        done = ingest(f"{address}/huge.log", f"{address}/no-range.zip", log, db=tmp_path / "bench.duckdb")
    finally:
        server.shutdown()
        server.server_close()

    assert done.files == {"loaded": 1, "unreadable": 2}


def test_of_several_places_an_address_that_cannot_be_reached_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, ask_for, asked = put(tmp_path / "run.log", run_text().log), remote._head, list[str]()
    monkeypatch.setattr(remote, "_head", lambda store, key: asked.append(key) or ask_for(store, key))

    done = ingest("http://127.0.0.1:1/gone.log", log, db=tmp_path / "bench.duckdb")

    assert asked == ["gone.log"]
    assert done.files == {"loaded": 1, "unreadable": 1}
    (gone,) = (outcome for outcome in done.outcomes if outcome.status == "unreadable")
    assert (gone.reason or "").startswith("cannot be read: ")
    with pytest.raises(UsageError, match="cannot be read"):
        ingest("http://127.0.0.1:1/gone.log", db=tmp_path / "bench.duckdb")


class _Liar(_Quiet):
    """Claims 2^62 bytes of a log, and answers a request for a range with a part that states no range."""

    def do_HEAD(self) -> None:
        self._answer(200, 2**62 if self.path.endswith(".log") else 8 << 20)

    def do_GET(self) -> None:
        self._answer(206, 100)
        self.wfile.write(b"PK\x03\x04".ljust(100))

    def _answer(self, status: int, size: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(size))
        self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        self.end_headers()
