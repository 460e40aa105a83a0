"""Keeps libraries that no command uses from being imported, where others of the environment need them."""

from __future__ import annotations

import sys

# DuckDB asks of every parameter, and pyarrow of every list, whether it is a value of theirs, and imports them for that.
# Half a second in all, as much as most commands take themselves. DuckDB looks for pyarrow's datasets too.
LEFT_OUT = frozenset({"numpy", "pandas", "pyarrow.dataset"})


class _Absent:
    """A finder that says of what is left out that it is not installed."""

    def find_spec(self, name: str, *_: object) -> None:
        if name in LEFT_OUT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def leave_out() -> None:
    """From here on pandas and numpy are as if not installed. For a process that is a command, and no other."""
    sys.meta_path.insert(0, _Absent())


def let_in() -> None:
    """Ends leave_out, for a command whose library needs them."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Absent)]
