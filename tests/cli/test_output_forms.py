"""CSV, JSON and Parquet: the same numbers, unrounded, and text that reads back as it was logged."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest

from benchledger.exports.values import escaped
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows

NASTY = "\x1b[31mred\x1b[0m \x9b1m \u202egnp.exe\u2066 a\tb\x00 \U000e0041"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: the tests only ask it."""
    db = tmp_path_factory.mktemp("forms") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.run(127.0899999)
        ledger.run(gpus=8, status="oom", reason="out of memory", text=NASTY, path="logs/\x1b]0;evil\x07.log")
    return db


def test_csv_has_one_row_per_number_unrounded(db: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run_bench("report", "speed", "--format", "csv", db=db).stdout)))

    assert [(row["gpus"], row["value"], row["unit"], row["status"], row["rule"]) for row in rows] == [
        ("1", "127.0899999", "samples/s", "ok", "ngc.summary"),
        ("8", "", "samples/s", "oom", "ngc.summary"),
    ]


def test_a_filter_takes_several_values(db: Path) -> None:
    for words in (["--gpus", "1,8"], ["--gpus", "1", "--gpus", "8"]):
        assert run_bench("report", "speed", *words, "--format", "csv", db=db).stdout.count("\n") == 3
    assert run_bench("report", "speed", "--gpus", "8", "--format", "csv", db=db).stdout.count("\n") == 2


def test_json_has_the_tables_and_every_number_behind_them(db: Path) -> None:
    answer = json.loads(run_bench("report", "speed", "--format", "json", db=db).stdout)

    assert answer["tables"][0]["rows"] == [{"gpus": "1", "FP32(BS=32)": "127.09"}, {"gpus": "8", "FP32(BS=32)": "OOM"}]
    assert answer["tables"][0]["coverage"] == {"present": 1, "total": 2, "missing": ["8 x fp32 BS=32: oom"]}
    assert [cell["value"] for cell in answer["cells"]] == [127.0899999, None]


@pytest.mark.parametrize("report", ["speed", "speedup", "failures"])
def test_parquet_goes_to_a_file(db: Path, tmp_path: Path, report: str) -> None:
    result = run_bench("report", report, "--format", "parquet", "--output", tmp_path / "out.parquet", db=db)

    assert (result.exit_code, result.stdout) == (0, "")
    assert pl.read_parquet(tmp_path / "out.parquet").height > 0


def test_parquet_without_a_file_says_what_to_add(db: Path) -> None:
    result = run_bench("runs", "--format", "parquet", db=db)

    assert result.exit_code == 2
    assert "--output FILE" in result.stderr


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_output_writes_what_would_have_been_printed(db: Path, tmp_path: Path, form: str) -> None:
    printed = run_bench("runs", "--format", form, db=db).stdout

    assert run_bench("runs", "--format", form, "--output", tmp_path / "out", db=db).stdout == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("words", [["report", "failures"], ["runs"], ["show", "0000"], ["sql", "from kept.segment"]])
def test_what_a_terminal_would_act_on_is_shown_escaped(db: Path, words: list[str]) -> None:
    key = (
        ""
        if words[0] != "show"
        else str(json.loads(run_bench("runs", "--gpus", "8", "--format", "json", db=db).stdout))
    )
    arguments = ["show", key.split("'run_key': '")[1].split("'")[0]] if key else words

    printed = run_bench(*arguments, db=db).stdout

    assert [char for char in printed if not char.isprintable() and char != "\n"] == []
    if arguments[0] != "runs":
        assert r"\x1b[31mred\x1b[0m \x9b1m \u202egnp.exe\u2066 a\tb" in printed


def test_json_escapes_what_a_terminal_would_act_on_and_reads_back_the_same(db: Path) -> None:
    printed = run_bench("report", "failures", "--format", "json", db=db).stdout

    assert [char for char in printed if not char.isprintable() and char != "\n"] == []
    assert json.loads(printed)["cells"][0]["text"] == NASTY


def test_csv_has_no_character_that_a_terminal_would_act_on_in_a_pipe_either(db: Path) -> None:
    printed = run_bench("report", "failures", "--format", "csv", db=db).stdout

    assert next(csv.DictReader(io.StringIO(printed)))["text"] == escaped(NASTY)


def test_json_tells_nan_from_nothing(db: Path) -> None:
    printed = run_bench("sql", "select 'nan'::double as a, null as b, [1, 2] as c", "--format", "json", db=db).stdout

    assert json.loads(printed) == [{"a": "nan", "b": None, "c": [1, 2]}]


def test_wide_characters_keep_the_columns_straight(db: Path) -> None:
    lines = run_bench("sql", "select '卡数' as a, 'x' as b", db=db).stdout.splitlines()

    assert lines == ["| a    | b |", "|------|---|", "| 卡数 | x |"]


def test_an_answer_without_rows_is_its_columns(db: Path) -> None:
    assert run_bench("sql", "select 1 as a where false", db=db).stdout.splitlines()[0] == "| a |"


def test_markdown_of_a_report_has_its_words_around_its_table(db: Path) -> None:
    printed = run_bench("report", "speed", "--format", "markdown", db=db).stdout

    assert printed == (
        "speed: campaign ngc; framework pytorch; implementation ngc; model bert_base; task pretraining; "
        "gpu_model V100-SXM2-16GB; unit samples/s; rule ngc.summary\n"
        "\n"
        "| gpus | FP32(BS=32) |\n"
        "| ---: | ---: |\n"
        "| 1 | 127.09 |\n"
        "| 8 | OOM |\n"
        "\n"
        "- 1 of 2 cells filled; missing: 8 x fp32 BS=32: oom\n"
        "- trials: 1 per cell, 1 dropped; records: 1 used per cell, 0 skipped\n"
    )


@pytest.mark.parametrize("words", [["runs"], ["query", "speed"], ["sql", "from kept.segment"], ["formats", "list"]])
def test_whatever_is_a_table_is_a_table_in_markdown_too(db: Path, words: list[str]) -> None:
    lines = run_bench(*words, "--format", "markdown", db=db).stdout.splitlines()

    assert set(lines[1]) <= set("|-: ")
    assert len(lines) > 2


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_a_difference_of_times_can_be_printed(db: Path, form: str) -> None:
    printed = run_bench("sql", "select interval 90 second as took, null as nothing", "--format", form, db=db).stdout

    assert "0:01:30" in printed


@pytest.mark.parametrize("words", [("report", "speed"), ("export", "tables", "speed"), ("runs", "--format", "parquet")])
def test_a_file_that_is_written_is_named(words: tuple[str, ...], demo_ledger: Path, tmp_path: Path) -> None:
    done = run_bench("--db", demo_ledger, *words, "--output", tmp_path / "a.md")

    assert f"written: {tmp_path / 'a.md'}" in done.stderr
