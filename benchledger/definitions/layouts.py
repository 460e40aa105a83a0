"""Layouts: headings and texts of report tables, in each language; one TOML file of queries/layouts/ each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from benchledger.definitions.folders import definition_files
from benchledger.definitions.page_texts import texts_by_language
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError

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
    path: Path


def load_layouts() -> dict[str, Layout]:
    """Returns every layout by its name, which is its file's. Raises DefinitionError with file and line."""
    found: dict[str, Layout] = {}
    for path in definition_files("queries/layouts", ".toml"):
        if path.stem in found:
            raise DefinitionError(
                f"{path}:1: layout {path.stem!r} exists already, in {found[path.stem].path}; rename it"
            )
        found[path.stem] = read_layout(path)
    if PLAIN not in found:
        raise DefinitionError("queries/layouts/plain.toml:1: missing. Reinstall benchledger")
    return dict(sorted(found.items()))


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
        path=path,
    )


def _report(table: Table) -> ReportLayout:
    rows = table.data.get("rows", [])
    if not isinstance(rows, list) or not all(isinstance(row, int) for row in rows):
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
            used = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
        except ValueError as error:
            table.fail(key, f"{text!r} is no text with names in braces: {error}")
        if unknown := sorted(used - set(names)):
            table.fail(key, f"{key} can't name {unknown[0]!r}; it can: {', '.join(names) or 'nothing'}")
    return texts
