"""The tables of READMEs 000, 001 and 004 come out cell by cell, in their own layout. Needs the real logs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest, report_memory, report_speed, report_speedup, write_page
from benchledger.errors import BenchledgerError
from benchledger.exports.output_forms import report_text
from tests.ledger_rows import ledger_rows
from tests.readme_tables import readme, tables, tables_below

# Commits of PaddlePaddle/Perf that hold the logs of README 000: on 1 and 8 cards, on 32, on 32 without accumulation.
COMMITS = ("58c854be", "aaa5ab17", "89037820")
LOGS = "Bert/OtherReports/PyTorch/logs"


@pytest.fixture(scope="module")
def ngc(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("ngc") / "bench.duckdb"
    ingest(*(corpus / f"PaddlePaddle+Perf@{commit}" / LOGS for commit in COMMITS), db=db, campaign_name="NGC")
    return db


@pytest.fixture(scope="module")
def mxnet(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    (page,) = (shared / "seeds").glob("001_*.txt")
    folder = tmp_path_factory.mktemp("mxnet")
    shutil.copy(page, folder / "readme.log")
    (folder / "facts.toml").write_text('[options]\nxla = "false"\n', encoding="utf-8")
    ingest(folder, db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


def test_the_speed_table_of_readme_000_is_its_table_of_the_logs(ngc: Path, shared: Path) -> None:
    printed = readme(shared, "000")

    text = report_text(
        report_speed(db=ngc, layout="paddle", lang="zh", unit="sequences/sec", rows="1,8"),
        "markdown",
    )

    assert tables(text) == [tables_below(printed, "### 速度结果")[0]]
    assert text.startswith("### 速度结果\n\n> 单位： sequences/sec\n\n| 卡数 | ")
    assert "> 单位： sequences/sec" in printed


@pytest.mark.parametrize(
    ("nodes", "cells"),
    [
        ("4", ("-", "3973.97", "15941.15", "16311.64")),
        # Without accumulation: these logs do not say on how many nodes.
        ("unknown", ("-", "3179.96", "-", "12061.62")),
    ],
)
def test_the_32_cards_of_readme_000_have_a_row_in_its_layout(ngc: Path, nodes: str, cells: tuple[str, ...]) -> None:
    cases = "fp32:32,fp32:48,amp:64,amp:96"

    (table,) = report_speed(db=ngc, layout="paddle", lang="zh", columns=cases, rows=32, nodes=nodes).tables

    assert table.frame.columns == ["卡数", "FP32(BS=32)", "FP32(BS=48)", "AMP(BS=64)", "AMP(BS=96)"]
    assert table.frame.rows() == [("32", *cells)]


def test_the_memory_table_of_readme_000_is_set_out_where_no_log_has_memory(ngc: Path, shared: Path) -> None:
    printed = tables_below(readme(shared, "000"), "### 显存结果")[0]

    report = report_memory(db=ngc, layout="paddle", lang="zh", rows="1,8")
    text = report_text(report, "markdown")

    assert tables(text) == [[tuple(cell or "-" for cell in row) for row in printed]]
    assert text.startswith("### 显存结果\n\n> 单位： MiB\n\n| 卡数 | ")
    assert "这些运行的日志没有显存采样" in text
    assert report.cells.height == 0


def test_the_batch_32_table_of_readme_001_comes_out_of_its_printed_trials(mxnet: Path, shared: Path) -> None:
    text = report_text(report_speedup(db=mxnet, layout="dlperf"), "markdown")

    assert tables(text) == [tables_below(readme(shared, "001"), "BERT-base batch_size = 32")[0]]
    assert text.startswith("### FP32 & W/O XLA\n\n#### BERT-base batch_size = 32\n\n| node_num | ")


def test_the_batch_24_table_of_readme_001_is_only_what_it_published(mxnet: Path, shared: Path) -> None:
    report = report_speedup(db=mxnet, layout="dlperf", published="*DLPerf MxNet*", batch_size_per_gpu=24)

    assert tables(report_text(report, "markdown")) == [
        tables_below(readme(shared, "001"), "BERT-base batch_size = 24")[0]
    ]
    assert report.tables[0].notes == ("published numbers, not measured here; compare: bench query against-published",)
    assert report.cells.height == 8


def test_the_speed_table_that_readme_000_published_is_the_one_of_its_logs(ngc: Path, shared: Path) -> None:
    report = report_speed(db=ngc, layout="paddle", lang="zh", published="*nlp_modelName*")

    assert tables(report_text(report, "markdown")) == [tables_below(readme(shared, "000"), "### 速度结果")[0]]


def test_what_nobody_published_is_not_called_not_run(ngc: Path) -> None:
    (table,) = report_speed(db=ngc, published="*nlp_modelName*", columns="fp32:32", rows="1,32").tables

    assert table.frame.rows() == [("1", "127.09"), ("32", "-")]
    assert str(table.coverage) == "1 of 2 cells filled; missing: 32 x fp32 BS=32: not published"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"published": "*nobody*"}, "no published numbers from source '*nobody*'; known sources: "),
        ({"published": "*", "trials": True}, "are shown as printed: remove trials"),
        ({"published": "*", "name": "x"}, "published numbers do not state name: remove that filter"),
        ({"published": "*", "campaign": "ngc"}, "published numbers do not state campaign: remove that filter"),
        ({"published": "*", "rule": "nosuch"}, "no rule 'nosuch'; known: "),
        ({"published": "*", "gpus": 7}, "no published number with gpus '7'; known: "),
    ],
)
def test_published_numbers_that_cannot_be_shown(ngc: Path, words: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchledgerError) as error:
        report_speed(db=ngc, **words)

    assert said in str(error.value)


def test_the_heads_of_readme_001_in_chinese(mxnet: Path) -> None:
    (table,) = report_speedup(db=mxnet, layout="dlperf", lang="zh").tables

    assert table.frame.columns == ["节点数", "卡数", "samples/s", "加速比"]
    assert table.frame.row(1) == ("1", "8", "928.03", "7.3")


def test_the_table_of_readme_004_is_set_out_before_anything_but_one_number_is_known(
    tmp_path: Path, shared: Path
) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(127.09, framework="oneflow", gpus=2)
    (printed,) = tables(readme(shared, "004"))

    text = report_text(report_speed(db=tmp_path / "bench.duckdb", layout="paddle_max", lang="zh"), "markdown")

    assert tables(text) == [printed]


def test_a_page_in_the_layout_of_readme_000_fails_its_check_once_a_digit_was_changed(ngc: Path, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    command = "bench report speed --layout paddle --lang zh --unit sequences/sec --rows 1,8"
    page.write_text(f"# BERT\n\n<!-- {command} -->\n<!-- /bench -->\n", encoding="utf-8")

    write_page(page, db=ngc)
    written = page.read_bytes()
    again = write_page(page, db=ngc)
    page.write_bytes(written.replace(b"4207.36", b"4207.38"))
    changed = write_page(page, db=ngc, check=True)

    assert again.changed == ()
    assert changed.changed == (3,)
    assert "-| 8 | 1018.40 | 1012.80 | 4063.19 | 4207.38 |" in changed.diff.splitlines()
