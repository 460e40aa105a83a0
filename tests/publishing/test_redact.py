"""`bench redact` writes logs and archives again: nothing private in them, all else as it was."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import BinaryIO
from unittest.mock import ANY

import pytest

from benchledger import ingest, redact
from benchledger.archives.disk_file import open_file
from benchledger.archives.limits import Limits
from benchledger.errors import UsageError
from benchledger.redaction.samples import shown
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put, run_text

LOG = b"r6i4n5:51:71 [0] NCCL INFO eth0:10.148.8.41<0>\r\n\xff\xfe caf\xe9 1.6.0.1\n\n/home/jdoe/x.py  no newline"
CLEAN = b"<host>:51:71 [0] NCCL INFO eth0:<ip><0>\r\n\xff\xfe caf\xe9 1.6.0.1\n\n/home/<user>/x.py  no newline"
SECRETS = (b"r6i4n5", b"10.148", b"jdoe")
MTIME = 1_600_000_000


def read_shown(data: bytes) -> bytes:
    return shown(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def tar_of(members: dict[str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.uname, info.gname, info.uid = len(content), MTIME, "jdoe", "r6i4n5", 1000
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zip_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 9, 13, 12, 26, 40)), content)
        archive.comment = b"made by jdoe"
    return buffer.getvalue()


def test_a_name_is_replaced_in_the_whole_log_though_only_its_last_line_identifies_it(tmp_path: Path) -> None:
    steps = b"step 1 loss 2.5 caf\xe9\n" * 60_000
    log = put(tmp_path / "in" / "long.log", b"ready: gcn43\n" + steps + b"gcn43 again\n" + steps + b"hostname: gcn43\n")

    redact(tmp_path / "in", out=tmp_path / "out")

    written = read_shown((tmp_path / "out" / "long.log").read_bytes())
    assert written == log.read_bytes().replace(b"gcn43", b"<host>")


def test_a_file_with_the_longest_name_is_written_and_the_files_after_it_too(tmp_path: Path) -> None:
    names = ["a.log", "ü" * 125 + ".txt", f"{'x' * 251}.txt", "z.log"]
    for name in names:
        put(tmp_path / "in" / name, LOG)

    result = redact(tmp_path / "in", out=tmp_path / "out")

    assert (sorted(result.written), result.left_out) == (sorted(names), [])


def test_a_line_break_in_the_name_of_a_file_starts_no_line_of_its_own(tmp_path: Path) -> None:
    put(tmp_path / "in" / "b\nsecret: a.log:1", "password=ab12cd34")

    done = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out")

    assert r"secret: b\nsecret: a.log:1:1" in done.stderr.splitlines()


def test_a_log_that_a_link_replaces_meanwhile_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = put(tmp_path / "own.txt", "mine")
    logs = [put(tmp_path / "in" / name, LOG) for name in ("a.log", "b.log")]

    def opened(place: str) -> BinaryIO:
        if place == str(logs[1]):
            logs[1].unlink()
            logs[1].symlink_to(own)
        return open_file(place)

    monkeypatch.setattr("benchledger.publishing.redact.open_file", opened)
    result = redact(tmp_path / "in", out=tmp_path / "out")

    assert result.written == ["a.log"]
    assert result.left_out == [("b.log", "replaced by another file meanwhile: repeat the command")]
    assert not (tmp_path / "out" / "b.log").exists()


def test_what_a_killed_redaction_left_is_removed_by_the_next(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.log", LOG)
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    own = put(tmp_path / "out" / f"b.new-{process.pid}", "x")
    left = [put(tmp_path / "out" / f"a.log.redacting.new-{pid}", "x") for pid in (process.pid, os.getppid())]
    for file in (own, *left):
        os.utime(file, (MTIME, MTIME))
    young = put(tmp_path / "out" / "more" / f"c.log.redacting.new-{process.pid}", "x")

    redact(tmp_path / "in", out=tmp_path / "out")

    assert [file.exists() for file in (own, *left, young)] == [True, False, True, True]


def test_a_log_keeps_its_lines_bytes_and_time(tmp_path: Path) -> None:
    log = put(tmp_path / "in" / "r6i4n5_bs32.log", LOG)
    os.utime(log, (MTIME, MTIME))

    result = redact(tmp_path / "in", out=tmp_path / "out")

    (written,) = (tmp_path / "out").iterdir()
    assert shown(written.name) == "<host>_bs32.log"
    assert read_shown(written.read_bytes()) == CLEAN
    assert written.stat().st_mtime == MTIME
    assert result.written == [written.name]
    assert dict(result.replaced) == {"host": 2, "address": 1, "user": 1}
    assert dict(result.distinct) == {"host": 1, "address": 1, "user": 1}


PACKED = {
    "a.log.gz": gzip.compress(LOG, mtime=MTIME),
    "a.log.bz2": bz2.compress(LOG),
    "a.log.xz": lzma.compress(LOG),
    "a.tar": tar_of({"r6i4n5/a.log": LOG, "b.log": b"plain\n"}),
    "a.tar.gz": gzip.compress(tar_of({"r6i4n5/a.log": LOG, "b.log": b"plain\n"}), mtime=MTIME),
    "a.tar.xz": tar_of({"r6i4n5/a.log": LOG, "b.log": b"plain\n"}, "w:xz"),
    "a.zip": zip_of({"r6i4n5/a.log": LOG, "b.log": b"plain\n"}),
    "b.tar": tar_of({"in/a.zip": zip_of({"a.log.gz": gzip.compress(LOG)})}),
}


def contents(data: bytes) -> list[tuple[str, float | None, bytes]]:
    """Every file in an archive, unpacked by Python's own library: name, time, bytes."""
    if data[:2] == b"\x1f\x8b":
        return contents(gzip.decompress(data))
    if data[:3] == b"BZh":
        return contents(bz2.decompress(data))
    if data[:2] == b"\xfd7":
        return contents(lzma.decompress(data))
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(i.filename, None, b) for i in archive.infolist() for *_, b in contents(archive.read(i))]
    if data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            return [(i.name, i.mtime, b) for i in tar for *_, b in contents(tar.extractfile(i).read())]
    return [("", None, data)]


