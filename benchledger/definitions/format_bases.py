"""Finds which of several given format files are bases of another."""

from __future__ import annotations

from pathlib import Path

from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.errors import DefinitionError


class GivenFormats:
    """Format files that are given together; a file that is not TOML is not a base."""

    def __init__(self, paths: list[Path]) -> None:
        self._by_path: dict[Path, TomlFile] = {}
        for path in paths:
            try:
                self._by_path[path] = read_toml(path)
            except DefinitionError:
                continue
        self._by_name = {str(file.data.get("format")): file for file in self._by_path.values()}

    def bases_of(self, path: Path) -> list[Path]:
        """Returns the given files that are the base of a given file, the base of that base, and so on."""
        bases: list[Path] = []
        file = self._by_path.get(path)
        while file is not None and (file := self._by_name.get(str(file.data.get("base")))) is not None:
            if file.path in (*bases, path):
                break
            bases.append(file.path)
        return bases
