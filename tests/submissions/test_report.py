"""`bench report submissions`: submissions of our own making beside reference points of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchledger import explain, ingest, report_submissions
from benchledger.definitions.folders import definition_files, use_definitions
from benchledger.errors import NothingFoundError, UsageError
from tests.ingestion.logs import ask

BEGIN = 1_600_000_000_000
POINTS = {
    f"toy_ref_{size}": {"Benchmark": "rnnt", "BS": size, "Epochs to converge": [mean - 1, *[mean - 0.5, mean + 0.5] * 9, mean + 1]}
    for size, mean in ((64, 40), (128, 50), (256, 90))
}  # fmt: skip


def event(minutes: float, kind: str, key: str, value: object = None, **metadata: object) -> str:
    at = BEGIN + round(minutes * 60_000)
    data = {"namespace": "", "time_ms": at, "event_type": kind, "key": key, "value": value, "metadata": metadata}
    return f":::MLLOG {json.dumps(data)}\n"


def run_of(
    start: float,
    minutes: float,
    epochs: float,
    *,
    status: str = "success",
    batch: int = 128,
    before_stop: str = "",
    **said: object,
) -> str:
    settings = {"submission_benchmark": "rnnt", "submission_org": "Us", "submission_division": "closed"}
    settings |= {"submission_platform": "1xToy", "global_batch_size": batch, **said}
    return "".join(
        [
            event(start - 1, "POINT_IN_TIME", "cache_clear", True),
            *[event(start - 0.5, "POINT_IN_TIME", key, value) for key, value in settings.items()],
            event(start, "INTERVAL_START", "run_start"),
            event(start + 0.5, "POINT_IN_TIME", "eval_accuracy", 0.1, epoch_num=epochs / 2),
            event(start + minutes - 0.1, "POINT_IN_TIME", "eval_accuracy", 0.9, epoch_num=epochs),
            before_stop,
            event(start + minutes, "INTERVAL_END", "run_stop", None, status=status),
        ]
    )


def ten(epochs: float = 60.0, **more: Any) -> list[str]:
    return [run_of(20 * number, 5 + number, epochs, **more) for number in range(10)]


def bert(number: int) -> str:
    """A run whose evaluations count epochs, and whose samples stand apart."""
    samples = event(20 * number + 4.95, "POINT_IN_TIME", "train_samples", 120)
    return run_of(20 * number, 5, 1, submission_benchmark="bert", before_stop=samples)


def two_passes(number: int) -> str:
    """A run that was as fast as none may be, and behind its end what a second pass evaluates and counts."""
    later = event(20 * number + 9, "POINT_IN_TIME", "eval_accuracy", 0.9, epoch_num=120.0)
    later += event(20 * number + 9, "POINT_IN_TIME", "train_samples", 120)
    samples = event(20 * number + 4.95, "POINT_IN_TIME", "train_samples", 40)
    return run_of(20 * number, 5, 40, submission_benchmark="bert", before_stop=samples) + later


def power(number: int, watts: float) -> dict[str, str]:
    """What lies beside a run that took 5 + number minutes: two nodes and a switch."""
    start, stop = 20 * number, 20 * number + 4
    node = event(start, "INTERVAL_START", "power_measurement_start")
    node += event(start + 1, "POINT_IN_TIME", "power_reading", watts) + event(stop, "POINT_IN_TIME", "power_reading", 0)
    node += event(stop, "INTERVAL_END", "power_measurement_stop")
    half = event(start, "POINT_IN_TIME", "conversion_eff", 0.5)
    switch = event(start + 1, "POINT_IN_TIME", "interconnect_power_est", 10)
    return {"node_0.txt": node, "node_1.txt": half + node, "sw_0.txt": switch}


SUBMISSIONS = {
    "power": ten(),
    "plain": ten(),
    "aborted": [*ten()[:9], run_of(300, 1, 1, status="aborted")],
    "fast": ten(40),
    "little": ten(49.8),
    "scaled": ten(49.8),
    "unlike": ten(),
    "between": ten(batch=96),
    "above": ten(batch=512),
    "broken": ten(submission_benchmark="gnmt"),
    "none": ten(submission_benchmark="ncf"),
    "unheard": ten(submission_benchmark="gpt99"),
    "two metrics": ten(submission_benchmark="stable_diffusion"),
    "by samples": [bert(number) for number in range(10)],
    "two passes": [two_passes(number) for number in range(10)],
    "weak": [run_of(number, 30, 60) for number in range(10)],
}
SLOW = {**POINTS, "toy_ref_128": {**POINTS["toy_ref_128"], "Epochs to converge": [80.0, 80.5, 81.0, 80.2] * 5}}
BERT = {"b": {"Benchmark": "bert", "BS": 128, "Epochs to converge": [90.0, *[99.0, 101.0] * 9, 110.0]}}
BROKEN = {"toy_ref_64": {"Benchmark": "gnmt", "BS": 64, "Epochs to converge": [1, -2, 3, 4]}}
RCPS = {"9.0.0/rcps_rnnt": POINTS, "8.0.0/rcps_rnnt": SLOW, "9.0.0/rcps_bert": BERT, "9.0.0/rcps_gnmt": BROKEN}
UNLIKE = '[correct]\nreason = "judged"\nscore_factor = 2\n[[for]]\nmatch = "result_3.txt"\n[for.correct]\nreason = "judged otherwise"\nscore_factor = 3\n'


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All submissions and reference points in one ledger: each a campaign."""
    home = tmp_path_factory.mktemp("submissions")
    for name, runs in SUBMISSIONS.items():
        (home / "results" / name).mkdir(parents=True)
        for number, text in enumerate(runs):
            # The same bytes in two folders would be one run in two campaigns.
            own = event(20 * number - 1, "POINT_IN_TIME", "seed", f"{name} {number}")
            (home / "results" / name / f"result_{number}.txt").write_text(own + text)
    for number in range(10):
        for name, text in power(number, 400 - 10 * number).items():
            place = home / "results" / "power" / "power" / f"result_{number}" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    (home / "results" / "scaled" / "scaling.json").write_text('{"scaling_factor": 1.25}')
    (home / "results" / "unlike" / "facts.toml").write_text(UNLIKE)
    for name, points in RCPS.items():
        place = home / "rcps" / f"training_{name}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(points, indent=1))
    ingest(home / "results", home / "rcps", db=home / "bench.duckdb")
    return home / "bench.duckdb"


