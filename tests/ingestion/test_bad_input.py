"""Bad input: a clear outcome with place and reason, and nothing else is lost."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest
from benchledger.errors import DatabaseHeldError, UsageError
from benchledger.ingestion.load import Insert
from tests.ingestion.logs import ask, one, put, run_text


def outcomes(db: Path, folder: Path) -> dict[str, tuple[str, str]]:
    return {outcome.path: (outcome.status, outcome.reason or "") for outcome in ingest(folder, db=db).outcomes}


def test_bytes_that_are_no_text_are_no_reason_to_lose_a_record(db: Path, tmp_path: Path) -> None:
    text = run_text(steps=20).log.encode()
    put(
        tmp_path / "logs" / "run.log",
        b"\x00\xff\xfe garbage \x80\n" * 50 + text.replace(b"Iteration:  ", b"\xc3\x28 \x00", 3),
    )

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select count(*) from measurement where name = 'step_loss'") == 19


def test_binary_and_utf16_files_are_unrecognised_and_say_so(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "core", os.urandom(5000).replace(b"\n", b"") + b"\x00" * 100)
    put(tmp_path / "logs" / "utf16.log", run_text(steps=5).log.encode("utf-16"))

    found = outcomes(db, tmp_path / "logs")

    assert found["core"][0] == "unrecognised"
    assert "NUL" in found["core"][1]
    assert found["utf16.log"] == ("unrecognised", "UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`")


def test_a_line_too_long_to_be_held_is_one_reject_and_the_rest_is_read(db: Path, tmp_path: Path) -> None:
    text = run_text(steps=20).log
    put(
        tmp_path / "logs" / "run.log",
        text + "DLL 2026-01-02 03:00:00.000000 - " + "x" * 20_000_000 + "\n" + run_text(steps=5, at=900, seed=3).log,
    )

    result = ingest(tmp_path / "logs", db=db)

    assert result.rejects == 1
    assert one(db, "select reason[:8], length(text) from reject") == ("too long", 1000)
    assert one(db, "select count(*) from run") == 2


def test_a_file_that_vanishes_while_it_is_read_is_unreadable(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchledger.ingestion.read import UnitReader

    put(tmp_path / "logs" / "a.log", run_text(seed=1).log)
    gone = put(tmp_path / "logs" / "b.log", run_text(seed=2).log)
    real = UnitReader._read_one
    monkeypatch.setattr(UnitReader, "_read_one", lambda *args: (gone.unlink(missing_ok=True), real(*args))[1])

    assert outcomes(db, tmp_path / "logs")["b.log"] == ("unreadable", "cannot be read: No such file or directory")
    assert one(db, "select count(*) from run") == 1


def test_a_file_that_grows_while_it_is_read_is_read_again_next_time(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchledger.ingestion.read import UnitReader

    text = run_text().log
    log = put(tmp_path / "logs" / "a.log", text[:9000])
    real = UnitReader._read_one
    monkeypatch.setattr(UnitReader, "_read_one", lambda *args: (put(log, text[:20000]), real(*args))[1])
    ingest(tmp_path / "logs", db=db)
    monkeypatch.undo()
    assert one(db, "select bytes from log") == len(text[:20000].encode())
    put(log, text)

    assert ingest(tmp_path / "logs", db=db).files == {"loaded": 1}
    assert one(db, "select status from run") == "ok"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_unreadable(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a.log", run_text().log).chmod(0)

    assert outcomes(db, tmp_path / "logs")["a.log"] == ("unreadable", "cannot be read: Permission denied")


def test_a_loop_of_links_ends(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a" / "run.log", run_text().log)
    (tmp_path / "logs" / "a" / "loop").symlink_to(tmp_path / "logs", target_is_directory=True)
    (tmp_path / "logs" / "self").symlink_to("self")

    found = outcomes(db, tmp_path / "logs")

    assert found["a/run.log"][0] == "loaded"
    assert found["self"][0] == "unreadable"
    assert len(found) == 2


def test_names_that_are_no_utf8_or_hold_escapes_are_kept_as_text(db: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    names = (b"bad\xff.log", b"esc\x1b[31m.log", b"new\nline.log", b"'; drop table run; --.log")
    for number, name in enumerate(names):
        with open(os.path.join(os.fsencode(tmp_path / "logs"), name), "wb") as file:
            file.write(run_text(seed=number, at=400 * number).log.encode())

    result = ingest(tmp_path / "logs", db=db)

    assert result.files == {"loaded": 4}
    assert one(db, "select count(*) from run") == 4
    assert ("bad\\xff.log",) in ask(db, "select path from sighting")
    assert ingest(tmp_path / "logs", db=db).files == {"unchanged": 4}


def test_hostile_numbers_are_kept_or_rejected_and_never_break_the_load(db: Path, tmp_path: Path) -> None:
    text = run_text(steps=30).log
    lines = [
        "DLL 2026-01-02 03:10:00.000000 - Training Epoch: 0 Training Iteration: 99999999999999999999999  step_loss : 1.0 \n",
        "DLL 2026-13-45 99:99:99.000000 - Training Epoch: 0 Training Iteration: 31  step_loss : 1.0 \n",
        "DLL 2026-01-02 03:10:01.000000 - Training Epoch: 0 Training Iteration: 32  step_loss : 1e999  learning_rate : -inf \n",
        f"DLL 2026-01-02 03:10:02.000000 - Training Epoch: 0 Training Iteration: 33  step_loss : {'9' * 300} \n",
        "DLL 2026-01-02 03:10:03.000000 - PARAMETER gradient_accumulation_steps : 9223372036854775807 \n",
        "DLL 0000-01-01 00:00:00.000000 - PARAMETER x : 1 \n",
        "DLL 2026-01-02 03:10:04.000000 - PARAMETER '; drop table run; -- : {0} %s \n",
    ]
    put(tmp_path / "logs" / "run.log", text + "".join(lines))

    result = ingest(tmp_path / "logs", db=db)

    assert result.files == {"loaded": 1}
    assert result.pieces == result.records + result.ignored + result.rejects + result.unread
    assert {row[0].partition(":")[0] for row in ask(db, "select reason from reject")} == {"bad number", "no such time"}
    assert one(db, "select count(*) from run") == 1
    assert ask(db, "select value from measurement where step = 32 and name = 'step_loss'") == []
    assert one(db, "select value from measurement where step = 33 and name = 'step_loss'") == float("9" * 300)


def test_a_path_that_does_not_exist_is_wrong_use(db: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere: no such file or folder"):
        ingest(tmp_path / "nowhere", db=db)


def test_standard_input_is_read_as_one_log(db: Path) -> None:
    result = ingest(db=db, stdin=io.BytesIO(run_text().log.encode()))

    assert result.files == {"loaded": 1}
    assert one(db, "select path, campaign from sighting") == ("stdin", "stdin")
    assert ingest(db=db, stdin=io.BytesIO(run_text().log.encode())).files == {"unchanged": 1}


def test_another_holder_of_the_database_is_named_before_anything_is_read(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    code = f"import duckdb, sys; con = duckdb.connect({str(db)!r}); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    read: list[object] = []
    try:
        with pytest.raises(DatabaseHeldError, match=str(holder.pid)):
            ingest(tmp_path / "logs", db=db, wait_s=0.3, progress=read.append)
    finally:
        holder.communicate()
    assert read == []


def ingest_with_file_size(limit: int, db: Path, logs: Path) -> subprocess.CompletedProcess[str]:
    """Runs an ingest that may write no file of more than so many bytes."""
    code = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
import sys
from benchledger.cli.main import main
sys.argv = ["bench", "--db", {str(db)!r}, "ingest", {str(logs)!r}]
main()
"""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )


