"""Bombs: what grows too much, too large or too deep is stopped, said, and costs its neighbours nothing."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import tarfile
import tracemalloc
import zipfile
import zlib

import pytest
from backports import zstd

from benchledger.archives import limits
from benchledger.archives.limits import Limits
from benchledger.archives.walk import Archive
from tests.ingestion.packing import COMPRESS, tar, zipped

ZEROS = bytes(80_000_000)


def walked(data: bytes, limits: Limits | None = None) -> list[tuple[str, int, str | None]]:
    """Each member's chain, how many bytes of it could be read, and the kind of its problem."""
    found = []
    for member in Archive(io.BytesIO(data), len(data), "x", 0, limits or Limits()).members():
        count = 0
        while member.stream is not None and (part := member.stream.read(1 << 20)):
            count += len(part)
        problem = member.problem or (member.stream and member.stream.problem)
        found.append((member.where.chain, count, problem.kind if problem else None))
    return found


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_grows_more_than_the_ratio_is_stopped(kind: str) -> None:
    ((_, count, problem),) = walked(COMPRESS[kind](ZEROS))

    assert problem == "bomb"
    assert count < len(ZEROS)


def test_the_ratio_counts_only_beyond_the_first_64_mib() -> None:
    assert walked(gzip.compress(bytes(60_000_000))) == [("", 60_000_000, None)]


def test_a_higher_ratio_lets_it_through() -> None:
    assert walked(gzip.compress(ZEROS), Limits(ratio=6000)) == [("", len(ZEROS), None)]


@pytest.mark.parametrize("wrap", [tar, zipped])
def test_a_bomb_costs_its_neighbours_nothing(wrap) -> None:  # type: ignore[no-untyped-def]
    members = walked(wrap({"a": "one\n", "bomb.gz": gzip.compress(ZEROS), "z": "two\n"}))

    assert [(chain, problem) for chain, _, problem in members] == [("a", None), ("bomb.gz", "bomb"), ("z", None)]


def test_a_zip_member_that_grows_too_much_is_stopped() -> None:
    assert [(chain, problem) for chain, _, problem in walked(zipped({"bomb": ZEROS, "z": "two\n"}))] == [
        ("bomb", "bomb"), ("z", None)
    ]  # fmt: skip


def test_nothing_more_is_read_of_an_archive_out_of_which_the_total_has_come() -> None:
    members = walked(tar({"a": "1" * 9000, "b": "2" * 9000, "c": "3" * 9000}), Limits(total_bytes=1_000_000))
    assert [problem for _, _, problem in members] == [None, None, None]

    packed = gzip.compress(tar({name: name * 900_000 for name in "abc"}))
    members = walked(packed, Limits(total_bytes=2_000_000))

    assert [(chain, problem) for chain, _, problem in members] == [
        ("a", None),
        ("b", None),
        ("c", "bomb"),
        ("", "bomb"),
    ]


def test_many_bombs_are_stopped_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchledger.archives.limits.FREE_TOTAL", 100_000_000)
    bomb = gzip.compress(ZEROS)

    members = walked(tar({f"{number}.gz": bomb for number in range(9)}))

    assert len(members) < 9
    assert members[-1][::2] == ("", "bomb")


def test_archives_within_one_another_are_read_to_the_depth_that_is_allowed() -> None:
    nested = tar({"log": "text\n"})
    for _ in range(5):
        nested = tar({"in.tar": nested})

    assert walked(nested) == [("!/".join(["in.tar"] * 5 + ["log"]), 5, None)]
    assert walked(nested, Limits(depth=3)) == [("in.tar!/in.tar!/in.tar!/in.tar", 0, "deep")]


def test_a_file_that_holds_itself_without_end_is_too_deep() -> None:
    data = b"text\n"
    for _ in range(40):
        data = gzip.compress(data)

    assert walked(data) == [("", 0, "deep")]


def test_a_sparse_member_that_claims_gigabytes_is_a_bomb() -> None:
    header = tarfile.TarInfo("sparse")
    header.size = 512
    header.pax_headers = {
        "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "sparse",
        "GNU.sparse.realsize": str(10**12),
    }  # fmt: skip
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as target:
        target.addfile(header, io.BytesIO(b"1\n0\n0\n".ljust(512, b"\0")))
        last = tarfile.TarInfo("z")
        target.addfile(last, io.BytesIO())

    assert walked(data.getvalue()) == [("sparse", 0, "bomb"), ("z", 0, None)]


