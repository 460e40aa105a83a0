"""Links to logs: grouped as README 000 and 004 group them, only logs that were read, no text or path that breaks out."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from benchledger import ingest, report_logs
from benchledger.errors import NothingFoundError, UsageError
from tests.answers.conftest import Own
from tests.cli.bench import run_bench
from tests.exports.hostile import HOSTILE
from tests.ingestion.logs import put, run_text
from tests.ingestion.packing import tar
from tests.ledger_rows import ledger_rows
from tests.views.conftest import given

NAME = "bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_{}{}_bs{}_gpu{}.log"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sixteen runs that README 000 links to, in an order of their own."""
    place = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    with ledger_rows(place) as ledger:
        for gpus in (32, 8, 1):
            for precision, batch in (("fp16", 96), ("fp32", 48), ("fp16", 64), ("fp32", 32)):
                for without in ("", "without_gradacc_") if gpus == 32 else ("",):
                    path = NAME.format(without, precision, batch, gpus)
                    accumulation = 1 if without else 67584 // (gpus * batch)
                    case = {
                        "gpus": gpus,
                        "precision": precision,
                        "batch_size_per_gpu": batch,
                        "nodes": max(1, gpus // 8),
                    }
                    ledger.run(1.0, path=path, gradient_accumulation=accumulation, **case)
    return place


def printed(db: Path, *words: str) -> str:
    done = run_bench("report", "logs", *words, "--format", "markdown", db=db)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def links(text: str) -> list[tuple[str, str]]:
    """Each link as a reader sees it: what it says, where it leads."""
    html = MarkdownIt("commonmark").render(text)
    found = re.findall(r'<a href="([^"]*)">(.*?)</a>', html, re.DOTALL)
    return [(re.sub(r"\s+", " ", said), unquote(target)) for target, said in found]


def test_the_links_of_readme_000_are_rebuilt(db: Path, shared: Path) -> None:
    readme = next((shared / "seeds").glob("000_*")).read_text(encoding="utf-8")
    section = readme[readme.index("- [单卡 bs=32") :]

    ours = printed(db, "--layout", "paddle", "--lang", "zh", "--base", "./logs")

    assert sorted(links(ours)) == sorted(links(section))
    assert [text for text, _ in links(ours)][:8] == [text for text, _ in links(section)][:8]
    assert re.findall(r"^### (.*)$", ours, re.MULTILINE) == ["1.单机（单卡、8卡）日志", "2.多机（32卡）日志"]


def test_in_english(db: Path) -> None:
    ours = printed(db, "--layout", "paddle", "--gpus", "1,32", "--precision", "fp32", "--batch-size-per-gpu", "32")

    assert re.findall(r"^### (.*)$", ours, re.MULTILINE) == [
        "1. Logs of a single machine (1 GPU)", "2. Logs of several machines (32 GPUs)",
    ]  # fmt: skip
    assert [text for text, _ in links(ours)] == [
        "1 GPU bs=32, FP32", "32 GPUs bs=32, FP32 no GradAcc", "32 GPUs bs=32, FP32",
    ]  # fmt: skip


def test_fixed_and_largest_batch_sizes_as_readme_004_has_them(db: Path) -> None:
    ours = printed(db, "--layout", "paddle_max", "--lang", "zh", "--gpus", "1")
    fixed, largest = map(links, ours.split("### 2. "))

    assert re.findall(r"^### (.*)$", ours, re.MULTILINE) == ["1. 固定 BatchSize", "2. BatchSize 取 max"]
    assert [text for text, _ in fixed] == [
        "1卡 FP32 BS=32 日志", "1卡 FP32 BS=48 日志", "1卡 AMP BS=64 日志", "1卡 AMP BS=96 日志",
    ]  # fmt: skip
    assert [text for text, _ in largest] == ["1卡 FP32 BS=48 日志", "1卡 AMP BS=96 日志"]


@given(
    lambda ledger: [
        ledger.run(1.0, batch_size_per_gpu=32),
        ledger.run(status="oom", batch_size_per_gpu=64),
        ledger.run(status="too_few_steps", batch_size_per_gpu=48),
    ]
)
def test_a_batch_size_that_failed_is_not_the_largest_and_says_how(own: Own) -> None:
    texts = [text for text, _ in links(printed(own["db"], "--campaign", own["campaign"], "--layout", "paddle_max"))]
    assert texts == [
        "1 GPU FP32 BS=32 log", "1 GPU FP32 BS=48 log (TOO FEW STEPS)", "1 GPU FP32 BS=64 log (OOM)", "1 GPU FP32 BS=32 log",
    ]  # fmt: skip


@given(lambda ledger: [ledger.run(1.0, trial=2), ledger.run(1.0, trial=1), ledger.run(1.0, seq_len=512)])
def test_trials_are_told_apart_and_so_are_cases_that_differ_elsewhere(own: Own) -> None:
    texts = [
        text
        for text, _ in links(printed(own["db"], "--campaign", own["campaign"], "--layout", "paddle", "--lang", "zh"))
    ]
    assert texts == [
        "单卡 bs=32、FP32 seq_len=128 第1次",
        "单卡 bs=32、FP32 seq_len=128 第2次",
        "单卡 bs=32、FP32 seq_len=512",
    ]


@given(lambda ledger: [ledger.run(1.0, trial=1), ledger.run(status="failed", environment={"gpu_model": None}, trial=2)])
def test_a_fact_that_one_run_does_not_state_tells_nothing_apart(own: Own) -> None:
    texts = [text for text, _ in links(printed(own["db"], "--campaign", own["campaign"], "--layout", "paddle"))]
    assert texts == ["1 GPU bs=32, FP32 trial 1", "1 GPU bs=32, FP32 trial 2 (FAILED)"]


@given(
    lambda ledger: [
        ledger.run(1.0, key="aaaaaaaaaaaa-1", batch_size_per_gpu=32),
        ledger.run(1.0, key="bbbbbbbbbbbb-1", batch_size_per_gpu=48),
        ledger.insert("kept.exclusion", run_key="bbbbbbbbbbbb-1", reason="hot", excluded_at="2026-11-21"),
    ]
)
def test_only_logs_that_the_ledger_has_and_nobody_excluded(own: Own) -> None:
    report = report_logs(**own)
    assert report.cells["place"].to_list() == ["logs/aaaaaaaaaaaa-1.log"]
    assert any("1 run is excluded" in note for note in report.notes)


PATHS = ["a b/c (1).log", "x](javascript:1).log", "<img src=x>.log", "50%/#1?.log", "日志.log", "a&b'\".log"]


@given(
    lambda ledger: [ledger.run(1.0, path=path, batch_size_per_gpu=batch) for batch, path in enumerate(PATHS, start=1)]
)
def test_a_path_is_encoded_and_cannot_end_its_link(own: Own) -> None:
    text = printed(own["db"], "--campaign", own["campaign"], "--layout", "paddle", "--base", "./my logs/")

    assert [(said, target.replace("&amp;", "&")) for said, target in links(text)] == [
        (f"1 GPU bs={batch}, FP32", f"./my logs/{path}") for batch, path in enumerate(PATHS, start=1)
    ]
    assert not re.search(r"<(img|script)", MarkdownIt("commonmark").render(text))


def test_facts_that_read_like_markup_are_text(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for text in HOSTILE:
            ledger.run(1.0, model=text, campaign=f"c{text}")

    html = MarkdownIt("commonmark").render(printed(tmp_path / "bench.duckdb", "--layout", "paddle"))
    assert html.count("<a ") == len(HOSTILE)
    assert not re.search(r"<(script|img|em|strong|ol|code)\b", html)


def test_a_log_in_an_archive_is_reached_through_it(tmp_path: Path) -> None:
    packed = tar({"bert/one.log": run_text(gpus=1).log.encode()})
    put(tmp_path / "logs" / "years 1.tar", packed)
    ingest(tmp_path / "logs", db=tmp_path / "bench.duckdb")

    ((said, target),) = links(printed(tmp_path / "bench.duckdb", "--layout", "paddle", "--base", "logs"))

    assert (said, target) == ("1 GPU bs=32, FP32 one.log", "logs/years 1.tar")


def test_the_table_lists_places(db: Path) -> None:
    report = report_logs(db=db, gpus=1, precision="fp32")

    (table,) = report.tables
    assert table.frame.select("gpus", "batch_size_per_gpu", "status", "place").rows() == [
        ("1", "32", "ok", NAME.format("", "fp32", 32, 1)), ("1", "48", "ok", NAME.format("", "fp32", 48, 1)),
    ]  # fmt: skip
    assert report.cells.height == 2


def test_what_cannot_be_is_refused_with_what_there_is(db: Path) -> None:
    with pytest.raises(UsageError, match="no layout 'x' of logs; known: paddle, paddle_max"):
        report_logs(db=db, layout="x")
    with pytest.raises(UsageError, match="cannot be linked from a page"):
        report_logs(db=db, layout="paddle", base="javascript:1")
    with pytest.raises(NothingFoundError, match="no run with gpus '3'; known: "):
        report_logs(db=db, gpus=3)
    with pytest.raises(UsageError, match="no words in 'xx'; known languages: en, zh"):
        report_logs(db=db, lang="xx")


@pytest.mark.parametrize(("option", "value"), [("lang", "zh"), ("base", "javascript:x"), ("base", "./logs")])
def test_what_only_links_have_is_refused_beside_the_table(db: Path, option: str, value: str) -> None:
    done = run_bench("report", "logs", f"--{option}", value, db=db)

    assert (done.exit_code, done.stderr) == (
        2,
        f"Error: the logs table takes no {option}: take it out, or give a layout: paddle, paddle_max\n",
    )


def test_a_log_from_standard_input_lies_nowhere_and_is_no_link(tmp_path: Path) -> None:
    run_bench("ingest", "-", db=tmp_path / "bench.duckdb", stdin=run_text(gpus=1).log.encode())

    text = printed(tmp_path / "bench.duckdb", "--layout", "paddle")

    assert links(text) == []
    assert "- 1 GPU bs=32, FP32\n" in text


def test_a_log_in_an_archive_is_named_by_its_file_unless_another_has_that_name(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for batch, member in enumerate(("a/b/one.log", "a/two.log", "b/two.log"), start=1):
            ledger.run(1.0, path=member, batch_size_per_gpu=batch)
        ledger.con.execute("update sighting set member = path, archive = 'years.zip'")

    texts = [text for text, _ in links(printed(tmp_path / "bench.duckdb", "--layout", "paddle"))]
    assert texts == ["1 GPU bs=1, FP32 one.log", "1 GPU bs=2, FP32 a/two.log", "1 GPU bs=3, FP32 b/two.log"]
