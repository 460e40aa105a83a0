"""A ledger of training-benchmark results: the commands of `bench` as functions of the same names.

Importing it imports nothing else: each function is loaded at its first use.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# The Python of an existing environment may have been replaced. In 3.11.0 to 3.11.4 `re` reads other numbers from the
# same line (cpython#100061, cpython#106052). pip refuses these versions, but only when it installs.
if sys.version_info < (3, 11, 5):
    raise ImportError(
        f"benchledger needs Python 3.11.5 or later, and {sys.executable} is {sys.version.split()[0]}: "
        "its `re` matches too much. Make the environment again with another Python"
    )

# The stub is the only list of the public functions: `from MODULE import NAME as NAME`.
with open(f"{__file__}i", encoding="utf-8") as _stub:  # noqa: PTH123 - pathlib would slow --help by a tenth
    _HOMES = {
        name: module
        for module, names in re.findall(r"^from (\S+) import (\([^)]*\)|.*)", _stub.read(), re.MULTILINE)
        for name in re.findall(r"as (\w+)", names)
    }
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"benchledger has no {name!r}; known: {', '.join(__all__)}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
