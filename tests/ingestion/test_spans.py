"""Times between two records, and the mean over trials without the extremes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.answers.rows import reading, rows_of
from tests.ingestion.conftest import Files, Given, given
from tests.ingestion.logs import ask
from tests.kept.oracle import Run, apply_rule

EVENT = ':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "%s", "key": "%s", "value": %s, "metadata": {%s}}\n'
BEGIN = 1_600_000_000_000


def run_of(minutes: float, *, status: str | None = "success", benchmark: str = "toy") -> str:
    """The events of a run: two ranks start, the second one a second later."""
    lines = [
        EVENT % (BEGIN - 2000, "POINT_IN_TIME", "cache_clear", "true", ""),
        EVENT % (BEGIN - 1000, "POINT_IN_TIME", "submission_benchmark", f'"{benchmark}"', ""),
        "0: " + EVENT % (BEGIN, "INTERVAL_START", "run_start", "null", ""),
        "1: " + EVENT % (BEGIN + 1000, "INTERVAL_START", "run_start", "null", ""),
    ]
    if status is not None:
        stop = BEGIN + round(minutes * 60_000)
        lines.append("0: " + EVENT % (stop, "INTERVAL_END", "run_stop", "null", f'"status": "{status}"'))
    return "".join(lines)


def files(runs: list[str]) -> Files:
    return {f"result_{number}.txt": text for number, text in enumerate(runs, 1)}


def score(own: Given) -> tuple[object, ...]:
    with reading(own.db) as con:
        rules = [row for row in rows_of(con.sql("from kept.rule")) if row["quantity"] == "span"]
        told = {(row["run_id"], row["rule"]): row["value"] for row in rows_of(con.sql("from run_speed"))}
        for (run_id,) in own.ask("select run_id from run"):
            for rule in rules:
                for one in apply_rule(rule, Run(con, run_id)):
                    assert one.value == pytest.approx(told[run_id, rule["rule"]], rel=1e-12)
    rows = own.ask("select rule, value, trials, trials_dropped, status from speed_table where is_default")
    assert len(rows) == 1
    return tuple(rows[0])


# No two of these tests have a log in common.
@given(files([run_of(minutes) for minutes in (5.0, 1.0, 2.5, 3.5, 100.0)]))
def test_a_span_is_from_the_first_to_the_last_and_the_extremes_do_not_count(own: Given) -> None:
    assert score(own) == ("mlperf.score", pytest.approx(11 / 3, rel=1e-12), 5, 0, "ok")


ABORTED = [run_of(minutes, benchmark="quick") for minutes in (5.0, 1.0, 2.5, 3.5)]


@given(files([*ABORTED, run_of(0.5, status="aborted", benchmark="quick")]))
def test_an_aborted_run_is_the_slowest_however_fast_it_was(own: Given) -> None:
    assert score(own) == ("mlperf.score", pytest.approx(11 / 3, rel=1e-12), 4, 1, "ok")


WITHOUT = [run_of(0.5, status=status, benchmark="small") for status in ("aborted", None)]


@given(files([run_of(minutes, benchmark="small") for minutes in (5.0, 1.0, 2.5)] + WITHOUT))
def test_two_runs_without_a_number_make_no_score(own: Given) -> None:
    assert score(own) == ("mlperf.score", None, 3, 2, "too_few_trials")


UNETS = [
    run_of(minutes, benchmark="unet3d") for minutes in (1.0, 2.0, 3.0, 4.0, *range(10, 41), 90.0, 91.0, 92.0, 93.0)
]


@given(files([*UNETS, run_of(0.5, status="aborted", benchmark="unet3d")]))
def test_3d_u_net_leaves_out_four_on_either_side(own: Given) -> None:
    assert score(own) == ("mlperf.score_of_40", pytest.approx((sum(range(10, 41)) + 90) / 32), 39, 1, "ok")


START = "1: " + EVENT % (BEGIN - 1500, "INTERVAL_START", "init_start", "null", "")
CLEAR = EVENT % (BEGIN - 1400, "POINT_IN_TIME", "cache_clear", "true", "")


@given({"both.log": (START + CLEAR + run_of(2.0)) * 2})
def test_two_trials_in_one_log_are_two_runs_and_ranks_that_start_late_are_none(own: Given) -> None:
    runs = own.ask("select value, status from run_speed where rule = 'mlperf.minutes' order by all")
    assert runs == [(pytest.approx(2.0), "ok"), (pytest.approx(2.0), "ok")]


@pytest.mark.parametrize(
    ("numbers", "without", "mean"),
    [([1.0, 2.0, 9.0], 0, 2), ([1.0, 2.0, 9.0], 1, 5.5), ([1.0, 2.0], 0, None), ([1.0, 2.0, 9.0], 2, None)],
)
def test_an_olympic_mean_of_nothing_is_none(
    empty_ledger: Path, numbers: list[float], without: int, mean: float | None
) -> None:
    assert ask(empty_ledger, f"select olympic_mean({numbers}::double[], 1, {without})") == [(mean,)]


def with_batch_sizes(whole: int) -> str:
    said = {"global_batch_size": whole, "d_batch_size": 56, "gradient_accumulation_steps": 2}
    return "".join(EVENT % (BEGIN - 1000, "POINT_IN_TIME", key, value, "") for key, value in said.items()) + run_of(2.0)


@given({f"{whole}/result_1.txt": with_batch_sizes(whole) for whole in (448, 450)})
def test_gpus_follow_from_batch_sizes_that_divide_evenly(own: Given) -> None:
    gpus = """select split_part(path, '/', 1), gpus, strength
              from run join bench_case using (case_id) join run_log using (run_id) join sighting using (sighting_id)
              left join fact on fact.run_id = run.run_id and fact.name = 'gpus' and fact.source = 'derived'
              order by all"""
    assert [(whole, gpus, strength is not None) for whole, gpus, strength in own.ask(gpus)] == [
        ("448", 4, True), ("450", None, False)
    ]  # fmt: skip
