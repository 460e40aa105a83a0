"""`bench formats new` writes a draft and nothing else, and never over a file."""

from __future__ import annotations

from pathlib import Path

from tests.cli.bench import run_bench
from tests.formats.test_draft import TOY


def test_a_draft_goes_to_stdout_and_its_counts_to_stderr(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(TOY)
    done = run_bench("formats", "new", str(log), "--name", "toy")

    assert done.exit_code == 0
    assert done.stdout.startswith("# Drafted by `bench formats new` from 1 log.\n")
    assert done.stderr.startswith("4 steps in 6 records, 1 ignored, 0 rejects; ")


def test_lines_that_a_draft_leaves_as_rejects_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    steps = [f"[train] it {step} | loss {9 - step / 100} | {100 + step % 7} img/s" for step in range(1, 301)]
    log.write_text("\n".join([*steps, *(f"[train] saw the {letter * 3}" for letter in "abcdefghijklm")]) + "\n")

    done = run_bench("formats", "new", str(log))

    assert done.stderr.splitlines()[0].startswith("300 steps in 300 records, 12 ignored, 1 reject; ")
    assert done.stderr.splitlines()[1:] == ["  reject: [train] saw the mmm"]


def test_a_draft_replaces_no_file(tmp_path: Path) -> None:
    log, output = tmp_path / "train.log", tmp_path / "new" / "toy.toml"
    log.write_text(TOY)
    first = run_bench("formats", "new", str(log), "--output", str(output))
    written = output.read_text()
    output.write_text("mine")
    again = run_bench("formats", "new", str(log), "--output", str(output))

    assert (first.exit_code, first.stdout) == (0, "")
    assert written.startswith("# Drafted by")
    assert (again.exit_code, output.read_text()) == (1, "mine")
    assert "exists: a draft never replaces a file; choose another --output" in again.stderr
