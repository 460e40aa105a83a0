"""A ledger of training-benchmark results: the commands of `bench` as functions of the same names.

Importing it imports nothing else: each function is loaded at its first use.
"""

from __future__ import annotations

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


def _homes() -> dict[str, str]:
    # The public functions with their modules. The stub is the only list of them: `from MODULE import NAME as NAME`.
    import re

    with open(f"{__file__}i", encoding="utf-8") as stub:  # noqa: PTH123 - pathlib would slow a command by a tenth
        imports = re.findall(r"^from (\S+) import (\([^)]*\)|.*)", stub.read(), re.MULTILINE)
    return {name: module for module, names in imports for name in re.findall(r"as (\w+)", names)}


def __getattr__(name: str) -> Any:
    homes = _homes()
    if name == "__all__":
        return sorted(homes)
    if name not in homes:
        raise AttributeError(f"benchledger has no {name!r}; known: {', '.join(sorted(homes))}")
    value = getattr(import_module(homes[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*_homes(), "__all__", "__version__"]
