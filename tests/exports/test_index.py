"""PaddlePaddle's index JSON as README 002 lays it out, and read again by `bench ingest`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import NothingFoundError, UsageError
from tests.answers.conftest import Own
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask
from tests.ledger_rows import LedgerRows, ledger_rows
from tests.views.conftest import given

GPT = {"model": "gpt2_345m", "implementation": "megatron"}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def kernels(ledger: LedgerRows, run_id: int, *seconds: float, profile: int = 1, other: tuple[float, ...] = ()) -> None:
    """A profile of a run, a kernel a line, of device 0 and of an `other` one."""
    shape = ledger.shape("kernel", name="duration", quantity="kernel_time", unit="s", phase=None)
    log_id = 10_000 * profile + run_id
    ledger.log(run_id, log_id, role="profile", path=f"logs/trace{profile}.json")
    launched = [*(("0", value) for value in seconds), *(("1", value) for value in other)]
    for line, (device, value) in enumerate(launched, start=1):
        ledger.record(log_id, line, shape, value, device=device)


@given(lambda ledger: ledger.run(9000.5, path="logs/a.log", **GPT))
def test_a_case_has_a_file_with_the_fields_of_readme_002(own: Own) -> None:
    result = benchledger.export_index(**own)

    assert result.files == {
        "NLP/gpt/logs/index/nlp_gpt_sp_bs32_fp32_1_speed": {
            "log_file": "logs/a.log",
            "model_name": "nlp_gpt_sp_bs32_fp32_1",
            "mission_name": "语义表示",
            "direction_id": 1,
            "run_mode": "sp",
            "index": 1,
            "gpu_num": 1,
            "FINAL_RESULT": 9000.5,
            "JOB_FAIL_FLAG": 0,
            "UNIT": "samples/s",
        }
    }


@given(lambda ledger: ledger.run(2458.7, gpus=8, model="resnet50"))
def test_several_gpus_are_mp_and_a_picture_model_is_of_cv(own: Own) -> None:
    ((path, file),) = benchledger.export_index(**own).files.items()

    assert path == "CV/ResNet50/logs/index/clas_ResNet50_mp_bs32_fp32_8_speed"
    assert (file["run_mode"], file["gpu_num"], file["direction_id"], file["mission_name"]) == ("mp", 8, 0, "图像分类")


def every_kind_of_file(ledger: LedgerRows) -> None:
    run = ledger.run(9.0, batch_size_per_gpu=16, **GPT)
    ledger.device_memory(run, ("0", 15000.0), ("1", 15001.0))
    kernels(ledger, run, 0.25, 0.5)
    ledger.run(8.0, batch_size_per_gpu=8, **GPT)
    ledger.run(status="oom", batch_size_per_gpu=32, environment={"gpu_model": None}, **GPT)


@given(every_kind_of_file)
def test_memory_profile_and_largest_batch_are_files_of_their_own_where_they_are_known(own: Own) -> None:
    files = benchledger.export_index(**own).files

    assert {
        path.rpartition("/")[2]: (file["index"], file["FINAL_RESULT"], file["UNIT"]) for path, file in files.items()
    } == {
        "nlp_gpt_sp_bs16_fp32_1_maxbs": (6, 16, ""),
        "nlp_gpt_sp_bs16_fp32_1_mem": (2, 15001.0, "MiB"),
        "nlp_gpt_sp_bs16_fp32_1_profiler": (3, {"ComputationTime_Total": 750.0}, "ms"),
        "nlp_gpt_sp_bs16_fp32_1_speed": (1, 9.0, "samples/s"),
        "nlp_gpt_sp_bs32_fp32_1_speed": (1, 0, ""),
        "nlp_gpt_sp_bs8_fp32_1_speed": (1, 8.0, "samples/s"),
    }


@given(lambda ledger: [ledger.run(status="nan", **GPT), ledger.run(status="ok", gpus=8, **GPT)])
def test_a_failed_case_has_the_flag_and_a_zero_and_one_that_only_lacks_a_speed_is_left_out(own: Own) -> None:
    result = benchledger.export_index(**own)
    (file,) = result.files.values()

    assert (file["JOB_FAIL_FLAG"], file["FINAL_RESULT"]) == (1, 0)
    assert result.notes == ("series left out: 1; no speed, and no run of them failed",)


@given(
    lambda ledger: [
        ledger.run(9.0, **GPT),
        ledger.run(status="truncated", environment={"gpu_model": "A100-SXM4-40GB"}, **GPT),
    ]
)
def test_of_a_case_that_failed_once_the_series_with_a_speed_stands(own: Own) -> None:
    result = benchledger.export_index(**own)

    assert [file["FINAL_RESULT"] for file in result.files.values()] == [9.0]
    assert result.notes == ("nlp_gpt_sp_bs32_fp32_1: the series with a speed stands; left out: truncated",)


def test_all_filters_in_which_series_of_one_name_differ_are_named(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(9.0, campaign="a", **GPT)
        ledger.run(8.0, campaign="b", **GPT | {"implementation": "nanogpt", "seq_len": 512})

    with pytest.raises(UsageError, match=r"with --campaign; they differ also in implementation, seq_len$"):
        benchledger.export_index(db=db)


def test_two_series_of_one_name_are_refused_with_the_filter_that_tells_them_apart(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(9.0, campaign="a", **GPT)
        ledger.run(8.0, campaign="b", **GPT)

    with pytest.raises(UsageError, match=r"2 series stand for nlp_gpt_sp_bs32_fp32_1: campaign a, b.*--campaign"):
        benchledger.export_index(db=db)


@given(
    lambda ledger: [
        ledger.rule("summary.mean", kind="summary", statistic="last", trial_statistic="mean"),
        ledger.run(9.0, **GPT),
    ]
)
def test_several_rules_of_a_glob_are_refused_by_their_names(own: Own) -> None:
    with pytest.raises(UsageError, match=r"2 rules give .*nlp_gpt_sp_bs32_fp32_1: ngc.summary, summary.mean.*--rule"):
        benchledger.export_index(**own, rule="*.*m*")


def two_profiles_and_devices(
    ledger: LedgerRows,
) -> None:
    run = ledger.run(9.0, **GPT)
    kernels(ledger, run, 0.25, 0.25, other=(0.5, 0.5))
    kernels(ledger, run, 0.25, 0.5, profile=2)


@given(two_profiles_and_devices)
def test_of_several_profiles_and_devices_of_a_run_the_one_whose_kernels_took_longest_counts(own: Own) -> None:
    files = benchledger.export_index(**own).files

    assert [file["FINAL_RESULT"] for file in files.values() if file["index"] == 3] == [
        {"ComputationTime_Total": 1000.0}
    ]


@given(lambda ledger: ledger.run(9.0, model="dlrm"))
def test_a_model_without_a_mission_is_named(own: Own) -> None:
    with pytest.raises(NothingFoundError, match="models left out: dlrm"):
        benchledger.export_index(**own)


def test_the_megatron_runs_of_the_h200_make_readme_002s_files_and_are_read_again(
    h200: Path, tmp_path: Path, shared: Path
) -> None:
    benchledger.ingest(h200, db=tmp_path / "h200.duckdb")
    run_bench(
        "export", "index", "--implementation", "megatron", "--output", tmp_path / "models", db=tmp_path / "h200.duckdb"
    )
    folder = tmp_path / "models" / "NLP" / "gpt" / "logs" / "index"
    files = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.iterdir()}

    assert sorted(name for name in files if name.endswith("_speed")) == [
        "nlp_gpt_mp_bs16_fp16_2_speed",
        "nlp_gpt_sp_bs16_bf16_1_speed",
        "nlp_gpt_sp_bs8_fp32_1_speed",
    ]
    (page,) = (shared / "seeds").glob("002_*.txt")
    fields = re.findall(r'^\{?"(\w+)":', page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fields) == 10
    assert {tuple(file) for file in files.values()} == {tuple(fields)}
    log = h200 / files["nlp_gpt_sp_bs8_fp32_1_speed"]["log_file"]
    times = [float(value) for value in re.findall(r"elapsed time per iteration \(ms\): ([\d.]+)", log.read_text())]
    assert files["nlp_gpt_sp_bs8_fp32_1_speed"]["FINAL_RESULT"] == round(
        8 * 1024 / (sum(times[20:]) / len(times[20:]) / 1000), 3
    )

    again = tmp_path / "again.duckdb"
    benchledger.ingest(tmp_path / "models", db=again)
    read = ask(
        again,
        "select model, precision, batch_size_per_gpu, gpus, value, unit from speed_table where is_default and value is not null order by value",
    )
    assert read == [
        ("gpt2_345m", precision, batch, file["gpu_num"], file["FINAL_RESULT"], "tokens/s")
        for file in sorted(files.values(), key=lambda file: file["FINAL_RESULT"])
        if file["index"] == 1
        for batch, precision in re.findall(r"_bs(\d+)_(\w+?)_", file["model_name"])
        for batch in [int(batch)]
    ]
    assert ask(again, "select count(*) from reject") == [(0,)]
