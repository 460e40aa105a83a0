"""Temporary folders of killed commands are removed by a later one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchledger.store.scratch import work_folder

KILLED = """
import os, pathlib
from benchledger.store.scratch import work_folder
with work_folder() as folder:
    (folder / "ledger.duckdb").write_bytes(b"rows")
    os.kill(os.getpid(), 9)
"""


def test_the_folder_of_a_killed_process_is_removed_once_it_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    young, old = sorted(tmp_path.iterdir())
    for place in (old / "ledger.duckdb", old):
        os.utime(place, (1_600_000_000, 1_600_000_000))
    own = tmp_path / f"bench-work.new-{os.getppid()}.x"
    own.mkdir()
    os.utime(own, (1_600_000_000, 1_600_000_000))

    with work_folder() as folder:
        assert sorted(tmp_path.iterdir()) == sorted([young, own, folder])

    assert not folder.exists()