def test_a_full_disk_leaves_the_ledger_as_it_was_and_says_what_to_do(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text(steps=20_000).log)
    # What stands in it may be written anew, but for its last half: some of its blocks are free.
    full = ingest_with_file_size(db.stat().st_size // 2, db, tmp_path / "logs")

    assert full.returncode == 1, full.stderr
    assert "Free some disk space" in full.stderr
    assert "Traceback" not in full.stderr
    assert one(db, "select count(*) from log") == 0
    assert ingest(tmp_path / "logs", db=db).files == {"loaded": 1}


def test_a_facts_file_may_begin_with_a_byte_order_mark_and_a_campaign_needs_a_name(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text(steps=5).log)
    put(tmp_path / "logs" / "facts.toml", b'\xef\xbb\xbfcampaign = "marked"\n')
    with pytest.raises(UsageError, match="name of a campaign is empty"):
        ingest(tmp_path / "logs", db=tmp_path / "bench.duckdb", campaign_name=" ")
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]

    ingest(tmp_path / "logs", db=tmp_path / "bench.duckdb")

    assert one(tmp_path / "bench.duckdb", "select campaign from kept.run_campaign") == "marked"


# Which moment each is depends on the machine: the more the better.
@pytest.mark.parametrize("delay_s", [0.2, 0.4, *(pytest.param(s, marks=pytest.mark.long) for s in (0.1, 0.3, 0.5))])
def test_ctrl_c_at_any_moment_ends_without_a_traceback_and_the_next_ingest_completes(
    tmp_path: Path, delay_s: float
) -> None:
    import signal
    import time

    for number in range(30):
        put(tmp_path / "logs" / f"{number}.log", run_text(seed=number, at=300 * number).log)
    db = tmp_path / "bench.duckdb"
    code = "import sys; from benchledger.cli.main import main; print('on', flush=True); main()"
    command = [sys.executable, "-c", code, "--db", str(db), "ingest", str(tmp_path / "logs")]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    # Before the command itself has begun, click ends it with a word of its own.
    assert process.returncode in (0, 130) or errors.strip() == b"Aborted!", errors.decode()
    assert b"Traceback" not in errors
    ingest(tmp_path / "logs", db=db)
    assert one(db, "select count(*) from run") == 30


@pytest.mark.usefixtures("heard")
def test_ctrl_c_while_records_are_inserted_is_told_as_what_it_is_and_they_are_kept(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    turn = Insert._turn

    def stopping(self: Insert, first: Any) -> Iterator[Any]:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        yield from turn(self, first)

    monkeypatch.setattr(Insert, "_turn", stopping)
    with pytest.raises(KeyboardInterrupt):
        ingest(tmp_path / "logs", db=db)
    assert one(db, "select count(*) from log") == 1

    monkeypatch.setattr(Insert, "_turn", turn)
    assert ingest(tmp_path / "logs", db=db).files == {"unchanged": 1}
    assert one(db, "select count(*) from run") == 1
