"""An answer is written whole or not at all, in whatever form and by whatever command."""

from __future__ import annotations

import os
import resource
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchledger.exports.answer_files import write_whole
from tests.cli.bench import run_bench


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """No file of this process can grow beyond so many bytes: what a full disk is, without one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["report", "speed", "--output", "out.txt"], "out.txt"),
        (["report", "speed", "--format", "csv", "--output", "out.csv"], "out.csv"),
        (["report", "speed", "--format", "parquet", "--output", "out.parquet"], "out.parquet"),
        (["export", "tables", "speed", "--output", "out.md"], "out.md"),
        (["export", "tables", "speed", "--output", "out.parquet"], "out.parquet"),
        (["export", "tables", "speed", "--output", "out.xlsx"], "out.xlsx"),
        (["export", "dlperf", "--precision", "fp32", "--output", "."], "bz32_result.json"),
    ],
)
def test_a_full_disk_leaves_the_earlier_answer_and_is_told_with_the_name_of_the_file(
    one_run_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("earlier\n")

    with files_no_longer_than(10):
        done = run_bench(*words, db=one_run_ledger)

    assert done.exit_code == 1
    assert f"{name}: File too large. Check that the folder exists, may be written and has space" in done.stderr
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "earlier\n")]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["export", "dlperf", "--precision", "fp32"], "bz32_result.json"),
        (["export", "tables", "speed", "memory", "--format", "csv"], "speed.csv"),
    ],
)
def test_a_link_in_a_folder_of_answers_is_replaced_and_its_target_stays(
    one_run_ledger: Path, tmp_path: Path, words: list[str], name: str
) -> None:
    own, link = tmp_path / "own.txt", tmp_path / "out" / name
    own.write_text("mine\n")
    link.parent.mkdir()
    link.symlink_to(own)

    done = run_bench(*words, "--output", str(link.parent), db=one_run_ledger)

    assert done.exit_code == 0, done.stderr
    assert own.read_text() == "mine\n"
    assert not link.is_symlink()


def test_what_is_replaced_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    answer, link = tmp_path / "answer.csv", tmp_path / "latest.csv"
    answer.write_text("earlier\n")
    answer.chmod(0o640)
    link.symlink_to(answer.name)

    write_whole(link, b"later\n")

    assert (link.is_symlink(), answer.read_text(), stat.S_IMODE(answer.stat().st_mode)) == (True, "later\n", 0o640)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.csv", "latest.csv"]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()

    write_whole(pipe, b"answer\n")

    reader.join()
    assert (read, pipe.is_fifo()) == ([b"answer\n"], True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_be_written_where_none_may_be_made_is_written(tmp_path: Path) -> None:
    answer = tmp_path / "answer.csv"
    answer.write_text("earlier\n")
    tmp_path.chmod(0o555)
    try:
        write_whole(answer, b"later\n")
    finally:
        tmp_path.chmod(0o755)

    assert answer.read_text() == "later\n"


def test_a_missing_folder_is_told_by_the_name_that_was_given(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        write_whole(tmp_path / "none" / "answer.csv", b"x")

    assert error.value.filename == str(tmp_path / "none" / "answer.csv")