@pytest.fixture(scope="module")
def told(ledger: Path) -> dict[str, dict[str, Any]]:
    """What the report says of each submission by the points of 9.0.0."""
    return by_name(ledger, points="training_9*")


def by_name(ledger: Path, **asked: Any) -> dict[str, dict[str, Any]]:
    return {
        row["campaign"].removeprefix("results/"): row for row in report_submissions(db=ledger, **asked).cells.to_dicts()
    }


def test_a_submission_states_its_runs_its_score_and_its_verdict(told: dict[str, dict[str, Any]]) -> None:
    row = told["plain"]

    said = [row[name] for name in ("submitter", "system", "division", "benchmark", "global_batch_size")]
    assert said == ["Us", "1xToy", "closed", "rnnt", 128]
    assert (row["runs"], row["runs_demanded"], row["converged"]) == (10, 10, 10)
    assert row["score"] == pytest.approx(9.5, rel=1e-12)
    assert (row["passed"], row["mean"], row["reference_mean"], row["factor"]) == (True, 60, pytest.approx(50), 1)
    assert row["normalised_min"] == pytest.approx(9.5, rel=1e-12)
    assert row["points"] == "training_9.0.0/rcps_rnnt.json"


def test_a_run_that_did_not_converge_is_the_slowest_also_in_epochs(told: dict[str, dict[str, Any]]) -> None:
    row = told["aborted"]

    assert (row["converged"], row["passed"], row["mean"]) == (9, True, 60)
    assert row["score"] == pytest.approx(sum(range(6, 14)) / 8, rel=1e-12)


def test_too_fast_fails_and_a_little_faster_is_normalised(told: dict[str, dict[str, Any]]) -> None:
    fast, little = told["fast"], told["little"]

    assert (fast["passed"], fast["normalised_min"], fast["why"]) == (False, None, "faster than chance allows")
    assert fast["p"] < 0.05 < little["p"]
    assert little["passed"] is True
    assert little["factor"] == pytest.approx(50 / 49.8)
    assert little["score"] == pytest.approx(9.5, rel=1e-12)
    assert little["normalised_min"] == pytest.approx(9.5 * 50 / 49.8)


def test_the_judges_factor_is_a_fact_and_the_score_is_multiplied_by_it_once(
    ledger: Path, told: dict[str, dict[str, Any]]
) -> None:
    row = told["scaled"]

    assert row["score"] == pytest.approx(9.5 * 1.25, rel=1e-12)
    assert row["normalised_min"] == pytest.approx(9.5 * 50 / 49.8)
    stated = "select distinct value, source from fact where name = 'score_factor' and source = 'sidecar'"
    assert ask(ledger, stated) == [("1.25", "sidecar")]
    minutes = "select value from speed_table where rule = 'mlperf.minutes' and campaign = 'results/scaled'"
    assert ask(ledger, minutes) == [(pytest.approx(9.5),)]
    explained = explain(row["cell"], db=ledger)
    assert explained.check.agrees
    assert "It is multiplied by score_factor, 1.25 (sidecar)." in explained.sentences


