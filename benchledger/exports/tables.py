"""`bench export tables`: writes one or several reports to files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import reading
from benchledger.answers.tables.table import Report
from benchledger.errors import NothingFoundError, UsageError, suggestion
from benchledger.exports.answer_files import refuse_overwrite, write_own, write_whole
from benchledger.exports.output_forms import TEXT_FORMS, parquet_bytes, report_json, report_text
from benchledger.exports.real_names import NOTE, headed, with_real_names
from benchledger.exports.values import json_text
from benchledger.redaction.real_names import RealNames
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    import duckdb

_LAID_OUT = ("layout", "lang")
# The tables that can be exported: the function that makes each, and the options that it takes besides the filters.
TABLES = {
    "convergence": ("benchledger.answers.reports.convergence:report_convergence", ("lang",)),
    "environment": ("benchledger.answers.reports.environment:report_environment", _LAID_OUT),
    "failures": ("benchledger.answers.reports.failures:report_failures", ("lang",)),
    "leaderboard": ("benchledger.answers.reports.leaderboard:leaderboard", ()),
    "logs": ("benchledger.answers.reports.logs:report_logs", _LAID_OUT),
    "max-batch": ("benchledger.answers.reports.max_batch:report_max_batch", _LAID_OUT),
    "memory": ("benchledger.answers.reports.memory:report_memory", _LAID_OUT),
    "pivot": ("benchledger.answers.reports.pivot:report_pivot", ()),
    "profile": ("benchledger.answers.reports.profile:report_profile", ("lang",)),
    "ranking": ("benchledger.answers.reports.ranking:report_ranking", ()),
    "speed": ("benchledger.answers.reports.speed:report_speed", ("rule", *_LAID_OUT)),
    "speedup": ("benchledger.answers.reports.speedup:report_speedup", ("rule", *_LAID_OUT)),
}
# Form by file suffix.
SUFFIXES = {
    ".md": "markdown",
    ".csv": "csv",
    ".json": "json",
    ".tex": "latex",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}
FORMS = tuple(SUFFIXES.values())
# A file of these forms holds the numbers of one table; several tables need a folder.
_ONE_TABLE = ("csv", "parquet")
_FILLED = "select max(ingested_at) from sighting"
_SOURCES = "select rule, source from kept.rule"


def export_tables(
    *tables: str,
    output: Path | str | None = None,
    form: str | None = None,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    layout: str | None = None,
    lang: str | None = None,
    reveal: RealNames | None = None,
    **case_columns: object,
) -> tuple[Report, ...]:
    """Returns the reports of some tables (speed, memory, speedup, failures, ...), and writes them to `output`.

    `form` is markdown, csv, json, latex, parquet or xlsx; the default is that of the output's suffix. Several tables in
    csv or parquet make a folder with one file each. `rule`, `layout` and `lang` go to the tables that take them. A
    table without matches is empty and has a note that says so. Raises NothingFoundError if no table has a match. Raises
    UsageError for an unknown table, form, rule or column, or an option that none of the tables takes. Raises it also
    for an output that exists and is not an earlier answer. With `reveal` the reports hold real names, and the head of
    each file says so.
    """
    form = form_of(form, output)
    if output is not None and form in _ONE_TABLE and len(set(tables)) > 1:
        _need_folder_name(Path(output), form)
    words = {name: word for name, word in (("rule", rule), ("layout", layout), ("lang", lang)) if word is not None}
    asked = _known(tables, words)
    reports = _reports(asked, words, {"db": db, "campaign": campaign, **case_columns})
    if reveal is not None:
        reports = with_real_names(reports, reveal)
    if output is not None:
        _write(Path(output), form, reports, db, reveal is not None)
    return reports


def form_of(form: str | None, output: Path | str | None) -> str:
    """Returns the requested form, else that of the suffix, else Markdown. Raises UsageError for an unknown form."""
    if form is None:
        form = "markdown" if output is None else SUFFIXES.get(Path(output).suffix.lower())
        if form is None:
            raise UsageError(
                f"{output}: unknown suffix; known: {', '.join(SUFFIXES)}. Or choose a format with --format"
            )
    if form not in FORMS:
        raise UsageError(f"no output format {form!r}; known: {', '.join(FORMS)}")
    return form


def reports_text(reports: Sequence[Report], form: str) -> str:
    """Returns reports one after the other; JSON reports become one JSON list."""
    if form not in TEXT_FORMS:
        raise UsageError(f"--format {form} is binary: name a file with --output FILE")
    if form in _ONE_TABLE and len(reports) > 1:
        raise UsageError(f"--format {form} holds one table per file: name a folder with --output FOLDER")
    if form == "json" and len(reports) > 1:
        return json_text([report_json(report) for report in reports])
    return "\n\n".join(report_text(report, form) for report in reports)


def _known(tables: Sequence[str], words: Iterable[str]) -> list[str]:
    for table in tables:
        if table not in TABLES:
            raise UsageError(f"no table {table!r}{suggestion(table, TABLES)}; known: {', '.join(TABLES)}")
    if not tables:
        raise UsageError(f"name the reports to export: {', '.join(TABLES)}")
    for word in words:
        if not any(word in TABLES[table][1] for table in tables):
            taking = ", ".join(table for table, (_, taken) in TABLES.items() if word in taken)
            raise UsageError(f"{', '.join(tables)}: option {word} is not supported; it is for: {taking}")
    return list(dict.fromkeys(tables))


def _reports(tables: list[str], words: dict[str, str], asked: dict[str, object]) -> tuple[Report, ...]:
    reports: list[Report] = []
    errors: list[NothingFoundError] = []
    for table in tables:
        home, taken = TABLES[table]
        module, _, name = home.partition(":")
        report: Callable[..., Report] = getattr(import_module(module), name)
        try:
            reports.append(report(**asked, **{word: value for word, value in words.items() if word in taken}))
        except NothingFoundError as error:
            errors.append(error)
            reports.append(Report(table, (), pl.DataFrame(), (f"{table}: {error}",)))
    if len(errors) == len(tables):
        raise errors[0]
    return tuple(reports)


def _need_folder_name(output: Path, form: str) -> None:
    if output.suffix.lower() in SUFFIXES and not output.is_dir():
        raise UsageError(
            f"{output}: a {form} file holds one table, and several are asked for. Name a folder for a file each "
            f"(--format {form} --output {output.with_suffix('')}), or one workbook for all "
            f"({output.with_suffix('.xlsx')})"
        )


def _files(output: Path, form: str, reports: Sequence[Report]) -> dict[Path, Sequence[Report]]:
    """Returns the reports by file: all in one file, or each in its own file of a folder."""
    if not (form in _ONE_TABLE and (len(reports) > 1 or output.is_dir())):
        return {output: reports}
    suffix = next(suffix for suffix, known in SUFFIXES.items() if known == form)
    return {output / f"{report.name}{suffix}": [report] for report in reports if report.tables}


def _write(output: Path, form: str, reports: Sequence[Report], db: Path | str, has_real_names: bool) -> None:
    files = _files(output, form, reports)
    refuse_overwrite(*files, form=form, db=db)
    for place, held in files.items():
        if place != output:
            output.mkdir(parents=True, exist_ok=True)
        write = write_whole if place == output else write_own
        if form == "xlsx":
            from benchledger.exports.workbook import write_reports

            with reading(db) as con:
                filled, sources = _ledger_facts(con)
            write_reports(place, held, sources, filled, NOTE if has_real_names else None)
        elif form == "parquet":
            write(place, parquet_bytes(held[0].cells, has_real_names))
        else:
            text = reports_text(held, form)
            write(place, f"{headed(text, form) if has_real_names else text}\n".encode())


def _ledger_facts(con: duckdb.DuckDBPyConnection) -> tuple[datetime, dict[str, str]]:
    """Returns when the ledger was last filled, and the source of each rule."""
    filled = con.execute(_FILLED).fetchall()[0][0]
    return filled, dict(con.execute(_SOURCES).fetchall())
