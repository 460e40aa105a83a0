"""Blocks imports that a command does not need."""

from __future__ import annotations

import sys

# DuckDB checks every parameter, and pyarrow every list, for numpy and pandas values, and imports them for that: half a
# second in all, as long as most commands take. DuckDB also looks for pyarrow's datasets.
BLOCKED = frozenset({"numpy", "pandas", "pyarrow.dataset"})


class _Blocker:
    """An import finder that reports blocked modules as not installed."""

    def find_spec(self, name: str, *_: object) -> None:
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def block_imports() -> None:
    """Makes pandas and numpy appear as not installed, for the rest of this process.

    Only for a process that is a command.
    """
    sys.meta_path.insert(0, _Blocker())


def allow_imports() -> None:
    """Undoes block_imports, for a command whose library needs these modules."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Blocker)]
