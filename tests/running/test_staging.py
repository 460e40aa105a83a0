"""Logs appear whole or not at all; what is there is not made again, and nothing is written over."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import UsageError
from benchledger.running.manifest import commit_of
from benchledger.running.run import largest
from tests.docs.pages import TOP
from tests.running.conftest import Bench

NAME = "nlp_bert_base_sp_bs4_fp32_cpu"


def test_resume_makes_just_what_is_missing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_ENDS", "too_large")
    monkeypatch.setenv("TOY_LARGEST", "4")
    sweep = ["batch_size=4,8"]
    bench.run(sweep=sweep, trials=2, keep_going=True)
    monkeypatch.setenv("TOY_ENDS", "well")
    frame = bench.run(sweep=sweep, trials=3, resume=True)

    assert frame.select("trial", "status").rows() == [
        (1, "there"), (2, "there"), (3, "ok"), (1, "ok"), (2, "ok"), (3, "ok"),
    ]  # fmt: skip
    assert [name for name in bench.staged() if "oom" in name] == [
        "nlp_bert_base_sp_bs8_fp32_cpu_trial1_oom",
        "nlp_bert_base_sp_bs8_fp32_cpu_trial2_oom",
    ]


def test_a_run_with_other_settings_is_not_the_one_to_resume(bench: Bench) -> None:
    bench.run()
    frame = bench.run(sweep=["max_iterations=30"], resume=True)

    assert frame["status"].to_list() == ["ok"]


def test_without_resume_further_trials_follow_those_that_are_there(bench: Bench) -> None:
    bench.run()
    bench.run()

    assert bench.staged() == [f"{NAME}_trial1", f"{NAME}_trial2"]


def test_resume_needs_the_campaign_s_name(bench: Bench) -> None:
    with pytest.raises(UsageError, match="name it with --campaign"):
        bench.run(resume=True, campaign=None)


def test_a_campaign_that_is_no_folder_s_name_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match="becomes a folder name"):
        bench.run(campaign="../elsewhere")


def test_no_address_and_no_folder_of_this_machine_is_in_a_manifest(bench: Bench) -> None:
    bench.run()
    text = next(bench.staging.rglob("run.json")).read_text()
    manifest = json.loads(text)

    assert manifest["command"].startswith(f"{Path(sys.executable).name} runners/toy.py --model bert_base ")
    assert str(bench.folder) not in text
    assert os.uname().nodename not in text
    assert manifest["files"] == [f"{NAME}.log"]
    assert (manifest["exit_code"], manifest["signal"], manifest["case"]["batch_size_per_gpu"]) == (0, None, 4)


def test_an_address_that_a_launcher_prints_does_not_reach_the_staging_folder(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_ENDS", "launched")
    monkeypatch.setenv("MASTER_ADDR", "10.21.32.43")
    bench.run()
    text = next(bench.staging.rglob(f"{NAME}.log")).read_text()

    assert "10.21.32.43" not in text
    assert re.search(r"^LAUNCH INFO master: \w+-[0-9a-f]{8}:29500, host host-[0-9a-f]{8}", text, re.MULTILINE)
    assert text.count("step_loss") == 20
    assert sorted(path.name for path in next(bench.staging.rglob("run.json")).parent.iterdir()) == [
        f"{NAME}.log",
        "run.json",
    ]
    assert [status for _, status, _ in bench.ledger()] == ["ok"]


def test_what_a_failed_program_said_last_is_told_and_staged_without_private_names(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_ENDS", "fails")
    (why,) = bench.run(keep_going=True)["why"]
    staged = "".join(path.read_text() for path in bench.staging.rglob("*") if path.is_file())

    assert "it ended with exit code 1: ConnectionError: user user-" in why
    assert [private for private in ("jdoe42", "gpu-node-17", "ab12cd34") if private in why + staged] == []


def test_a_pipe_that_a_program_leaves_in_its_folder_is_not_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_ENDS", "leaves_a_pipe")
    bench.run()

    assert bench.staged() == [f"{NAME}_trial1"]


def test_the_version_of_a_run_is_the_commit_of_its_program(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    own = bench.folder / "own"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=own, check=True)
    bench.run()
    (own / "runners" / "toy.py").write_text((own / "runners" / "toy.py").read_text() + "# changed\n")
    commit_of.cache_clear()
    bench.run()
    # Of a copy whose history stayed where it was made.
    monkeypatch.setenv("BENCH_COMMIT", "8e9da8b")
    bench.run()
    versions = [
        json.loads(path.read_text())["implementation_version"] for path in sorted(bench.staging.rglob("run.json"))
    ]

    assert len(versions[0]) >= 7
    assert versions == [versions[0], f"{versions[0]}-changed", "8e9da8b"]


def test_while_a_run_runs_nothing_of_it_is_in_the_staging_folder(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_ENDS", "slow")
    process = _bench_run(bench)
    try:
        _until(lambda: list((bench.folder / "staging.unfinished").rglob("*.log")))

        assert not bench.staging.exists()
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_a_run_whose_bench_run_was_killed_is_staged_by_the_next(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_ENDS", "slow")
    process = _bench_run(bench)
    _until(lambda: list((bench.folder / "staging.unfinished").glob("*.owner.json")))
    (note,) = (bench.folder / "staging.unfinished").glob("*.owner.json")
    runner = json.loads(note.read_text())["runner_pid"]
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.killpg(runner, signal.SIGKILL)
    _until(lambda: not Path(f"/proc/{runner}").exists())
    monkeypatch.setenv("TOY_ENDS", "well")
    bench.run()
    ends = dict(name_and_status[:2] for name_and_status in bench.ledger())

    assert bench.staged() == [f"{NAME}_trial1", f"{NAME}_trial1_unwatched"]
    (unwatched,) = bench.staging.rglob(f"*_unwatched/{NAME}.log")
    assert "gpu-node-17" not in unwatched.read_text()
    assert not (bench.folder / "staging.unfinished").exists()
    assert set(ends.values()) <= {"ok", "truncated"}


def test_missing_training_data_are_told_with_the_command_that_makes_them(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"bench data make hdf5 --seq-len 128 --output .*hdf5_seq128"):
        bench.run("bert_base")


def test_the_largest_batch_is_found_and_run_in_full(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_ENDS", "too_large")
    monkeypatch.setenv("TOY_LARGEST", "11")
    frame = bench.run(sweep=["batch_size=max"], trials=2)
    bench.ledger()
    (row,) = benchledger.report_max_batch(db=bench.folder / "bench.duckdb").cells.to_dicts()

    assert bench.staged() == [
        "nlp_bert_base_sp_bs11_fp32_cpu_trial1",
        "nlp_bert_base_sp_bs11_fp32_cpu_trial2",
        "nlp_bert_base_sp_bs12_fp32_cpu_max_iterations12_trial1_oom",
        "nlp_bert_base_sp_bs16_fp32_cpu_max_iterations12_trial1_oom",
    ]
    assert frame["status"].to_list().count("oom") == 2
    assert (row["largest_ok"], row["smallest_oom"]) == (11, 12)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 7, 31, 32, 33, 100, 1024, 1535, 5000])
@pytest.mark.parametrize("start", [1, 8, 32])
def test_doubling_and_bisection_find_the_largest(most: int, start: int) -> None:
    asked: list[int] = []

    def runs(size: int) -> bool:
        asked.append(size)
        return size <= most

    low, high = largest(runs, start)

    assert low <= most < (high or 0)
    assert (high or 0) - low <= max(1, low // 64)
    assert len(asked) == len(set(asked)) <= 24


def _bench_run(bench: Bench) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "benchledger.cli.main", "run", "toy", "--campaign", "c", "--sample-ms", "0"]
    return subprocess.Popen(
        [*words, "--staging", str(bench.staging)], env={**os.environ, "PYTHONPATH": str(TOP)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _until(is_so, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it never was"
        time.sleep(0.1)
