"""Tests that no command waits for a pipe or a device which is named as a ledger, key, page or definition."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.bench import run_bench


@pytest.mark.parametrize(
    "words",
    [
        "--db LINK runs", "--db LINK ingest .", "--db LINK ingest --dry-run .", "--db LINK db check", "--db LINK db backup o",
        "ingest . --key-file LINK", "formats check LINK", "reproduce LINK", "report --write LINK", "compare LINK LINK",
        "merge LINK other.duckdb --into new.duckdb", "--db LINK diff 1 2",
    ],
)  # fmt: skip
def test_a_device_is_not_opened(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Ends at once where it is opened after all; a pipe would hang.
    Path("null.toml").symlink_to("/dev/null")
    Path("other.duckdb").symlink_to("/dev/zero")

    done = run_bench(*words.replace("LINK", "null.toml").split())

    assert done.exit_code == 2, done.output
    assert ": no regular file (a pipe, socket or device): it is not opened" in done.stderr
