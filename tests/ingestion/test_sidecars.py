"""A sidecar holds for the runs of its folder and below, wherever the same bytes lie besides."""

from __future__ import annotations

from pathlib import Path

from benchledger import ingest
from tests.ingestion.conftest import Given, given
from tests.ingestion.logs import ask, one, put, run_text, stable_tables

PARA = "GLOBAL_BATCH 768\nGPU 8\n"
MACHINE = """CPU: AMD EPYC 7H12 64-Core Processor
CPU Memory: 1.0Ti
GPU: NVIDIA_A100-SXM4-80GB
GPU Memory: 81920_MiB
NVIDIA driver: 515.65.01
CUDA Version: V11.8.89
CUDNN Version: ..
Motherboard: Supermicro H12DGO-6 1.01A
OS: Ubuntu 20.04.5 LTS
PyTorch Version: 1.13.0a0+d0d6b1f
"""
BATCH = "select f.value from fact as f where name = 'global_batch_size' and source = 'sidecar'"


# Of the same bytes in several folders, each speaks of the runs of its own; each test's are counted apart.
@given(
    {
        "a/x.log": run_text(seed=1).log,
        "a/y.log": run_text(seed=2).log,
        "b/z.log": run_text(seed=3).log,
        "a/benchmark.para": f"{PARA}\n",
    }
)
def test_a_sidecar_states_facts_of_the_runs_in_its_folder(own: Given) -> None:
    assert own.ask("select status from sighting") == [("loaded",)] * 4
    assert (own.ask("from reject"), own.unpaired) == ([], 0)
    assert own.ask(BATCH) == [("768",), ("768",)]
    assert own.ask("select distinct role, paired_by from run_log where role = 'sidecar'") == [
        ("sidecar", "alone in its folder")
    ]
    assert own.ask("select distinct line from fact where source = 'sidecar' and name = 'global_batch_size'") == [(1,)]


QUOTING = (
    "# run with GLOBAL_BATCH 256 GPU 3\n",
    "export GLOBAL_BATCH 256\n",
    "GLOBAL_BATCH 256 GPU 3\n",
    "GLOBAL_BATCH 256\nthen start it on\nGPU 3\n",
    "GLOBAL_BATCH 256 as in the paper\n",
)


@given(
    {f"{number}/x.log": run_text(seed=10 + number).log for number in range(len(QUOTING))}
    | {f"{number}/README.txt": text for number, text in enumerate(QUOTING)}
)
def test_a_text_that_quotes_a_line_of_it_is_none(own: Given) -> None:
    statuses = own.ask("select status from sighting order by path")
    assert statuses == [("unrecognised",), ("loaded",)] * len(QUOTING)
    assert own.ask("select name from fact where source = 'sidecar'") == []


@given(
    {
        "x.log": run_text(gpus=1, seed=20).log,
        "benchmark.para": f"{PARA}\n\n",
        "sys_pytorch.txt": MACHINE,
        "facts.toml": '[environment]\nos = "CentOS 7.5"\n',
    }
)
def test_what_it_says_is_trusted_less_than_the_log_and_more_than_facts_toml(own: Given) -> None:
    used = "select value, source from fact where name = ? and used"
    assert own.one(used, "gpus") == ("1", "log")
    assert own.one(used, "os") == ("Ubuntu 20.04.5 LTS", "sidecar")
    assert ("8", "sidecar") in own.ask("select other_value, other_source from conflict where name = 'gpus'")


@given(
    {
        "case/trial1/x.log": run_text(seed=21).log,
        "benchmark.para": "GLOBAL_BATCH 1\nGPU 1\n",
        "case/benchmark.para": f"{PARA}\n\n\n",
        "sys_pytorch.txt": f"{MACHINE}\n",
    }
)
def test_the_nearest_counts_and_the_farther_one_says_nothing(own: Given) -> None:
    assert own.ask(BATCH) == [("768",)]
    assert own.one("select gpu_model, memory_mib, cuda_version, cudnn_version from environment") == (
        "A100-SXM4-80GB", 1048576, "11.8.89", None,
    )  # fmt: skip
    assert own.unpaired == 1


