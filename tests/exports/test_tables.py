"""Exported reports, each opened by what its readers use."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pytest

import benchledger
from benchledger.answers.tables.table import Report, Table
from benchledger.errors import UsageError
from benchledger.exports.tables import reports_text
from benchledger.exports.values import escaped, is_formula
from benchledger.exports.workbook import write_reports
from tests.cli.bench import run_bench
from tests.exports.hostile import HOSTILE
from tests.ledger_rows import ledger_rows

EVERY = ("speed", "memory", "speedup", "failures", "environment", "leaderboard")
HOSTILE_TEXTS = [text for text in HOSTILE if text]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """README 000's runs, one with a campaign that is a formula, and one failure for each hostile text."""
    db = tmp_path_factory.mktemp("exports") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.readme_000()
        ledger.device_memory(ledger.run(127.0899999, campaign="=1+1"), ("0", 15000.0))
        for number, text in enumerate(HOSTILE_TEXTS):
            ledger.run(gpus=4, status="oom", reason=text, text=text, key=f"{number:012x}-9")
    return db


@pytest.fixture(scope="module")
def reports(db: Path) -> tuple[Report, ...]:
    return benchledger.export_tables(*EVERY, output=db.with_name("all.xlsx"), db=db)


@pytest.fixture(scope="module")
def workbook(db: Path, reports: tuple[Report, ...]) -> Path:
    return db.with_name("all.xlsx")


def test_the_first_sheet_says_what_each_sheet_is_its_rule_and_when_the_ledger_was_filled(workbook: Path) -> None:
    book = openpyxl.load_workbook(workbook)
    about = [[cell.value for cell in row] for row in book["about"].iter_rows()]

    assert book.sheetnames[0] == "about"
    assert [row[0] for row in about[1:]] == book.sheetnames[1:]
    speed = next(row for row in about if row[0] == "speed")
    assert speed[1].startswith("speed: campaign =1+1; framework pytorch")
    assert speed[2:4] == ["ngc.summary", "test"]
    assert {row[5] for row in about[1:]} == {"2021-03-01 12:00:00"}


def test_sheets_are_named_by_model_and_card_where_these_differ_and_each_once(tmp_path: Path) -> None:
    frame = pl.DataFrame({"gpus": ["1"]})
    facts = [("bert_base", "H200"), ("bert_base", None), ("resnet50", "H200"), ("bert_base", "H200")]
    tables = tuple(
        Table({"model": model, "gpu_model": card, "unit": "samples/s"}, None, frame) for model, card in facts
    )
    write_reports(tmp_path / "x.xlsx", [Report("speed", tables, frame)], {}, datetime(2021, 3, 1))

    book = openpyxl.load_workbook(tmp_path / "x.xlsx")

    names = [
        "speed bert_base H200",
        "speed bert_base",
        "speed resnet50 H200",
        "speed bert_base H200 2",
        "speed numbers",
    ]
    assert book.sheetnames == ["about", *names]
    assert [row[0].value for row in book["about"].iter_rows(min_row=2)] == names
    assert (book["speed numbers"].auto_filter.ref, book["speed bert_base"].auto_filter.ref) == ("A1:A2", None)


def test_a_sheet_is_a_table_with_a_frozen_head_numbers_that_show_what_the_report_shows(workbook: Path) -> None:
    sheet = openpyxl.load_workbook(workbook)["speed 2"]
    first, second, *_ = [list(row) for row in sheet.iter_rows()]

    assert sheet.freeze_panes == "A2"
    assert [cell.value for cell in first] == ["gpus", "FP32(BS=32)", "FP32(BS=48)", "FP16(BS=64)", "FP16(BS=96)"]
    assert [(cell.value, cell.data_type, cell.number_format) for cell in second[:2]] == [
        (1, "n", "0"),
        (127.09, "n", "0.00"),
    ]
    assert all(8 <= sheet.column_dimensions[letter].width <= 62 for letter in "ABCDE")


def test_the_numbers_stand_unrounded_beside_the_names_of_their_cells(workbook: Path) -> None:
    read = pd.read_excel(workbook, sheet_name="leaderboard numbers")

    assert 127.0899999 in set(read["value"])
    assert set(read["cell"].str.fullmatch("s[0-9a-f]{10}")) == {True}