def test_runs_that_are_not_told_the_same_factor_make_no_score(ledger: Path, told: dict[str, dict[str, Any]]) -> None:
    assert (told["unlike"]["score"], told["unlike"]["status"]) == (None, "mixed")
    explained = explain(told["unlike"]["cell"], db=ledger)
    assert explained.check.agrees
    assert "Its runs are not all told the same score_factor, so there is no number." in explained.sentences


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("between", "between reference points of batch sizes 64 and 128"),
        ("above", "no reference point at or above batch size 512"),
        ("none", "no reference points are known: ingest the rcps_*.json of the round"),
        ("broken", "training_9.0.0/rcps_gnmt.json:2: no list of numbers above 0 that is long enough"),
        ("two metrics", "it converges by two metrics at once, which is not told here"),
        ("by samples", "its logs count samples apart: ask with --apart"),
    ],
)
def test_a_verdict_says_what_it_rests_on_or_why_there_is_none(
    told: dict[str, dict[str, Any]], name: str, reason: str
) -> None:
    assert told[name]["why"] == reason
    assert told[name]["passed"] is (True if name == "between" else None)


def test_a_benchmark_that_nobody_demands_is_told_with_those_that_are_known(told: dict[str, dict[str, Any]]) -> None:
    assert told["unheard"]["why"].startswith("no benchmark 'gpt99' is known: bert, cosmoflow, ")


def test_of_two_files_of_points_one_is_to_be_named(ledger: Path) -> None:
    row = by_name(ledger, campaign="plain")["plain"]

    listed = "training_8.0.0/rcps_rnnt.json, training_9.0.0/rcps_rnnt.json"
    assert (row["passed"], row["why"]) == (None, f"2 files hold reference points: name one with --points: {listed}")


def test_points_that_others_show_to_be_slow_are_left_out(ledger: Path) -> None:
    row = by_name(ledger, campaign="plain", points="training_8*")["plain"]

    assert row["reference_mean"] == pytest.approx(40 + 50 / 3)


def test_bert_counts_samples_apart_where_its_evaluations_do_not(ledger: Path) -> None:
    row = by_name(ledger, campaign="by samples", apart=True)["by samples"]

    assert (row["passed"], row["mean"]) == (True, 120)


def test_what_stands_behind_the_end_of_a_run_is_not_counted(ledger: Path, told: dict[str, dict[str, Any]]) -> None:
    row = told["two passes"]

    assert (row["passed"], row["mean"], row["why"]) == (False, 40, "faster than chance allows")
    apart = by_name(ledger, campaign="two passes", points="training_9*", apart=True)["two passes"]
    assert (apart["passed"], apart["mean"]) == (False, 40)


def test_weak_scaling_is_the_minutes_of_all_models(ledger: Path, told: dict[str, dict[str, Any]]) -> None:
    assert [told["weak"][name] for name in ("models", "all_min")] == [10, pytest.approx(39)]
    assert told["aborted"]["models"] is None
    frame = report_submissions(db=ledger, campaign="weak", weak=True).tables[0].frame
    assert frame.select("models", "all_min").rows() == [("10", "39.00")]


def test_the_energy_is_that_of_the_runs_which_make_the_score(ledger: Path, told: dict[str, dict[str, Any]]) -> None:
    # Each node draws its watts for one of the four minutes that are measured, the second at half; the switch 10 W.
    joules = [(1.5 * (400 - 10 * number) / 4 + 10) * (5 + number) * 60 for number in range(10)]

    assert told["power"]["energy_j"] == pytest.approx(sum(joules[1:9]) / 8)
    assert told["power"]["score"] == pytest.approx(9.5, rel=1e-12)
    assert told["plain"]["energy_j"] is None
    frames = [report_submissions(db=ledger, campaign=name).tables[0].frame.columns for name in ("power", "plain")]
    assert ["energy_j" in columns for columns in frames] == [True, False]


def test_a_suite_of_ones_own_says_what_its_logs_call_things(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "queries" / "submissions").mkdir(parents=True)
    shipped = definition_files("queries/submissions", ".toml")[0].read_text()
    others = {"submission_org": "submission_platform", '"run_stop"': '"init_stop"', "mlperf-rcp": "house-points"}
    for ours, theirs in {**others, "the rcps_*.json of the round": "the handbook"}.items():
        assert ours in shipped
        shipped = shipped.replace(ours, theirs)
    (tmp_path / "queries" / "submissions" / "house.toml").write_text(shipped)
    use_definitions(tmp_path)
    try:
        row = by_name(ledger, campaign="plain", suite="house")["plain"]
        with pytest.raises(UsageError, match="name one suite of several: house, mlperf"):
            report_submissions(db=ledger)
    finally:
        use_definitions()

    assert (row["submitter"], row["passed"]) == ("1xToy", None)
    assert row["why"] == "no reference points are known: ingest the handbook"


def test_a_ledger_without_such_submissions_says_so(ledger: Path) -> None:
    with pytest.raises(NothingFoundError, match="no series with framework 'mxnet'"):
        report_submissions(db=ledger, framework="mxnet")
