"""Keeps what no command uses from being imported, where libraries would import it for others."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

# DuckDB asks of every parameter, and pyarrow of every list, whether it is a value of theirs, and imports them for that.
# Half a second in all, as much as most commands take themselves. DuckDB looks for pyarrow's datasets too.
LEFT_OUT = frozenset({"numpy", "pandas", "pyarrow.dataset"})

# Parts of DuckDB and polars that are imported with them, and that no command asks for: names of types, for which DuckDB
# opens a database in memory and reads what is installed, two thirds of its import; other systems' tables and databases,
# a sixth of polars', for which it imports all that reads mails too. Whatever name is imported from these is there, and
# None.
HOLLOW = frozenset(
    {
        "duckdb._dbapi_type_object",
        "duckdb._version",
        "polars.catalog.unity",
        "polars.io.clipboard",
        "polars.io.database",
        "polars.io.delta",
        "polars.io.external_reader.api",
        "polars.io.iceberg",
        "polars.io.lance",
        "polars.io.pyarrow_dataset",
        "polars.io.spreadsheet",
        "polars.sql",
    }
)


class _Absent:
    """A finder that says of what is left out that it is not installed."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name in LEFT_OUT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name not in HOLLOW:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]  # all that is asked of a loader is here

    def create_module(self, _: ModuleSpec) -> None:
        """None: Python makes it."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__getattr__"] = _nothing
        if module.__name__ == "duckdb._version":
            from _duckdb import __version__

            # Package and engine are of one version.
            module.__dict__.update(__version__=__version__, __duckdb_version__=__version__)


def _nothing(name: str) -> None:
    if name.startswith("__"):
        raise AttributeError(name)


def leave_out() -> None:
    """From here on pandas and numpy are as if not installed. For a process that is a command, and no other."""
    sys.meta_path.insert(0, _Absent())


def let_in() -> None:
    """Ends leave_out, for a command whose library needs them."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Absent)]
