"""The files of a site: the same numbers as the reports, each with its explanation, and nothing that is run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import polars as pl
import pytest

import benchledger
from benchledger.errors import NothingFoundError, UsageError
from benchledger.site.export import export_site
from tests.cli.bench import run_bench
from tests.site.conftest import HOSTILE
from tests.site.reading import case_file, read_data, rows_of_table

_SPEEDS = "select cell, value, unit, status, lowest, highest, trials from speed_table where is_default"


def test_its_speeds_are_those_of_the_table_in_sql(demo_ledger: Path, demo_site: Path) -> None:
    told = {row["cell"]: row for row in rows_of_table(demo_site, "speed")}

    asked = {row["cell"]: row for row in benchledger.sql(_SPEEDS, db=demo_ledger).to_dicts()}

    assert {cell: {name: row[name] for name in asked[cell]} for cell, row in told.items()} == asked


@pytest.mark.parametrize("table", ["speed", "memory", "speedup"])
def test_every_number_has_its_explanation_and_agrees_with_it(demo_site: Path, table: str) -> None:
    rows = rows_of_table(demo_site, table)

    explained = {
        row["cell"]: next(cell for cell in case_file(demo_site, row["case"])["cells"] if cell["cell"] == row["cell"])
        for row in rows
    }

    assert rows
    assert all(cell["agrees"] and cell["sentences"] and cell["table"] == table for cell in explained.values())


def test_a_number_leads_to_the_lines_that_explain_tells(demo_ledger: Path, demo_site: Path) -> None:
    row = next(row for row in rows_of_table(demo_site, "speed") if row["value"] is not None)
    told = next(cell for cell in case_file(demo_site, row["case"])["cells"] if cell["cell"] == row["cell"])

    asked = benchledger.explain(row["cell"], db=demo_ledger)

    assert told["sentences"] == list(asked.sentences)
    assert [lines["used"] for lines in told["lines"]] == [
        used.height for used in asked.readings.filter(use="kept").partition_by("run_key", maintain_order=True)
    ]
    used = asked.readings.filter(use="kept").select("log", "line")
    shown = [tuple(line[:2]) for lines in told["lines"] for line in lines["shown"]["rows"]]
    assert shown
    assert set(shown) <= set(used.iter_rows())


def test_every_run_has_its_page_with_all_statements_and_their_places(demo_ledger: Path, demo_site: Path) -> None:
    for row in rows_of_table(demo_site, "runs"):
        told = next(run for run in case_file(demo_site, row["case"])["runs"] if run["run"] == row["run_key"])
        asked = benchledger.show_run(row["run_key"], db=demo_ledger)

        assert len(told["facts"]["rows"]) == asked.facts.height
        assert [line[0] for line in told["logs"]["rows"]] == asked.logs["log"].to_list()


def test_its_ranking_is_that_of_the_report(demo_ledger: Path, demo_site: Path) -> None:
    told = read_data(demo_site, "ranking")

    for per_gpu, name in ((False, "whole"), (True, "per_gpu")):
        report = benchledger.report_ranking(db=demo_ledger, per_gpu=per_gpu)

        assert [table["rows"] for table in told[name]] == [
            [list(row) for row in table.frame.iter_rows()] for table in report.tables
        ]
        assert [cell for table in told[name] for cell, _, _ in table["cells"]] == report.cells["cell"].to_list()


def test_whole_tables_lie_beside_it_as_csv_parquet_and_excel(demo_site: Path) -> None:
    cells = sorted(row["cell"] for row in rows_of_table(demo_site, "speed"))

    assert sorted(pl.read_parquet(demo_site / "data" / "speed.parquet")["cell"]) == cells
    assert sorted(pl.read_csv(demo_site / "data" / "speed.csv")["cell"]) == cells
    assert (demo_site / "data" / "numbers.xlsx").read_bytes().startswith(b"PK")


def test_no_page_runs_inline_scripts_or_names_another_place(demo_site: Path) -> None:
    page = (demo_site / "index.html").read_text()

    assert "script-src 'self'" in page
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", page)
    for file in demo_site.rglob("*.*"):
        if file.suffix in (".html", ".css") or (file.suffix == ".js" and file.parent == demo_site):
            text = file.read_text().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(
                r"https?://|\b(eval|innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b", text
            ), file


def test_texts_of_a_log_stand_in_no_page_and_reverse_nothing(hostile_site: Path) -> None:
    (run, *_) = rows_of_table(hostile_site, "runs")

    assert run["campaign"].startswith(HOSTILE.partition("\u202e")[0] + r"\u202e")
    assert r"\u202e" in run["gpu_model"]
    assert HOSTILE[:8] not in (hostile_site / "index.html").read_text()
    assert not any("\u202e" in file.read_text() for file in hostile_site.rglob("*.js"))


def test_an_earlier_site_is_replaced_and_other_files_stay(demo_ledger: Path, tmp_path: Path) -> None:
    export_site(tmp_path / "site", db=demo_ledger)
    (tmp_path / "site" / "CNAME").write_text("bench.example.org")

    export_site(tmp_path / "site", db=demo_ledger, precision="fp32")

    assert {row["precision"] for row in rows_of_table(tmp_path / "site", "speed")} == {"fp32"}
    assert len(list((tmp_path / "site" / "data" / "case").glob("*/*.js"))) < len(
        rows_of_table(tmp_path / "site", "runs")
    )
    assert (tmp_path / "site" / "CNAME").exists()
    assert not list((tmp_path / "site").glob(".*"))


@pytest.mark.parametrize("own", ["data/notes.txt", "data/mine/x.js", "data/speed.md", ".data.old/case/mine.js"])
def test_a_file_among_the_data_of_an_earlier_site_that_is_no_part_of_it_is_not_removed(
    demo_ledger: Path, tmp_path: Path, own: str
) -> None:
    site = tmp_path / "site"
    export_site(site, db=demo_ledger)
    (site / own).parent.mkdir(parents=True, exist_ok=True)
    (site / own).write_text("mine")

    with pytest.raises(UsageError, match=f"{own}: is no file of a site, and would be removed"):
        export_site(site, db=demo_ledger)

    assert (site / own).read_text() == "mine"


def test_links_and_pipes_in_place_of_pages_are_replaced_and_no_target_is_written(
    demo_ledger: Path, tmp_path: Path
) -> None:
    site, own = tmp_path / "site", tmp_path / "own.txt"
    export_site(site, db=demo_ledger)
    own.write_text("mine")
    pages = sorted(page.name for page in site.iterdir() if page.is_file())
    for page in pages:
        (site / page).unlink()
        (site / page).symlink_to(own)
    (site / pages[0]).unlink()
    os.mkfifo(site / pages[0])
    (site / pages[1]).unlink()
    (site / pages[1]).symlink_to(tmp_path / "nothing.txt")

    export_site(site, db=demo_ledger)

    assert own.read_text() == "mine"
    assert not (tmp_path / "nothing.txt").exists()
    assert all((site / page).is_file() and not (site / page).is_symlink() for page in pages)


def test_a_folder_with_other_files_is_refused(demo_ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")

    with pytest.raises(UsageError, match="holds no earlier site"):
        export_site(tmp_path, db=demo_ledger)

    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_filters_that_nothing_meets_write_nothing(demo_ledger: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError, match="known: bert_base"):
        export_site(tmp_path / "site", db=demo_ledger, model="nothing")

    assert not (tmp_path / "site").exists()


def test_real_names_are_refused(demo_ledger: Path, tmp_path: Path) -> None:
    result = run_bench("--reveal", "site", tmp_path / "site", db=demo_ledger)

    assert result.exit_code == 2
    assert "pseudonyms only" in result.stderr
