"""`bench history`: which steps are found, what is said of them, what a person accepts, and the exit code."""

from __future__ import annotations

import math
import random
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from benchledger import accept_changes, exclude, history
from benchledger.comparing.change_points import find_steps
from benchledger.comparing.history_page import page_of
from benchledger.errors import NothingFoundError, UsageError
from benchledger.plots.data import plot_data
from benchledger.plots.vega import vega_lite
from benchmarks.comparing import NOISE, real_noise
from benchmarks.history import hits, made, ours
from tests.cli.bench import run_bench
from tests.ledger_rows import LedgerRows, ledger_rows

FIRST = datetime(2026, 1, 5, 9, 0, 0)
SLOWER = "bert_base_bs32_fp32_1"


def weeks(ledger: LedgerRows, levels: list[float], *, trials: int = 2, **case: Any) -> list[int]:
    """A campaign a week, of which each trial has its own noise."""
    drawn, runs = random.Random(len(levels)), []
    for week, level in enumerate(levels):
        for _ in range(trials):
            speed = level * (1 + drawn.uniform(-0.002, 0.002))
            versions = {"framework_version": f"2.{week}", "implementation_version": f"{week * 7919:07x}"}
            run = ledger.run(speed, campaign=f"week{week}", environment={"gpu_model": "H200", **versions}, **case)
            begun = FIRST + timedelta(weeks=week, minutes=run)
            ledger.con.execute("update run set started_at = $at where run_id = $run", {"at": begun, "run": run})
            ledger.fact(run, "framework_version", versions["framework_version"], "log", used=True)
            runs.append(run)
    return runs


@pytest.fixture(scope="module")
def made_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """12 weeks: one case is 5 % slower from week 8 on, one dips and regains, one has a slow week, one is even."""
    path = tmp_path_factory.mktemp("history") / "bench.duckdb"
    with ledger_rows(path) as ledger:
        weeks(ledger, [100.0] * 8 + [95.0] * 4)
        weeks(ledger, [200.0] * 4 + [180.0] * 4 + [201.0] * 4, precision="fp16")
        weeks(ledger, [300.0] * 5 + [270.0] + [300.0] * 6, batch_size_per_gpu=64)
        weeks(ledger, [400.0] * 12, gpus=8)
        weeks(ledger, [500.0] * 2, gpus=4)
    return path


@pytest.fixture
def db(made_db: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made_db, tmp_path / "bench.duckdb"))


def states(frame: pl.DataFrame) -> list[tuple[str, str, str]]:
    return sorted(frame.select("name", "point", "state").rows())


def test_steps_and_outliers_are_told_apart(made_db: Path) -> None:
    done = history(db=made_db)

    assert states(done.changes) == [
        ("bert_base_bs32_fp16_1", "2026-02-02", "recovered"),
        ("bert_base_bs32_fp16_1", "2026-03-02", "improvement"),
        (SLOWER, "2026-03-02", "regression"),
        ("bert_base_bs64_fp32_1", "2026-02-09", "outlier"),
    ]
    assert done.is_worse
    assert (done.lines.height, done.short) == (4, 1)
    slower = done.changes.filter(state="regression").row(0, named=True)
    assert slower["before"] == pytest.approx(100, abs=0.2)
    assert slower["low_percent"] < -5 < slower["high_percent"] < -4
    assert slower["chance"] < 1e-6
    assert (slower["points_before"], slower["points_after"]) == (8, 4)
    assert "framework_version 2.7 → 2.8" in slower["causes"]


