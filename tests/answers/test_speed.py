"""The speed table, as README 000 prints it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from benchledger import report_speed
from benchledger.answers.tables.rules import rows_by_rule
from benchledger.answers.tables.table import Report
from benchledger.errors import NothingFoundError, UsageError
from benchledger.store.database import open_for_reading
from tests.answers.conftest import Own
from tests.ledger_rows import STEP_RULE, SUMMARY_RULE, LedgerRows, ledger_rows
from tests.views.conftest import given


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def rows(report: Report, table: int = 0) -> list[tuple[str, ...]]:
    return report.tables[table].frame.rows()


@given(lambda ledger: ledger.readme_000())
def test_readme_000_is_cards_by_precision_and_batch_size(own: Own) -> None:
    table = report_speed(**own).tables[0]

    assert table.frame.columns == ["gpus", "FP32(BS=32)", "FP32(BS=48)", "FP16(BS=64)", "FP16(BS=96)"]
    assert table.frame.rows() == [
        ("1", "127.09", "126.48", "511.13", "532.24"),
        ("8", "1018.40", "1012.80", "4063.19", "4207.36"),
    ]


def test_a_table_states_unit_rule_and_coverage(db: Path) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(127.09)

    table = report_speed(db=db).tables[0]

    assert table.facts == {
        "campaign": "ngc",
        "framework": "pytorch",
        "implementation": "ngc",
        "model": "bert_base",
        "task": "pretraining",
        "gpu_model": "V100-SXM2-16GB",
        "unit": "samples/s",
        "rule": SUMMARY_RULE,
    }
    assert str(table.coverage) == "1 of 1 cells filled"


@given(
    lambda ledger: [
        ledger.run(127.09),
        ledger.run(1018.40, gpus=8),
        ledger.run(gpus=8, batch_size_per_gpu=96, precision="fp16", status="oom"),
    ]
)
def test_an_oom_cell_says_oom_and_a_case_that_nobody_ran_is_a_dash(own: Own) -> None:
    table = report_speed(**own).tables[0]

    assert table.frame.rows() == [("1", "127.09", "-"), ("8", "1018.40", "OOM")]
    assert str(table.coverage) == "2 of 4 cells filled; missing: 1 x fp16 BS=96: not run, 8 x fp16 BS=96: oom"


@given(
    lambda ledger: [
        ledger.run(127.09, status=status, gpus=gpus)
        for gpus, status in ((1, "nan"), (2, "failed"), (4, "timeout"), (8, "too_few_steps"))
    ]
)
def test_a_failed_case_says_how_it_failed_and_is_never_zero(own: Own) -> None:
    assert rows(report_speed(**own)) == [("1", "NAN"), ("2", "FAILED"), ("4", "TIMEOUT"), ("8", "TOO FEW STEPS")]


@given(lambda ledger: ledger.run())
def test_a_run_that_ended_well_without_a_speed_says_too_few_records(own: Own) -> None:
    assert rows(report_speed(**own)) == [("1", "TOO FEW RECORDS")]


@given(lambda ledger: [*(ledger.run(speed) for speed in (100.0, 101.0, 109.0)), ledger.run(50.0, status="failed")])
def test_trials_of_one_case_are_one_cell_with_their_median(own: Own) -> None:
    report = report_speed(**own)

    assert rows(report) == [("1", "101.00")]
    assert report.tables[0].notes[0] == "trials: 3 per cell, 1 dropped; records: 3 used per cell, 0 skipped"
    assert report.cells.select("trials", "trials_dropped", "lowest", "highest").rows() == [(3, 1, 100.0, 109.0)]


@given(
    lambda ledger: [
        *(ledger.run(speed) for speed in (100.0, 101.0, 109.0)),
        ledger.run(50.0, status="failed"),
        ledger.run(status="oom"),
    ]
)
def test_trials_are_listed_beside_mean_and_median(own: Own) -> None:
    report = report_speed(**own, trials=True)

    trials = report.tables[0].trials
    assert trials is not None
    assert trials.rows(named=True) == [
        {
            "gpus": "1",
            "case": "FP32(BS=32)",
            "trial 1": "100.00",
            "trial 2": "101.00",
            "trial 3": "109.00",
            "trial 4": "(50.00)",
            "trial 5": "OOM",
            "mean": "103.33",
            "median": "101.00",
        }
    ]
    assert report.cells["value"].to_list() == [100.0, 101.0, 109.0, 50.0, None]
    assert report.cells["is_trial"].to_list() == [True, True, True, False, False]


def two_units_in_a_run(ledger: LedgerRows) -> None:
    tokens = ledger.shape("summary", name="tokens", quantity="throughput", unit="tokens/s", scope="gpu")
    run = ledger.run(100.0, gpus=None)
    ((log_id,),) = ledger.con.execute("select log_id from run_log where run_id = ?", [run]).fetchall()
    ledger.record(log_id, 2, tokens, 900.0)


@given(two_units_in_a_run)
def test_a_trial_without_a_number_in_another_unit_is_listed_by_its_number(own: Own) -> None:
    report = report_speed(**own, rule=SUMMARY_RULE, trials=True)

    said = [table.trials["trial 1"].to_list() for table in report.tables if table.trials is not None]
    assert said == [["100.00"], ["MISSING FACT"]]


@given(lambda ledger: ledger.run(1e308))
def test_an_absurd_number_is_shown_as_it_is(own: Own) -> None:
    assert rows(report_speed(**own)) == [("1", "1e+308")]


def summary_and_steps(ledger: LedgerRows) -> None:
    step = ledger.shape("step", name="ips", quantity="throughput")
    run = ledger.run(100.0)
    (log,) = ledger.con.execute("select log_id from run_log where run_id = ?", [run]).fetchone() or ()
    for line, speed in [(10, 1.0), (11, 90.0), (12, 92.0)]:
        ledger.record(log, line, step, speed)
    ledger.run(gpus=8, status="oom")
    ledger.run(400.0, gpus=4)


@given(summary_and_steps)
def test_only_default_rules_unless_one_is_named(own: Own) -> None:
    default, by_steps = report_speed(**own), report_speed(**own, rule=STEP_RULE)

    assert rows(default) == [("1", "100.00"), ("4", "400.00"), ("8", "OOM")]
    assert by_steps.tables[0].facts["rule"] == STEP_RULE
    assert rows(by_steps) == [("1", "91.00"), ("4", "NO VALUE"), ("8", "OOM")]
    assert by_steps.tables[0].notes[0].endswith("records: 2 used per cell, 1 skipped")


@given(lambda ledger: ledger.run(100.0))
def test_a_rule_that_gives_nothing_names_those_that_do(own: Own) -> None:
    with pytest.raises(NothingFoundError, match=f"{STEP_RULE}' gives no number .* rules that do: {SUMMARY_RULE}"):
        report_speed(**own, rule=STEP_RULE)


@given(
    lambda ledger: [
        *(
            ledger.run(100.0, gpus=gpus, status=status)
            for gpus, status in [(1, "failed"), (2, "timeout"), (4, "timeout")]
        ),
        ledger.run(gpus=8, status="oom"),
    ]
)
def test_a_rule_without_a_number_says_how_the_runs_ended_and_sends_nobody_to_another_rule(own: Own) -> None:
    with pytest.raises(NothingFoundError) as refused:
        report_speed(**own, rule=SUMMARY_RULE)

    assert str(refused.value) == (
        f"rule '{SUMMARY_RULE}' gives no number for these 4 series: 2 timeout, 1 failed, 1 oom; "
        "see the numbers of single runs, which do not count, with --trials"
    )


@given(lambda ledger: [ledger.run(100.0, status="timeout"), ledger.run(gpus=8, status="oom")])
def test_stopped_runs_show_their_numbers_in_brackets_also_where_no_number_counts(own: Own) -> None:
    report = report_speed(**own, rule=SUMMARY_RULE, trials=True)

    assert rows(report) == [("1", "TIMEOUT"), ("8", "OOM")]
    assert report.tables[0].trials is not None
    assert report.tables[0].trials.rows() == [
        ("1", "FP32(BS=32)", "(100.00)", "-", "-"),
        ("8", "FP32(BS=32)", "OOM", "-", "-"),
    ]


@given(lambda ledger: ledger.run(100.0))
def test_an_unknown_rule_lists_the_known_ones(own: Own) -> None:
    with pytest.raises(
        UsageError, match=f"no rule 'ngc.sumary'; did you mean '{SUMMARY_RULE}'\\?; known: {SUMMARY_RULE}, {STEP_RULE}"
    ):
        report_speed(**own, rule="ngc.sumary")


def runs_under_three_rules(ledger: LedgerRows) -> None:
    ledger.rule("steps.mean_skip9", kind="step", statistic="mean", skip=9)
    step = ledger.shape("step", name="ips", quantity="throughput")
    for gpus, speeds in {1: [1.0], 8: [1.0, 790.0]}.items():
        run = ledger.run(100.0 * gpus, gpus=gpus)
        (log,) = ledger.con.execute("select log_id from run_log where run_id = ?", [run]).fetchone() or ()
        for line, speed in enumerate(speeds, start=10):
            ledger.record(log, line, step, speed)
    ledger.run(400.0, gpus=4)


@given(runs_under_three_rules)
def test_a_glob_of_rules_says_what_each_of_its_rules_says_alone(own: Own) -> None:
    every, steps, alone = (report_speed(**own, rule=rule) for rule in ("*", "steps.*", STEP_RULE))

    assert rows(alone) == [("1", "TOO FEW RECORDS"), ("4", "NO VALUE"), ("8", "790.00")]
    assert {str(table.facts["rule"]): rows(every, n) for n, table in enumerate(every.tables)} == {
        SUMMARY_RULE: [("1", "100.00"), ("4", "400.00"), ("8", "800.00")],
        STEP_RULE: rows(alone),
    }
    assert {str(table.facts["rule"]): rows(steps, n) for n, table in enumerate(steps.tables)} == {
        STEP_RULE: rows(alone)
    }
    assert str(steps.tables[0].coverage) == str(alone.tables[0].coverage)
    assert steps.tables[0].notes == (
        *alone.tables[0].notes,
        "requested rules without a number here: steps.mean_skip9",
    )


def test_where_no_rule_of_a_glob_gives_a_number_each_case_keeps_its_place(db: Path) -> None:
    with ledger_rows(db) as ledger:
        step = ledger.shape("step", name="ips", quantity="throughput")
        run = ledger.run(100.0)
        (log,) = ledger.con.execute("select log_id from run_log where run_id = ?", [run]).fetchone() or ()
        for line, speed in [(10, 1.0), (11, 90.0)]:
            ledger.record(log, line, step, speed)
        ledger.run(400.0, campaign="other")

    steps = report_speed(db=db, rule="steps.*")

    assert [(table.facts["rule"], rows(steps, n)) for n, table in enumerate(steps.tables)] == [
        (STEP_RULE, [("1", "90.00")]),
        ("steps.*", [("1", "NO VALUE")]),
    ]


def a_contradiction(ledger: LedgerRows) -> None:
    run = ledger.run(100.0)
    ledger.fact(run, "gpus", "1", "log", used=True)
    ledger.fact(run, "gpus", "8", "name", used=False)


@given(a_contradiction)
def test_contradictions_are_counted_under_the_table(own: Own) -> None:
    assert report_speed(**own).tables[0].notes[1] == (
        "contradictions between facts of these runs: 1; see: bench query conflicts"
    )


@pytest.mark.parametrize(
    ("view", "rule"),
    [("speed_table", None), ("speedup_table", "*"), ("kept.pivot_table where quantity = 'speed'", None)],
)
def test_rows_and_so_notes_have_one_order_whatever_order_the_view_has(
    demo_ledger: Path, view: str, rule: str | None
) -> None:
    with closing(open_for_reading(demo_ledger)) as con:
        forth, back = (rows_by_rule(con.sql(f"from {view} order by cell {way}"), rule) for way in ("asc", "desc"))

    assert len(forth) > 2
    assert forth == back
