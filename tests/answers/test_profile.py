"""The profile table: pipes and time with a kernel running, of profiles with and without a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest, report_profile
from benchledger.errors import NothingFoundError, UsageError
from benchledger.scanning.sqlite_rows import made_file
from tests.cli.bench import run_bench
from tests.ingestion.logs import put
from tests.ledger_rows import ledger_rows

PIPE = "sm__inst_executed_pipe_{}.avg.pct_of_peak_sustained_elapsed"
HEAD = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Device","Section Name","Metric Name","Metric Unit","Metric Value"\n'


def ncu(*launches: dict[str, str], device: str = "0") -> str:
    """What ncu prints of launches; each states cycles and pipes as they are printed."""
    rows = [
        f'"{number}","22","python","h","gemm","1","7","{device}","x","{name}","{unit}","{value}"\n'
        for number, launch in enumerate(launches)
        for name, unit, value in [
            ("gpc__cycles_elapsed.max", "cycle", launch["cycles"]),
            *((PIPE.format(pipe), "%", value) for pipe, value in launch.items() if pipe != "cycles"),
        ]
    ]
    return HEAD + "".join(rows)


def timeline(strings: str, kernel: str, name: str, names: list[list[object]]) -> bytes:
    """Kernels from 1 to 4 and 3 to 6 ms, and from 8 to 9; the host called from 0 on, a copy ended at 20."""
    ms = 1_000_000
    columns = ["start", "end", "deviceId", "streamId"]
    kernels = [[*columns, name], [ms, 4 * ms, 0, 7, 1], [3 * ms, 6 * ms, 0, 8, 1], [8 * ms, 9 * ms, 0, 7, 1]]
    return made_file(
        {
            strings: names,
            kernel: kernels,
            "CUPTI_ACTIVITY_KIND_RUNTIME": [["start", "end"], [0, ms]],
            "CUPTI_ACTIVITY_KIND_MEMCPY": [[*columns, "bytes"], [18 * ms, 20 * ms, 0, 7, 64]],
        }
    )


NVVP = timeline("StringTable", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "name", [["_id_", "value"], [1, "gemm"]])
NSYS = timeline("StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "demangledName", [["id", "value"], [1, "gemm"]])
THREE = ({"cycles": "1,000", "fma": "10"}, {"cycles": "3,000", "fma": "50"}, {"cycles": "4,000", "fma": "0"})
DECLARED = """[case]
framework = "pytorch"
model = "bert_base"
batch_size_per_gpu = 8
[environment]
gpu_model = "V100-SXM2-16GB"
"""
# By campaign: its files, and what else its facts.toml says. No two have the same bytes but those that are meant to.
CAMPAIGNS: dict[str, tuple[dict[str, str | bytes], str]] = {
    "sizes": (
        {
            f"pretrain_profiled_data_ncu/batch_{size}.csv": ncu({"cycles": "100", "xu": "1", "fma": f"{size}.5"})
            for size in (16, 2, 8)
        },
        "",
    ),
    "three": ({"batch.csv": ncu(*THREE)}, ""),
    "lacking": ({"batch.csv": ncu({"cycles": "100", "fma": "0", "fp16": "n/a"})}, ""),
    "unlike": (
        {"a.csv": ncu({"cycles": "101", "fma": "1"}), "b.csv": ncu({"cycles": "101", "tensor": "2"})},
        "",
    ),
    **{
        f"no number {cell}": (
            {
                "batch.csv": ncu(
                    {"cycles": "100", "fma": "10"}, {"cycles": "900", "fma": cell}, {"cycles": "100", "fma": "20"}
                )
            },
            "",
        )
        for cell in ("nan", "inf", "n/a")
    },
    "two gpus": (
        {"x.csv": ncu({"cycles": "1", "fma": "1"}) + ncu({"cycles": "1", "fma": "2"}, device="1").removeprefix(HEAD)},
        "",
    ),
    "timelines": (
        {"pretrain_profiled_data_nvprof/compute_utilization_batch_4_17.nvvp": NVVP, "x/nsys.sqlite": NSYS},
        "",
    ),
    "declared": ({"a.csv": ncu({"cycles": "102", "fma": "1"})}, DECLARED),
    "disagreeing": (
        {f"pretrain_profiled_data_ncu/batch_{size}.csv": ncu({"cycles": "103", "fma": "1"}) for size in (2, 4)},
        "",
    ),
    "chinese": ({"a.csv": ncu({"cycles": "104", "tensor": "1"})}, ""),
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profiles")
    for campaign, (files, facts) in CAMPAIGNS.items():
        home = folder / "logs" / campaign.replace("/", "")
        put(home / "facts.toml", f'campaign = "{campaign}"\n{facts}')
        for name, content in files.items():
            put(home / name, content)
    ingest(folder / "logs", db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


def test_a_row_a_batch_size_in_the_order_of_numbers_and_a_column_a_pipe(db: Path) -> None:
    (table,) = report_profile(db=db, campaign="sizes").tables

    assert table.frame.columns == ["batch size", "FMA", "SFU", "file"]
    assert table.frame.rows() == [
        (f"{size}", f"{size}.50", "1.00", f"sizes/pretrain_profiled_data_ncu/batch_{size}.csv") for size in (2, 8, 16)
    ]
    assert table.facts["task"] == "pretraining"
    assert (table.facts["unit"], table.facts["rule"]) == ("%", "cycles.all_launches")


def test_launches_weigh_by_their_cycles_and_tbds_script_loses_the_last(db: Path) -> None:
    report = report_profile(db=db, campaign="three")

    ours, theirs, difference = report.cells.select("value", "tbd_value", "tbd_difference").row(0)
    assert (ours, theirs, difference) == (160_000 / 8_000, 160_000 / 4_000, -20.0)
    assert report.tables[0].frame["FMA"].to_list() == ["20.00"]
    assert "40.0000 instead of 20.0000" in report.tables[0].notes[-1]

    as_theirs = report_profile(db=db, campaign="three", rule="tbd.coreutil").tables[0]
    assert as_theirs.frame["FMA"].to_list() == ["40.00"]
    assert as_theirs.facts["rule"] == "tbd.coreutil"


def test_a_metric_that_the_gpu_lacks_is_absent_and_no_zero(db: Path) -> None:
    report = report_profile(db=db, campaign="lacking")

    assert report.tables[0].frame.select("FMA", "FP16").rows() == [("0.00", "n/a")]
    assert report.cells.select("value", "kernels").rows() == [(0.0, 1), (None, 0)]


def test_a_pipe_that_one_profile_did_not_measure_is_a_dash(db: Path) -> None:
    (table,) = report_profile(db=db, campaign="unlike").tables

    assert table.frame.select("FMA", "tensor").rows() == [("1.00", "-"), ("-", "2.00")]


@pytest.mark.parametrize("cell", ["nan", "inf", "n/a"])
def test_a_value_that_is_no_number_leaves_the_others_their_mean(db: Path, cell: str) -> None:
    report = report_profile(db=db, campaign=f"no number {cell}")

    assert report.cells.select("value", "kernels").rows() == [(15.0, 2)]


def test_two_gpus_are_two_rows(db: Path) -> None:
    (table,) = report_profile(db=db, campaign="two gpus").tables

    assert table.frame.select("device", "FMA").rows() == [("0", "1.00"), ("1", "2.00")]


def test_a_timeline_is_busy_while_a_kernel_runs_and_no_longer(db: Path) -> None:
    report = report_profile(db=db, campaign="timelines")

    (busy,) = set(report.cells.select("metric", "value", "busy_s", "profiled_s", "kernels").rows())
    assert busy == ("compute", pytest.approx(30.0), pytest.approx(6e-3), pytest.approx(20e-3), 3)
    assert sorted(table.frame.rows() for table in report.tables) == [
        [("4", "30.00", "timelines/pretrain_profiled_data_nvprof/compute_utilization_batch_4_17.nvvp")],
        [("unknown", "30.00", "timelines/x/nsys.sqlite")],
    ]
    assert {table.facts["rule"] for table in report.tables} == {"kernels.over_span"}


def test_what_is_declared_beside_a_profile_heads_it(db: Path) -> None:
    (table,) = report_profile(db=db, model="bert_base").tables

    assert table.frame["batch size"].to_list() == ["8"]
    assert {name: table.facts[name] for name in ("campaign", "framework", "model", "gpu_model")} == {
        "campaign": "declared", "framework": "pytorch", "model": "bert_base", "gpu_model": "V100-SXM2-16GB",
    }  # fmt: skip


def test_places_that_disagree_say_nothing(db: Path) -> None:
    (table,) = report_profile(db=db, campaign="disagreeing").tables

    assert table.frame["batch size"].to_list() == ["unknown"]


def test_headings_in_chinese(db: Path) -> None:
    (table,) = report_profile(db=db, campaign="chinese", lang="zh").tables

    assert table.frame.columns == ["batch size", "Tensor Core", "文件"]


def test_a_filter_that_no_profile_meets_names_what_there_is(db: Path) -> None:
    done = run_bench("report", "profile", "--campaign", "three", "--batch-size-per-gpu", "9", db=db)

    assert (done.exit_code, done.stdout) == (1, "")
    assert "no profile with batch_size_per_gpu '9'; known: 2, 4, 8, 16, unknown" in done.stderr


def test_a_profile_of_a_run_has_the_runs_case(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        run = ledger.run(batch_size_per_gpu=48)
        ledger.insert("kept.format", format="nsys", version=1, role="profile")
        log = ledger.log(run, 900, role="profile", path="logs/x.sqlite", campaign="ngc")
        ledger.con.execute("update log set format = 'nsys' where log_id = 900")
        shape = ledger.shape("kernel", name="dur", quantity="kernel_time", unit="s", scope="gpu", phase=None)
        ledger.record(900, 1, shape, 1.0, "0")
        ledger.con.execute("update kept.record set clock_s = 0 where log_id = 900")
        assert log

    table = report_profile(db=tmp_path / "bench.duckdb", batch_size_per_gpu=48).tables[0]

    assert table.facts["gpu_model"] == "V100-SXM2-16GB"
    assert table.frame.rows() == [("48", "100.00", "logs/x.sqlite")]


def test_an_unknown_rule_or_language_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no rule 'x' for profiles; known: cycles.all_launches, tbd.coreutil"):
        report_profile(db=tmp_path, rule="x")
    with pytest.raises(UsageError, match="no words in 'fr'; known languages: en, zh"):
        report_profile(db=tmp_path, lang="fr")


def test_a_ledger_without_a_profile_says_what_would_be_one(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0)

    with pytest.raises(NothingFoundError, match="the ledger holds no profile"):
        report_profile(db=tmp_path / "bench.duckdb")
