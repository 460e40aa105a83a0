"""`bench compare`: which cases are paired, what is said of them, and the exit code."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchledger import compare
from benchledger.comparing.page import page_of
from benchledger.errors import UsageError
from tests.cli.bench import run_bench
from tests.comparing.made_runs import MadeRun, write_run
from tests.ledger_rows import LedgerRows, ledger_rows

MADE = Path(__file__).parents[2] / "data" / "made"


def trials(ledger: LedgerRows, campaign: str, *speeds: float, **more: Any) -> None:
    for speed in speeds:
        ledger.run(speed, campaign=campaign, **more)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Campaigns old and new: one case slower, one the same, one on each side only, one that ran out of memory."""
    path = tmp_path_factory.mktemp("compare") / "bench.duckdb"
    with ledger_rows(path) as ledger:
        trials(ledger, "old", 100.0, 100.2, 99.8)
        trials(ledger, "new", 95.0, 95.2, 94.8)
        trials(ledger, "old", 500.0, 501.0, 499.0, precision="fp16")
        trials(ledger, "new", 501.0, 500.0, 499.5, precision="fp16")
        trials(ledger, "old", 200.0, 201.0, batch_size_per_gpu=48)
        trials(ledger, "new", 900.0, gpus=8)
        trials(ledger, "old", 300.0, 301.0, batch_size_per_gpu=64)
        ledger.run(campaign="new", status="oom", batch_size_per_gpu=64)
        # Another GPU model; and two versions of one framework.
        trials(ledger, "a100", 210.0, 210.4, 209.8, environment={"gpu_model": "A100-SXM4-80GB"})
        for version, speed in (("2.4", 100.0), ("2.5", 103.0)):
            environment = {"framework_version": version, "gpu_model": "H200"}
            trials(ledger, "both", speed, speed * 1.001, speed * 0.999, environment=environment)
    return path


def verdicts(frame: pl.DataFrame) -> dict[str, str]:
    return dict(frame.select("name", "verdict").iter_rows())


def test_every_case_of_both_sides_has_a_verdict(db: Path) -> None:
    done = compare("old", "new", db=db)

    assert verdicts(done.cases) == {
        "bert_base_bs32_fp32_1": "slower",
        "bert_base_bs32_fp16_1": "same",
        "bert_base_bs48_fp32_1": "only_a",
        "bert_base_bs32_fp32_8": "only_b",
        "bert_base_bs64_fp32_1": "no_number",
    }
    assert done.is_worse
    assert done.is_open
    slower = done.cases.filter(verdict="slower").row(0, named=True)
    assert (slower["a_value"], slower["b_value"], slower["a_trials"], slower["b_trials"]) == (100.0, 95.0, 3, 3)
    assert slower["change_percent"] == pytest.approx(-5.0, abs=0.01)
    assert slower["low"] < 0.95 < slower["high"] < 0.96


def test_runs_that_are_on_both_sides_are_told(db: Path) -> None:
    assert page_of(compare("old", "old", db=db)).notes[0] == "10 runs on both sides (same logs)."
    assert not any("on both sides" in note for note in page_of(compare("old", "new", db=db)).notes)


