"""Which of the format files that a user names are the bases of another one of them."""

from __future__ import annotations

from pathlib import Path

from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.errors import DefinitionError


class GivenFormats:
    """Format files that are given together; those that are no TOML are nobody's base."""

    def __init__(self, paths: list[Path]) -> None:
        self._by_path: dict[Path, TomlFile] = {}
        for path in paths:
            try:
                self._by_path[path] = read_toml(path)
            except DefinitionError:
                continue
        self._by_name = {str(file.data.get("format")): file for file in self._by_path.values()}

    def bases_of(self, path: Path) -> list[Path]:
        """The given files that are the base of a given one, the base of that, and so on."""
        bases: list[Path] = []
        file = self._by_path.get(path)
        while file is not None and (file := self._by_name.get(str(file.data.get("base")))) is not None:
            if file.path in (*bases, path):
                break
            bases.append(file.path)
        return bases
