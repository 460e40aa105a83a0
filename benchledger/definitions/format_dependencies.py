"""The files on which a format depends, and which of several files are bases of another."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.redaction import redaction_hash
from benchledger.definitions.rules import load_rules
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.errors import DefinitionError

# Part of every definitions hash. Raise it when the engine reads the same definition in another way.
ENGINE_VERSION = 2


class SharedDefinitions:
    @cached_property
    def rules(self) -> list[str]:
        return [known.rule for known in load_rules()]

    def hash_of(self, file: TomlFile, base: LogFormat | None) -> str:
        """Returns the definitions hash of a format: it changes with everything that decides how its logs are read."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(self._of_all)
        if base is not None:
            digest.update(base.definitions_hash.encode())
        digest.update(file.path.read_bytes())
        # The facts of a logged path depend on the rules of names.
        facts = [part for fact in file.data.get("fact", ()) for part in (fact if isinstance(fact, list) else [fact])]
        if any("names" in fact for fact in facts if isinstance(fact, dict)):
            digest.update(self._names)
        return digest.hexdigest()

    @cached_property
    def _of_all(self) -> bytes:
        leads = [path for path in definition_files("ingest", ".toml") if path.name == "leads.toml"]
        engine = f"engine {ENGINE_VERSION}, redaction {redaction_hash()}".encode()
        return engine + _text_of([*leads, *definition_files("schema/vocabulary", ".toml")])

    @cached_property
    def _names(self) -> bytes:
        return _text_of(definition_files("ingest/names", ".toml"))


def _text_of(paths: list[Path]) -> bytes:
    return b"".join(path.read_bytes() for path in paths)


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
