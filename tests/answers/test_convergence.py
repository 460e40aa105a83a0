"""The convergence report: what its cells say, its targets, and the way from a cell to the log's line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchledger import ingest, report_convergence, show_run
from benchledger.answers.reports import convergence, convergence_cells
from benchledger.answers.reports.convergence_cells import read_target
from benchledger.answers.tables.grouping import Key, Row, grouped
from benchledger.errors import NothingFoundError, UsageError
from tests.cli.bench import run_bench
from tests.ingestion.logs import put


def state(losses: list[float], accuracies: dict[int, float]) -> str:
    """What Hugging Face's Trainer keeps of a run: a loss every ten steps, accuracies behind some of them."""
    history = []
    for number, loss in enumerate(losses, start=1):
        history.append({"loss": loss, "step": 10 * number})
        if 10 * number in accuracies:
            history.append({"eval_accuracy": accuracies[10 * number], "eval_runtime": 1.2, "step": 10 * number})
    head = {"global_step": 10 * len(losses), "is_world_process_zero": True, "max_steps": 10 * len(losses)}
    return json.dumps({**head, "train_batch_size": 32, "log_history": history}, indent=1)


DOWN = [1.0 - 0.05 * step for step in range(16)]
UP = [1.0 + 0.05 * step for step in range(16)]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    put(folder / "cola" / "1" / "trainer_state.json", state(DOWN, {80: 0.81, 160: 0.845}))
    put(folder / "cola" / "2" / "trainer_state.json", state([loss + 0.1 for loss in DOWN], {80: 0.80, 160: 0.83}))
    put(folder / "cola" / "3" / "trainer_state.json", state(UP, {80: 0.55, 160: 0.50}))
    put(folder / "facts.toml", 'campaign = "cola"\n[case]\nmodel = "bert_base"\nprecision = "fp16"\ngpus = 1\n')
    place = folder / "bench.duckdb"
    ingest(folder, db=place)
    return place


def row(db: Path, **asked: object) -> dict[str, str]:
    (table,) = report_convergence(db=db, **asked).tables
    assert table.frame.height == 1
    return dict(table.frame.to_dicts()[0])


def test_a_series_shows_medians_their_range_and_how_many_diverged(db: Path) -> None:
    assert row(db) == {
        "gpus": "1",
        "case": "FP16(BS=32)",
        "runs": "3",
        "steps": "160",
        "minutes": "-",
        "final loss": "0.425 (0.325 to 1.68)",
        "best metric": "0.83 (0.55 to 0.845)",
        "status": "ended 3, diverged 1",
    }


def test_a_target_has_its_median_its_range_and_those_that_never_reached_it(db: Path) -> None:
    loss, accuracy = (row(db, target=target) for target in ("loss=0.6", "accuracy=80%"))

    assert (loss["steps to target"], loss["status"]) == ("120 (110 to 130)", "reached 2, not reached 1, diverged 1")
    assert (accuracy["steps to target"], accuracy["status"]) == ("80", "reached 2, not reached 1, diverged 1")


def test_each_run_leads_to_the_line_where_it_reached_its_target(db: Path) -> None:
    report = report_convergence(db=db, target="eval_accuracy=0.84", trials=True)

    runs = {run["place"].partition("/")[0]: run for run in report.cells.to_dicts()}
    reached = runs["1"] if "1" in runs else next(run for run in runs.values() if run["outcome"] == "reached")
    path, line = reached["place"].rsplit(":", 1)
    lines = (db.parent / path).read_text().splitlines()
    assert path == "cola/1/trainer_state.json"
    assert '"eval_accuracy": 0.845' in "".join(lines[int(line) - 1 : int(line) + 2])
    assert report.cells.height == 3
    shown = report.tables[0].trials
    assert shown is not None
    assert shown["line"].to_list() == report.cells["place"].to_list()


def test_show_run_has_the_same_places(db: Path) -> None:
    cells = report_convergence(db=db, trials=True).cells
    best = cells.row(0, named=True)

    told = show_run(best["run_key"], db=db).convergence.to_dicts()

    assert [(said["which"], said["name"]) for said in told] == [("final", "loss"), ("best", "eval_accuracy")]
    assert (told[0]["value"], told[1]["value"]) == (best["final_loss"], best["best_value"])
    assert told[1]["place"] == best["place"]


def test_a_report_says_over_how_many_losses_it_means_and_by_what_runs_diverged(db: Path) -> None:
    (table,) = report_convergence(db=db).tables

    assert table.notes == (
        "first and final loss: mean of 4 printed losses; a target is reached when such a mean reaches it",
        "diverged by: loss.above_start (docs/convergence.md)",
    )
    assert table.facts["loss"] == "loss"
    assert table.facts["metric"] == "eval_accuracy"


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        ({"target": "6.5"}, UsageError, "such as loss=6.5"),
        ({"target": "loss=low"}, UsageError, "must be a number, not 'low'"),
        ({"target": "loss=nan"}, UsageError, "must be a number"),
        ({"target": "loss=75%"}, UsageError, "a loss is not a percentage"),
        ({"target": "accuracy=84"}, UsageError, "write accuracy=0.84 or accuracy=84%"),
        ({"target": "accuracy=0.8", "metric": "eval_loss"}, UsageError, "remove --metric"),
        ({"target": "bleu=24"}, NothingFoundError, "no run prints a metric 'bleu'"),
        ({"metric": "f1", "gpus": 1}, NothingFoundError, "no run that meets the filters prints a metric 'f1'"),
        ({"gpus": 8}, NothingFoundError, "no series with gpus '8'"),
        ({"layout": "paddle"}, UsageError, "has no convergence table"),
    ],
)
def test_a_question_without_an_answer_says_what_to_ask(
    db: Path, words: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=re.escape(says)):
        report_convergence(db=db, **words)


