"""The files besides its own on which a format depends: rules, leads, vocabulary, names, redaction."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.redaction import redaction_hash
from benchledger.definitions.rules import load_rules
from benchledger.definitions.toml_file import TomlFile

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
