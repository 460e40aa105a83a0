"""Packs texts into archives of every kind."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping

from backports import zstd

# 2020-09-13T12:26:40 in UTC.
MTIME = 1_600_000_000

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, mtime=MTIME),
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=1),
    "zst": zstd.compress,
}


def tar(files: Mapping[str, str | bytes], mtime: float = MTIME, kind: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of texts by name."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=kind) as archive:
        for name, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), mtime
            archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of texts by name, all of the same time."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 9, 13, 12, 26, 40)), text, method)
    return target.getvalue()


def wrapped(kind: str, files: Mapping[str, str | bytes]) -> bytes:
    """An archive by the name of its kind: tar, zip, tar.gz, zip.tar (a zip inside a tar) and so on."""
    if kind == "zip":
        return zipped(files)
    if kind == "tar":
        return tar(files)
    if kind == "zip.tar":
        return tar({"inner.zip": zipped(files)})
    return COMPRESS[kind.removeprefix("tar.")](tar(files))
