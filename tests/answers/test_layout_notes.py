"""What stands around a layout's tables: in its language, once, shortly; nothing but remarks where that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchledger
from benchledger.exports.captions import short_paths
from benchledger.exports.output_forms import report_text
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows

LONG = "2021-2022/PaddlePaddle_Perf-58c854be/Bert/OtherReports/PyTorch/logs"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    with ledger_rows(place) as ledger:
        ledger.readme_000()
        ledger.run(status="oom", batch_size_per_gpu=96)
        ledger.run(1.0, campaign=LONG)
        ledger.run(7.0, campaign=LONG, gpus=8)
    return place


def test_a_chinese_page_has_its_notes_in_chinese_once_and_shortly(db: Path) -> None:
    text = report_text(benchledger.report_speed(db=db, layout="paddle", lang="zh", campaign="ngc"), "markdown")

    assert text.split("\n\n")[-1].splitlines() == [
        "- 测试批次 ngc；框架 pytorch；实现 ngc；模型 bert_base；任务 pretraining；GPU 型号 V100-SXM2-16GB",
        "- 统计口径 ngc.summary；每格 1 次运行，1 次未计入；每格采用 1 条记录，跳过 0 条",
        "- 10 个用例中 8 个有数值；OOM：1 x FP32(BS=96)；未运行：8 x FP32(BS=96)",
    ]


def test_memory_that_nobody_measured_is_one_sentence(db: Path) -> None:
    text = report_text(benchledger.report_memory(db=db, layout="paddle", lang="zh", campaign=LONG), "markdown")

    assert [line for line in text.splitlines() if "显存采样" in line] == ["- 这些运行的日志没有显存采样"]
    assert "missing" not in text


def test_without_notes_there_are_titles_tables_and_remarks(db: Path) -> None:
    done = run_bench(
        *("report", "speed", "--layout", "paddle", "--campaign", "ngc", "--no-notes", "--format", "markdown"), db=db
    )

    assert [line for line in done.stdout.splitlines() if line and not line.startswith("|")] == [
        "### Speed", "> Unit: samples/s", "> Special cases:", ">", "> - 1 GPU FP32(BS=96): OOM",
    ]  # fmt: skip


def test_each_of_several_tables_has_a_heading_of_its_own(db: Path) -> None:
    for report, layout in ((benchledger.report_speed, "paddle"), (benchledger.report_max_batch, "paddle")):
        heads = [line for line in report_text(report(db=db, layout=layout), "markdown").splitlines() if "###" in line]
        assert [head.partition(": ")[2] for head in heads] == ["…/PyTorch/logs", "ngc"]

    text = report_text(benchledger.report_speedup(db=db, layout="dlperf", batch_size_per_gpu=32), "markdown")
    sections = [line for line in text.splitlines() if line.startswith("### ")]
    assert len(set(sections)) == len(sections) == 2


def test_the_leaderboard_heads_each_table_and_shortens_long_paths_on_pages_only(db: Path) -> None:
    report = benchledger.leaderboard(db=db)

    text = report_text(report, "markdown")
    assert text.startswith("## bert_base, pretraining, V100-SXM2-16GB\n\n| gpus |")
    assert "| …/PyTorch/logs |" in text
    assert LONG not in text
    assert "one of" not in text
    assert all(LONG in report_text(report, form) for form in ("csv", "json"))


def test_a_path_is_shortened_as_far_as_it_is_told_from_the_others() -> None:
    one, other = (f"{year}/a/long/path/to/a/folder/of/many/logs" for year in ("2020", "2021"))

    assert short_paths([one, "short/a/b"]) == {one: "…/many/logs", "short/a/b": "short/a/b"}
    assert short_paths([one, other]) == {one: one, other: other}
