"""Blocks imports that a command does not need."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

# DuckDB checks every parameter, and pyarrow every list, for numpy and pandas values, and imports them for that: half a
# second in all, as long as most commands take. DuckDB also looks for pyarrow's datasets.
BLOCKED = frozenset({"numpy", "pandas", "pyarrow.dataset"})
# Type names of DuckDB that no command uses. For them its import opens a database in memory and reads the installed
# packages: half of its 120 ms. Every name in these modules is None.
EMPTY = frozenset({"duckdb._dbapi_type_object", "duckdb._version"})


class _Blocker:
    """An import finder that reports blocked modules as not installed."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name not in EMPTY:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]  # this class has all methods that a loader needs

    def create_module(self, _: ModuleSpec) -> None:
        """Returns None: Python makes the module."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__getattr__"] = _nothing
        if module.__name__ == "duckdb._version":
            from _duckdb import __version__

            # Package and engine have the same version.
            module.__dict__.update(__version__=__version__, __duckdb_version__=__version__)


def _nothing(name: str) -> None:
    if name.startswith("__"):
        raise AttributeError(name)


def block_imports() -> None:
    """Makes pandas and numpy appear as not installed, for the rest of this process.

    Only for a process that is a command.
    """
    sys.meta_path.insert(0, _Blocker())


def allow_imports() -> None:
    """Undoes block_imports, for a command whose library needs these modules."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Blocker)]
