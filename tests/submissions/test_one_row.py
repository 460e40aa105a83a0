"""Runs of one submission are one row whatever their environments say; runs beyond the demanded number are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchledger import explain, ingest
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put
from tests.submissions.test_report import run_of

OTHER_CARD = """
[environment]
gpu_model = "A100-SXM4-40GB"
[[for]]
match = "result_{3,4}.txt"
[for.environment]
gpu_model = "H100-SXM5-80GB"
framework_version = "2.1"
"""


def submission(folder: Path, runs: int, platform: str) -> None:
    said = {"submission_benchmark": "rnnt", "submission_platform": platform}
    for number in range(runs):
        put(folder / f"result_{number}.txt", run_of(20 * number, 5 + number, 60, **said))


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("one")
    for name, runs in (("unlike", 10), ("many", 12)):
        submission(home / "results" / name, runs, f"1x{name}")
    put(home / "results" / "unlike" / "facts.toml", OTHER_CARD.replace("{3,4}", "[34]"))
    for name, card in (("first", "A100-SXM4-40GB"), ("second", "H100-SXM5-80GB")):
        submission(home / "pair" / name, 10, f"1x{name}")
        put(home / "pair" / name / "facts.toml", f'campaign = "pair"\n[environment]\ngpu_model = "{card}"\n')
    ingest(home / "results", home / "pair", db=home / "bench.duckdb")
    return home / "bench.duckdb"


def rows(db: Path, campaign: str) -> list[dict[str, object]]:
    result = run_bench("report", "submissions", "--campaign", campaign, "--format", "json", db=db)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["cells"]


def test_runs_with_unlike_environments_are_one_row_that_says_how_they_differ(db: Path) -> None:
    (row,) = rows(db, "results/unlike")

    assert (row["runs"], row["status"]) == (10, "ok")
    assert row["score"] == pytest.approx(9.5, rel=1e-12)
    assert "its runs differ in gpu_model" in str(row["why"])
    assert [name for name in row if "score" in name] == ["score"]
    assert explain(str(row["cell"]), db=db).check.agrees
    series = "select gpu_model, framework_version, mixed from series where campaign = 'results/unlike'"
    assert ask(db, series) == [(None, "2.1", "gpu_model")]


def test_runs_beyond_the_demanded_number_are_named(db: Path) -> None:
    (row,) = rows(db, "results/many")
    text = run_bench("report", "submissions", "--campaign", "results/many", db=db).stdout
    keys = [key for (key,) in ask(db, "select run_key from run order by started_at")]

    beyond = str(row["runs_beyond"]).split(", ")
    assert (row["runs"], len(beyond), set(beyond) <= set(keys)) == (12, 2, True)
    assert f"12 runs, where rnnt demands 10; beyond it: {', '.join(beyond)}" in text
    assert rows(db, "results/unlike")[0]["runs_beyond"] is None


def test_two_submissions_of_one_campaign_in_two_folders_stay_two_rows(db: Path) -> None:
    found = rows(db, "pair")

    assert sorted((row["system"], row["runs"]) for row in found) == [("1xfirst", 10), ("1xsecond", 10)]
