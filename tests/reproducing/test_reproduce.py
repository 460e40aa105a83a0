"""`bench reproduce` over made logs: each verdict, each finding, the ledger's table and the audit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import benchledger
from benchledger.reproducing.reproduce import Reproduction
from tests.ingestion.logs import ask

LOGS = Path(__file__).parent.parent.parent / "data" / "made"
NAME = "bert_base_lamb_pretraining.pyt_bert_pretraining_phase1"
HEAD = "# NGC PyTorch Bert Base\n\n> 单位： sequences/sec\n\n"
EQUAL = HEAD + (
    "|卡数 | FP32(BS=32) | FP32(BS=48) | AMP(BS=64) | AMP(BS=96)|\n|--|--|--|--|--|\n"
    "|1 | 208.58 | 214.177 | 867.30 | **937.15** |\n|8 | 1,573.79 | 1630.01 | 6370.70 | 6911.6 |\n|32 | - | —— | OOM | |\n"
)


@pytest.fixture
def ledger(demo_ledger: Path, tmp_path: Path) -> Path:
    """A copy of the made ledger with its private files, to be written to."""
    db = tmp_path / "bench.duckdb"
    for ending in ("", ".private", ".key"):
        if (file := Path(f"{demo_ledger}{ending}")).exists():
            shutil.copy(file, f"{db}{ending}")
    return db


def read(ledger: Path, text: str, name: str = "README.md") -> Reproduction:
    page = ledger.parent / name
    page.write_text(text, encoding="utf-8")
    return benchledger.reproduce(page, db=ledger)


def verdicts(done: Reproduction) -> list[str]:
    return done.cells["verdict"].to_list()


def kinds(done: Reproduction) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for line, kind in done.findings.select("line", "kind").rows():
        found.setdefault(kind, []).append(line)
    return found


def test_rounded_and_cut_numbers_are_equal(ledger: Path) -> None:
    done = read(ledger, EQUAL)

    assert verdicts(done) == ["equal"] * 8
    assert done.all_equal
    assert done.cells["how"].to_list()[-2:] == ["rounded", "rounded"]
    assert set(done.cells["rule"]) == {"ngc.summary"}
    assert kinds(done) == {}


def test_each_verdict(ledger: Path) -> None:
    # 0.3 % above; twice; no log of that batch size; no log of that many GPUs.
    table = "| GPUs | FP32(BS=32) | AMP(BS=96) | FP32(BS=99) |\n|--|--|--|--|\n"
    done = read(ledger, f"{HEAD}{table}|1 | 209.20 | 1874.3 | 250.0 |\n|16| 3000.0 | | |\n")

    assert verdicts(done) == ["within", "contradicted", "no_log", "no_log"]
    assert not done.all_equal


def test_a_rule_of_another_window_is_found_over_several_cells(ledger: Path) -> None:
    rows = ask(
        ledger,
        "select gpus, precision, batch_size_per_gpu, value from speed_table where rule = 'steps.median_skip20' and value > 0 "
        "and (gpus, precision) in ((1, 'fp32'), (8, 'fp32'), (1, 'fp16')) order by all",
    )
    table = "| GPUs | precision | batch size | samples/s |\n|--|--|--|--|\n"
    table += "".join(f"| {gpus} | {kind} | {batch} | {value:.4f} |\n" for gpus, kind, batch, value in rows)
    done = read(ledger, "# BERT\n\n" + table)

    assert len(rows) >= 5
    assert set(verdicts(done)) == {"other_rule"}
    assert set(done.cells["rule"]) <= {"steps.median_skip20", "steps.median_skip20 over trials"}
    assert all(chance < 0.01 for chance in done.cells["chance"])
    assert all(tried > 300 for tried in done.cells["tried"])

    # One cell alone is never found.
    alone = "# BERT\n\n" + "".join(f"{line}\n" for line in table.splitlines()[:3])
    assert verdicts(read(ledger, alone)) == ["contradicted"]


def test_contradictions_of_a_page_are_findings_with_their_lines(ledger: Path) -> None:
    page = (
        HEAD
        + (
            "|卡数 | FP32(BS=32) | FP32(BS=48) | AMP(BS=64) |\n|--|--|--|--|\n"
            "|1 | 214.1774 | 208.5779 | 8867.2985 |\n"  # line 7: exchanged; a digit too many
            "|8 | 12590.36 | 1630.02 | 6370.70 |\n\n"  # line 8: times its 8 GPUs
            "- AMP测试\n\n| 参数 | PyTorch |\n|--|--|\n| GPU=8,BS=64 | 6300.00 |\n| GPU=8,BS=80 | 6911.64 |\n\n"  # lines 14, 15
            f"[8 GPUs bs=64 AMP](log/{NAME}_fp16_bs64_gpu8.log)\n[1 GPU bs=96 fp16](logs/nothing.log)\n"
            f"[8 GPUs bs=48 fp32](run1/{NAME}_fp32_bs48_gpu1.log)\n"
        )
    )
    done = read(ledger, page)
    found = kinds(done)

    assert found["columns_swapped"] == [7]
    swapped = next(text for _, _, kind, text in done.findings.rows() if kind == "columns_swapped")
    assert swapped.endswith(f"by run1/{NAME}_fp32_bs32_gpu1.log and run1/{NAME}_fp32_bs48_gpu1.log")
    assert found["digit"] == [7]
    assert found["off_by_gpus"] == [8]
    assert found["tables_disagree"] == [14]
    assert found["head_contradicts_log"] == [15]
    assert found["link_repaired"] == [17]
    assert found["link_broken"] == [18]
    assert found["link_contradicts_log"] == [19]


def test_pages_in_html_and_csv(ledger: Path) -> None:
    html = "<h1>BERT, samples/s</h1><table><tr><th>GPUs</th><th>FP32 BS=32</th></tr><tr><td>8</td><td>1573.80</td></tr></table>"

    assert verdicts(read(ledger, html, "page.html")) == ["equal"]
    assert verdicts(read(ledger, "gpus,precision,batch_size,samples/s\n8,fp32,32,1573.80\n", "page.csv")) == ["equal"]


def test_speed_per_gpu_and_speedup(ledger: Path) -> None:
    text = "| GPUs | precision | bs | samples/s (per GPU) | speedup |\n|--|--|--|--|--|\n| 8 | fp32 | 32 | 196.72 | 7.545 |\n"

    assert verdicts(read(ledger, "# BERT\n\n" + text)) == ["equal", "equal"]


def test_a_table_without_unit_is_read_if_most_of_it_comes_out_of_logs(ledger: Path) -> None:
    table = "# BERT\n\n| GPUs | FP32(BS=32) |\n|--|--|\n| 1 | 208.58 |\n| 8 | 1573.80 |\n"
    off = read(ledger, table.replace("208.58", "0.151").replace("1573.80", "0.162"))

    assert verdicts(read(ledger, table)) == ["equal", "equal"]
    assert verdicts(off) == []
    assert off.findings.select("line", "kind", "text").rows() == [
        (3, "unread", "no unit in the heads, above the table or in the page's name")
    ]


def test_verdicts_are_stored_and_the_audit_finds_the_contradicted(ledger: Path) -> None:
    page = EQUAL.replace("6911.6 ", "7500.0 ")
    read(ledger, page)
    read(ledger, page)

    stored = ask(ledger, "select verdict, count(*) from published where verdict is not null group by all order by all")
    assert stored == [("contradicted", 1), ("equal", 7)]
    assert ask(ledger, "select count(*) > 100 from published where verdict is null") == [(True,)]
    found = benchledger.audit(db=ledger, checks=("published_contradicted",)).causes
    assert found.height == 1

    # What a later ingest brings up to date is the shipped definitions, not verdicts.
    benchledger.ingest(LOGS / "run1", db=ledger, refresh=True)
    assert ask(ledger, "select count(*) from published where verdict is not null") == [(8,)]


def test_a_system_behind_a_pseudonym_is_found_by_its_real_name_and_shown_without_it(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "run1", tmp_path / "logs" / "192-222-52-99_box" / "run1")
    page = tmp_path / "throughput.csv"
    page.write_text("system,precision,batch_size,gpus,samples/s\n192-222-52-99,fp32,48,8,1630.02\n", encoding="utf-8")

    done = benchledger.reproduce(page, logs=tmp_path / "logs")
    (row,) = done.cells.rows(named=True)
    assert (row["verdict"], len(row["logs"])) == ("equal", 1)
    assert "192-222-52-99" not in str(row)

    page.write_text(page.read_text().replace("192-222-52-99", "192-222-52-98"), encoding="utf-8")
    assert verdicts(benchledger.reproduce(page, logs=tmp_path / "logs")) == ["no_log"]


def test_logs_in_a_folder_go_through_a_temporary_ledger(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(EQUAL, encoding="utf-8")

    done = benchledger.reproduce(page, logs=LOGS)

    assert verdicts(done) == ["equal"] * 8
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]