@given(
    {
        "case/x.log": run_text(seed=22).log,
        "benchmark.para": "GLOBAL_BATCH 1\nGPU 1\n\n",
        "case/benchmark.para": f"{PARA}\n\n\n\n",
        "case/old.para": "GLOBAL_BATCH 16\nGPU 1\n",
    }
)
def test_two_of_one_format_in_a_folder_bind_nothing_and_are_counted(own: Given) -> None:
    assert own.ask(BATCH) == []
    assert own.unpaired == 3


def test_the_same_bytes_in_another_folder_speak_of_other_runs(db: Path, db2: Path, tmp_path: Path) -> None:
    for number, folder in enumerate(("a", "b")):
        put(tmp_path / "logs" / folder / "x.log", run_text(seed=number + 1).log)
        put(tmp_path / "logs" / folder / "benchmark.para", PARA)
    put(tmp_path / "logs" / "c" / "x.log", run_text(seed=9).log)

    ingest(tmp_path / "logs", db=db)
    for folder in ("c", "b", "a"):
        ingest(tmp_path / "logs" / folder, db=db2, campaign_name="logs")

    assert ask(db, BATCH) == ask(db2, BATCH) == [("768",), ("768",)]
    assert one(db, "select count(*) from log where format = 'lambda-benchmark-para'") == 1
    assert stable_tables(db)["run"] == stable_tables(db2)["run"]


def test_a_changed_sidecar_derives_the_runs_below_it_again(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "case" / "x.log", run_text().log)
    put(tmp_path / "logs" / "case" / "x_monitor.csv", run_text().telemetry)
    put(tmp_path / "logs" / "benchmark.para", PARA)
    ingest(tmp_path / "logs", db=db)
    put(tmp_path / "logs" / "benchmark.para", "GLOBAL_BATCH 1024\nGPU 8\n")

    ingest(tmp_path / "logs", db=db)

    assert ask(db, BATCH) == [("1024",)]
    assert ask(db, "select role from run_log order by role") == [("sidecar",), ("telemetry",), ("train",)]


def test_a_new_log_in_the_folder_leaves_what_lies_below_as_it_is(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "case" / "x.log", run_text(seed=1).log)
    put(tmp_path / "logs" / "sys_pytorch.txt", MACHINE)
    ingest(tmp_path / "logs", db=db)
    put(tmp_path / "logs" / "y.log", run_text(seed=2).log)

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select gpu_model, count(*) from run join environment using (environment_id) group by 1") == [
        ("A100-SXM4-80GB", 2)
    ]


@given(
    {
        "run/x.log": run_text(seed=23).log,
        "y.log": run_text(seed=24).log,
        "run/about/benchmark.para": f"\n{PARA}",
        "run/run.json": '{"benchledger_manifest": 1, "files": ["x.log", "about/benchmark.para"]}',
    }
)
def test_a_manifest_binds_the_sidecar_that_it_lists(own: Given) -> None:
    assert (own.ask(BATCH), own.unpaired) == ([("768",)], 0)
    assert own.ask("select paired_by from run_log where role = 'sidecar'") == [("listed in its manifest",)]


def test_a_sidecar_that_came_with_the_next_log_of_its_name_says_nothing_of_the_one_before(
    db: Path, tmp_path: Path
) -> None:
    # Two runs one after another in one folder; what the machine is called does not change.
    put(tmp_path / "logs" / "sys_pytorch.txt", MACHINE)
    for seed, batch in ((41, 256), (42, 512)):
        put(tmp_path / "logs" / "x.log", run_text(seed=seed).log)
        put(tmp_path / "logs" / "benchmark.para", f"GLOBAL_BATCH {batch}\nGPU 8\n")
        ingest(tmp_path / "logs", db=db)

    assert ask(db, BATCH) == [("512",)]
    assert one(db, "select count(distinct run_id) from run_log where role = 'sidecar'") == 2