def test_gpus_of_two_families_are_two_lines_where_no_log_states_the_model(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        for week in range(12):
            family, speed = ("V100", 100.0) if week < 6 else ("A100", 250.0)
            run = ledger.run(
                speed + week / 100, campaign=f"week{week}", environment={"gpu_model": None, "gpu_family": family}
            )
            begun = FIRST + timedelta(weeks=week)
            ledger.con.execute("update run set started_at = $at where run_id = $run", {"at": begun, "run": run})

    done = history(db=path)

    assert (done.lines.height, states(done.changes)) == (2, [])
    assert len(plot_data("history", db=path).labels) == 2


def test_the_order_of_versions_is_by_their_numbers_and_commits_come_by_their_dates(made_db: Path) -> None:
    by_version = history(db=made_db, over="version").changes.filter(state="regression")
    by_commit = history(db=made_db, over="commit").changes.filter(state="regression")

    # As text 2.10 and 2.11 would come before 2.2, and the steps would be others.
    assert by_version.select("name", "point").rows() == [(SLOWER, "2.8")]
    assert by_commit["point"].to_list() == [f"{8 * 7919:07x}"]
    with pytest.raises(UsageError, match="no order 'day'; known: "):
        history(db=made_db, over="day")


def test_an_accepted_regression_passes_the_check_with_its_reason_and_undo_takes_it_back(db: Path) -> None:
    assert run_bench("history", "--check", db=db).exit_code == 1
    run = history(db=db).changes.filter(state="regression")["run_key"][0]

    said = run_bench("history", "--accept", run, "--reason", "safer default", "--by", "Ann", db=db)

    assert (said.exit_code, f"accepted: the changes at {run}" in said.stderr) == (0, True)
    checked = run_bench("history", "--check", db=db)
    assert checked.exit_code == 0
    assert f"{SLOWER} at 2026-03-02: accepted by Ann: safer default" in checked.stdout
    accept_changes(run, undo=True, db=db)
    assert history(db=db).is_worse


def test_an_acceptance_holds_when_the_step_moves_by_one_point_and_no_further(db: Path) -> None:
    with duckdb.connect(str(db), read_only=True) as con:
        keys = con.execute(
            """select min(run_key) from run join bench_case using (case_id) where name = $name
               group by started_at::date order by started_at::date""",
            {"name": SLOWER},
        ).fetchall()
    # The step is at the ninth of twelve points.
    for point in (7, 9):
        accept_changes(keys[point][0], reason="known", db=db)
        assert not history(db=db).is_worse
        accept_changes(keys[point][0], undo=True, db=db)
    for point in (6, 10):
        with pytest.raises(NothingFoundError, match=f"{keys[point][0]}: bench history finds no step there"):
            accept_changes(keys[point][0], reason="known", db=db)


def test_an_acceptance_of_another_quantity_does_not_count(db: Path) -> None:
    run = history(db=db).changes.filter(state="regression")["run_key"][0]
    # Kept while the memory had a step, too.
    with duckdb.connect(str(db)) as con:
        con.execute("insert into kept.accepted_change values ($run, 'memory', 'more cache', now(), null)", {"run": run})

    assert history(db=db).is_worse
    accept_changes(run, reason="more cache", quantity="speed", db=db)
    assert not history(db=db).is_worse


def test_what_cannot_be_accepted_is_refused(db: Path) -> None:
    changes = history(db=db).changes
    run, outlier = (changes.filter(state=state)["run_key"][0] for state in ("regression", "outlier"))

    with pytest.raises(NothingFoundError, match=r"no step there.* leave out an outlier with: bench exclude"):
        accept_changes(outlier.split()[0], reason="why", db=db)
    with pytest.raises(NothingFoundError, match="no step of memory there"):
        accept_changes(run, reason="why", quantity="memory", db=db)
    refused = run_bench("history", "--threshold", "20", "--accept", run, "--reason", "why", db=db)
    assert (refused.exit_code, f"{run}: bench history finds no step there" in refused.stderr) == (1, True)
    with pytest.raises(UsageError, match="give a reason"):
        accept_changes(run, db=db)
    with pytest.raises(UsageError, match="name the RUN"):
        accept_changes(reason="why", db=db)
    with pytest.raises(NothingFoundError, match="no accepted change at"):
        accept_changes(run, undo=True, db=db)
    with pytest.raises(UsageError, match="no quantity 'speeed'"):
        accept_changes(run, reason="why", quantity="speeed", db=db)
    assert run_bench("history", "--reason", "why", db=db).exit_code == 2


def test_an_excluded_outlier_is_gone(db: Path) -> None:
    runs = history(db=db).changes.filter(state="outlier")["run_key"][0].split()
    assert len(runs) == 2

    exclude(*runs, reason="hot node", db=db)

    assert history(db=db).changes.filter(state="outlier").is_empty()


def test_earlier_changes_are_left_out_with_since_and_earlier_points_are_not(made_db: Path) -> None:
    found = history(db=made_db, since="2026-03-01")

    assert states(found.changes) == [
        ("bert_base_bs32_fp16_1", "2026-03-02", "improvement"),
        (SLOWER, "2026-03-02", "regression"),
    ]
    with pytest.raises(UsageError, match="since must be a day such as 2026-11-20, not 'march'"):
        history(db=made_db, since="march")


def test_a_run_in_two_campaigns_is_one_point(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        for run in weeks(ledger, [100.0, 100.1, 99.9], trials=1):
            log = ledger.con.execute("select log_id from run_log where run_id = $run", {"run": run}).fetchone()
            assert log is not None
            ledger.con.execute(
                "insert into sighting by name select * replace (sighting_id + 10000 as sighting_id, 'copy' as campaign, "
                "'copy/' || path as path) from sighting where log_id = $log",
                {"log": log[0]},
            )

    assert history(db=path).lines["points"].to_list() == [3]


def test_more_memory_is_a_regression(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        for number, run in enumerate(weeks(ledger, [100.0] * 8, trials=1)):
            used = 1000.0 + number % 2 + (200 if number >= 5 else 0)
            ledger.device_memory(run, ("0", used), campaign=f"week{number}")

    found = history(db=path).changes

    assert found.select("quantity", "point", "state").rows() == [("memory", "2026-02-09", "regression")]


def test_the_plot_marks_the_changes_of_its_lines(made_db: Path) -> None:
    plot = plot_data("history", db=made_db)

    assert plot.changes is not None
    assert sorted(plot.changes["state"]) == ["improvement", "recovered", "regression"]
    assert set(plot.changes["label"]) <= set(plot.labels)
    texts = [
        row["says"]
        for layer in vega_lite(plot)["vconcat"][0]["layer"]
        if layer["mark"].get("type") == "text"
        for row in layer["data"]["values"]
    ]
    assert len(texts) == 3
    assert any(text.startswith(("-5.", "-4.")) for text in texts)


def test_the_page_is_short_and_names_what_to_do(made_db: Path) -> None:
    page = page_of(history(db=made_db))

    assert page.head == ["4 lines of 3 points or more: 1 regression, 1 improvement, 1 recovered, 1 outlier"]
    assert page.cases["state"].to_list() == ["regression", "improvement", "recovered", "outlier"]
    assert "Accept a regression: bench history --accept RUN --reason TEXT" in page.notes


def test_steps_are_found_in_real_noise_and_noise_is_no_step() -> None:
    # A small share of `make bench-history`.
    source, drawn = real_noise(), random.Random(7)
    series = [made(source, drawn, 0.02, NOISE) for _ in range(80)]
    counts = [
        hits(*one) for one in zip(ours([values for values, _ in series]), [cuts for _, cuts in series], strict=True)
    ]
    right, found, there = (sum(one[part] for one in counts) for part in range(3))
    assert right >= 0.95 * found
    assert right >= 0.9 * there

    quiet = [made(source, drawn, 0.0, drawn.choice(source.spreads))[0] for _ in range(160)]
    assert sum(bool(steps) for steps in ours(quiet)) <= 2


def test_of_quiet_points_a_small_difference_is_neither_outlier_nor_level() -> None:
    # Ten runs of data/measured, the last three made 3 % slower: the fifth is half a percent faster, the eighth slower.
    speeds = [3081.1, 3083.3, 3081.8, 3081.2, 3097.2, 3083.3, 3080.3, 2995.1, 3009.5, 3008.0]

    (found,) = find_steps([[math.log(speed) for speed in speeds]], math.log1p(0.01))

    assert [(step.at, round(math.exp(step.before)), round(math.exp(step.after))) for step in found.steps] == [
        (7, 3084, 3004)
    ]
    assert found.outliers == ()
