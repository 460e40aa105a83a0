"""`bench ingest`: what it prints, where, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import Result

import benchledger
from benchledger.scanning import native_scanner
from tests.cli.bench import run_bench

NGC_LOG = """\
device: cuda n_gpu: 1, distributed training: False, 16-bits training: True
DLL 2026-11-20 09:10:00.000000 - PARAMETER Config : ["Namespace(config_file='bert_config_base.json', \
bert_model='bert-base-uncased', max_seq_length=128, max_predictions_per_seq=20, train_batch_size=32, max_steps=2.0, \
gradient_accumulation_steps=1, fp16=False, amp=False, steps_this_run=2.0, n_gpu=1)"]\x20
DLL 2026-11-20 09:10:01.000000 - Training Epoch: 0 Training Iteration: 1  average_loss : 11.2  step_loss : 11.2 \x20
DLL 2026-11-20 09:10:02.000000 - Training Epoch: 0 Training Iteration: 2  average_loss : 11.1  step_loss : 11.1 \x20
DLL 2026-11-20 09:10:03.000000 -  e2e_train_time : 3.0  training_sequences_per_second : 127.0899999  \
final_loss : 11.0  raw_train_time : 2.0\x20
"""
REJECTED = "DLL 2026-11-20 09:10:02.500000 - Training Epoch: zero\n"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(NGC_LOG)
    return tmp_path / "logs"


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Result]:
    """A ledger into which a log was read that is unchanged since, the log's folder, and what the ingest printed."""
    home = tmp_path_factory.mktemp("ingested")
    (home / "logs").mkdir()
    (home / "logs" / "a.log").write_text(NGC_LOG)
    words = "ingest", "--jobs", "1", "--campaign-name", "spring", "--strict", "--format", "json", home / "logs"
    return home / "bench.duckdb", home / "logs", run_bench(*words, db=home / "bench.duckdb")


def test_without_the_native_scanner_an_ingest_says_so_once_with_the_cure_and_finds_the_same(
    db: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (logs / "b.log").write_text(NGC_LOG.replace("11.2", "11.3"))
    usual = run_bench("ingest", "--jobs", "1", logs, db=db)
    monkeypatch.setattr(native_scanner, "_native", None)
    native_scanner.unavailable_reason.cache_clear()

    found = run_bench("ingest", "--jobs", "1", logs, db=db.with_name("two.duckdb"), env={"BENCH_SCANNER": None})

    native_scanner.unavailable_reason.cache_clear()
    assert found.stdout.splitlines()[:2] == usual.stdout.splitlines()[:2]
    assert len(found.stderr.splitlines()) == 1
    assert "logs are read many times slower" in found.stderr
    assert "Cure: " in found.stderr


def test_both_sums_are_printed_on_stdout(db: Path, logs: Path) -> None:
    (logs / "b.log").write_text(NGC_LOG)

    result = run_bench("ingest", "--jobs", "1", logs, db=db)

    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.splitlines()[:3] == [
        "files: 2 = 1 loaded + 1 duplicate",
        "pieces: 5 = 5 records + 0 ignored + 0 rejects + 0 unread",
        "runs of these logs: 1",
    ]
    assert benchledger.report_speed(db=db).cells["value"].to_list() == [127.0899999]


def test_a_second_ingest_finds_everything_unchanged(ingested: tuple[Path, Path, Result]) -> None:
    db, logs, _ = ingested

    result = run_bench("ingest", "--jobs", "1", logs, db=db)

    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "files: 1 = 1 unchanged")