def test_the_command_prints_what_the_function_answers_in_every_form(db: Path) -> None:
    words = ["report", "convergence", "--target", "loss=0.6"]

    table, markdown = (
        run_bench(*words, *more, db=db).stdout for more in ([], ["--format", "markdown", "--lang", "zh"])
    )
    answer = json.loads(run_bench(*words, "--trials", "--format", "json", db=db).stdout)

    assert "120 (110 to 130)" in table
    assert "达标步数" in markdown
    assert {cell["target_step"] for cell in answer["cells"]} == {110, 130, None}


def test_a_series_says_how_those_ended_that_do_not_count(tmp_path: Path) -> None:
    place = tmp_path / "bench.duckdb"
    whole = state(DOWN, {})
    for number, text in enumerate([whole, whole.replace('"max_steps": 160', '"max_steps": 320')]):
        put(tmp_path / "logs" / str(number) / "trainer_state.json", text)
    put(tmp_path / "logs" / "facts.toml", 'campaign = "cola"\n[case]\nmodel = "bert_base"\n')
    ingest(tmp_path / "logs", db=place)

    said = row(place)

    assert (said["runs"], said["status"]) == ("2", "ended 1, TRUNCATED 1")
    assert row(place, target="loss=0.6")["status"] == "reached 2"


def test_only_the_runs_that_are_asked_for_are_fetched_and_each_is_looked_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for batch_size in ("8", "16", "32"):
        text = state(DOWN, {}).replace('"train_batch_size": 32', f'"train_batch_size": {batch_size}')
        put(tmp_path / "logs" / batch_size / "trainer_state.json", text)
    put(tmp_path / "logs" / "facts.toml", 'campaign = "cola"\n[case]\nmodel = "bert_base"\ngpus = 1\n')
    place = tmp_path / "bench.duckdb"
    ingest(tmp_path / "logs", db=place)
    fetched: list[list[Row]] = []
    lookups: list[Key] = []

    class ByKey(dict[Key, list[Row]]):
        def __getitem__(self, key: Key) -> list[Row]:
            lookups.append(key)
            return super().__getitem__(key)

    def grouped_runs(runs: list[Row], columns: tuple[str, ...]) -> dict[Key, list[Row]]:
        if columns != convergence_cells.SERIES_COLUMNS:
            return grouped(runs, columns)
        fetched.append(runs)
        return ByKey(grouped(runs, columns))

    monkeypatch.setattr(convergence, "grouped", grouped_runs)

    report_convergence(db=place, trials=True, batch_size_per_gpu=[8, 32])

    assert [[run["series_id"] for run in runs] for runs in fetched] == [sorted({key[0] for key in lookups})]
    # Once for the table and once for the cells.
    assert len(lookups) == 2 * len(set(lookups)) == 4


def mlperf_event(key: str, value: object, **metadata: object) -> str:
    """An event of MLPerf, whose accuracies have no unit."""
    event = {"namespace": "", "time_ms": 1_700_000_000_000, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return f":::MLLOG {json.dumps({**event, 'metadata': metadata})}\n"


def test_a_target_that_looks_like_a_percentage_of_fractions_without_a_unit_is_noted(tmp_path: Path) -> None:
    events = [("submission_benchmark", "bert"), ("global_batch_size", 2048), ("eval_accuracy", 0.723)]
    text = "".join(mlperf_event(*event) for event in events) + mlperf_event("run_stop", None, status="success")
    put(tmp_path / "logs" / "result_0.txt", text)
    place = tmp_path / "bench.duckdb"
    ingest(tmp_path / "logs", db=place)

    def notes(target: str) -> str:
        return "".join(report_convergence(db=place, target=target).tables[0].notes)

    assert "the target 72 is compared with the values as logged, at best 0.723" in notes("accuracy=72")
    assert "fraction or a percentage" not in notes("accuracy=0.72") + notes("accuracy=72%") + notes("loss=6")


@pytest.mark.parametrize(
    ("unit", "quantity", "best", "noted"),
    [
        (None, "accuracy", 84.5, True),
        (None, "error_rate", 15.5, True),
        ("%", "accuracy", 84.5, False),
        (None, "loss", 1.7, False),
        (None, "accuracy", None, False),
    ],
)
def test_only_a_unit_that_nobody_states_is_doubted(
    unit: str | None, quantity: str, best: float | None, noted: bool
) -> None:
    row = {"metric_unit": unit, "metric_quantity": quantity, "best_highest": best}

    assert read_target("top1=0.8", None).may_be_of_another_unit([row]) is noted


def test_a_score_has_no_percentage() -> None:
    bleu = {"metric": "bleu", "metric_unit": None, "metric_quantity": "score"}

    read_target("bleu=24.1", None).check([bleu])
    with pytest.raises(UsageError, match="bleu is not a percentage: write bleu 80% without %"):
        read_target("bleu=80%", None).check([bleu])