def test_no_text_of_a_log_is_a_formula_a_link_or_a_number_in_excel(workbook: Path) -> None:
    book = openpyxl.load_workbook(workbook)
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    texts = {cell.value for cell in cells if cell.data_type == "s"}

    assert {cell.data_type for cell in cells} <= {"s", "n", "b", "d"}
    assert [cell for cell in cells if cell.hyperlink] == []
    assert {escaped(text) for text in HOSTILE_TEXTS} <= texts
    assert "=1+1" in texts
    # Excel reads a cell again when it is edited, unless it is quoted.
    assert {cell.value for cell in cells if cell.quotePrefix} == {text for text in texts if is_formula(text)}
    assert "＝cmd|' /C calc'!A0" in {cell.value for cell in cells if cell.quotePrefix}


def test_a_key_of_63_bits_is_not_rounded_in_excel(tmp_path: Path) -> None:
    from datetime import datetime

    from benchledger.exports.excel import Sheet, write_workbook

    frame = pl.DataFrame({"id": [2**62 + 1], "value": [float("inf")]})
    write_workbook(tmp_path / "x.xlsx", [Sheet("a/b:c", frame), Sheet("A B C", frame)], datetime(2026, 1, 1))
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")

    assert [cell.value for cell in book["a b c"][2]] == [str(2**62 + 1), "inf"]
    assert book.sheetnames == ["a b c", "A B C 2"]
    assert book.properties.created == datetime(2026, 1, 1)


def test_the_same_ledger_gives_the_same_bytes(
    db: Path, workbook: Path, tmp_path: Path, reports: tuple[Report, ...]
) -> None:
    again = benchledger.export_tables(*EVERY, output=tmp_path / "again.xlsx", db=db)

    assert (tmp_path / "again.xlsx").read_bytes() == workbook.read_bytes()
    for form in ("markdown", "json", "latex"):
        assert reports_text(again, form) == reports_text(reports, form)


def test_parquet_of_several_tables_is_a_folder_that_polars_and_duckdb_read(db: Path, tmp_path: Path) -> None:
    reports = benchledger.export_tables("speed", "failures", output=tmp_path / "out", form="parquet", db=db)
    read = pl.read_parquet(tmp_path / "out" / "speed.parquet")
    texts = duckdb.sql(
        "select text from read_parquet($path)", params={"path": str(tmp_path / "out" / "failures.parquet")}
    )

    assert read.equals(reports[0].cells)
    assert {text for (text,) in texts.fetchall()} == set(HOSTILE_TEXTS)


def test_one_table_in_csv_is_one_file(db: Path, tmp_path: Path) -> None:
    run_bench("export", "tables", "failures", "--output", tmp_path / "failures.csv", db=db)
    read = pl.read_csv(tmp_path / "failures.csv")

    assert read.height == len(HOSTILE_TEXTS)
    assert not read["reason"].str.contains(r"^[=+\-@\t\r]").any()


def test_json_of_several_tables_is_a_list_of_reports(db: Path) -> None:
    answer = json.loads(run_bench("export", "tables", "speed", "failures", "--format", "json", db=db).stdout)

    assert [report["report"] for report in answer] == ["speed", "failures"]


def test_latex_is_balanced_and_holds_no_command_of_a_log(reports: tuple[Report, ...]) -> None:
    text = reports_text(reports, "latex")
    body = text.replace(r"\{", "").replace(r"\}", "")

    assert body.count("{") == body.count("}")
    assert (
        text.count(r"\toprule")
        == text.count(r"\midrule")
        == text.count(r"\bottomrule")
        == text.count(r"\begin{tabular}")
    )
    assert r"\textbackslash{}textbf\{x\} \$y\$ 50 \% \& \# \textasciicircum{} \textasciitilde{} \{\}" in text
    assert r"\textbf" not in text
    for block in text.split(r"\begin{tabular}{")[1:]:
        columns, _, rest = block.partition("}")
        rows = [line for line in rest.split(r"\end{tabular}")[0].splitlines() if line.endswith(r" \\")]
        assert {row.replace(r"\&", "").count("&") + 1 for row in rows} == {len(columns)}


