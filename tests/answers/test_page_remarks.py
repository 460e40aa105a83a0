"""What stands quoted under a layout's table: what failed, what does not count, and what facts.toml notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from benchledger import report_memory, report_speed, report_speedup
from tests.cli.bench import run_bench
from tests.exports.hostile import HOSTILE
from tests.ledger_rows import ledger_rows

SPOILT = "<script>alert(1)</script> | a\n> b"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    with ledger_rows(place) as ledger:
        run = ledger.run(1.0, batch_size_per_gpu=32)
        ledger.device_memory(run, ("0", 100.0))
        ledger.fact(run, "note", "the fans were loud", "facts.toml", used=True)
        ledger.run(status="oom", batch_size_per_gpu=64)
        for status in ("ok", "ok", "truncated", "failed"):
            run = ledger.run(*([2.0] if status == "ok" else []), batch_size_per_gpu=48, gpus=8, status=status)
            ledger.fact(run, "note", SPOILT, "facts.toml", used=True)
    return place


def test_each_case_says_what_became_of_it_and_each_note_whose_it_is(db: Path) -> None:
    (table,) = report_speed(db=db, layout="paddle", lang="zh").tables

    assert table.remarks == (
        "特殊情况说明：",
        "单卡 FP32(BS=64)：OOM",
        "8卡 FP32(BS=48)：4 次中 2 次未计入（TRUNCATED、FAILED）",
        "单卡 FP32(BS=32)：the fans were loud",
        f"8卡 FP32(BS=48)：{SPOILT}",
    )


def test_the_same_in_english(db: Path) -> None:
    (table,) = report_speed(db=db, layout="paddle").tables

    assert table.remarks[:3] == (
        "Special cases:", "1 GPU FP32(BS=64): OOM", "8 GPUs FP32(BS=48): 2 of 4 trials not counted (TRUNCATED, FAILED)",
    )  # fmt: skip


def test_a_note_of_every_case_stands_alone(db: Path) -> None:
    (table,) = report_speed(db=db, layout="paddle", batch_size_per_gpu=32).tables

    assert table.remarks == ("Special cases:", "the fans were loud")


def test_only_what_the_table_shows_is_remarked(db: Path) -> None:
    (table,) = report_speed(db=db, layout="paddle", rows="8").tables

    assert len(table.remarks) == 3
    assert all("8 GPUs" in line or line == SPOILT for line in table.remarks[1:])


def test_memory_that_nobody_measured_is_no_failure(db: Path) -> None:
    (table,) = report_memory(db=db, layout="paddle").tables

    assert table.remarks[:2] == ("Special cases:", "1 GPU FP32(BS=64): OOM")
    assert not any("TRUNCATED" in line for line in table.remarks)


def test_the_layout_of_readme_001_says_them_too(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, gpus=1)
        ledger.run(7.0, gpus=8)
        ledger.run(status="truncated", gpus=8)
        ledger.run(status="oom", gpus=32, nodes=4)

    (table,) = report_speedup(db=tmp_path / "bench.duckdb", layout="dlperf").tables
    assert table.remarks[1:] == (
        "8 GPUs FP32(BS=32): 1 of 2 trials not counted (TRUNCATED)",
        "32 GPUs FP32(BS=32): OOM",
    )
    (table,) = report_speedup(db=tmp_path / "bench.duckdb", layout="dlperf", rows="1,8").tables
    assert table.remarks[1:] == ("8 GPUs FP32(BS=32): 1 of 2 trials not counted (TRUNCATED)",)
    assert report_speedup(db=tmp_path / "bench.duckdb").tables[0].remarks == ()


def test_they_are_one_quotation_in_which_nothing_is_markup(db: Path) -> None:
    text = run_bench("report", "speed", "--layout", "paddle", "--format", "markdown", db=db).stdout
    html = MarkdownIt("commonmark").enable("table").render(text)

    quoted = re.findall(r"<blockquote>(.*?)</blockquote>", html, re.DOTALL)
    assert [block.count("<li>") for block in quoted] == [0, 4]
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; | a\\n&gt; b" in quoted[1]


def test_notes_of_any_text_stay_one_line_each(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for batch, text in enumerate(filter(None, HOSTILE), start=1):
            ledger.fact(ledger.run(1.0, batch_size_per_gpu=batch), "note", text, "facts.toml", used=True)

    done = run_bench("report", "speed", "--layout", "paddle", "--format", "markdown", db=tmp_path / "bench.duckdb")
    html = MarkdownIt("commonmark").enable("table").render(done.stdout)
    assert re.findall(r"<blockquote>(.*?)</blockquote>", html, re.DOTALL)[1].count("<li>") == len(HOSTILE) - 1
    assert not re.search(r"<(script|img|a|em|strong|ol|code|hr)\b", html)


def test_without_a_layout_tables_are_as_they_were(db: Path) -> None:
    assert [table.remarks for table in report_speed(db=db).tables] == [()]


def test_where_nothing_is_remarkable_nothing_is_said(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.readme_000()

    assert report_speed(db=tmp_path / "bench.duckdb", layout="paddle").tables[0].remarks == ()
