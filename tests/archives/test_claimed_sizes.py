"""Sizes that are claimed are not believed: work is bounded by the bytes that are there."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import time
import zlib
from collections.abc import Callable

import pytest

from tests.archives.test_limits import walked
from tests.ingestion.packing import tar

# Generous for a slow machine; before, each of these took minutes, or had no end.
SECONDS = 20.0


def header(name: str, size: int, claimed: int | None = None, **pax: str) -> bytes:
    """A tar header, with `claimed` as its size in a PAX header if given."""
    info = tarfile.TarInfo(name)
    info.size = size
    info.pax_headers = pax | ({"size": str(claimed)} if claimed is not None else {})
    return info.tobuf(tarfile.PAX_FORMAT if info.pax_headers else tarfile.GNU_FORMAT)


def body(text: bytes) -> bytes:
    return text.ljust(512, b"\0")


def walk_in_time(data: bytes) -> list[tuple[str, int, str | None]]:
    began = time.process_time()
    found = walked(data)
    assert time.process_time() - began < SECONDS
    return found


@pytest.mark.parametrize("size", [2**40, 2**60])
def test_a_tar_member_that_claims_terabytes_costs_its_six_bytes(size: int) -> None:
    assert walk_in_time(header("a.log", size) + body(b"hello\n")) == [("a.log", 0, "truncated"), ("", 0, "truncated")]


@pytest.mark.parametrize("size", [10**12, 10**21, 10**300])
def test_a_pax_size_without_an_end_has_one(size: int) -> None:
    found = walk_in_time(header("a.log", 6, size) + body(b"hello\n"))

    assert [problem for _, _, problem in found] == ["truncated", "truncated"]


def test_a_negative_size_is_damage() -> None:
    found = walk_in_time(header("a.log", 6, -(10**6)) + body(b"hello\n"))

    assert found[-1][2] == "corrupt"


def test_the_members_before_a_claimed_size_are_whole() -> None:
    packed = header("a.log", 4) + body(b"one\n") + header("b.log", 2**50) + body(b"two\n")

    assert walk_in_time(packed)[0] == ("a.log", 4, None)


@pytest.mark.parametrize("entries", ["1\n0\n1152921504606846976\n", "2\n5\n-9\n0\n9\n", "1\n9\n", "1\nx\n9\n"])
def test_a_sparse_map_of_nonsense_costs_its_member_only(entries: str) -> None:
    sparse = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "s", "GNU.sparse.realsize": "5000"}
    packed = header("a.log", 4) + body(b"one\n") + header("s", 512, **sparse) + body(entries.encode())

    assert walk_in_time(packed + header("z.log", 4) + body(b"two\n") + bytes(1024))[0] == ("a.log", 4, None)


def overlapping(count: int, payload: bytes) -> bytes:
    """A zip with `count` entries in its directory for the same bytes."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(payload) + deflate.flush()
    sizes = zlib.crc32(payload), len(packed), len(payload), 1, 0
    data = struct.pack("<4s5HIIIHH", b"PK\3\4", 20, 0, 8, 0, 0, *sizes) + b"a" + packed
    entry = struct.pack("<4s6HIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 0, *sizes, 0, 0, 0, 0, 0) + b"a"
    end = struct.pack("<4s4HIIH", b"PK\5\6", 0, 0, count, count, len(entry) * count, len(data), 0)
    return data + entry * count + end


def test_zip_entries_that_share_bytes_are_read_once() -> None:
    found = walk_in_time(overlapping(2000, bytes(60_000_000)))

    assert found[0] == ("a", 60_000_000, None)
    assert {(size, problem) for _, size, problem in found[1:]} == {(0, "bomb")}
    assert len(found) == 2000


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_many_small_bombs_in_one_archive_are_stopped_together(compress: Callable[[bytes], bytes]) -> None:
    # Of ten streams, since to make one takes longer than to read it.
    bomb = compress(bytes(6_000_000)) * 10

    assert walk_in_time(tar({str(number): bomb for number in range(60)}))[-1] == ("", 0, "bomb")


def test_bombs_within_bombs_cost_no_more_than_one() -> None:
    data = gzip.compress(bytes(60_000_000))
    for _ in range(4):
        data = gzip.compress(tar({str(number): data for number in range(20)}))

    assert walk_in_time(data)[-1] == ("", 0, "bomb")


def test_what_no_reader_of_archives_expects_costs_one_member(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(self: io.BytesIO, size: int, /) -> bytes:
        raise RecursionError("too deep")

    monkeypatch.setattr("benchledger.archives.member.Exactly.read", read)
    packed = tar({"a.log": "one\n", "b.log": "two\n"})

    assert [problem for _, _, problem in walked(packed)] == ["corrupt", "corrupt"]
