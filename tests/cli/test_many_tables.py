"""Reports on a terminal: at most 12 tables without --all, a pager, and notes only of what is not as expected."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import polars as pl
import pytest

from benchledger.answers.tables.table import Coverage, Report, Table
from benchledger.cli import output
from benchledger.exports.captions import table_list
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """13 campaigns, of which the last has two numbers."""
    db = tmp_path_factory.mktemp("many") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        for number in range(13):
            framework = "mxnet" if number % 3 else "pytorch"
            ledger.device_memory(ledger.run(100.0 + number, campaign=f"c{number:02}", framework=framework), ("0", 9e3))
        ledger.run(800.0, campaign="c12", framework="pytorch", gpus=8)
    return db


def test_thirteen_tables_are_a_list_with_the_filters_that_part_them(db: Path) -> None:
    said = run_bench("report", "speed", db=db).stdout.splitlines()

    assert said[:6] == [
        "speed: tables 13",
        "",
        "| numbers | framework | campaign |",
        "|---------|-----------|----------|",
        "| 2       | pytorch   | c12      |",
        "| 1       | pytorch   | c00      |",
    ]
    assert said[17:] == [
        "",
        "print all tables with --all, or fewer with filters:",
        "--framework mxnet (8), pytorch (5)",
        "--campaign GLOB: 13 campaigns",
    ]


def test_all_and_fewer_tables_are_printed_whole(db: Path) -> None:
    assert run_bench("report", "speed", "--all", db=db).stdout.count("speed: ") == 13
    assert run_bench("report", "speed", "--framework", "mxnet", db=db).stdout.count("speed: ") == 8


@pytest.mark.parametrize("report", ["speed", "memory", "speedup", "max-batch", "pivot", "ranking", "environment"])
def test_no_report_prints_more_than_twelve_tables(db: Path, report: str) -> None:
    said = run_bench("report", report, db=db)

    assert said.exit_code == 0
    assert sum(line.startswith(f"{report}: ") for line in said.stdout.splitlines()) <= 12


def test_markdown_is_listed_too_and_data_forms_and_files_hold_everything(db: Path, tmp_path: Path) -> None:
    assert "print all tables with --all" in run_bench("report", "speed", "--format", "markdown", db=db).stdout
    assert len(run_bench("report", "speed", "--format", "csv", db=db).stdout.splitlines()) == 15
    run_bench("report", "speed", "--format", "markdown", "--output", tmp_path / "all.md", db=db)
    assert (tmp_path / "all.md").read_text().count("one of 13 tables") == 13


def test_a_page_holds_all_tables_of_its_markers(db: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- bench report speed -->\n<!-- /bench -->\n")

    assert run_bench("report", "--write", page, db=db).exit_code == 0
    assert page.read_text().count("one of 13 tables") == 13


def test_an_exported_leaderboard_is_listed_on_the_terminal(tmp_path: Path) -> None:
    db = tmp_path / "bench.duckdb"
    with ledger_rows(db) as ledger:
        for number in range(13):
            ledger.run(9.0, model=f"model{number}")

    assert "--all" in run_bench("export", "leaderboard", db=db).stdout
    assert run_bench("export", "leaderboard", "--all", db=db).stdout.count("\n## ") == 12


def test_a_list_of_two_thousand_tables_fits_a_screen() -> None:
    facts = [
        {"model": f"m{number % 40}", "campaign": f"years/{number}/of/many/machines/logs"} for number in range(2000)
    ]
    tables = tuple(Table(dict(one), Coverage(number, 3000), pl.DataFrame()) for number, one in enumerate(facts))

    (listed,) = table_list(Report("speed", tables, pl.DataFrame())).tables

    assert listed.frame.height == 20
    assert listed.frame["numbers"][0] == "1999"
    assert listed.notes[0] == "and 1980 more tables"
    assert listed.notes[2:] == ("--model m0 (50), m1 (50), m2 (50) and 37 more", "--campaign GLOB: 2000 campaigns")


def test_all_tables_on_a_terminal_go_through_a_pager(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    for stream in (sys.stdout, sys.stdin):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("LINES", "40")
    monkeypatch.setattr(click, "echo_via_pager", lambda text, color: paged.append(text))

    output.write_text("many tables", None, paged=True)
    output.write_text("one table", None)
    output.write_text("line\n" * 40, None)

    assert paged == ["many tables", "line\n" * 40]


def test_what_is_as_expected_is_said_with_verbose_only(db: Path) -> None:
    brief = run_bench("report", "speed", "--campaign", "c00", db=db).stdout
    verbose = run_bench("-v", "report", "speed", "--campaign", "c00", db=db).stdout

    assert brief.endswith("| 1    | 100.00      |\n")
    assert verbose == (
        brief + "\n1 of 1 cells filled\ntrials: 1 per cell, 0 dropped; records: 1 used per cell, 0 skipped\n"
    )


def test_what_is_not_as_expected_is_said_at_once(tmp_path: Path) -> None:
    db = tmp_path / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.run(100.0)
        ledger.run(status="oom", batch_size_per_gpu=96)
        ledger.run(status="oom")

    said = run_bench("report", "speed", db=db).stdout

    assert "1 of 2 cells filled; missing: 1 x fp32 BS=96: oom" in said
    assert "numbers with dropped trials: 1 x FP32(BS=32)" in said
