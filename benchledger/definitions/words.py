"""The words of what a page prints beside its tables, in each language: queries/words/*.toml, one file a report."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError, UsageError

LANGUAGES = ("en", "zh")


def checked_language(language: str | None) -> str:
    """The language asked for, else English. Raises UsageError for one in which nothing is said."""
    if language is None:
        return LANGUAGES[0]
    if language not in LANGUAGES:
        raise UsageError(f"no words in {language!r}; known languages: {', '.join(LANGUAGES)}")
    return language


def refuse_without_layout(report: str, **given: object) -> None:
    """Raises UsageError for what has an effect only where a report is laid out as a page, and not as a table."""
    for name, value in given.items():
        if value is not None and (name, value) != ("lang", LANGUAGES[0]):
            layouts = ", ".join(layouts_with_words(report))
            raise UsageError(
                f"the {report} table takes no {name.replace('_', '-')}: take it out, or give a layout: {layouts}"
            )


def load_words(report: str, section: str, language: str) -> dict[str, str]:
    """The words of one section of a report's file. Raises UsageError for a language or section that it does not have.

    Raises DefinitionError with file and line for a word that is not said in each language.
    """
    checked_language(language)
    sections = _sections(report)
    if section not in sections:
        raise UsageError(f"no layout {section!r} of {report}; known: {', '.join(layouts_with_words(report))}")
    said = sections[section]
    if "-" not in section:
        # A layout of the user's own need not say everything; what is listed, such as paddle-host, is a list of its own.
        said = {**next(iter(sections.values())), **said}
    return {key: words[language] for key, words in said.items()}


def _sections(report: str) -> dict[str, dict[str, dict[str, str]]]:
    return _read(report, tuple(definition_files("queries/words", ".toml")))


def layouts_with_words(report: str) -> list[str]:
    """The layouts in which a report is a page."""
    return [name for name in _sections(report) if "-" not in name]


@cache
def _read(report: str, paths: tuple[Path, ...]) -> dict[str, dict[str, dict[str, str]]]:
    # A file of the user's own comes last, and its sections count.
    found: dict[str, dict[str, dict[str, str]]] = {}
    for path in paths:
        if path.stem == report:
            file = read_toml(path)
            for name in file.data:
                section = Table(file, name, file.data[name], file.data[name])
                found[name] = {key: said_in_each(section, key) for key in section.data}
    if not found:
        raise DefinitionError(f"queries/words/{report}.toml:1: missing. Reinstall benchledger")
    return found


def said_in_each(section: Table, key: str) -> dict[str, str]:
    """A text by language. Raises DefinitionError with file and line if it lacks one."""
    said = section.texts(key)
    if set(said) != set(LANGUAGES):
        section.fail(
            key, f"{key} is said in each language: {', '.join(LANGUAGES)}; here in: {', '.join(said) or 'none'}"
        )
    return said