def test_a_header_that_claims_gigabytes_is_not_read_into_memory() -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 3_000_000_000
    packed = gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(30_000_000))

    tracemalloc.start()
    members = walked(packed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert members == [("", 0, "corrupt")]
    assert peak < 16_000_000


def test_many_tiny_members_need_no_more_memory_than_few() -> None:
    def peak(count: int) -> int:
        data = tar({f"logs/{number:06}.log": "x\n" for number in range(count)})
        tracemalloc.start()
        for member in Archive(io.BytesIO(data), len(data), "x", 0, Limits()).members():
            assert member.stream is not None
            member.stream.read(100)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(4_000) < 1.5 * peak(400)


def thin(data: bytes) -> bytes:
    """As gzip -1 packs it: zeros become no less than a 229th, which the ratio of texts allows."""
    packer = zlib.compressobj(1, wbits=31)
    return packer.compress(data) + packer.flush()


def test_what_is_no_text_is_stopped_at_a_fifth_of_the_ratio_that_text_may_have() -> None:
    assert [one[::2] for one in walked(thin(ZEROS))] == [("", "bomb")]
    assert walked(thin(ZEROS), Limits(ratio=1250)) == [("", len(ZEROS), None)]
    text = b"0 0 0 0 0 0 0 0\n" * 5_000_000
    assert walked(thin(text)) == [("", len(text), None)]
    # A log of which a crash left a gap is a log.
    gap = b"step 1 loss 2\n" * 5000 + ZEROS
    assert walked(thin(gap)) == [("", len(gap), None)]


def test_what_is_no_text_and_shrinks_little_is_read_wherever_it_lies() -> None:
    profile = b"".join(random.Random(1).randbytes(1_000_000) + bytes(9_000_000) for _ in range(8))

    for pack in (gzip.compress(profile, 1), zipped({"a": profile}), tar({"in.zip": zipped({"a": profile})})):
        assert [one[1:] for one in walked(pack)] == [(len(profile), None)]


def test_a_bomb_that_is_no_text_costs_its_neighbours_nothing_in_a_compressed_tar() -> None:
    members = walked(thin(tar({"a": "one\n", "bomb": ZEROS, "z": "two\n"})))

    assert [(chain, problem) for chain, _, problem in members] == [("a", None), ("bomb", "bomb"), ("z", None)]


def test_archives_that_repeat_many_small_files_are_a_bomb_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FREE_FILES", 300)
    data = zipped({f"{number}.log": f"{number}" for number in range(16)})
    for _ in range(3):
        data = zipped({f"{number}.zip": data for number in range(16)}, zipfile.ZIP_DEFLATED)

    found = walked(data)

    assert found[-1][2] == "bomb"
    assert 300 < len(found) < 3000


def test_many_small_files_of_one_archive_are_all_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FREE_FILES", 300)

    found = walked(gzip.compress(tar({f"{number}.log": f"loss {number}" for number in range(3000)})))

    assert [problem for _, _, problem in found] == [None] * 3000


# A gzip holds its time: all processes of the suite must name the test alike.
@pytest.mark.parametrize(
    "frame", [b"\x50\x2a\x4d\x18" + bytes(4), zstd.compress(b""), zstd.compress(b"a"), gzip.compress(b"", mtime=0)]
)
def test_a_few_bytes_that_hold_many_small_frames_are_a_bomb(frame: bytes) -> None:
    ((_, _, problem),) = walked(lzma.compress(frame * 100_000))

    assert problem == "bomb"


def test_small_frames_that_are_there_are_all_read() -> None:
    lines = [f"step {number} loss {random.random()}\n".encode() for number in range(5_000)]

    ((_, count, problem),) = walked(b"".join(map(zstd.compress, lines)))

    assert (count, problem) == (sum(map(len, lines)), None)


def test_a_dictionary_that_wants_too_much_memory_is_no_damage() -> None:
    packed = bytearray(lzma.compress(b"a line\n" * 100, lzma.FORMAT_XZ))
    # The dictionary's size in the header of the block: 4 GiB, with the checksum of the header.
    packed[packed.index(b"\x21\x01") + 2] = 40
    end = 12 + (packed[12] + 1) * 4 - 4
    packed[end : end + 4] = zlib.crc32(packed[12:end]).to_bytes(4, "little")
    window = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 31})
    streamed = window.compress(b"a line\n" * 100) + window.flush()

    for data in (bytes(packed), streamed):
        archive = Archive(io.BytesIO(data), len(data), "x", 0, Limits())
        (member,) = archive.members()
        assert member.problem is not None
        assert member.problem.kind == "bomb"
        assert "repack it with a smaller dictionary" in member.problem.cure
