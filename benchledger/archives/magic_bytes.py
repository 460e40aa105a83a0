"""Tells archive and compression formats by their first bytes; suffixes only give the name without them."""

from __future__ import annotations

import re

# Enough bytes to tell the format.
HEAD = 512

GZIP, BZIP2, XZ, ZSTD, ZIP, TAR = "gzip", "bzip2", "xz", "zstd", "zip", "tar"
COMPRESSED = (GZIP, BZIP2, XZ, ZSTD)

MAGIC: dict[str, tuple[bytes, ...]] = {
    GZIP: (b"\x1f\x8b\x08",),
    BZIP2: tuple(b"BZh%d%s" % (level, mark) for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
    XZ: (b"\xfd7zXZ\x00",),
    # A skippable frame may come first.
    ZSTD: (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))),
    ZIP: (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK\x03\x04"),
}
FOREIGN = {
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x04\x22\x4d\x18": "LZ4",
    b"LZIP\x01": "lzip",
    b"\x1f\x9d": "compress (.Z)",
}
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
_ARCHIVE_SUFFIXES = (".tar", ".zip", ".tgz", ".tbz2", ".tbz", ".txz", ".tzst")
# Text has at most this many runs of NULs, however long each, and no control characters that terminals and printers do
# not use.
_NULS, _BYTES_PER_NUL = 4, 1000
_NO_TEXT = re.compile(rb"[\x01-\x06\x0e-\x1a\x1c-\x1f]|\A(?:\xff\xfe|\xfe\xff)")
_NOT_UTF8 = {
    "compressed data": re.compile(
        b"|".join(
            re.escape(magic)
            for magic in [*(m for magics in MAGIC.values() for m in magics), *FOREIGN]
            if len(magic) > 2
        )
    ),
    # Four printable ASCII characters in a row, in either byte order.
    "UTF-16 or UTF-32": re.compile(
        rb"(?:[\x20-\x7e]\x00){4}|(?:\x00[\x20-\x7e]){4}|(?:[\x20-\x7e]\x00{3}){4}|(?:\x00{3}[\x20-\x7e]){4}"
    ),
}
_FIRST = {magic[0] for magics in MAGIC.values() for magic in magics} | {magic[0] for magic in FOREIGN}


def kind_of(head: bytes) -> str | None:
    """Returns the format of an archive by its first 512 bytes (fewer if it is shorter); None if it is none."""
    if head and head[0] in _FIRST:
        for kind, magics in MAGIC.items():
            if head.startswith(magics):
                return kind
    return TAR if _is_tar(head) else None


def foreign(head: bytes) -> str | None:
    """Returns the name of a known format that bench does not read, or None."""
    if not head or head[0] not in _FIRST:
        return None
    return next((name for magic, name in FOREIGN.items() if head.startswith(magic)), None)


def is_archive(head: bytes) -> bool:
    """Tells whether these bytes begin an archive of any known format, readable or not."""
    return kind_of(head) is not None or foreign(head) is not None


def behind_text(data: bytes) -> tuple[int, str] | None:
    """Returns position and kind of the first data that is not UTF-8 text; None if all is text.

    Examples: a compressed rotated log that was appended, and UTF-16, which PowerShell appends.
    """
    found = [(where.start(), what) for what, search in _NOT_UTF8.items() if (where := search.search(data))]
    return min(found, default=None)


def is_text(head: bytes) -> bool:
    """Tells whether the beginning of a file is text.

    A few NULs are allowed: programs print them, and crashes leave gaps.
    """
    if b"\x00" not in head:
        return True
    pieces = len(re.findall(rb"\x00+", head))
    return pieces <= _NULS + len(head) // _BYTES_PER_NUL and _NO_TEXT.search(head) is None


def without_compression(name: str) -> str:
    """Returns the name of the file in a compressed file: `foo.log` for `foo.log.gz`."""
    return _without(name, _SUFFIXES)


def without_suffixes(name: str) -> str:
    """Returns an archive's own name: `2021` for `2021.tar.gz`."""
    return _without(_without(name, _SUFFIXES), _ARCHIVE_SUFFIXES)


def _without(name: str, suffixes: tuple[str, ...]) -> str:
    for suffix in suffixes:
        base = name[: -len(suffix)]
        if name.lower().endswith(suffix) and base and not base.endswith("/"):
            return base
    return name


def _is_tar(head: bytes) -> bool:
    if len(head) < HEAD or head[0] == 0:
        return False
    if head[257:262] == b"ustar":
        return True
    # Older tars have no magic bytes, but a checksum of the header.
    field = head[148:156].strip(b" \x00")
    if not field or not field.isdigit() or head[8:100].count(0) == 0:
        return False
    try:
        return int(field, 8) == sum(head) - sum(head[148:156]) + 8 * 32
    except ValueError:
        return False
