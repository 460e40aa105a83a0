"""Files that are made beside their place and moved there when they are complete."""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

# Nobody here sees the processes of another machine that writes into the same folder: a younger file may be of one.
_OLD_S = 600
_PROCESS = re.compile(r"\.new-(\d{1,9})(?=\.|$)")


def scratch_of(target: Path) -> Path:
    """Returns a place beside `target`, and removes what killed processes left of theirs."""
    remove_killed(target.parent.glob(f"{glob.escape(target.name)}.new-*"))
    return target.with_name(f"{target.name}.new-{os.getpid()}")


def remove_killed(files: Iterable[Path]) -> None:
    """Removes those of some files whose process, named in their names, has ended."""
    for file in files:
        named = _PROCESS.search(file.name)
        with suppress(OSError):
            if named and time.time() - file.stat().st_mtime > _OLD_S and not _runs(int(named[1])):
                file.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