def test_nothing_recognised_is_exit_1_with_what_each_file_lacks(db: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("DLL 2026-11-20 is a date\n")

    result = run_bench("ingest", "--jobs", "1", tmp_path / "notes.txt", db=db)

    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "files: 1 = 1 unrecognised"
    assert result.stderr.startswith("1 unrecognised:\n  notes.txt: ")


def test_a_folder_without_a_file_is_exit_1(db: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    result = run_bench("ingest", tmp_path / "empty", db=db)

    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "files: 0 = 0")
    assert result.stderr.startswith("nothing to read: PATHS contain no files except the ledger itself.")


def test_an_ingest_of_the_ledger_itself_says_that_there_is_nothing_to_be_read(
    ingested: tuple[Path, Path, Result],
) -> None:
    db, _, _ = ingested

    result = run_bench("ingest", db, db=db)

    assert (result.exit_code, result.stderr.partition(":")[0]) == (1, "nothing to read")


def test_a_refresh_where_no_definition_has_changed_is_done_and_says_so(ingested: tuple[Path, Path, Result]) -> None:
    db, _, _ = ingested

    result = run_bench("ingest", "--refresh", db=db)

    assert (result.exit_code, result.stderr.partition(":")[0]) == (0, "nothing to refresh")


def test_an_unrecognised_file_beside_a_log_fails_only_a_strict_ingest(db: Path, logs: Path) -> None:
    (logs / "notes.txt").write_text("nothing\n")

    assert run_bench("ingest", "--jobs", "1", logs, db=db).exit_code == 0
    assert run_bench("ingest", "--jobs", "1", "--refresh", "--strict", logs, db=db).exit_code == 1


def test_a_reject_is_named_with_its_line_and_fails_only_a_strict_ingest(db: Path, logs: Path) -> None:
    (logs / "a.log").write_text(NGC_LOG + REJECTED)

    result = run_bench("ingest", "--jobs", "1", logs, db=db)

    assert result.exit_code == 0
    assert result.stdout.splitlines()[1] == "pieces: 6 = 5 records + 0 ignored + 1 rejects + 0 unread"
    first, second = result.stderr.splitlines()
    assert first == "1 reject in 1 file; list with: bench query rejects"
    assert second.startswith("  a.log:6: ")
    assert "Training Epoch: zero" in second
    assert run_bench("ingest", "--jobs", "1", "--refresh", "--strict", logs, db=db).exit_code == 1


def test_of_a_line_that_is_too_long_the_beginning_is_printed(db: Path, logs: Path) -> None:
    (logs / "a.log").write_text(NGC_LOG + REJECTED.rstrip("\n") + "x" * 70_000 + "\n")

    said = run_bench("ingest", "--jobs", "1", logs, db=db).stderr.splitlines()[1]

    assert said.startswith("  a.log:6: too long: ")
    assert said.endswith("xxx ...")
    assert len(said) < 300


def test_of_a_document_that_breaks_off_the_first_line_is_printed(db: Path, tmp_path: Path) -> None:
    broken = '{"log_history": [{"loss": 1.5, "step": 1}], "global_step": 1, "is_world_process_zero": \\ # so\n"max_steps": 1\n}\n'
    (tmp_path / "trainer_state.json").write_text(broken)

    printed = run_bench("--db", db, "ingest", tmp_path / "trainer_state.json").stderr.splitlines()

    (place,) = [number for number, line in enumerate(printed) if "reject in 1 file" in line]
    assert printed[place + 1].endswith("\\ # so ...")
    assert not any(line.startswith('"max_steps"') for line in printed)


def test_a_strict_ingest_of_good_logs_ends_well(ingested: tuple[Path, Path, Result]) -> None:
    _, _, result = ingested

    assert result.exit_code == 0


def test_a_dry_run_accounts_and_writes_nothing(db: Path, logs: Path, tmp_path: Path) -> None:
    result = run_bench("ingest", "--jobs", "1", "--dry-run", logs, db=db)

    assert result.stdout.splitlines()[0] == "files: 1 = 1 loaded"
    assert result.stderr == "dry run: nothing was written\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logs"]


def test_a_log_is_read_from_stdin(db: Path) -> None:
    result = run_bench("ingest", "-", db=db, stdin=NGC_LOG.encode())

    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "files: 1 = 1 loaded")


def test_the_campaign_can_be_named(ingested: tuple[Path, Path, Result]) -> None:
    db, _, _ = ingested

    assert benchledger.runs(db=db)["campaign"].to_list() == ["spring"]


