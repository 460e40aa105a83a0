"""The real H200 logs: one run with three outputs, trials, failures, memory. Needs the real logs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask, one, stable_tables


@pytest.fixture(scope="module")
def ledger(h200: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("h200") / "bench.duckdb"
    ingest(h200, db=db)
    return db


SPEED = """
    select s.stem, v.value from run_log l join sighting s using (sighting_id)
    join run_speed v on v.run_id = l.run_id and v.rule = ? and v.phase = 'train'
    where l.role = 'train' and v.status = 'ok' order by s.stem
"""


def test_ngcs_own_summaries(ledger: Path) -> None:
    found = {stem: f"{value:.2f}" for stem, value in ask(ledger, SPEED, "ngc.summary")}

    assert found == {
        "ngc_bert_base_sp_bs32_fp32": "414.90",
        "ngc_bert_base_sp_bs64_fp16": "2265.30",
        "ngc_bert_base_sp_bs96_fp16": "2493.45",
        "ngc_bert_base_sp_bs96_fp16_run2": "2530.39",
        "ngc_bert_base_sp_bs96_fp16_run3": "2509.16",
        "ngc_squad_base_sp_bs32_fp16": "753.15",
    }


def test_the_steady_state_by_its_own_rule(ledger: Path) -> None:
    rows = ask(ledger, SPEED, "steps.median_skip20")
    found = {stem: value for stem, value in rows if stem.startswith("ngc")}

    assert found == {
        "ngc_bert_base_sp_bs32_fp32": pytest.approx(430, rel=1e-3),
        "ngc_bert_base_sp_bs64_fp16": pytest.approx(2482, rel=1e-3),
        "ngc_bert_base_sp_bs96_fp16": pytest.approx(2677, rel=1e-3),
        "ngc_bert_base_sp_bs96_fp16_run2": pytest.approx(2690, rel=1e-3),
        "ngc_bert_base_sp_bs96_fp16_run3": pytest.approx(2682, rel=1e-3),
    }


def test_failures_are_told_apart(ledger: Path) -> None:
    rows = ask(
        ledger,
        "select s.stem, r.status from run r join run_log l using (run_id) join sighting s using (sighting_id) where role = 'train' and r.status <> 'ok' order by 1",
    )

    assert rows == [("ngc_oom_bs4096_fp32", "oom"), ("ngc_sigkill_bs32_fp32", "truncated")]


def test_three_trials_of_one_case_are_one_series(ledger: Path) -> None:
    row = one(
        ledger,
        "select trials, trials_dropped, round(value, 2), gpu_model from speed_table where is_default and batch_size_per_gpu = 96",
    )

    assert row == (3, 0, 2509.16, "H200")


def test_every_log_and_its_json_are_one_run_in_whichever_order_they_came(
    ledger: Path, h200: Path, tmp_path: Path
) -> None:
    assert one(ledger, "select count(*) from run") == 12
    assert ask(ledger, "select role, count(*) from run_log where role <> 'telemetry' group by all order by 1") == [
        ("duplicate_stream", 9),
        ("train", 12),
    ]

    db, here = tmp_path / "bench.duckdb", tmp_path / "h200"
    for part in ("*/dllogger.json", "nvidia_smi/*", "*/*.log", "*/*"):
        for source in sorted(h200.glob(part)):
            (here / source.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, here / source.parent.name / source.name)
        ingest(here, db=db, campaign_name=None)

    assert _without_campaign(stable_tables(db)) == _without_campaign(stable_tables(ledger))


def _without_campaign(tables: dict[str, list[tuple[str, ...]]]) -> dict[str, list[tuple[str, ...]]]:
    # The folder is unpacked under another name elsewhere, and series are named by campaign.
    return {name: rows for name, rows in tables.items() if name != "speed_table"}


def test_memory_of_the_runs_that_have_telemetry(ledger: Path) -> None:
    rows = ask(
        ledger,
        """select task, precision, batch_size_per_gpu, definition, value_mib from memory_table order by all""",
    )

    # nvidia-smi's number and what PyTorch's allocator says in Megatron's report stand apart.
    assert rows == [
        ("pretraining", "bf16", 16, "allocated", 55263.19),
        ("pretraining", "bf16", 16, "reserved", 55952.0),
        ("pretraining", "fp16", 16, "allocated", 51878.6),
        ("pretraining", "fp16", 16, "device", 58136.0),
        ("pretraining", "fp16", 16, "reserved", 52130.0),
        ("pretraining", "fp16", 64, "device", 8068.0),
        ("pretraining", "fp16", 96, "device", 10628.0),
        ("pretraining", "fp32", 8, "allocated", 48194.87),
        ("pretraining", "fp32", 8, "reserved", 48384.0),
        ("pretraining", "fp32", 32, "device", 7230.0),
        ("squad", "fp16", 32, "device", 9786.0),
    ]


def test_inference_speed_is_no_training_speed(ledger: Path) -> None:
    rows = ask(
        ledger,
        "select phase, round(value, 2) from run_speed where rule = 'summary.last' and run_id in (select run_id from run join bench_case using (case_id) where task = 'squad') order by 1",
    )

    assert rows == [("inference", 1860.61), ("train", 753.15)]
