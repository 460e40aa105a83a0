"""Damaged and hostile archives: what could be read is there, and the rest is named with a fact and a cure."""

from __future__ import annotations

import io
import random
import struct
import tarfile
import zipfile
from typing import Any, BinaryIO, cast

import pytest

from benchledger.archives import streams
from benchledger.archives.limits import Limits
from benchledger.archives.member import Member
from benchledger.archives.problem import ArchiveError
from benchledger.archives.walk import Archive
from tests.ingestion.packing import COMPRESS, tar, wrapped, zipped

NOISE = random.Random(1)
TEXTS = {f"{name}.log": "".join(f"{name} {NOISE.random()}\n" for _ in range(3000)) for name in "abc"}


BIG = {f"{name}.log": "".join(f"{name} {NOISE.random()}\n" for _ in range(20_000)) for name in "abc"}


def members(data: bytes) -> list[tuple[Member, bytes]]:
    archive = Archive(io.BytesIO(data), len(data), "x", 0, Limits())
    return [(member, member.stream.read(1 << 30) if member.stream else b"") for member in archive.members()]


def told(data: bytes) -> list[tuple[str, str | None]]:
    """Each member's chain, and what is wrong with it."""
    found = []
    for member, _ in members(data):
        problem = member.problem or (member.stream and member.stream.problem)
        found.append((member.where.chain, problem.kind if problem else None))
    return found


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.xz", "tar.zst", "zip"])
def test_a_cut_archive_gives_its_whole_members_and_says_that_the_rest_is_missing(kind: str) -> None:
    packed = wrapped(kind, BIG)
    found = members(packed[: len(packed) // 2])

    whole = [
        (member.where.chain, text.decode()) for member, text in found if member.stream and not member.stream.problem
    ]
    assert whole == [("a.log", BIG["a.log"])]
    last = found[-1][0]
    assert last.whole
    assert last.problem is not None
    assert last.problem.kind == "truncated"
    assert last.problem.cure == "the rest is missing: get a whole copy"


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "zip", "zip.tar"])
def test_no_cut_is_taken_for_the_end_and_no_text_is_invented(kind: str) -> None:
    small = {name: text[:2000] for name, text in TEXTS.items()}
    packed = wrapped(kind, small)
    # A tar ends with two blocks of zeros, and padding that nobody needs.
    needed = len(packed) - (10240 if kind in ("tar", "zip.tar") else 0)
    for end in range(600, needed, max(needed // 60, 1)):
        found = members(packed[:end])

        assert any(member.whole and member.problem for member, _ in found), end
        for member, text in found:
            if member.stream and not member.stream.problem:
                assert text.decode() == small[member.path], end


def test_a_member_that_is_cut_off_says_how_much_of_it_is_there() -> None:
    packed = tar({"a.log": "1" * 10_000})

    ((member, text), _) = members(packed[:5512])

    assert len(text) == 5000
    assert member.stream is not None
    assert str(member.stream.problem) == (
        "cut off: 5,000 of its 10,000 bytes are there; the rest is missing: get a whole copy"
    )


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_of_a_lone_log_that_is_cut_the_whole_lines_are_kept(kind: str) -> None:
    text = BIG["a.log"].encode()
    packed = COMPRESS[kind](text)

    (log, kept), (rest, _) = members(packed[: len(packed) * 2 // 3])

    assert log.stream is not None
    assert log.stream.kept
    assert text.startswith(kept)
    assert kept.endswith(b"\n")
    assert len(kept) > 100_000
    assert rest.whole
    assert rest.problem is not None
    assert rest.problem.kind == "truncated"


def test_of_a_lone_log_that_is_cut_before_its_first_line_ends_only_the_damage_is_told() -> None:
    text = "".join(f"{number * 7919} " for number in range(10_000)).encode()
    packed = COMPRESS["gz"](text + b"\n")

    ((rest, _),) = members(packed[: len(packed) // 2])

    assert (rest.whole, rest.stream) == (True, None)
    assert str(rest.problem).startswith("the gzip data ends in its middle, after ")
    assert not str(rest.problem).startswith("the gzip data ends in its middle, after 0 ")


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_a_log_whose_checksum_does_not_fit_is_not_kept(kind: str) -> None:
    packed = bytearray(COMPRESS[kind](TEXTS["a.log"].encode()))
    packed[len(packed) // 2] ^= 0x10

    ((member, _),) = members(bytes(packed))

    problem = member.problem or (member.stream and member.stream.problem)
    assert problem is not None
    assert problem.kind == "corrupt"
    assert member.stream is None or not member.stream.kept


def test_a_corrupt_zip_member_costs_its_neighbours_nothing() -> None:
    packed = bytearray(zipped(TEXTS))
    packed[packed.index(b"b.log") + 500] ^= 0x55

    assert told(bytes(packed)) == [("a.log", None), ("b.log", "corrupt"), ("c.log", None)]


def test_a_tar_appended_to_another_is_told() -> None:
    assert told(tar({"a.log": "one\n"}) + tar({"b.log": "two\n"})) == [("a.log", None), ("", "corrupt")]


def test_a_wrong_checksum_at_the_end_of_a_compressed_tar_is_told() -> None:
    packed = bytearray(COMPRESS["gz"](tar(BIG)))
    packed[-6] ^= 1

    assert (told(bytes(packed))[0], told(bytes(packed))[-1]) == (("a.log", None), ("", "corrupt"))


def test_a_damaged_header_is_not_taken_for_the_end_of_a_tar() -> None:
    packed = bytearray(tar(TEXTS))
    packed[packed.index(b"b.log")] = 0x7F

    assert told(bytes(packed)) == [("a.log", None), ("", "corrupt")]


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_members_that_follow_one_another_are_one_text_and_padding_is_none(kind: str) -> None:
    pack = COMPRESS[kind]

    ((member, text),) = members(pack(b"one\n") + pack(b"two\n") + bytes(8))

    assert text == b"one\ntwo\n"
    assert member.stream is not None
    assert member.stream.problem is None


@pytest.mark.parametrize("kind", COMPRESS)
def test_frames_and_padding_of_any_size_are_one_text(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [0, 1, 600, 0, 40_000, 0, 0, 7, 300_000, 0, 100]
    padding = [0, 5, 0, 700, 0, 3_000, 0, 0, 1, 64, 0]
    parts = [f"{place:07}\n".encode() * size for place, size in enumerate(sizes)]
    data = b"".join(COMPRESS[kind](part) + bytes(zeros) for part, zeros in zip(parts, padding, strict=True))

    for chunk in (64, 1_000, 1 << 18):
        monkeypatch.setattr(streams, "CHUNK", chunk)
        assert [got for _, got in members(data)] == [b"".join(parts)]


@pytest.mark.parametrize("kind", COMPRESS)
def test_each_of_many_frames_is_given_few_of_the_bytes_behind_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    class Counted:
        def __init__(self, decoder: Any) -> None:
            self._decoder = decoder

        def decompress(self, data: bytes, size: int) -> bytes:
            given.append(len(data))
            return self._decoder.decompress(data, size)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._decoder, name)

    make = streams._decoder
    monkeypatch.setattr(streams, "_decoder", lambda kind: Counted(make(kind)))
    members(COMPRESS[kind](b"") * 2_000)

    assert len(given) >= 2_000
    assert sum(given) < 2_000 * 1_024 + 2 * streams.CHUNK


def test_bytes_after_the_end_are_told() -> None:
    assert told(COMPRESS["gz"](b"one\n") + b"who knows") == [("", "trailing")]


def test_links_and_devices_lead_nowhere() -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, kind in {"soft": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "device": tarfile.CHRTYPE,
                           "pipe": tarfile.FIFOTYPE, "folder": tarfile.DIRTYPE}.items():  # fmt: skip
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)

    found = [(member.where.chain, str(member.problem)) for member, _ in members(data.getvalue())]
    assert found == [
        ("soft", "a link, to '/etc/passwd', and links are not followed; put the file itself into the archive"),
        ("hard", "a link, to '/etc/passwd', and links are not followed; put the file itself into the archive"),
        ("device", "a device, not a file; leave it out"),
        ("pipe", "a pipe, not a file; leave it out"),
    ]


@pytest.mark.parametrize("wrap", [bytes, lambda data: tar({"x.zip": data})])
def test_of_two_zips_in_one_file_the_first_is_told(wrap: Any) -> None:
    first, last = zipped({"a.log": "one\n"}), zipped({"b.log": "two\n"})
    found = told(wrap(first + last))

    assert [problem for _, problem in found] == [None, "corrupt"]
    assert found[0][0].endswith("b.log")
    assert told(wrap(first + zipped({})))[-1][1] == "corrupt"
    assert [problem for _, problem in told(wrap(last))] == [None]


def test_a_link_in_a_zip_leads_nowhere() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")

    assert told(data.getvalue()) == [("link", "link")]


@pytest.mark.parametrize("wrap", [tar, zipped])
def test_names_lead_nowhere_either(wrap) -> None:  # type: ignore[no-untyped-def]
    found = told(wrap({"../../up.log": "x\n", "a/../../up.log": "x\n", "/root/abs.log": "x\n", "./a/../b.log": "x\n"}))

    assert found == [
        ("../../up.log", "climbing"),
        ("a/../../up.log", "climbing"),
        ("root/abs.log", None),
        ("b.log", None),
    ]


def test_an_encrypted_member_is_told_with_its_cure() -> None:
    packed = bytearray(zipped({"a.log": "secret\n", "b.log": "open\n"}))
    # The mark in both headers of the first member.
    packed[6] |= 1
    packed[packed.index(b"PK\x01\x02") + 8] |= 1

    (first, _), (second, text) = members(bytes(packed))

    assert str(first.problem) == "encrypted; decrypt it first: unpack it with its password, and ingest that"
    assert (second.path, text) == ("b.log", b"open\n")


def test_an_unknown_zip_method_is_told() -> None:
    packed = bytearray(zipped({"a.log": "text\n"}))
    packed[packed.index(b"PK\x01\x02") + 10] = 97

    assert told(bytes(packed)) == [("a.log", "foreign")]


@pytest.mark.parametrize("magic", [b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07\x01", b"\x1f\x9d\x90"])
def test_archives_that_are_not_read_are_named(magic: bytes) -> None:
    ((member, _),) = members(magic + bytes(1000))

    assert member.problem is not None
    assert member.problem.kind == "foreign"
    assert member.problem.cure == "unpack it, and ingest that"


def test_an_archive_without_files_is_accounted_for() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w"):
        pass

    assert told(data.getvalue()) == [("", "empty")]


def test_a_zip_without_its_directory_is_read_member_by_member_also_where_sizes_come_after() -> None:
    class NoSeek(io.RawIOBase):
        # zipfile writes sizes after the data where it cannot go back.
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data) -> int:  # type: ignore[no-untyped-def, override]
            self.data += data
            return len(data)

    target = NoSeek()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]
        for name, text in TEXTS.items():
            archive.writestr(name, text)
    packed = bytes(target.data)
    cut = packed[: packed.index(b"PK\x01\x02") + 10]

    found = members(cut)

    assert [(member.where.chain, text.decode()) for member, text in found[:-1]] == list(TEXTS.items())
    assert told(cut)[-1] == ("", "truncated")


def test_whatever_is_done_to_an_archive_ends_in_values_not_in_errors() -> None:
    noise = random.Random(7)
    small = {name: text[:3000] for name, text in TEXTS.items()}
    for kind in ("tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "zip", "zip.tar"):
        packed = wrapped(kind, small)
        for _ in range(150):
            damaged = bytearray(packed)
            for _ in range(noise.choice((1, 3, 30))):
                damaged[noise.randrange(len(damaged))] = noise.randrange(256)
            told(bytes(damaged[: noise.choice((len(damaged), noise.randrange(len(damaged)))) or 1]))


def test_times_are_those_of_the_members() -> None:
    extended = zipfile.ZipInfo("utc", (1999, 1, 1, 0, 0, 0))
    extended.extra = struct.pack("<HHBi", 0x5455, 5, 1, 1_600_000_000)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(extended, "x")
        archive.writestr(zipfile.ZipInfo("local", (2020, 9, 13, 12, 26, 40)), "x")
        archive.writestr(zipfile.ZipInfo("none"), "x")

    times = [(member.where.chain, member.where.mtime_ns) for member, _ in members(data.getvalue())]
    assert times == [("utc", 1_600_000_000 * 10**9), ("local", 1_600_000_000 * 10**9), ("none", 0)]
    ((lone, _),) = members(COMPRESS["gz"](b"x\n"))
    assert lone.where.mtime_ns == 1_600_000_000 * 10**9
    ((entry, _),) = members(tar({"a": "x"}, mtime=1.5))
    assert entry.where.mtime_ns == 1_500_000_000


class _NotYet(io.RawIOBase):
    """A file whose bytes are not there yet, as some of the kernel are."""

    def readinto(self, buffer: Any, /) -> None:
        return None


def test_a_file_whose_bytes_are_not_there_is_damaged() -> None:
    with pytest.raises(ArchiveError, match="no bytes are available yet"):
        streams.DiskFile(cast("BinaryIO", _NotYet()), 1).read(1)
