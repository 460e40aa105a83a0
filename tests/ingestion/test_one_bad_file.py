"""One bad file costs itself only: whatever fails in its reading becomes its status with its reason."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest
from benchledger.ingestion import discover, kernel_folders, read_guard
from benchledger.ingestion.discover import FoundFile
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.ingestion.logs import one, put, run_text
from tests.ingestion.packing import tar

GOOD = run_text(steps=20).log
BAD = run_text(steps=20, seed=2, at=900).log


def outcomes(db: Path, folder: Path, **more: Any) -> dict[str, tuple[str, str]]:
    shown = {"loaded": ""}
    result = ingest(folder, db=db, **more)
    return {found.path: (found.status, shown.get(found.status, found.reason or "")) for found in result.outcomes}


HOSTILE = {
    "x=" + "[" * 100_000: "facts.toml:1: lists or tables are nested too deep: remove some layers",
    "x=" + "{a=" * 100_000: "facts.toml:1: lists or tables are nested too deep: remove some layers",
    "\nx=" + "9" * 500_000: "facts.toml:2: a number of more than 3,500 digits",
    "\n[case]\nseq_len=0x" + "f" * 500_000: "facts.toml:3: a number of more than 3,500 digits",
    "9" * 500_000: "facts.toml:1: a number of more than 3,500 digits",
    "[case]\n" + ".".join("a" * 200_000) + "=1": (
        "facts.toml:2: a key of more than 64 names joined by dots: divide it into tables"
    ),
    "".join(f"a.b{k}.c=1\n" for k in range(200_000)): "facts.toml:1: longer than 1,048,576 bytes: no facts.toml is",
}


def test_a_hostile_facts_toml_is_refused_and_its_neighbours_are_read(db: Path, tmp_path: Path) -> None:
    for number, text in enumerate(HOSTILE):
        put(tmp_path / "logs" / str(number) / "facts.toml", text)
        put(tmp_path / "logs" / str(number) / "good.log", run_text(steps=5, seed=number, at=900 * number).log)

    found = outcomes(db, tmp_path / "logs")

    for number, reason in enumerate(HOSTILE.values()):
        assert found[f"{number}/good.log"] == ("loaded", "")
        assert found[f"{number}/facts.toml"] == ("unreadable", reason)


def test_of_many_unknown_keys_the_first_are_named(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "facts.toml", "".join(f"k{number}=1\n" for number in range(90_000)))
    begin = time.process_time()

    reason = outcomes(db, tmp_path / "logs", jobs=1)["facts.toml"][1]

    assert time.process_time() - begin < 3
    assert reason.count("unknown key ") == 20
    assert reason.endswith("facts.toml: and 89,980 more unknown keys")


@pytest.mark.parametrize("key", ["k", "\\u006b"])
def test_of_many_mistakes_in_a_manifest_the_first_100_are_rejects(db: Path, tmp_path: Path, key: str) -> None:
    keys = "".join(f', "{key}{number}": 1' for number in range(30_000))
    put(tmp_path / "logs" / "run.json", '{"benchledger_manifest": 1, "files": []' + keys + "}")
    begin = time.process_time()

    ingest(tmp_path / "logs", db=db, jobs=1)

    assert time.process_time() - begin < 3
    assert one(db, "select count(*) from reject") == 101
    assert one(db, "select count(*) from reject where reason like '%further mistakes are not listed%'") == 1


LAST = str(2**63 - 1)


@pytest.mark.parametrize("log", [
    "tokens per iteration will be: 40,960\niter 1: loss 1.0, time 5.00ms, mfu 1.00%\niter {}: loss 1.0, time 5.00ms\n",
    '{"step": 1, "loss": 1.0}\n' * 20 + '{"step": {}, "loss": 1.0}\n',
])  # fmt: skip
def test_steps_that_sql_cannot_add_are_rejects(db: Path, tmp_path: Path, log: str) -> None:
    put(tmp_path / "logs" / "bad.log", log.replace("{}", LAST))
    put(tmp_path / "logs" / "good.log", GOOD)

    found = outcomes(db, tmp_path / "logs")

    assert found["good.log"] == ("loaded", "")
    assert one(db, f"select count(*) from kept.record where step = {LAST}") == 0


@pytest.mark.long
def test_numbers_whose_product_no_bigint_holds_fail_neither_an_ingest_nor_an_answer(db: Path, tmp_path: Path) -> None:
    from benchledger import audit, query

    # Every number of every format's samples: steps, epochs, batch sizes, lengths, GPUs.
    for name, log_format in load_formats().items():
        text = "\n".join(sample.text for sample in log_format.samples)
        large = [re.sub(r"(?<![\w.])\d+(?![\w.])", number, text) for number in ("4294967296", "9" * 18)]
        put(tmp_path / "logs" / name / "bad.log", "\n".join([text, *large, text]))
    put(tmp_path / "logs" / "good.log", GOOD)

    found = outcomes(db, tmp_path / "logs")

    assert found["good.log"] == ("loaded", "")
    assert audit(db=db).checks.height > 30
    for question in ("convergence", "model_flops", "speed", "speedup"):
        query(question, db=db)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_member_a_thousand_folders_deep_is_read(db: Path, tmp_path: Path, jobs: int) -> None:
    put(tmp_path / "logs" / "deep.tar", tar({"a/" * 1000 + "x.log": BAD}))
    put(tmp_path / "logs" / "good.log", GOOD)

    found = outcomes(db, tmp_path / "logs", jobs=jobs)

    assert [status for status, _ in found.values()] == ["loaded", "loaded"]


def test_a_log_a_thousand_folders_deep_on_the_disk_is_read(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "good.log", GOOD)
    folders = [f"{tmp_path}/logs/{'a/' * depth}" for depth in range(1, 1200)]
    for folder in folders:
        os.mkdir(folder)
    log = Path(folders[-1], "x.log")
    log.write_text(BAD)

    try:
        found = outcomes(db, tmp_path / "logs")
    finally:
        # Else pytest's own cleanup of later runs ends with a RecursionError.
        log.unlink()
        for folder in reversed(folders):
            os.rmdir(folder)

    assert [status for status, _ in found.values()] == ["loaded", "loaded"]


def test_a_name_that_no_system_can_unpack_is_refused(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "deep.tar", tar({"a/" * 50_000 + "x.log": BAD, "b.log": GOOD}))

    found = list(outcomes(db, tmp_path / "logs").values())

    assert found == [
        (
            "unreadable",
            "its name is longer than 4,096 characters; no system can unpack it; repack it under a short name",
        ),
        ("loaded", ""),
    ]


FAILURES = [
    (RecursionError("maximum recursion depth exceeded"), "cannot be read: RecursionError: maximum recursion"),
    (MemoryError(), "cannot be read: memory ran out"),
    (KeyError("step"), "cannot be read: KeyError: 'step'"),
    (OverflowError("Python int too large"), "cannot be read: OverflowError: Python int too large"),
]


def test_a_failure_in_the_middle_of_a_log_leaves_no_row_of_it(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = LogReader._scan
    texts = [run_text(steps=20, seed=number, at=900 * number).log for number in range(len(FAILURES) + 2)]
    # The first and the last log are good.
    errors = {text.encode(): error for text, (error, _) in zip(texts[1:], FAILURES, strict=False)}

    def scan(self: LogReader, reading: Any, buffer: bytes, *more: Any) -> None:
        real(self, reading, buffer, *more)
        if bytes(buffer) in errors:
            raise errors[bytes(buffer)]

    monkeypatch.setattr(LogReader, "_scan", scan)
    for number, text in enumerate(texts):
        put(tmp_path / "logs" / f"{number}.log", text)

    found = outcomes(db, tmp_path / "logs")

    assert [status for status, _ in found.values()] == ["loaded", *["unreadable"] * len(FAILURES), "loaded"]
    for number, (_, reason) in enumerate(FAILURES, start=1):
        assert found[f"{number}.log"][1].startswith(reason)
    assert one(db, "select count(*), count(distinct log_id) from log") == (2, 2)
    assert one(db, "select count(distinct log_id) from kept.record") == 2


def test_a_file_that_failed_is_read_again_next_time(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "logs" / "a.log", GOOD)
    with monkeypatch.context() as broken:
        broken.setattr(LogReader, "read_content", lambda *_, **__: {}[1])
        assert outcomes(db, tmp_path / "logs")["a.log"][0] == "unreadable"

    assert outcomes(db, tmp_path / "logs")["a.log"] == ("loaded", "")


def test_an_endless_file_is_aborted_and_its_neighbours_are_read(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = LogReader.read_content

    def read(self: LogReader, content: bytes, *more: Any, **named: Any) -> Any:
        while content == BAD.encode() and time.monotonic() < until:
            pass
        return real(self, content, *more, **named)

    monkeypatch.setattr(LogReader, "read_content", read)
    monkeypatch.setattr(read_guard, "BASE_S", 0.2)
    put(tmp_path / "logs" / "a.log", GOOD)
    put(tmp_path / "logs" / "b.log", BAD)
    until = time.monotonic() + 60

    found = outcomes(db, tmp_path / "logs")

    assert time.monotonic() < until
    assert found["a.log"] == ("loaded", "")
    assert found["b.log"][0] == "unreadable"
    assert found["b.log"][1].startswith("reading it took more than 0.2 s and 5 s per MB, and was aborted")


def test_an_error_of_the_writer_is_no_failure_of_a_file(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "logs" / "a.log", GOOD)
    monkeypatch.setattr(
        "benchledger.ingestion.batches.Batches.write_if_due", lambda *_: (_ for _ in ()).throw(ValueError("writer"))
    )

    with pytest.raises(ValueError, match="writer"):
        ingest(tmp_path / "logs", db=db)


def test_a_time_that_the_ledger_cannot_hold_ends_no_ingest(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "good.log", GOOD)
    late = put(tmp_path / "logs" / "late.log", BAD)
    os.utime(late, ns=(2**64, 2**64))
    if late.stat().st_mtime_ns < 2**63:
        pytest.skip("this file system keeps no such time")
    found = outcomes(db, tmp_path / "logs")
    again = outcomes(db, tmp_path / "logs")

    assert [status for status, _ in found.values()] == ["loaded", "loaded"]
    assert [status for status, _ in again.values()] == ["unchanged", "unchanged"]


def test_a_file_of_holes_is_not_read(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "good.log", GOOD)
    with put(tmp_path / "logs" / "holes.log", BAD).open("r+b") as file:
        file.truncate(2**36)
        if os.lseek(file.fileno(), 2**20, os.SEEK_HOLE) == 2**36:
            pytest.skip("this file system keeps no holes")
    begun = time.process_time()
    found = outcomes(db, tmp_path / "logs", jobs=1)

    assert found["good.log"] == ("loaded", "")
    assert found["holes.log"][0] == "unreadable"
    assert "68,719,476,736 bytes, of which" in found["holes.log"][1]
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("size", [100, 20_000_000])
def test_a_file_that_becomes_a_pipe_is_not_waited_for(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    put(tmp_path / "logs" / "good.log", GOOD)
    os.mkfifo(tmp_path / "logs" / "pipe.log")
    found_before = discover._found

    def found_as_file(place: str, top: str) -> FoundFile:
        file = found_before(place, top)
        return replace(file, size=size, problem=None) if place.endswith("pipe.log") else file

    monkeypatch.setattr(discover, "_found", found_as_file)
    found = outcomes(db, tmp_path / "logs", jobs=1)

    assert found["good.log"] == ("loaded", "")
    assert found["pipe.log"][0] in ("unreadable", "empty")


@pytest.mark.skipif(not Path("/proc/self/mountinfo").exists(), reason="needs /proc")
def test_a_folder_of_the_kernel_is_one_file_that_is_not_read(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ("unreadable", "a folder of the kernel (proc, sysfs, ...): it is not read")
    assert list(outcomes(db, Path("/proc/self")).values()) == [told]

    put(tmp_path / "logs" / "proc" / "run.log", GOOD)
    monkeypatch.setattr(discover, "is_kernel_mount", lambda folder: folder.endswith("logs/proc"))
    assert outcomes(db, tmp_path / "logs")["proc"][0] == "unreadable"


def test_homes_and_disks_that_autofs_mounts_are_no_folders_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = (
        "22 27 0:21 / /proc rw - proc proc rw\n"
        "40 27 0:50 / /home rw shared:1 - autofs auto.home rw\n"
        "41 27 0:51 / /data rw - autofs systemd-1 rw\n42 41 0:52 / /data rw - nfs4 disk:/data rw\n"
    )
    monkeypatch.setattr(kernel_folders, "open", lambda *_, **__: StringIO(mounts), raising=False)
    monkeypatch.setattr(kernel_folders, "_mounts", kernel_folders._mounts.__wrapped__)

    assert [kernel_folders.is_kernel_mount(folder) for folder in ("/proc", "/home", "/data")] == [True, False, False]
    assert [kernel_folders.is_of_kernel(os.makedev(0, minor)) for minor in (21, 50, 51, 52)] == [True] + [False] * 3
