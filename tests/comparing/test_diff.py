"""`bench diff`: of twelve causes, made one by one, each is among the first three named."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import benchledger
from benchledger import diff, ingest, runs
from benchledger.comparing.differences import Evidence, differences
from tests.cli.bench import run_bench
from tests.comparing.made_runs import MadeRun, write_run

BASE = MadeRun("base")
# As between any two runs: another commit and seed, a warmer machine.
LATER = replace(BASE, commit="d4e5f6a", seed=43, temperature=55)
# Each cause with what it does to the rest, and the name that it must be told by.
CAUSES = {
    "batch_size": (replace(LATER, batch_size=64, step_ms=24.0, memory=6800, power=600), "batch_size_per_gpu"),
    "precision": (replace(LATER, precision="fp32", step_ms=150.0, memory=14000, power=690, clock=1930), "precision"),
    "sequence_length": (replace(LATER, seq_len=512, step_ms=140.0, memory=30000), "seq_len"),
    "driver": (replace(LATER, driver="560.35.03", step_ms=32.5, power=620), "driver_version"),
    "framework": (replace(LATER, framework="2.5.0+cu124", step_ms=33.0, memory=9400, power=610), "framework_version"),
    "compiler": (replace(LATER, compiled=False, step_ms=44.0, memory=10500, power=560), "options.compile"),
    "data_loader": (
        replace(LATER, data_workers=1, step_ms=36.0, stalls=0.05, utilization=80, power=520), "data_workers"
    ),
    "clock": (replace(LATER, clock=1410, step_ms=42.0, power=430), "clocks.current.sm"),
    "hot_gpu": (replace(LATER, temperature=88, clock=1780, step_ms=34.5, power=600), "clocks.current.sm"),
    "other_process": (
        replace(LATER, other_memory=9500, step_ms=40.0, power=680, clock=1900), "memory of other processes"
    ),
    "slow_disk": (replace(LATER, stalls=0.06, utilization=86, power=560), "slow steps"),
    "busy_host": (replace(LATER, host_cpu=92, step_ms=38.0, utilization=84, power=540), "host.cpu"),
}  # fmt: skip


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diff")
    write_run(folder / "logs", BASE)
    write_run(folder / "logs", replace(LATER, name="later"))
    for name, (run, _) in CAUSES.items():
        write_run(folder / "logs", replace(run, name=name))
    ingest(folder / "logs", db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


@pytest.fixture(scope="module")
def keys(db: Path) -> dict[str, str]:
    told = benchledger.sql(
        "select distinct run_key, path from run join run_log using (run_id) join sighting using (log_id) "
        "where role = 'train' and path like '%train.log'",
        db=db,
    )
    assert runs(db=db).height == len(CAUSES) + 2
    return {Path(path).parent.name: key for key, path in told.iter_rows()}


@pytest.mark.parametrize("cause", CAUSES)
def test_the_true_cause_is_among_the_first_three(cause: str, db: Path, keys: dict[str, str]) -> None:
    found = diff(keys["base"], keys[cause], db=db)

    assert CAUSES[cause][1] in found["name"].to_list()[:3], found


def test_runs_without_a_cause_differ_in_what_changes_between_any_two(db: Path, keys: dict[str, str]) -> None:
    assert diff(keys["base"], keys["later"], db=db)["name"].to_list() == ["implementation_version"]
    assert diff(keys["base"], keys["base"], db=db).is_empty()


def test_the_command_names_the_likeliest_cause_first(db: Path, keys: dict[str, str]) -> None:
    done = run_bench("--db", str(db), "diff", keys["base"], keys["driver"])

    assert done.exit_code == 0, done.output
    assert "| driver_version         | 550.54.15 | 560.35.03 |" in done.stdout.splitlines()[2]
    assert run_bench("--db", str(db), "diff", keys["base"], "none").exit_code == 1


def test_a_cell_stands_for_all_its_trials(db: Path, keys: dict[str, str]) -> None:
    cells = benchledger.sql("select cell, trials from speed_table where is_default and precision = 'fp32'", db=db)

    assert diff(keys["base"], cells["cell"][0], db=db)["name"][0] == "precision"


def test_a_difference_of_all_runs_counts_more_than_one_of_some() -> None:
    a = Evidence(2, facts={"driver_version": ["1", "1"], "os": ["x", "x"]})
    b = Evidence(2, facts={"driver_version": ["1", "2"], "os": ["y", "y"]})

    assert [one.name for one in differences(a, b)] == ["os", "driver_version"]


def test_telemetry_whose_trials_overlap_is_no_difference() -> None:
    a = Evidence(3, samples={"clock": ("clock", [1900.0, 1500.0, 1910.0])})
    b = Evidence(3, samples={"clock": ("clock", [1490.0, 1700.0, 1600.0])})
    apart = Evidence(3, samples={"clock": ("clock", [1490.0, 1400.0, 1450.0])})

    assert differences(a, b) == []
    assert [one.name for one in differences(a, apart)] == ["clock"]


def test_a_new_warning_is_told_and_an_alarming_one_first() -> None:
    b = Evidence(1, texts=Counter({"UserWarning: falling back to slow attention": 3, "done": 1}))

    found = differences(Evidence(1), b)

    assert [one.weight for one in found] == [84, 28]
    assert (found[0].a, found[0].b) == ("0 times", "3 times")
