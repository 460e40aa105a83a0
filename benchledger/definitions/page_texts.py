"""The words around the tables of a page, in each language: queries/page_texts/*.toml, one file per report."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from benchledger.definitions.definition_cache import cached, files_in
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError, UsageError

LANGUAGES = ("en", "zh")


def checked_language(language: str | None) -> str:
    if language is None:
        return LANGUAGES[0]
    if language not in LANGUAGES:
        raise UsageError(f"no words in {language!r}; known languages: {', '.join(LANGUAGES)}")
    return language


def refuse_without_layout(report: str, **given: object) -> None:
    """Raises UsageError for an option that has an effect only in a layout that is a page."""
    for name, value in given.items():
        if value is not None and (name, value) != ("lang", LANGUAGES[0]):
            layouts = ", ".join(page_layouts(report))
            raise UsageError(
                f"the {report} table takes no {name.replace('_', '-')}: take it out, or give a layout: {layouts}"
            )


def load_page_texts(report: str, section: str, language: str) -> dict[str, str]:
    """Returns the words of one section of a report's file. Raises UsageError for an unknown language or section.

    Raises DefinitionError with file and line for a word that lacks a language.
    """
    checked_language(language)
    sections = _sections(report)
    if section not in sections:
        raise UsageError(f"no layout {section!r} of {report}; known: {', '.join(page_layouts(report))}")
    texts = sections[section]
    if "-" not in section:
        # A user's layout need not have all words. A section with a dash, such as paddle-host, is a complete list.
        texts = {**next(iter(sections.values())), **texts}
    return {key: words[language] for key, words in texts.items()}


def _sections(report: str) -> dict[str, dict[str, dict[str, str]]]:
    files = tuple(path for path in files_in("queries/page_texts") if path.stem == report)
    return _cached_sections(report, files)


@cache
def _cached_sections(report: str, files: tuple[Path, ...]) -> dict[str, dict[str, dict[str, str]]]:
    return cached(f"page_texts-{report}", files, lambda: _read(report, files))


def page_layouts(report: str) -> list[str]:
    return [name for name in _sections(report) if "-" not in name]


def _read(report: str, files: tuple[Path, ...]) -> dict[str, dict[str, dict[str, str]]]:
    # A user's file comes last, and its sections win.
    found: dict[str, dict[str, dict[str, str]]] = {}
    for path in files:
        file = read_toml(path)
        for name in file.data:
            section = Table(file, name, file.data[name], file.data[name])
            found[name] = {key: texts_by_language(section, key) for key in section.data}
    if not found:
        raise DefinitionError(f"queries/page_texts/{report}.toml:1: missing. Reinstall benchledger")
    return found


def texts_by_language(section: Table, key: str) -> dict[str, str]:
    """Returns a text by language. Raises DefinitionError with file and line if it lacks one."""
    texts = section.texts(key)
    if set(texts) != set(LANGUAGES):
        section.fail(
            key, f"{key} is stated in each language: {', '.join(LANGUAGES)}; here in: {', '.join(texts) or 'none'}"
        )
    return texts