@pytest.mark.parametrize("name", PACKED)
def test_an_archive_is_written_again_as_it_was(tmp_path: Path, name: str) -> None:
    put(tmp_path / "in" / name, PACKED[name])

    result = redact(tmp_path / "in", out=tmp_path / "out")

    written = (tmp_path / "out" / name).read_bytes()
    assert result.left_out == []
    assert written[:2] == PACKED[name][:2] or name.endswith(".tar")
    before, after = contents(PACKED[name]), contents(written)
    assert [shown(one[0]) for one in after] == [one[0].replace("r6i4n5", "<host>") for one in before]
    assert [one[1] for one in after] == [one[1] for one in before]
    assert [read_shown(one[2]) for one in after] == [CLEAN if one[2] == LOG else one[2] for one in before]
    everything = repr(after).encode() + written
    assert [secret for secret in SECRETS if secret in everything] == []


def test_what_cannot_be_redacted_is_left_out_and_told(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.sqlite") as con:
        con.execute("create table t (host)")
    binary = (tmp_path / "x.sqlite").read_bytes()
    put(tmp_path / "in" / "r6i4n5.sqlite", binary)
    put(tmp_path / "in" / "a.zip", zip_of({"r6i4n5.sqlite": binary, "a.log": LOG}))
    put(tmp_path / "in" / "cut.gz", gzip.compress(os.urandom(50_000).hex().encode())[:5000])

    done = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out", db=tmp_path / "none.duckdb")

    assert done.exit_code == 1
    assert "files: 0 written, 2 left out" in done.stdout
    assert "archives: 1 written, 0 left out" in done.stdout
    assert "members of archives: 1 written, 1 left out" in done.stdout
    assert "binary: private names in it cannot be found" in done.stderr
    assert "cut.gz" in done.stderr
    assert "r6i4n5" not in done.stdout + done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.zip"]
    assert len(contents((tmp_path / "out" / "a.zip").read_bytes())) == 1


def test_a_link_that_leads_out_of_the_folder_is_left_out_and_told(tmp_path: Path) -> None:
    own = put(tmp_path / "home" / "notes.txt", "my own notes")
    log = put(tmp_path / "in" / "logs" / "run.log", "step 1")
    for link, to in (("in/p.log", own), ("in/home", own.parent), ("in/latest.log", log), ("in/latest", log.parent)):
        (tmp_path / link).symlink_to(to)

    result = redact(tmp_path / "in", out=tmp_path / "out")

    assert sorted(result.written) == ["latest.log", "logs/run.log"]
    assert sorted(result.left_out) == [(name, ANY) for name in ("home", "p.log")]
    assert "a link that leads out of the folder" in result.left_out[0][1]


def test_a_folder_without_files_is_told(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()

    done = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out", db=tmp_path / "none.duckdb")

    assert (done.exit_code, "nothing to copy: PATHS contain no files" in done.stderr) == (1, True)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.log", LOG)
    put(tmp_path / "in" / "b.log", LOG)
    put(tmp_path / "out" / "b.log", "mine\n")

    with pytest.raises(UsageError, match=r"b\.log: exists already and is not overwritten"):
        redact(tmp_path / "in", out=tmp_path / "out")

    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.log"]
    assert (tmp_path / "out" / "b.log").read_text() == "mine\n"


def test_a_key_file_gives_the_same_pseudonyms_each_time_and_none_gives_others(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.log", LOG)
    key = put(tmp_path / "k", "0123456789abcdef" * 4)
    key.chmod(0o600)

    for name, how in {"1": key, "2": key, "3": None}.items():
        redact(tmp_path / "in", out=tmp_path / name, key_file=how)

    one, two, three = ((tmp_path / name / "a.log").read_bytes() for name in "123")
    assert one == two != three


def test_no_key_of_pseudonyms_is_published(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.log", LOG)
    own = put(tmp_path / "in" / "own", "neither short nor of hex digits, but the key in use\n")
    own.chmod(0o600)
    other = f"{'0123456789abcdef' * 4}\n"
    put(tmp_path / "in" / "other.key", f"# ours\n{other}BENCH_KEY={other}")
    put(tmp_path / "in" / "a.zip", zip_of({"own": own.read_bytes(), "other": other.encode(), "b.log": LOG}))

    result = redact(tmp_path / "in", out=tmp_path / "out", key_file=own)

    assert sorted(result.written) == ["a.log", "a.zip"]
    assert sorted(path for path, _ in result.left_out) == ["a.zip!/other", "a.zip!/own", "other.key", "own"]
    assert all("a key of pseudonyms" in why for _, why in result.left_out)


def test_the_ledgers_key_gives_the_pseudonyms_that_stand_in_it(db: Path, tmp_path: Path) -> None:
    text = run_text().log + "slurmstepd: error: *** JOB 12 ON gpua CANCELLED AT 2026-01-02\n"
    log = put(tmp_path / "in" / "a.log", text)
    ingest(log, db=db)

    redact(log, out=tmp_path / "out", db=db)

    ((kept,),) = ask(db, "select distinct texts[1] from kept.record where texts[1] like '%CANCELLED%'")
    assert kept in (tmp_path / "out" / "a.log").read_text()


def test_redacted_logs_give_the_same_measurements(db: Path, db2: Path, tmp_path: Path) -> None:
    log = put(tmp_path / "in" / "a.log", run_text().log + "/home/jdoe/x.py: Warning\n")
    redact(log, out=tmp_path / "out", db=db)
    ingest(log, db=db)
    ingest(tmp_path / "out", db=db2)

    what = "select line, name, value, unit from measurement order by all"
    assert ask(db, what) == ask(db2, what)


def test_columns_that_name_hosts_are_found_by_their_header(tmp_path: Path) -> None:
    rows = '"ID","Host Name","Kernel Name"\n"0","gpua","volta, x"\n"1","127.0.0.1","gpua"\n'
    log = put(tmp_path / "in" / "ncu.csv", rows)

    redact(log, out=tmp_path / "out")

    text = shown((tmp_path / "out" / "ncu.csv").read_text())
    assert text == '"ID","Host Name","Kernel Name"\n"0","<host>","volta, x"\n"1","127.0.0.1","gpua"\n'


def test_a_bomb_is_left_out(tmp_path: Path) -> None:
    put(tmp_path / "in" / "bomb.gz", gzip.compress(b"a\n" * 4_000_000, 9))

    result = redact(tmp_path / "in", out=tmp_path / "out", limits=Limits(total_bytes=100_000))

    assert result.written == []
    assert "more than 100,000 bytes came out of it" in result.left_out[0][1]
    assert list((tmp_path / "out").iterdir()) == []


def test_what_was_redacted_into_a_folder_within_is_not_redacted_again(tmp_path: Path) -> None:
    put(tmp_path / "a.log", LOG)

    assert redact(tmp_path, out=tmp_path / "out").written == ["a.log"]
    with pytest.raises(UsageError, match="exists already"):
        redact(tmp_path, out=tmp_path / "out")


TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3" * 2
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA0a1B2c3D\n" * 3 + "Zz09==\n-----END RSA PRIVATE KEY-----\n"


def test_a_secret_is_replaced_and_its_place_is_told_unless_accepted(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.log", f"step 1\n\nHF_TOKEN={TOKEN}\nloss 2.5\npassword: hunter2x\n")
    put(tmp_path / "in" / "b.tar", tar_of({"c.log": f"x\n{TOKEN}\n".encode(), "d.log": b"step 1\n"}))

    done = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out", db=db)
    accepted = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out2", "--accept", db=db)

    assert (done.exit_code, accepted.exit_code) == (1, 0)
    places = [line for line in done.stderr.splitlines() if line.startswith("secret: ")]
    assert places == ["secret: a.log:3", "secret: a.log:5", "secret: b.tar!/c.log:2"]
    assert "secret: 3 replaced, 2 different" in done.stdout
    assert "change them; with --accept, the exit code is 0" in done.stderr
    assert TOKEN not in done.stdout + done.stderr
    text = (tmp_path / "out" / "a.log").read_text()
    assert shown(text) == "step 1\n\nHF_TOKEN=<secret>\nloss 2.5\npassword: <secret>\n"


def test_names_of_files_and_members_that_are_names_in_the_logs_are_told_unless_accepted(tmp_path: Path) -> None:
    log = b"Running on host: gpubox17\n"
    put(tmp_path / "in" / "run_gpubox17" / "a.log", log)
    put(tmp_path / "in" / "run2" / "gpubox170.log", log)
    put(tmp_path / "in" / "b.tar", tar_of({"x/gpubox17.log": log, "x/c.log": log}))

    done = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out")
    accepted = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out2", "--accept")

    assert (done.exit_code, accepted.exit_code) == (1, 0)
    told = [line for line in done.stderr.splitlines() if line.startswith("named after")]
    assert told == [f"named after a host or user: {path}" for path in ("run_gpubox17/a.log", "b.tar!/x/gpubox17.log")]
    assert "rename the files or folders, then repeat the command; with --accept, the exit code is 0" in done.stderr


def test_a_pipe_among_the_logs_is_listed_as_left_out(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.log", LOG)
    os.mkfifo(tmp_path / "in" / "b.log")

    assert redact(tmp_path / "in", out=tmp_path / "out").left_out == [("b.log", "neither a file nor a folder")]


def test_a_private_key_is_followed_over_its_lines_and_no_further(tmp_path: Path) -> None:
    log = put(tmp_path / "in" / "a.log", f"before 1\n{PEM}abcdefghijklmnopqrst\n" + '"quoted", a line\n' * 2)

    result = redact(log, out=tmp_path / "out")

    text = shown((tmp_path / "out" / "a.log").read_text())
    assert text.splitlines()[1:6] == ["-----BEGIN RSA PRIVATE KEY-----", *["<secret>"] * 4]
    assert text.splitlines()[6:8] == ["-----END RSA PRIVATE KEY-----", "abcdefghijklmnopqrst"]
    assert result.secrets == [("a.log", number) for number in (3, 4, 5, 6)]


@pytest.mark.parametrize(
    "around",
    [
        '{{"log":"{}\\n","stream":"stdout","time":"2026-11-20T09:00:00.123456789Z"}}',
        '{{"level":"info","logger":"some/quite/long/module","msg":"{}","ts":1.5}}',
        '{{"MESSAGE":"{}","PRIORITY":"6"}}',
        '  "{}",',
        "1,{},2",
        "{}\nstep 1 loss 2.0",
    ],
    ids=["docker", "structlog", "journald", "list", "csv", "beside another process"],
)
def test_a_private_key_is_followed_where_a_log_wraps_each_of_its_lines(tmp_path: Path, around: str) -> None:
    lines = PEM.replace("0a1B2c3D", "0a1B2c3D" * 6).splitlines()
    put(tmp_path / "in" / "a.log", "".join(f"{around.format(line)}\n" for line in lines))

    result = redact(tmp_path / "in", out=tmp_path / "out")

    text = (tmp_path / "out" / "a.log").read_text()
    assert [line for line in lines[1:-1] if line in text] == []
    assert len(result.secrets) == len(lines) - 2
    assert around.format(lines[0]) in text
    assert around.format(lines[-1]) in text


@pytest.mark.parametrize(
    "around",
    [
        "2026-11-20T09:00:00.{}Z stdout F {}",
        "trainer-{}  | {}",
        "[pod/trainer-{}/main] {}",
        "2026-11-20 09:00:0{} {}",
        "Nov 20 09:00:0{} gpu7 python[12]: {}",
        "[1,{}]<stdout>:{}",
        "{}: {}",
        "INFO:root{}:{}",
        '{{"log":"{1}\\n","stream":"stdout","time":"{0}"}}',
    ],
)
def test_values_below_their_names_are_found_where_a_log_wraps_each_of_its_lines(tmp_path: Path, around: str) -> None:
    lines = ["- name: MY_API_KEY", f"  value: {TOKEN[3:]}", "passwords:", "  - .ef34gh", "loss: 0.5"]
    lines += ["JOBID  USER  ST  NODELIST", "12345  ann    R  lab-a", "step 7"]
    log = put(tmp_path / "in" / "a.log", "".join(f"{around.format(*one)}\n" for one in enumerate(lines)))

    result = redact(log, out=tmp_path / "out")

    lines[1], lines[3], lines[6] = "  value: <secret>", "  - <secret>", "12345  <user>    R  <host>"
    text = shown((tmp_path / "out" / "a.log").read_text())
    assert text.splitlines() == [around.format(*one) for one in enumerate(lines)]
    assert result.secrets == [("a.log", 2), ("a.log", 4)]


def test_a_key_without_an_end_costs_only_itself(tmp_path: Path) -> None:
    head = PEM.partition("Zz09")[0]
    log = put(tmp_path / "in" / "a.log", f"{head}step 1 loss 2.5\nabcdefghijklmnopqrst\n")

    redact(log, out=tmp_path / "out")

    assert (tmp_path / "out" / "a.log").read_text().endswith("\nstep 1 loss 2.5\nabcdefghijklmnopqrst\n")


def test_no_secret_is_among_the_real_names_of_a_ledger(db: Path, tmp_path: Path) -> None:
    log = put(tmp_path / "in" / "a.log", run_text().log + f"slurmstepd: error: *** JOB 12 ON gpua CANCELLED {TOKEN}\n")
    ingest(log, db=db)

    ((kept,),) = ask(db, "select distinct texts[1] from kept.record where texts[1] like '%CANCELLED%'")
    assert "<secret>" in shown(kept)
    private = (db.parent / f"{db.name}.private").read_bytes()
    assert b"gpua" in private
    assert TOKEN.encode() not in private
