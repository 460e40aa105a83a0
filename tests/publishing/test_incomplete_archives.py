"""Of an archive that is damaged or holds what cannot be published, the rest is written, and what is missing is told."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

from benchledger import redact
from benchledger.redaction.samples import shown
from tests.cli.bench import run_bench
from tests.ingestion.logs import put

BINARY = b"\x89PNG\x00\x01" * 50


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 9, 13, 12, 26, 40)), content)
    return buffer.getvalue()


WHOLE = zipped({"r6i4n5/": b"", "r6i4n5/a.log": b"/home/jdoe/x\n", "b.log": b"plain\n" * 50, "c.log": b"end\n" * 50})


def test_a_cut_zip_is_written_as_a_whole_one_up_to_the_cut(tmp_path: Path) -> None:
    put(tmp_path / "in" / "years.zip", WHOLE[: WHOLE.index(b"end\nend") + 9])

    done = run_bench("redact", tmp_path / "in", "--out", tmp_path / "out", db=tmp_path / "none.duckdb")

    with zipfile.ZipFile(tmp_path / "out" / "years.zip") as archive:
        assert archive.testzip() is None
        assert [shown(name) for name in archive.namelist()] == ["<host>/", "<host>/a.log", "b.log"]
        assert shown(archive.read(archive.namelist()[1]).decode()) == "/home/<user>/x\n"
        assert archive.infolist()[2].date_time == (2020, 9, 13, 12, 26, 40)
    assert done.exit_code == 1
    assert "archives: 1 written, 0 left out\nmembers of archives: 2 written, 1 left out\n" in done.stdout
    assert "left out: years.zip: only what comes before its damage was written: the zip ends before" in done.stderr
    assert "left out: years.zip!/c.log: cut off" in done.stderr


def test_a_cut_zip_within_an_archive_is_told_by_its_name(tmp_path: Path) -> None:
    put(tmp_path / "in" / "all.zip", zipped({"years.zip": WHOLE[: WHOLE.index(b"end\nend")]}))

    result = redact(tmp_path / "in", out=tmp_path / "out")

    assert (result.archives, result.members, result.members_left_out) == (1, 2, 1)
    assert [path for path, _ in result.left_out] == ["all.zip!/c.log", "all.zip!/years.zip"]


def test_an_archive_of_which_nothing_can_be_published_is_not_written(tmp_path: Path) -> None:
    put(tmp_path / "in" / "images.zip", zipped({"a.png": BINARY, "b.png": BINARY}))
    put(tmp_path / "in" / "more.zip", zipped({"images.zip": zipped({"a.png": BINARY}), "a.log": b"plain\n"}))
    put(tmp_path / "in" / "cut.zip", WHOLE[:20])
    put(tmp_path / "in" / "none.zip", zipped({}))
    put(tmp_path / "in" / "a.log.gz", gzip.compress(b"plain\n"))

    result = redact(tmp_path / "in", out=tmp_path / "out")

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.log.gz", "more.zip", "none.zip"]
    assert (result.files, result.archives, result.members) == (1, 2, 1)
    assert (result.files_left_out, result.archives_left_out, result.members_left_out) == (0, 2, 3)


def test_of_an_archive_that_was_not_written_no_member_counts_as_written(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in {"a.log": b"plain\n", "b.log": os.urandom(500_000).hex().encode()}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    cut = gzip.compress(buffer.getvalue())[:300_000]
    put(tmp_path / "in" / "cut.tar.gz", cut)
    put(tmp_path / "in" / "more.zip", zipped({"cut.tar.gz": cut, "c.log": b"plain\n"}))

    result = redact(tmp_path / "in", out=tmp_path / "out")

    assert result.written == ["more.zip"]
    assert (result.archives, result.archives_left_out, result.members) == (1, 1, 1)