def test_json_has_every_outcome(ingested: tuple[Path, Path, Result]) -> None:
    _, _, result = ingested

    answer = json.loads(result.stdout)

    assert answer["files"]["loaded"] == 1
    assert (answer["pieces"], answer["records"], answer["ignored"], answer["rejects"]) == (5, 5, 0, 0)
    assert [(one["path"], one["status"]) for one in answer["outcomes"]] == [("a.log", "loaded")]


def test_quiet_prints_nothing_and_verbose_every_file(db: Path, logs: Path) -> None:
    (logs / "notes.txt").write_text("nothing\n")

    quiet = run_bench("-q", "ingest", "--jobs", "1", logs, db=db)
    verbose = run_bench("-v", "ingest", "--jobs", "1", logs, db=db)

    assert (quiet.exit_code, quiet.stderr, quiet.stdout) == (0, "", "")
    assert "a.log: unchanged\n" in verbose.stderr


def test_the_escapes_of_a_file_name_do_not_reach_the_terminal(db: Path, tmp_path: Path) -> None:
    (tmp_path / "\x1b]0;evil\x07\u202e\nruns: 9.txt").write_text("nothing\n")

    result = run_bench("ingest", "--jobs", "1", tmp_path, db=db)

    assert r"\x1b]0;evil\x07\u202e\nruns: 9.txt" in result.stderr
    assert [char for char in result.stderr if not char.isprintable() and char != "\n"] == []


def test_another_writer_is_exit_3_with_its_process_id(ingested: tuple[Path, Path, Result]) -> None:
    db, logs, _ = ingested
    code = f"import duckdb, sys; con = duckdb.connect({str(db)!r}); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()

        result = run_bench("ingest", "--wait", "0.2", logs, db=db)

        holder.communicate(b"")
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"PID {holder.pid}" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_progress_bar_is_drawn_on_a_terminal_on_stderr_and_nowhere_else(db: Path, logs: Path) -> None:
    import pty

    command = [sys.executable, "-m", "benchledger.cli.main", "--db", str(db), "ingest", "--jobs", "1", str(logs)]
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        try:
            while chunk := os.read(ours, 4096):
                seen.append(chunk)
        except OSError:  # Linux says so when the other end is closed.
            pass

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    reader.join(timeout=30)

    assert done.returncode == 0
    assert b"1 of 1 files" in b"".join(seen)
    assert done.stdout.startswith(b"files: 1 = 1 loaded")
    assert b"\r" not in done.stdout
    assert b"\x1b" not in done.stdout


def test_of_many_refused_facts_the_first_are_shown_and_the_rest_counted(db: Path, logs: Path) -> None:
    for number in range(8):
        (logs / str(number)).mkdir()
        (logs / str(number) / "facts.toml").write_text("[")

    done = run_bench("ingest", str(logs), db=db)

    assert done.exit_code == 1
    assert done.stderr.count("facts.toml: ") == 5
    cure = "bench query unrecognised -p path='*facts.toml'"
    assert "8 facts.toml refused: " in done.stderr
    assert f"  and 3 more; list with: {cure}" in done.stderr
    listed = run_bench("query", "unrecognised", "-p", "path=*facts.toml", "--format", "csv", db=db)
    assert len(listed.stdout.splitlines()) == 9


def test_many_matches_that_fit_no_log_are_said_in_a_few_lines(db: Path, logs: Path) -> None:
    lines = "".join(f'[[for]]\nmatch = "no-{number}/*"\n[for.case]\nmodel = "bert"\n' for number in range(300))
    (logs / "facts.toml").write_text(lines)

    result = run_bench("ingest", "--jobs", "1", logs, db=db)
    again = run_bench("-v", "ingest", "--jobs", "1", logs, db=db)

    assert (result.exit_code, again.exit_code) == (0, 0)
    assert result.stderr.count("fits none of the logs below it") == 5
    assert "and 295 more matches that fit no log; list with: bench -v ingest" in result.stderr
    assert again.stderr.count("fits none of the logs below it") == 300
