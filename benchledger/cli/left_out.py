"""Keeps what no command uses from being imported, where libraries would import it for others."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

# DuckDB asks of every parameter, and pyarrow of every list, whether it is a value of theirs, and imports them for that.
# Half a second in all, as much as most commands take themselves. DuckDB looks for pyarrow's datasets too.
LEFT_OUT = frozenset({"numpy", "pandas", "pyarrow.dataset"})

# Parts of DuckDB that are imported with it, for names that no command asks for: to make these takes two thirds of the
# import, since it opens a database in memory and reads what is installed. The names are there, and None.
HOLLOW = {
    "duckdb._dbapi_type_object": ("BINARY", "DATETIME", "NUMBER", "ROWID", "STRING", "DBAPITypeObject"),
    "duckdb._version": ("version",),
}
# Imported by polars for versions that no command asks for; it imports all that reads mails.
LATE = "importlib.metadata"


class _Absent:
    """A finder that says of what is left out that it is not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None, *_: object) -> ModuleSpec | None:
        if name in LEFT_OUT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name == LATE:
            return _loaded_when_used(name, path)
        if name not in HOLLOW:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]  # all that is asked of a loader is here

    def create_module(self, _: ModuleSpec) -> None:
        """None: Python makes it."""

    def exec_module(self, module: ModuleType) -> None:
        from _duckdb import __version__

        # Package and engine are of one version.
        names = dict.fromkeys(HOLLOW[module.__name__])
        module.__dict__.update(names, __version__=__version__, __duckdb_version__=__version__)


def _loaded_when_used(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    from importlib.machinery import PathFinder
    from importlib.util import LazyLoader

    spec = PathFinder.find_spec(name, path)
    if spec is not None and spec.loader is not None:
        spec.loader = LazyLoader(spec.loader)
    return spec


def leave_out() -> None:
    """From here on pandas and numpy are as if not installed. For a process that is a command, and no other."""
    sys.meta_path.insert(0, _Absent())


def let_in() -> None:
    """Ends leave_out, for a command whose library needs them."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Absent)]
