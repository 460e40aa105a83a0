"""One bad file costs itself only: whatever fails in its reading becomes its status with its reason."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest
from benchledger.ingestion import discover, kernel_folders, pool, read_guard
from benchledger.ingestion.discover import FoundFile
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, one, put, run_text
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


LAST = str(2**63 - 1)
LLAMA = (
    '{"current_steps": {}, "total_steps": 400, "loss": 1.5, "lr": 5e-05, "epoch": 0.1, "percentage": 0.2, '
    '"elapsed_time": "0:01:00", "remaining_time": "0:01:00"}\n'
)
STEPS = (
    "tokens per iteration will be: 40,960\niter 1: loss 1.0, time 5.00ms, mfu 1.00%\niter {}: loss 1.0, time 5.00ms\n",
    LLAMA.replace("{}", "10") + LLAMA,
)


def log_of(number: int) -> str:
    return run_text(steps=5, seed=number, at=900 * number).log


@dataclass(frozen=True)
class Told:
    """The folder of the bad files and of good ones, its ledger, what an ingest said of each file, and its CPU seconds."""

    logs: Path
    db: Path
    found: dict[str, tuple[str, str]]
    seconds: float


@pytest.fixture(scope="module")
def told(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Bad files that need nothing but an ingest, in one of them. Read only."""
    home = tmp_path_factory.mktemp("bad")
    logs = home / "logs"
    for number, text in enumerate(HOSTILE):
        put(logs / str(number) / "facts.toml", text)
        put(logs / str(number) / "good.log", log_of(number))
    for number, text in enumerate(STEPS):
        put(logs / "steps" / str(number) / "bad.log", text.replace("{}", LAST))
    packed = {"a/" * 1000 + "x.log": log_of(20), "b/" * 50_000 + "x.log": log_of(21), "c.log": log_of(22)}
    put(logs / "deep.tar", tar(packed))
    os.utime(put(logs / "late" / "late.log", log_of(23)), ns=(2**64, 2**64))
    with put(logs / "holes" / "holes.log", log_of(24)).open("r+b") as file:
        file.truncate(2**36)
    folders = [f"{logs}/{'a/' * depth}" for depth in range(1, 1200)]
    for folder in folders:
        os.mkdir(folder)
    log = Path(folders[-1], "x.log")
    log.write_text(log_of(25))
    put(logs / "last" / "good.log", log_of(26))
    db, begun = made(defined_ledger, home / "ledger"), time.process_time()
    try:
        yield Told(logs, db, outcomes(db, logs), time.process_time() - begun)
    finally:
        # Else pytest's own cleanup of later runs ends with a RecursionError.
        log.unlink()
        for folder in reversed(folders):
            os.rmdir(folder)


def test_a_good_file_beside_bad_ones_is_read(told: Told) -> None:
    assert told.found["last/good.log"] == ("loaded", "")


def test_a_hostile_facts_toml_is_refused_and_its_neighbours_are_read(told: Told) -> None:
    for number, reason in enumerate(HOSTILE.values()):
        assert told.found[f"{number}/good.log"] == ("loaded", "")
        assert told.found[f"{number}/facts.toml"] == ("unreadable", reason)


def test_of_many_unknown_keys_the_first_are_named(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "facts.toml", "".join(f"k{number}=1\n" for number in range(90_000)))
    begin = time.process_time()

    reason = outcomes(db, tmp_path / "logs", jobs=1)["facts.toml"][1]

    assert time.process_time() - begin < 3
    assert reason.count("unknown key ") == 20
    assert reason.endswith("facts.toml: and 89,980 more unknown keys")


def test_of_many_mistakes_in_a_manifest_the_first_100_are_rejects(db: Path, tmp_path: Path) -> None:
    for number, key in enumerate(("k", "\\u006b")):
        keys = "".join(f', "{key}{number}": 1' for number in range(30_000))
        put(tmp_path / "logs" / str(number) / "run.json", '{"benchledger_manifest": 1, "files": []' + keys + "}")
    begin = time.process_time()

    ingest(tmp_path / "logs", db=db, jobs=1)

    assert time.process_time() - begin < 3
    told = "count(*), count(*) filter (reason like '%further mistakes are not listed%')"
    assert ask(db, f"select {told} from reject group by log_id") == [(101, 1)] * 2


def test_steps_that_sql_cannot_add_are_rejects(told: Told) -> None:
    assert [told.found[f"steps/{number}/bad.log"][0] for number in range(len(STEPS))] == ["loaded"] * len(STEPS)
    assert one(told.db, f"select count(*) from kept.record where step = {LAST}") == 0
    rejected = "select path from reject join sighting using (log_id) where contains(text, ?) order by path"
    assert ask(told.db, rejected, LAST) == [("steps/0/bad.log",), ("steps/1/bad.log",)]


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


def test_a_member_a_thousand_folders_deep_is_read_by_another_process_too(
    db: Path, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told.found["a/" * 1000 + "x.log"] == ("loaded", "")
    put(tmp_path / "logs" / "deep.tar", tar({"a/" * 1000 + "x.log": BAD}))
    put(tmp_path / "logs" / "good.log", GOOD)
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 0)

    found = outcomes(db, tmp_path / "logs", jobs=2)

    assert [status for status, _ in found.values()] == ["loaded", "loaded"]


def test_a_log_a_thousand_folders_deep_on_the_disk_is_read(told: Told) -> None:
    assert told.found["a/" * 1199 + "x.log"] == ("loaded", "")


def test_a_name_that_no_system_can_unpack_is_refused(told: Told) -> None:
    reason = "its name is longer than 4,096 characters; no system can unpack it; repack it under a short name"

    assert list(told.found.values()).count(("unreadable", reason)) == 1
    assert told.found["c.log"] == ("loaded", "")


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


def test_a_time_that_the_ledger_cannot_hold_ends_no_ingest(told: Told) -> None:
    if (told.logs / "late" / "late.log").stat().st_mtime_ns < 2**63:
        pytest.skip("this file system keeps no such time")

    assert told.found["late/late.log"] == ("loaded", "")
    assert outcomes(told.db, told.logs)["late/late.log"][0] == "unchanged"


def test_a_file_of_holes_is_not_read(told: Told) -> None:
    with (told.logs / "holes" / "holes.log").open("rb") as file:
        if os.lseek(file.fileno(), 2**20, os.SEEK_HOLE) == 2**36:
            pytest.skip("this file system keeps no holes")

    assert told.found["holes/holes.log"][0] == "unreadable"
    assert "68,719,476,736 bytes, of which" in told.found["holes/holes.log"][1]
    assert told.seconds < 10


def test_a_file_that_becomes_a_pipe_is_not_waited_for(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "logs" / "good.log", GOOD)
    sizes = {"small.log": 100, "large.log": 20_000_000}
    for name in sizes:
        os.mkfifo(tmp_path / "logs" / name)
    found_before = discover._found

    def found_as_file(place: str, top: str) -> FoundFile:
        file, size = found_before(place, top), sizes.get(Path(place).name)
        return file if size is None else replace(file, size=size, problem=None)

    monkeypatch.setattr(discover, "_found", found_as_file)
    found = outcomes(db, tmp_path / "logs", jobs=1)

    assert found["good.log"] == ("loaded", "")
    assert {found[name][0] for name in sizes} <= {"unreadable", "empty"}


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
