"""Finds the definition folders in a checkout, an editable install and a wheel."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from benchledger.errors import DefinitionError, UsageError

ENVIRONMENT_VARIABLE = "BENCH_DEFINITIONS"
KINDS = ("ingest", "schema", "queries", "runners")

_extra_roots: list[Path] = []


def shipped_root() -> Path:
    """Returns the folder with ingest/, schema/, queries/ and runners/ of this installation."""
    package = Path(__file__).resolve().parent.parent
    packed = package / "_definitions"
    return packed if packed.is_dir() else package.parent


def only_packed() -> bool:
    """Tells whether all definitions are those of a wheel: its tests proved them and nobody has edited them since."""
    return [root.name for root in definition_roots()] == ["_definitions"]


def only_shipped() -> bool:
    return definition_roots() == [shipped_root()]


def use_definitions(*folders: Path | str) -> None:
    """Adds the user's definition folders for the rest of this process, after those of $BENCH_DEFINITIONS."""
    _extra_roots[:] = [_checked(Path(folder)) for folder in folders]


def own_folders() -> list[str]:
    """Returns the folders that `use_definitions` added: another process needs them too."""
    return [str(folder.resolve()) for folder in _extra_roots]


def definition_roots() -> list[Path]:
    """Returns the shipped definitions first, then the user's, in the given order."""
    from_environment = [Path(part) for part in os.environ.get(ENVIRONMENT_VARIABLE, "").split(os.pathsep) if part]
    return [shipped_root(), *(_checked(folder) for folder in from_environment), *_extra_roots]


def definition_files(kind: str, suffix: str) -> list[Path]:
    """Returns every file of one kind, for example ("ingest/formats", ".toml"), sorted by name within each root."""
    found: list[Path] = []
    for root in definition_roots():
        folder = root / kind
        # Several times per command: of 150 files, to make and compare paths for all takes three times as long.
        with suppress(OSError), os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(suffix) and entry.is_file()]
            found.extend(folder / name for name in sorted(names))
    return found


def named_files(kind: str, suffix: str, what: str) -> dict[str, Path]:
    """Returns every file of one kind by its stem, in the order of stems. Raises DefinitionError for one stem twice."""
    found: dict[str, Path] = {}
    for path in definition_files(kind, suffix):
        if path.stem in found:
            raise DefinitionError(f"{path}:1: {what} {path.stem!r} exists already, in {found[path.stem]}; rename it")
        found[path.stem] = path
    return dict(sorted(found.items()))


def _checked(folder: Path) -> Path:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of definitions. It should hold one of: {', '.join(KINDS)}")
    return folder
