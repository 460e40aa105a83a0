"""The settings of every command: the ledger, the definitions, and the verbosity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchledger.exports.values import escaped_lines
from benchledger.store.default_db import DEFAULT_DB

SETTINGS_FILE = Path("bench.toml")


@dataclass(frozen=True)
class Settings:
    """The settings of one call; `verbosity` is -1 for -q, 1 for -v."""

    db: Path = Path(DEFAULT_DB)
    key_file: Path | None = None
    verbosity: int = 0

    def say(self, message: str, at: int = 0) -> None:
        if self.verbosity >= at:
            click.echo(escaped_lines(message), err=True)

    def say_first(self, messages: Sequence[str], most: int, rest: str) -> None:
        """Prints the first messages, with -v all. `rest` says where the others are; {} in it is their number."""
        shown = messages if self.verbosity > 0 else messages[:most]
        for message in shown:
            self.say(message.replace("\n", r"\n"))  # of a file's name
        if len(shown) < len(messages):
            self.say(rest.replace("{}", str(len(messages) - len(shown))))


def read_settings(db: str | None, definitions: tuple[str, ...], verbosity: int) -> Settings:
    """Returns the settings from the options, then from bench.toml in the current folder; activates the definitions.

    Raises DefinitionError with file and line for an invalid bench.toml.
    """
    key_file = None
    if SETTINGS_FILE.is_file():
        file_db, file_definitions, key_file = _from_file(SETTINGS_FILE)
        db, definitions = db or file_db, (*file_definitions, *definitions)
    if definitions:
        from benchledger.definitions.folders import use_definitions

        use_definitions(*definitions)
    return Settings(Path(db or DEFAULT_DB), Path(key_file) if key_file else None, verbosity)


def _from_file(path: Path) -> tuple[str | None, tuple[str, ...], str | None]:
    from benchledger.definitions.toml_file import read_toml

    file = read_toml(path)
    file.refuse_unknown("", file.data, {"db", "definitions", "key_file"})
    folders = file.data.get("definitions", [])
    folders = [folders] if isinstance(folders, str) else folders
    texts = [("db", file.data.get("db")), ("key_file", file.data.get("key_file"))]
    for name, value in texts + [("definitions", folder) for folder in folders]:
        if value is not None and not isinstance(value, str):
            file.fail(name, f"{name} must be a path in quotes, not {value!r}")
    return file.data.get("db"), tuple(folders), file.data.get("key_file")
