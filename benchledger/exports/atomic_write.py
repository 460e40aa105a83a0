"""Writes a file completely or not at all: if the disk is full, the earlier answer stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Writes a temporary file beside `path` and moves it there, with the mode of the file that it replaces.

    A link stays a link. A path that is not a plain file (a pipe, /dev/stdout), or in a folder where no file can be
    created, is written in place. Raises OSError with this path in it.
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
        # The error of a full disk names no file, or names the temporary one, which means nothing to the user.
        raise OSError(error.errno, error.strerror, str(path)) from error
