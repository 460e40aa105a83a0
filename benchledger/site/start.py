"""The first page of a site, and its rankings: by the reports of the same names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger import __version__
from benchledger.answers.reports.overview import report_overview
from benchledger.answers.reports.ranking import report_ranking
from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.errors import NothingFoundError
from benchledger.explaining.rule_words import rule_sentences
from benchledger.site.files import framed
from benchledger.site.numbers import case_key, comments

if TYPE_CHECKING:
    import duckdb

_FASTEST, _NEWEST = 12, 12
_FILLED = "select strftime(max(ingested_at), '%Y-%m-%d %H:%M') as filled, count(*) as files from sighting"


def start_page(
    con: duckdb.DuckDBPyConnection, db: Path | str, title: str, numbers: dict[str, list[Row]], runs: list[Row]
) -> dict[str, Any]:
    """Returns what the first page shows, and what every page needs: the title, and the meaning of columns.

    `numbers` has the rows of each quantity, `runs` every run, newest first.
    """
    ((filled, files),) = con.execute(_FILLED).fetchall()
    selected = {row["cell"]: row for row in numbers["speed"]}
    return {
        "title": title, "version": __version__, "filled": filled, "files": files,
        "counts": _counts(numbers["speed"], runs),
        "sizes": {**{name: len(rows) for name, rows in numbers.items()}, "runs": len({row["run_key"] for row in runs})},
        "fastest": _fastest(db, selected),
        "newest": _newest(runs),
        "comments": comments(con),
    }  # fmt: skip


def _counts(speeds: list[Row], runs: list[Row]) -> dict[str, list[list[Any]]]:
    """Returns how many runs each status, model, GPU model and campaign has, most first."""
    counted: dict[str, list[list[Any]]] = {}
    for name in ("status", "model", "gpu_model", "framework", "campaign"):
        found: dict[Any, set[str]] = {}
        for row in runs:
            found.setdefault(row[name], set()).add(row["run_key"])
        ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0] is None, str(item[0])))
        counted[name] = [[value, len(keys)] for value, keys in ordered]
    counted["series"] = [["series", len({row["series_id"] for row in speeds})]]
    return counted


def _fastest(db: Path | str, selected: dict[str, Row]) -> list[dict[str, Any]]:
    cells = report_overview(db=db).cells
    # A filter of the site drops what the overview of the whole ledger has.
    rows = [selected[cell] for cell in (cells["cell"] if "cell" in cells.columns else ()) if cell in selected]
    names = ("cell", "name", "model", "task", "precision", "value", "unit", "gpus", "gpu_model", "system", "campaign")
    return [{name: row[name] for name in names} | {"case": case_key(row["case_id"])} for row in rows[:_FASTEST]]


def _newest(runs: list[Row]) -> list[dict[str, Any]]:
    names = ("run_key", "case", "name", "started_at", "time_source", "campaign", "status")
    newest = {row["run_key"]: row for row in reversed(runs) if row["time_source"] in ("log", "manifest")}
    return [{name: row[name] for name in names} for row in list(reversed(newest.values()))[:_NEWEST]]


def all_rules(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """Returns what each rule is, where it comes from, and how it makes a number."""
    rules = rows_asked(con, "from kept.rule order by rule")
    return {
        rule["rule"]: {
            "description": rule["description"], "source": rule["source"], "recipe": list(rule_sentences(rule))
        }
        for rule in rules
    }  # fmt: skip


def ranking(db: Path | str, asked: dict[str, object], per_gpu: bool) -> list[dict[str, Any]]:
    """Returns the tables of `bench report ranking`, each row with its number's name."""
    try:
        report = report_ranking(db=db, per_gpu=per_gpu, **asked)  # type: ignore[arg-type]
    except NothingFoundError:
        return []
    cells = list(report.cells.select("cell", "case_id", "value").iter_rows())
    found, first = [], 0
    for table in report.tables:
        rows = cells[first : first + table.frame.height]
        first += table.frame.height
        # Digits of a number of 64 bits would be lost in a page.
        named = [[cell, case_key(int(case_id)), value] for cell, case_id, value in rows]
        texts = sorted(table.texts)
        told = {"facts": table.facts, "notes": list(table.notes), "texts": texts, "cells": named}
        found.append(told | framed(table.frame))
    return found