def test_a_table_that_nothing_is_found_for_says_so_and_the_others_are_written(db: Path, tmp_path: Path) -> None:
    written = run_bench("export", "tables", "speed", "memory", "--gpus", "8", "--output", tmp_path / "x.xlsx", db=db)
    about = openpyxl.load_workbook(tmp_path / "x.xlsx")["about"]

    assert written.exit_code == 0
    assert "memory: none of the 4 selected series" in written.stderr
    assert [cell.value for cell in about[about.max_row]][:2] == ["memory", "nothing found"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tables", "sped"], "known: convergence, environment, failures"),
        (["tables", "environment", "speed", "--lang", "zh"], "the environment table takes no lang"),
        (["tables", "speed", "--format", "xlsx"], "--output FILE"),
        (["tables", "speed", "memory", "--format", "csv"], "--output FOLDER"),
        (["tables", "speed", "--output", "x.doc"], "known: .md, .csv"),
        (["tables", "memory", "--rule", "ngc.summary"], "option rule is not supported; it is for: speed, speedup"),
        (
            ["tables", "failures", "--layout", "paddle"],
            "it is for: environment, logs, max-batch, memory, speed, speedup",
        ),
    ],
)
def test_a_mistake_is_said_with_its_cure(db: Path, words: list[str], said: str) -> None:
    result = run_bench("export", *words, db=db)

    assert result.exit_code == UsageError.exit_code
    assert said in result.stderr


def test_a_layout_and_a_language_go_to_the_tables_that_take_them(db: Path, tmp_path: Path) -> None:
    words = ["--layout", "paddle", "--lang", "zh", "--campaign", "ngc"]
    run_bench("export", "tables", "speed", "failures", *words, "--output", tmp_path / "x.md", db=db)

    assert "| 卡数 | FP32(BS=32) |" in (tmp_path / "x.md").read_text(encoding="utf-8")


def test_a_page_is_exported_with_its_sections_its_links_and_its_failures_in_its_language(db: Path) -> None:
    words = ["--layout", "paddle", "--lang", "zh", "--campaign", "ngc"]
    page = run_bench("export", "tables", "environment", "speed", "failures", "logs", *words, db=db).stdout

    assert "### 1.物理机环境" in page
    assert "| 卡数 | FP32(BS=32) |" in page
    assert "| 状态 | 原因 |" in page
    assert "](./logs/" in page


@pytest.mark.parametrize("suffix", [".xlsx", ".md", ".csv", ".parquet", ".json", ".tex"])
def test_a_file_that_cannot_be_written_is_an_error_with_its_cure(db: Path, tmp_path: Path, suffix: str) -> None:
    result = run_bench("export", "tables", "failures", "--output", tmp_path / "none" / f"x{suffix}", db=db)

    assert result.exit_code == 1
    assert "Check that the folder exists" in result.stderr


def test_a_version_and_a_campaign_that_look_like_numbers_are_text_in_excel(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for version in ("2.10", "2.9"):
            ledger.run(1.0, campaign="2026", environment={"framework_version": version})
    benchledger.export_tables("speed", "leaderboard", output=tmp_path / "x.xlsx", db=tmp_path / "bench.duckdb")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")

    assert [[cell.value for cell in row] for row in book["speed"].iter_rows()] == [
        ["gpus", "framework_version", "FP32(BS=32)"],
        [1, "2.10", 1],
        [1, "2.9", 1],
    ]
    assert [row[11].value for row in book["leaderboard"].iter_rows()] == ["campaign", "2026", "2026"]


def test_a_version_is_text_in_excel_whatever_its_column_is_headed(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for version in ("2.10", "2.9"):
            ledger.run(1.0, environment={"framework_version": version})
    benchledger.export_tables("speed", lang="zh", output=tmp_path / "x.xlsx", db=tmp_path / "bench.duckdb")

    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx").worksheets[1]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["卡数", "框架版本", "FP32(BS=32)"],
        [1, "2.10", 1],
        [1, "2.9", 1],
    ]


def test_a_leaderboard_has_one_sheet_per_model_and_task(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for gpu_model in ("A100", "V100", None):
            ledger.run(9.0, environment={"gpu_model": gpu_model})
        ledger.run(7.0, model="resnet50", task=None)

    benchledger.export_tables("leaderboard", output=tmp_path / "all.xlsx", db=tmp_path / "bench.duckdb")
    book = openpyxl.load_workbook(tmp_path / "all.xlsx")

    # A name has 31 characters.
    assert book.sheetnames == [
        "about",
        "leaderboard bert_base pretraini",
        "leaderboard resnet50",
        "leaderboard numbers",
    ]
    rows = [[cell.value for cell in row] for row in book["leaderboard bert_base pretraini"].iter_rows()]
    assert rows[0][:7] == ["gpu_model", "unit", "gpus", "precision", "seq_len", "rank", "speed"]
    assert [row[:2] + row[5:7] for row in rows[1:]] == [
        ["A100", "samples/s", "1", 9],
        ["V100", "samples/s", "1", 9],
        ["unknown", "samples/s", "1", 9],
    ]
    assert book["leaderboard resnet50"]["A1"].value == "gpus"
    assert book["about"].max_row == 4
