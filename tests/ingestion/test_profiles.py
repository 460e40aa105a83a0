"""Profiles and index files from staging to the tables. The last ones need the real logs."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.conftest import Files, Given, given
from tests.ingestion.logs import ask, one

INDEX = {
    "log_file": "train_log/nlp_gpt_sp_bs8_fp32_1", "model_name": "nlp_gpt_sp_bs8_fp32_1", "mission_name": "语义表示", "direction_id": 1,
    "run_mode": "sp", "index": 1, "gpu_num": 1, "FINAL_RESULT": 9000.5, "JOB_FAIL_FLAG": 0, "UNIT": "tokens/s",
}  # fmt: skip


def files(**contents: object) -> Files:
    return {name: text if isinstance(text, str) else json.dumps(text) for name, text in contents.items()}


def ingested(folder: Path, name: str, text: str) -> Path:
    path = folder / "logs" / name
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    ingest(folder / "logs", db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


@given(files(some_result=INDEX))
def test_an_index_file_is_a_result_of_its_own(own: Given) -> None:
    case = "select model, batch_size_per_gpu, precision, gpus from bench_case"
    assert own.one(case) == ("gpt2_345m", 8, "fp32", 1)
    assert own.one("select value, unit, rule from run_speed where is_default") == (9000.5, "tokens/s", "summary.last")


FAILED: dict[str, object] = {"JOB_FAIL_FLAG": 1}
WITHOUT: dict[str, object] = {"FINAL_RESULT": 0}


@given(files(one={**INDEX, **FAILED}, two={**INDEX, **WITHOUT}, three={**INDEX, **FAILED, **WITHOUT}))
def test_a_failed_job_is_a_status_and_never_a_speed_of_zero(own: Given) -> None:
    assert own.ask("select status from run") == [("failed",)] * 3
    assert own.ask("select value from speed_table where value is not null") == []


@given(files(some_result={**INDEX, "FINAL_RESULT": "fast"}))
def test_a_word_where_the_speed_should_stand_is_no_speed(own: Given) -> None:
    assert own.ask("select value from speed_table where value is not null") == []
    assert own.one("select text from measurement where name = 'FINAL_RESULT'") == "fast"


@given(files(template='{"model_name": "x", # a name\n"FINAL_RESULT": 1,\n"JOB_FAIL_FLAG": 0}'))
def test_the_published_template_with_its_comments_is_refused_with_its_place(own: Given) -> None:
    assert own.one("select line, byte_offset, split_part(reason, ':', 1) from reject") == (1, 20, "bad json")
    assert own.one("select count(*) from run") == 0


@given(files(state={"epoch": 1.0, "log_history": [{"loss": 1.5}]}, golden={"lm loss": {"values": [1]}}))
def test_other_json_stays_unrecognised(own: Given) -> None:
    assert own.ask("select status, count(*) from sighting group by all") == [("unrecognised", 2)]


def test_the_real_trace_is_busy_as_long_as_its_kernels_cover(h200: Path, tmp_path: Path) -> None:
    import gzip

    trace = gzip.decompress((h200 / "torch_profiler" / "chrome_trace.json.gz").read_bytes())
    db = ingested(tmp_path, "trace", trace.decode())
    spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in json.loads(trace)["traceEvents"] if e.get("cat") == "kernel")
    covered, until = 0.0, spans[0][0]
    for start, end in spans:
        covered += max(0.0, end - max(start, until))
        until = max(until, end)

    busy, profiled, percent, kernels = one(db, "select busy_s, profiled_s, value, kernels from kept.utilization_table")
    assert (busy, profiled, kernels) == (pytest.approx(covered * 1e-6, rel=1e-4), pytest.approx(0.117103682), 1085)
    assert percent == pytest.approx(5.552, abs=0.001)


def test_the_real_pipes_are_weighted_as_tbd_does(h200: Path, tmp_path: Path) -> None:
    name = "ncu_tbd_fp16_bs4_step"
    text = (h200 / name / f"{name}.log").read_text()
    db = ingested(tmp_path, "ncu", text)
    rows = list(csv.DictReader(io.StringIO(text[text.index('"ID"') :])))
    cycles = {
        row["ID"]: float(row["Metric Value"].replace(",", "")) for row in rows if row["Metric Name"].startswith("gpc__")
    }
    expected = {}
    for metric in {row["Metric Name"] for row in rows if row["Metric Value"] != "n/a"}:
        own = [row for row in rows if row["Metric Name"] == metric and not metric.startswith("gpc__")]
        total = sum(float(row["Metric Value"].replace(",", "")) * cycles[row["ID"]] for row in own)
        if own:
            expected[metric] = (pytest.approx(total / sum(cycles[row["ID"]] for row in own)), 485)

    found = {
        metric: (value, kernels)
        for metric, value, kernels in ask(db, "select metric, value, kernels from kept.utilization_table")
    }

    assert found.pop("sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed") == (None, 0)
    assert found == expected
    assert len(found) == 3


def test_memory_of_megatron_by_definition(h200: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(h200 / "megatron_gpt345m_mp2_bs16_fp16", logs / "megatron_gpt345m_mp2_bs16_fp16")
    shutil.copytree(h200 / "nvidia_smi", logs / "nvidia_smi")
    ingest(logs, db=tmp_path / "bench.duckdb")

    found = ask(tmp_path / "bench.duckdb", "select definition, device, value_mib from run_memory order by all")
    assert found == [
        ("allocated", "rank 0", 51878.6), ("device", "0", 58136.0), ("device", "1", 58136.0), ("reserved", "rank 0", 52130.0),
    ]  # fmt: skip
