"""Tables hold the columns and rows that they are asked for, in the layout and language that they are asked in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchledger import report_max_batch, report_memory, report_speed, report_speedup, sql, use_definitions
from benchledger.errors import BenchledgerError, NothingFoundError
from benchledger.exports.output_forms import report_text
from tests.answers.conftest import Own
from tests.cli.bench import run_bench
from tests.exports.hostile import HOSTILE
from tests.exports.test_markdown import Rendered
from tests.ledger_rows import ledger_rows
from tests.views.conftest import given


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


@pytest.fixture(scope="module")
def readme_000(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("readme") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.readme_000()
    return db


def test_columns_and_rows_stand_in_the_order_asked_for_known_or_not(readme_000: Path) -> None:
    (table,) = report_speed(db=readme_000, columns="amp:96,fp32:64,fp32:32", rows="32,8").tables

    assert table.frame.columns == ["gpus", "FP16(BS=96)", "FP32(BS=64)", "FP32(BS=32)"]
    assert table.frame.rows() == [("32", "-", "-", "-"), ("8", "4207.36", "-", "1018.40")]
    assert str(table.coverage).startswith("2 of 6 cells filled; missing: 32 x fp16 BS=96: not run, ")


def test_the_numbers_behind_a_table_are_those_asked_for(readme_000: Path) -> None:
    report = report_speed(db=readme_000, columns="fp32:max", rows=8, trials=True)

    assert report.cells["batch_size_per_gpu"].to_list() == [32, 48]
    assert report.cells["gpus"].unique().to_list() == [8]
    (table,) = report.tables
    assert table.trials is not None
    assert table.trials["case"].to_list() == ["FP32(BS=32)", "FP32(BS=48)"]


def test_a_row_without_any_of_the_columns_asked_for_stays(readme_000: Path) -> None:
    (table,) = report_speed(db=readme_000, columns=["bf16:8"]).tables

    assert table.frame.rows() == [("1", "-"), ("8", "-")]


@given(
    lambda ledger: [
        ledger.run(10.0, batch_size_per_gpu=32),
        ledger.run(9.0, batch_size_per_gpu=64),
        ledger.run(batch_size_per_gpu=96, status="truncated"),
        ledger.run(80.0, gpus=8, batch_size_per_gpu=32),
        ledger.run(gpus=8, batch_size_per_gpu=64, status="oom"),
    ]
)
def test_bs_max_is_the_largest_that_ran_row_by_row_and_says_which(own: Own) -> None:
    (table,) = report_speed(**own, columns="fp32:max").tables

    assert table.frame.rows() == [("1", "9.00"), ("8", "80.00")]
    assert table.notes[0] == "BS=max: 1 x FP32(BS=64), 8 x FP32(BS=32)"


@given(lambda ledger: [ledger.run(10.0, batch_size_per_gpu=32), ledger.run(batch_size_per_gpu=64)])
def test_the_largest_that_ran_counts_also_where_its_rule_gives_no_number(own: Own) -> None:
    assert report_speed(**own, columns="fp32:max").tables[0].frame.rows() == [("1", "TOO FEW RECORDS")]


@given(lambda ledger: [ledger.run(1.0), ledger.run(2.0, gpus=32, nodes=4), ledger.run(3.0, gpus=32, nodes=None)])
def test_rows_are_split_only_by_what_is_shown(own: Own) -> None:
    (table,) = report_speed(**own, rows="1").tables
    (split,) = report_speed(**own, rows="1,32,64").tables

    assert table.frame.rows() == [("1", "1.00")]
    assert split.frame.rows() == [("1", "1", "1.00"), ("32", "4", "2.00"), ("32", "unknown", "3.00"), ("64", "-", "-")]


@given(lambda ledger: [ledger.run(100.0), ledger.run(730.0, gpus=8)])
def test_the_speedup_table_has_rows_and_columns_that_are_asked_for(own: Own) -> None:
    (table,) = report_speedup(**own, columns="gpu_num,speedup,efficiency", rows="8,16").tables

    assert table.frame.rows() == [("8", "7.30", "0.912"), ("16", "-", "-")]


@given(
    lambda ledger: [
        ledger.run(speed, gpus=gpus) for gpus, speed in ((1, 100.0), (2, 200.0), (4, 399.6), (8, 730.0), (16, 55.0))
    ]
)
def test_a_speedup_is_written_as_python_prints_it_but_for_the_base(own: Own) -> None:
    (table,) = report_speedup(**own, layout="dlperf").tables

    assert table.frame["speedup"].to_list() == ["1.00", "2.0", "4.0", "7.3", "0.55"]


@given(lambda ledger: [ledger.run(1.0, options='{"xla":"true"}'), ledger.run(1.0, precision="fp16")])
def test_xla_stands_in_the_section_only_where_somebody_stated_it(own: Own) -> None:
    sections = [table.above.section for table in report_speedup(**own, layout="dlperf").tables]

    assert sorted(map(str, sections)) == ["FP16", "FP32 & W/ XLA"]


@given(
    lambda ledger: [
        ledger.run(1.0, batch_size_per_gpu=64, global_batch_size=64),
        ledger.run(2.0, gpus=2, batch_size_per_gpu=32, global_batch_size=64),
    ]
)
def test_a_table_of_strong_scaling_says_what_is_fixed(own: Own) -> None:
    titles = [table.above.title for table in report_speedup(**own, layout="dlperf").tables]

    assert "BERT-base global_batch_size = 64" in titles


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"columns": "fp32"}, "no column 'fp32': write precision and batch size, such as fp32:32"),
        ({"columns": "fp31:32"}, "no precision 'fp31' in column 'fp31:32'; known: fp32, tf32, "),
        ({"columns": "fp32:0"}, "the batch size of column 'fp32:0' must be a whole number, max or unknown"),
        ({"columns": "fp32:²"}, "the batch size of column 'fp32:²' must be a whole number"),
        ({"rows": "1,eight"}, "no row 'eight': rows are numbers of GPUs, such as 1,8,32"),
        ({"layout": "padle"}, "no layout 'padle'; did you mean 'paddle'?; known: paddle, paddle_max, "),
        ({"layout": "dlperf"}, "layout 'dlperf' has no speed table, but: speedup, max-batch. Layouts that have one: "),
        ({"lang": "de"}, "no language 'de'; known: en, zh"),
        ({"unit": "tokens/s"}, "'tokens/s' is not a name for samples/s; known: "),
    ],
)
def test_what_no_table_has_is_refused_with_what_there_is(readme_000: Path, words: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchledgerError) as error:
        report_speed(db=readme_000, **words)

    assert error.value.exit_code == 2
    assert said in str(error.value)


def test_two_columns_of_one_head_are_refused(readme_000: Path) -> None:
    with pytest.raises(BenchledgerError, match="two columns of this table would have the heading '卡数': select one"):
        report_max_batch(db=readme_000, columns="gpus,gpu_num,largest_ok,smallest_oom", lang="zh")


def test_a_column_that_the_speedup_table_has_not_is_refused(readme_000: Path) -> None:
    with pytest.raises(BenchledgerError, match="no column 'speed' in the speedup table; known: node_num, gpu_num, "):
        report_speedup(db=readme_000, columns="speed")


@pytest.mark.parametrize(
    ("spellings", "shown"),
    [
        (("sequences/sec", "sequences/sec"), "sequences/sec"),
        (("sequences/sec", "seq/s"), "samples/s"),
        ((None, None), "samples/s"),
    ],
)
def test_the_unit_is_spelt_as_logged_where_all_logs_agree(
    db: Path, spellings: tuple[str | None, str | None], shown: str
) -> None:
    with ledger_rows(db) as ledger:
        for gpus, spelling in zip((1, 8), spellings, strict=True):
            shape = ledger.shape("summary", name="speed", quantity="throughput")
            ledger.con.execute("update kept.shape set unit_logged = ? where shape_id = ?", [spelling, shape])
            ledger.run(1.0, gpus=gpus, shape_id=shape)

    (table,) = report_speed(db=db, layout="paddle").tables

    assert table.above.unit == f"Unit: {shown}"


def test_the_unit_asked_for_stands_in_every_layout(readme_000: Path) -> None:
    (plain,) = report_speed(db=readme_000, unit="seq/s").tables
    (paddle,) = report_speed(db=readme_000, unit="seq/s", layout="paddle").tables
    speedups = report_speedup(db=readme_000, unit="seq/s").tables

    assert plain.facts["unit"] == paddle.facts["unit"] == "seq/s"
    assert paddle.above.unit == "Unit: seq/s"
    assert all("seq/s" in table.frame.columns for table in speedups)


@given(
    lambda ledger: [
        ledger.run(1.0),
        *(ledger.run(speed, gpus=8) for speed in (7.0, 8.0)),
        ledger.run(9.0, gpus=8, status="failed"),
    ]
)
def test_what_is_said_below_a_table_is_of_what_it_shows(own: Own) -> None:
    (table,) = report_speed(**own, rows=1).tables

    assert table.notes == ("trials: 1 per cell, 0 dropped; records: 1 used per cell, 0 skipped",)


@given(
    lambda ledger: [
        ledger.device_memory(ledger.run(1.0), ("0", 15000.0)),
        ledger.device_memory(ledger.run(1.0, batch_size_per_gpu=48), ("0", 16000.0)),
        ledger.run(gpus=8, status="oom"),
    ]
)
def test_memory_has_the_same_columns_and_rows(own: Own) -> None:
    (table,) = report_memory(**own, layout="paddle", lang="zh", columns="fp32:max,amp:64", rows="1,8,32").tables

    assert table.frame.columns == ["卡数", "FP32(BS=max)", "AMP(BS=64)"]
    assert table.frame.rows() == [("1", "16000.00", "-"), ("8", "OOM", "-"), ("32", "-", "-")]
    assert (table.above.title, table.above.unit) == ("显存结果", "单位： MiB")


def test_memory_that_nobody_measured_is_nothing_found_in_the_plain_layout(readme_000: Path) -> None:
    with pytest.raises(NothingFoundError):
        report_memory(db=readme_000)


def test_campaigns_without_memory_are_set_out_only_where_none_has_any(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.device_memory(ledger.run(1.0), ("0", 15000.0))
        ledger.run(1.0, campaign="other")

    every = report_memory(db=db, layout="paddle")
    other = report_memory(db=db, layout="paddle", campaign="other")

    assert [table.facts["campaign"] for table in every.tables] == ["ngc"]
    assert [table.frame.rows() for table in other.tables] == [[("1", "-")]]
    assert other.tables[0].notes == (
        "no log of these runs has a memory sample, in telemetry beside it or in its own lines",
    )


def test_names_of_numbers_stand_in_a_table_only_if_asked_for(readme_000: Path) -> None:
    report = report_speed(db=readme_000, columns="fp32:32,fp32:8", rows=1, cells=True)

    (name,) = report.cells["cell"].to_list()
    assert report.tables[0].frame.rows() == [("1", f"127.09 {name}", "-")]
    assert sql(f"select value from speed_table where cell = '{name}'", db=readme_000)["value"].to_list() == [127.09]
    assert name not in report_text(report_speed(db=readme_000), "markdown")


def test_the_command_takes_the_same_words(readme_000: Path) -> None:
    words = ["--layout", "paddle", "--lang", "zh", "--unit", "sequences/sec", "--columns", "fp32:32", "--rows", "8,32"]

    result = run_bench("report", "speed", *words, "--format", "markdown", db=readme_000)

    assert result.stdout.startswith(
        "### 速度结果\n\n> 单位： sequences/sec\n\n| 卡数 | FP32(BS=32) |\n| :---: | :---: |\n| 8 | 1018.40 |\n| 32 | - |\n\n- "
    )


def test_hostile_names_neither_break_a_table_nor_its_headings(db: Path) -> None:
    texts = [text for text in HOSTILE if text]
    with ledger_rows(db) as ledger:
        for text in texts:
            ledger.run(1.0, campaign=text, model=text)
            ledger.run(2.0, campaign=text, model=text, gpus=8)

    page = Rendered(report_text(report_speedup(db=db, layout="dlperf", lang="zh"), "markdown"))

    # The last cell of a table has the words below it, to this reader.
    assert [row[:3] for row in page.rows] == [
        ["节点数", "卡数", "samples/s"], ["1", "1", "1.00"], ["1", "8", "2.00"],
    ] * len(texts)  # fmt: skip
    assert page.kinds == {"table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "ul", "li"}
    assert page.text.count("batch_size = 32") == len(texts)


def test_a_layout_of_one_s_own_is_used_like_a_shipped_one(readme_000: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "queries" / "layouts"
    folder.mkdir(parents=True)
    (folder / "house.toml").write_text(
        'source = "x"\ndescription = "x"\n[[report]]\nname = "speed"\ncolumns = ["fp16:max"]\n'
        'title = { en = "Speed of {model}", zh = "{model}" }\n[headings]\ngpus = { en = "cards", zh = "卡" }\n',
        encoding="utf-8",
    )
    use_definitions(tmp_path / "mine")
    try:
        (table,) = report_speed(db=readme_000, layout="house").tables
    finally:
        use_definitions()

    assert table.above.title == "Speed of bert_base"
    assert table.frame.rows() == [("1", "532.24"), ("8", "4207.36")]
    assert table.frame.columns == ["cards", "FP16(BS=max)"]
