"""A zip that does not say in which letters its names are written."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from benchledger import ingest, redact
from benchledger.archives.limits import Limits
from benchledger.archives.walk import Archive
from tests.ingestion.logs import put, run_text
from tests.ingestion.packing import zipped

# Where the flags stand behind the mark of a member's header, and of its entry in the directory.
FLAGS = {b"PK\x03\x04": 6, b"PK\x01\x02": 8}
LOG = run_text().log


def named(raw: bytes) -> bytes:
    """A zip of one log under a name in these bytes, whatever they mean: the flag for UTF-8 is not set."""
    packed = bytearray(zipped({"x" * len(raw): LOG}).replace(b"x" * len(raw), raw))
    for mark, place in FLAGS.items():
        assert packed[packed.index(mark) + place + 1] & 0x08 == 0
    return bytes(packed)


NAMES = {
    "müll/速度.log".encode(): "müll/速度.log",
    b"m\x81ll/run.log": "müll/run.log",
    b"plain/run.log": "plain/run.log",
}


@pytest.mark.parametrize("directory", [True, False], ids=["whole", "without its directory"])
def test_names_are_utf8_where_they_can_be_and_else_code_page_437(db: Path, tmp_path: Path, directory: bool) -> None:
    for number, raw in enumerate(NAMES):
        packed = named(raw)
        put(tmp_path / f"old{number}.zip", packed if directory else packed[: packed.index(b"PK\x01\x02")])

    found = ingest(*sorted(tmp_path.glob("old?.zip")), db=db).outcomes

    read = [(one.path, one.status) for one in found if one.status in ("loaded", "duplicate")]
    assert read == [(name, "duplicate" if number else "loaded") for number, name in enumerate(NAMES.values())]


def test_a_redacted_copy_has_the_name_in_utf8_and_says_so(tmp_path: Path) -> None:
    put(tmp_path / "in" / "old.zip", named("速度.log".encode()))

    redact(tmp_path / "in", out=tmp_path / "out")

    with zipfile.ZipFile(io.BytesIO((tmp_path / "out" / "old.zip").read_bytes())) as copy:
        assert copy.namelist() == ["速度.log"]
        assert copy.infolist()[0].flag_bits & 0x800


def test_a_member_without_a_name_costs_no_other_one(tmp_path: Path) -> None:
    whole = zipped({"x": "no name", "good.log": "loss 1"}, zipfile.ZIP_STORED)
    # Both headers say one byte less of name; the extra field takes it, so that nothing moves.
    for mark, at in ((b"PK\x03\x04", 26), (b"PK\x01\x02", 28)):
        start = whole.index(mark)
        whole = whole[: start + at] + struct.pack("<HH", 0, 1) + whole[start + at + 4 :]
    members = [*Archive(io.BytesIO(whole), len(whole), "a.zip", 0, Limits()).members()]
    put(tmp_path / "a.zip", whole)
    result = redact(tmp_path / "a.zip", out=tmp_path / "out")

    assert [member.where.path for member in members if member.problem is None] == ["good.log"]
    assert zipfile.ZipFile(tmp_path / "out" / "a.zip").namelist() == ["good.log"]
    assert len(result.left_out) == 1
