"""Answers are written whole or not at all: where the disk is full, the earlier answer stays as it was."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file beside its place and moves it there, with the mode of the one that it replaces; a link stays one.

    What is no plain file (a pipe, /dev/stdout), or lies where no other file may be made, is written where it is.
    Raises OSError with this path in it.
    """
    target = Path(os.path.realpath(path))
    half = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        if target.exists() and (not target.is_file() or not os.access(target.parent, os.W_OK)):
            path.write_bytes(content)
            return
        try:
            with half.open("xb") as sink:
                sink.write(content)
            if target.exists():
                half.chmod(stat.S_IMODE(target.stat().st_mode))
            half.replace(target)
        finally:
            half.unlink(missing_ok=True)
    except OSError as error:
        # A disk that turns out to be full names no file, and the half one is nobody's.
        raise OSError(error.errno, error.strerror, str(path)) from error
