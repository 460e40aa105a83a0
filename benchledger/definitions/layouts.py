"""Layouts: headings and texts of report tables, in each language; one TOML file of queries/layouts/ each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

from benchledger.definitions.definition_cache import cached, files_in
from benchledger.definitions.folders import named_files
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import Table, is_number
from benchledger.errors import DefinitionError, UsageError

LANGUAGES = ("en", "zh")
PLAIN = "plain"
ALIGNMENTS = ("left", "center", "right")
# The texts above and below a table, and the names that each may use.
_TABLE = ("model", "case", "fixed_name", "fixed_batch")
_REPORT_TEXTS = {
    "title": _TABLE,
    "section": _TABLE,
    "unit": ("unit",),
    # Below a table of largest batch sizes. The second is for a size that failed although a larger one ran.
    "oom": ("oom", "ran", "cases", "model"),
    "oom_amid": ("oom", "ran", "cases", "model"),
}
_HEADINGS: dict[str, tuple[str, ...]] = {
    "case": ("precision", "batch"),
    "value": ("unit",),
    "base": ("unit",),
    "max": ("sizes",),
    "fits": ("size",),
    "fits_not": ("size", "oom"),
    **dict.fromkeys(
        ("gpus", "node_num", "gpu_num", "precision", "speedup", "efficiency", "largest_ok", "smallest_oom"), ()
    ),
    **dict.fromkeys(("trial_case", "mean", "median"), ()),
    **dict.fromkeys(("campaign", "run", "system", "gpu_model", "status", "reason", "line", "text"), ()),
    **dict.fromkeys(("runs", "steps", "minutes", "final_loss", "best_metric", "target_steps", "target_minutes"), ()),
    # Columns that split rows.
    **dict.fromkeys(
        ("nodes", "seq_len", "options", "gpu_memory_mib", "framework_version", "implementation_version", "variant"), ()
    ),
    **dict.fromkeys(("batch_size_per_gpu", "global_batch_size", "gradient_accumulation"), ()),
}
_REPORT_KEYS = {"name", "columns", "rows", "numbers", *_REPORT_TEXTS}
_FILE_KEYS = {"source", "description", "align", "precisions", "models", "options", "report", "headings"}
# How numbers are written: with two decimals, or as Python prints round(value, 2).
NUMBERS = ("two_decimals", "python")
Text = Mapping[str, str]


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


@dataclass(frozen=True)
class ReportLayout:
    name: str
    texts: Mapping[str, Text]
    columns: tuple[str, ...]
    rows: tuple[int, ...]
    numbers: Mapping[str, str]


@dataclass(frozen=True)
class Layout:
    """One layout; a heading that it lacks is that of `plain`."""

    name: str
    source: str
    description: str
    align: str
    precisions: Mapping[str, str]
    models: Mapping[str, str]
    options: Mapping[str, str]
    reports: Mapping[str, ReportLayout]
    headings: Mapping[str, Text]


def load_layouts() -> dict[str, Layout]:
    """Returns every layout by its name, which is its file's. Raises DefinitionError with file and line."""
    files = named_files("queries/layouts", ".toml", "layout")
    if PLAIN not in files:
        raise DefinitionError("queries/layouts/plain.toml:1: missing. Reinstall benchledger")
    return {name: read_layout(path) for name, path in files.items()}


def read_layout(path: Path) -> Layout:
    file = read_toml(path)
    table = Table(file, "", file.data, _FILE_KEYS)
    reports = [_report(entry) for entry in table.tables("report", _REPORT_KEYS)]
    if not reports:
        table.fail("report", "a layout has at least one [[report]]")
    headings = table.table("headings", _HEADINGS)
    if path.stem == PLAIN and (absent := [key for key in _HEADINGS if key not in headings]):
        headings.fail("", f"plain must have every heading; it lacks: {', '.join(absent)}")
    return Layout(
        name=path.stem,
        source=table.text("source"),
        description=table.text("description"),
        align=table.choice("align", ALIGNMENTS, default="left"),
        precisions=table.texts("precisions"),
        models=table.texts("models"),
        options=table.texts("options"),
        reports={report.name: report for report in reports},
        headings={key: _text(headings, key, _HEADINGS[key]) for key in headings.data},
    )


def _report(table: Table) -> ReportLayout:
    rows = table.data.get("rows", [])
    if not isinstance(rows, list) or not all(isinstance(row, int) and is_number(row) for row in rows):
        table.fail("rows", f"rows is a list of numbers of GPUs, not {rows!r}")
    numbers = table.texts("numbers")
    for column, how in numbers.items():
        table.known("numbers", "way to write a number", how, NUMBERS)
        table.known("numbers", "column", column, _HEADINGS)
    return ReportLayout(
        name=table.text("name"),
        texts={key: _text(table, key, names) for key, names in _REPORT_TEXTS.items() if key in table},
        columns=tuple(table.strings("columns")),
        rows=tuple(rows),
        numbers=numbers,
    )


def _text(table: Table, key: str, names: Collection[str]) -> Text:
    texts = texts_by_language(table, key)
    for text in texts.values():
        try:
            # A width would be the length of the text: `{model:>999999999}`.
            used = {
                f"{name}{(way and f'!{way}') or ''}{width and f':{width}'}"
                for _, name, width, way in Formatter().parse(text)
                if name is not None
            }
        except ValueError as error:
            table.fail(key, f"{text!r} is no text with names in braces: {error}")
        if unknown := sorted(used - set(names)):
            table.fail(key, f"{key} can't name {unknown[0]!r}; it can: {', '.join(names) or 'nothing'}")
    return texts
