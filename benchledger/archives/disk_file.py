"""Opens a file on this disk so that its reading ends."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from benchledger.archives.limits import FREE_BYTES
from benchledger.definitions.regular_file import NO_FILE

# A file that is larger than what is stored of it by more than this is not read: an archive may expand as much.
_MOST_HOLES = 250
# Never wait for a file that became a pipe after it was found, or for a file of the kernel that waits for a line.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def open_file(place: str) -> BinaryIO:
    """Opens a file on this disk. Raises OSError for what would never end: a pipe, a device, a file of holes."""
    file = open(place, "rb", opener=_open)  # noqa: SIM115 - the caller closes it
    try:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, NO_FILE)
        if status.st_size > FREE_BYTES and (stored := _stored_bytes(file, status)) * _MOST_HOLES < status.st_size:
            fact = f"{status.st_size:,} bytes, of which {stored:,} are stored and the rest are holes"
            raise OSError(errno.EINVAL, f"{fact}; copy it without them, and ingest the copy")
    except BaseException:
        file.close()
        raise
    return file


def _stored_bytes(file: BinaryIO, status: os.stat_result) -> int:
    """How many bytes of a file are no holes; where the system does not tell, all."""
    stored, at = getattr(status, "st_blocks", status.st_size) * 512, 0
    if stored * _MOST_HOLES >= status.st_size:
        return stored
    # A file system may write the blocks later, or compress them: its map of holes is sure.
    stored = 0
    try:
        while stored * _MOST_HOLES < status.st_size:
            start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            stored += at - start
    except OSError as error:
        return stored if error.errno == errno.ENXIO else status.st_size
    finally:
        os.lseek(file.fileno(), 0, os.SEEK_SET)
    return stored


def _open(place: str, flags: int) -> int:
    return os.open(place, flags | _NO_WAIT)