def test_a_change_follows_from_the_values_beside_it_or_a_note_says_why_not(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        trials(ledger, "old", 11.1162)
        trials(ledger, "new", 11.1191)
        trials(ledger, "old", 100.0, 100.0, 109.0, precision="fp16")
        trials(ledger, "new", 100.0, 100.0, 100.0, precision="fp16")

    page = page_of(compare("old", "new", db=path))

    rows = {row["case"]: (row["A"], row["B"], row["change"]) for row in page.cases.to_dicts()}
    assert rows["bert_base_bs32_fp32_1"] == ("11.1162", "11.1191", "+0.03 %")
    assert rows["bert_base_bs32_fp16_1"] == ("100.00", "100.00", "-2.83 %")
    assert (
        page.notes[-1] == "A change compares the geometric means of the trials; A and B are the values in the tables."
    )


def test_the_mean_is_over_the_cases_of_both_sides_and_says_of_how_many(db: Path) -> None:
    done = compare("old", "new", db=db)
    mean = done.means.row(0, named=True)

    assert page_of(done).means["coverage"].to_list() == ["2 of 5 cases compared"]
    assert mean["ratio"] == pytest.approx((0.95 * 1.0) ** 0.5, abs=1e-3)
    assert (mean["cases"], mean["only_a"], mean["only_b"], mean["not_paired"]) == (2, 1, 1, 1)


def test_two_filters_of_one_ledger_are_two_sides(db: Path) -> None:
    done = compare(a=["framework_version=2.4"], b=["framework_version=2.5"], db=db)

    row = done.cases.row(0, named=True)
    assert (row["verdict"], row["differs"], done.is_worse) == ("faster", "framework_version", False)


def test_gpu_models_are_compared_only_where_asked_and_then_marked(db: Path) -> None:
    with pytest.raises(UsageError, match=r"bert_base_bs32_fp32_1 differ in gpu_model\. Pair .* --across COLUMN"):
        compare("new", "a100", db=db)

    done = compare("new", "a100", db=db, across=["gpu_model"])

    paired = done.cases.filter(pl.col("ratio").is_not_null()).row(0, named=True)
    assert (paired["verdict"], paired["differs"]) == ("faster", "gpu_model")
    assert "faster (gpu_model differ)" in page_of(done).cases["verdict"].to_list()
    # What tells the sides apart is asked for by naming it.
    sides = {"a": ["gpu_model=V100*", "campaign=new"], "b": ["gpu_model=A100*"]}
    assert verdicts(compare(db=db, **sides).cases)["bert_base_bs32_fp32_1"] == "faster"


def test_rules_are_compared_only_where_asked(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        trials(ledger, "old", 100.0, 100.2, 99.8)
    other = tmp_path / "other.duckdb"
    with ledger_rows(other) as ledger:
        ledger.con.execute("update kept.format set default_rule = 'other'")
        ledger.rule("other", kind="summary", statistic="last")
        trials(ledger, "new", 90.0, 90.2, 89.8)

    with pytest.raises(UsageError, match="differ in rule"):
        compare(path, other)
    row = compare(path, other, across=["rule"]).cases.row(0, named=True)

    assert (row["a_rule"], row["b_rule"], row["differs"], row["verdict"]) == ("ngc.summary", "other", "rule", "slower")


def test_series_that_only_their_version_tells_apart_are_paired_by_it(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        for campaign, factor in (("old", 1.0), ("new", 0.9)):
            for version, speed in (("1.0", 100.0), ("2.0", 200.0)):
                speeds = [speed * factor * noise for noise in (1, 1.001, 0.999)]
                trials(ledger, campaign, *speeds, environment={"framework_version": version})
        trials(ledger, "third", 1.0, 1.001, environment={"framework_version": "3.0"})

    assert compare("old", "new", db=path).cases["verdict"].to_list() == ["slower", "slower"]
    # Of which none is the partner: said, never guessed.
    assert set(compare("old", "*", db=path).cases["verdict"]) == {"same", "ambiguous"}


def test_less_memory_is_better_and_more_is_worse(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        for campaign, used in (("old", 1000.0), ("new", 1200.0)):
            for number in range(3):
                run = ledger.run(100.0 + number / 10, campaign=campaign)
                ledger.device_memory(run, ("0", used + number), campaign=campaign)

    worse, better = compare("old", "new", db=path), compare("new", "old", db=path)

    assert dict(worse.cases.select("quantity", "verdict").iter_rows()) == {"speed": "same", "memory": "more"}
    assert (worse.is_worse, better.is_worse) == (True, False)
    assert compare("old", "new", db=path, quantity=["speed"]).cases["quantity"].to_list() == ["speed"]


@pytest.mark.parametrize(
    ("sides", "more", "message"),
    [
        (("old",), {}, "name both sides"),
        ((), {"a": ["precision=fp16"]}, "name both sides"),
        (("old", "nothing"), {}, "nothing: no trial with campaign 'nothing'; known: "),
        (("old", "new"), {"a": ["speed"]}, "write COLUMN=VALUE"),
        (("old", "new"), {"a": ["color=red"]}, "no case column 'color'; known: "),
        (("old", "new"), {"across": ["color"]}, "no across 'color'; known: "),
        (("old", "new"), {"threshold": 0.0}, "the threshold must be a percentage between 0 and 100"),
    ],
)
def test_a_side_that_cannot_be_is_told_with_its_cure(
    sides: tuple[str, ...], more: dict[str, Any], message: str, db: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        compare(*sides, db=db, **more)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["new", "old"], 0),
        (["old", "new"], 1),
        (["old", "new", "--threshold", "10"], 0),
        (["new", "old", "--strict"], 1),
        (["old", "gone"], 2),
        (["old"], 2),
    ],
)
def test_the_exit_code_says_whether_anything_is_slower(words: list[str], code: int, db: Path) -> None:
    assert run_bench("--db", str(db), "compare", *words).exit_code == code


def test_folders_of_logs_are_compared_without_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(MADE, "before")
    shutil.copytree(MADE, "after")

    done = run_bench("compare", "before", "after", "--format", "csv", "--quantity", "speed")

    assert done.exit_code == 0, done.output
    assert {path.name for path in Path().iterdir()} == {"before", "after"}
    frame = pl.read_csv(done.stdout.encode())
    # One case has trials; of the others one trial a side says nothing.
    assert set(frame["verdict"]) <= {"same", "undecided", "no_number"}
    assert frame.filter(pl.col("ratio").is_not_null())["ratio"].to_list() == pytest.approx([1.0] * 8)


def test_a_page_for_a_pull_request_has_at_most_thirty_lines(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        for size in range(1, 41):
            trials(ledger, "old", 100.0, 100.1, 99.9, batch_size_per_gpu=size)
            trials(ledger, "new", 80.0 + size, 80.1 + size, 79.9 + size, batch_size_per_gpu=size)
            trials(ledger, f"{'old' if size % 2 else 'new'}", 7.0, batch_size_per_gpu=1000 + size)

    page = run_bench("--db", str(path), "compare", "old", "new", "--format", "markdown").stdout

    assert len(page.splitlines()) <= 30
    assert "40 numbers on both sides: 19 slower, 20 faster, 1 same within 1 %" in page
    assert "29 more changed or undecided cases" in page
    assert "20 cases only in A" in page
    assert "20 cases only in B" in page


def test_the_cause_of_a_slower_case_is_named(tmp_path: Path) -> None:
    for trial in (1, 2, 3):
        write_run(tmp_path / "before", MadeRun(f"run{trial}"))
        write_run(tmp_path / "after", MadeRun(f"run{trial}", step_ms=33.0, clock=1700, commit="d4e5f6a"))

    done = compare(tmp_path / "before", tmp_path / "after", quantity=["speed"])

    case = done.cases.row(0, named=True)
    assert case["verdict"] == "slower"
    assert case["causes"].startswith("clocks.current.sm 1980 → 1700; implementation_version a1b2c3d → d4e5f6a")
    assert any("may be slower: clocks.current.sm" in note for note in page_of(done).notes)


def test_what_one_side_lacks_of_a_compared_case_is_named_by_its_quantity(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        trials(ledger, "old", 100.0, 100.1, 99.9)
        for speed in (100.0, 100.1, 99.9):
            ledger.device_memory(ledger.run(speed, campaign="new"), ("0", 1000.0), campaign="new")

    notes = page_of(compare("old", "new", db=path)).notes

    assert "1 number only in B: memory device of bert_base_bs32_fp32_1" in notes


def test_a_trial_that_is_left_out_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        trials(ledger, "old", 100.0, 100.1, 99.9, 100.2, 99.8)
        trials(ledger, "new", 98.0, 98.1, 97.9, 98.2, 80.0)

    done = compare("old", "new", db=path)

    assert done.cases.select("verdict", "outliers").row(0) == ("slower", 1)
    assert "One trial of bert_base_bs32_fp32_1 is left out: it is far from all others." in page_of(done).notes


def write_losses(log: Path, last: float, nan_from: int = 31) -> None:
    steps = (
        f" iteration {step:8d}/      30 | consumed samples: {step * 8} | elapsed time per iteration (ms): 500.0 |"
        f" learning rate: 1.0E-04 | global batch size:     8 |"
        f" lm loss: {'nan' if step >= nan_from else f'{last + (30 - step) / 10:.6E}'} |\n"
        for step in range(1, 31)
    )
    log.parent.mkdir(exist_ok=True)
    log.write_text(f"using world size: 1, data-parallel-size: 1\n{''.join(steps)}")


def test_a_run_that_diverged_is_told_though_the_other_trials_end_with_the_same_loss(tmp_path: Path) -> None:
    for trial, nan_from in enumerate((31, 31, 20)):
        write_losses(tmp_path / "A" / f"run_{trial}.log", 5.7 + trial / 1000)
        write_losses(tmp_path / "B" / f"run_{trial}.log", 5.701 + trial / 1000, nan_from)

    done = compare(tmp_path / "A", tmp_path / "B", quantity=["final_loss"])

    assert list(done.cases["verdict"]) == ["same"]
    assert (done.diverged, done.is_open, done.is_worse) == ((0, 1), True, False)
    assert "1 run of B diverged: bench report convergence names the rule." in page_of(done).notes


def test_a_run_that_does_not_reach_the_target_is_told(tmp_path: Path) -> None:
    for trial, last in enumerate((5.7, 5.7, 7.5)):
        write_losses(tmp_path / "A" / f"run_{trial}.log", 5.7 + trial / 1000)
        write_losses(tmp_path / "B" / f"run_{trial}.log", last + trial / 1000)

    done = compare(tmp_path / "A", tmp_path / "B", target="loss=7", quantity=["time_to_target"])

    assert (done.diverged, done.not_reached, done.is_open) == ((0, 0), (0, 1), True)
    assert "1 run of B did not reach the target: no time of it is compared." in page_of(done).notes


def test_losses_of_0_or_less_have_no_ratio_and_are_listed(tmp_path: Path) -> None:
    # As cosine losses and log-likelihoods do; B ends worse.
    for side, last in (("A", -5.7), ("B", -4.7)):
        write_losses(tmp_path / side / "run.log", last)

    done = compare(tmp_path / "A", tmp_path / "B")

    rows = done.cases.filter(pl.col("quantity") == "final_loss").select("verdict", "a_value", "b_value").rows()
    assert [verdict for verdict, *_ in rows] == ["no_number"]
    assert done.is_open
