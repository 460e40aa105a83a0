"""The logs in data/measured are read whole, hold nothing private, and say what docs/results.md says."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchledger
from tests.docs.pages import TOP

MEASURED = TOP / "data" / "measured"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("measured") / "bench.duckdb"
    result = benchledger.ingest(MEASURED, db=db)

    assert (set(result.files), result.rejects) == ({"loaded"}, 0)
    return db


def test_every_number_of_the_page_is_what_the_logs_say(ledger: Path) -> None:
    page = benchledger.write_page(TOP / "docs" / "results.md", db=ledger, check=True)

    assert page.diff == ""
    assert page.blocks == 25


def test_what_log_twin_and_manifest_say_of_a_run_agrees(ledger: Path) -> None:
    assert benchledger.sql("select * from conflict", db=ledger).rows() == []


@pytest.mark.long
@pytest.mark.parametrize("archive", sorted(MEASURED.iterdir()), ids=lambda archive: archive.name)
def test_nothing_is_left_to_redact(tmp_path: Path, archive: Path) -> None:
    benchledger.redact(archive, out=tmp_path / "clean")

    (clean,) = (tmp_path / "clean").rglob("*.xz")
    assert _members(clean) == _members(archive)


def _members(archive: Path) -> dict[str, bytes]:
    import tarfile

    with tarfile.open(archive) as tar:
        files = [(member.name, tar.extractfile(member)) for member in tar.getmembers() if member.isfile()]
        return {name: file.read() for name, file in files if file is not None}
