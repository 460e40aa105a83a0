"""`bench export tables`: reports written to files, several in one go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.reading import reading
from benchledger.answers.tables import Report
from benchledger.errors import NothingFoundError, UsageError
from benchledger.exports.forms import TEXT_FORMS, parquet_bytes, report_json, report_text
from benchledger.exports.places import need_free
from benchledger.exports.values import json_text
from benchledger.exports.whole_files import write_whole
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    import duckdb

_LAID_OUT = ("layout", "lang")
# The tables that can be exported: where each is asked for, and which words besides the filters it takes.
TABLES = {
    "convergence": ("benchledger.answers.convergence:report_convergence", ("lang",)),
    "environment": ("benchledger.answers.environment:report_environment", _LAID_OUT),
    "failures": ("benchledger.answers.failures:report_failures", ("lang",)),
    "leaderboard": ("benchledger.answers.leaderboard:leaderboard", ()),
    "logs": ("benchledger.answers.logs:report_logs", _LAID_OUT),
    "max-batch": ("benchledger.answers.max_batch:report_max_batch", _LAID_OUT),
    "memory": ("benchledger.answers.memory:report_memory", _LAID_OUT),
    "profile": ("benchledger.answers.profile:report_profile", ("lang",)),
    "speed": ("benchledger.answers.speed:report_speed", ("rule", *_LAID_OUT)),
    "speedup": ("benchledger.answers.speedup:report_speedup", ("rule", *_LAID_OUT)),
}
# By the end of a file's name.
SUFFIXES = {
    ".md": "markdown",
    ".csv": "csv",
    ".json": "json",
    ".tex": "latex",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}
FORMS = tuple(SUFFIXES.values())
# Of these a file holds the numbers of one table; several tables are a folder.
_ONE_TABLE = ("csv", "parquet")
_FILLED = "select max(ingested_at) from sighting"
_SOURCES = "select rule, source from rule"


def export_tables(
    *tables: str,
    output: Path | str | None = None,
    form: str | None = None,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    layout: str | None = None,
    lang: str | None = None,
    **case_columns: object,
) -> tuple[Report, ...]:
    """The reports of some tables (speed, memory, speedup, failures, leaderboard, ...), written to `output`.

    The form is markdown, csv, json, latex, parquet or xlsx, by default that of the output's suffix. Several tables in
    csv or parquet make a folder with a file each. `rule`, `layout` and `lang` go to the tables that take them. A table
    that nothing is found for is empty and has a note that says so. Raises NothingFoundError if that is true of all,
    UsageError for an unknown table, form, rule or column, a word that none of the tables takes, or an output that holds
    something else than an earlier answer.
    """
    form = form_of(form, output)
    if output is not None and form in _ONE_TABLE and len(set(tables)) > 1:
        _need_folder_name(Path(output), form)
    words = {name: word for name, word in (("rule", rule), ("layout", layout), ("lang", lang)) if word is not None}
    asked = _known(tables, words)
    reports = _reports(asked, words, {"db": db, "campaign": campaign, **case_columns})
    if output is not None:
        _write(Path(output), form, reports, db)
    return reports


def form_of(form: str | None, output: Path | str | None) -> str:
    """The form asked for, or that of the output's suffix, or Markdown. Raises UsageError for an unknown one."""
    if form is None:
        form = "markdown" if output is None else SUFFIXES.get(Path(output).suffix.lower())
        if form is None:
            raise UsageError(f"{output}: no form has this suffix; known: {', '.join(SUFFIXES)}. Or give --format")
    if form not in FORMS:
        raise UsageError(f"no form {form!r}; known: {', '.join(FORMS)}")
    return form


def reports_text(reports: Sequence[Report], form: str) -> str:
    """Reports one after the other; one JSON for all."""
    if form not in TEXT_FORMS:
        raise UsageError(f"--format {form} is no text: say where it goes with --output FILE")
    if form in _ONE_TABLE and len(reports) > 1:
        raise UsageError(f"--format {form} holds one table: say in which folder several go with --output FOLDER")
    if form == "json" and len(reports) > 1:
        return json_text([report_json(report) for report in reports])
    return "\n\n".join(report_text(report, form) for report in reports)


def _known(tables: Sequence[str], words: Iterable[str]) -> list[str]:
    for table in tables:
        if table not in TABLES:
            raise UsageError(f"no table {table!r}; known: {', '.join(TABLES)}")
    if not tables:
        raise UsageError(f"say which tables: {', '.join(TABLES)}")
    for word in words:
        if not any(word in TABLES[table][1] for table in tables):
            taking = ", ".join(table for table, (_, taken) in TABLES.items() if word in taken)
            raise UsageError(f"{', '.join(tables)}: no {word} can be asked for; it can with: {taking}")
    return list(dict.fromkeys(tables))


def _reports(tables: list[str], words: dict[str, str], asked: dict[str, object]) -> tuple[Report, ...]:
    import polars as pl

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
    """Where which reports go: all to one file, or each to one in a folder."""
    if not (form in _ONE_TABLE and (len(reports) > 1 or output.is_dir())):
        return {output: reports}
    suffix = next(suffix for suffix, known in SUFFIXES.items() if known == form)
    return {output / f"{report.name}{suffix}": [report] for report in reports if report.tables}


def _write(output: Path, form: str, reports: Sequence[Report], db: Path | str) -> None:
    files = _files(output, form, reports)
    need_free(*files, form=form, db=db)
    for place, held in files.items():
        if place != output:
            output.mkdir(parents=True, exist_ok=True)
        if form == "xlsx":
            from benchledger.exports.workbook import write_reports

            with reading(db) as con:
                filled, sources = _ledger_facts(con)
            write_reports(place, held, sources, filled)
        elif form == "parquet":
            write_whole(place, parquet_bytes(held[0].cells))
        else:
            write_whole(place, f"{reports_text(held, form)}\n".encode())


def _ledger_facts(con: duckdb.DuckDBPyConnection) -> tuple[datetime, dict[str, str]]:
    """When the ledger was last filled, and where its rules come from."""
    filled = con.execute(_FILLED).fetchall()[0][0]
    return filled, dict(con.execute(_SOURCES).fetchall())
