"""A submission with fewer runs than its suite demands has no score; files with the same bytes are one run."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import tempfile
from dataclasses import dataclass
from math import inf
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchledger import ingest, report_submissions
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask
from tests.submissions.test_report import run_of

DEMANDED = {"rnnt": 10, "resnet": 5, "ssd": 5, "gpt3": 3}


@dataclass(frozen=True)
class Submission:
    """Runs of a benchmark by their minutes (inf: aborted), and which of them are copied, plain or compressed."""

    benchmark: str
    minutes: list[float]
    copied: list[tuple[int, bool]]

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        texts = [self._text(folder.name, number) for number in range(len(self.minutes))]
        for number, text in enumerate(texts):
            (folder / f"result_{number}.txt").write_text(text)
        for number, (run, is_packed) in enumerate(self.copied):
            text = texts[run % len(texts)].encode()
            name = f"result_{len(texts) + number}.txt"
            (folder / f"{name}.gz" if is_packed else folder / name).write_bytes(
                gzip.compress(text) if is_packed else text
            )

    def _text(self, name: str, number: int) -> str:
        minutes, status = self.minutes[number], "success"
        if minutes == inf:
            minutes, status = 1.0, "aborted"
        said = {"submission_benchmark": self.benchmark, "submission_platform": f"1x{name}"}
        return run_of(100 * number, minutes, 60, status=status, **said)

    @property
    def score(self) -> float | None:
        """As its owner says it: without the fastest and the slowest, which a run that failed is."""
        if len(self.minutes) < DEMANDED[self.benchmark]:
            return None
        kept = sorted(self.minutes)[1:-1]
        return sum(kept) / len(kept) if max(kept) < inf else None


@st.composite
def submissions(draw: st.DrawFn) -> Submission:
    benchmark = draw(st.sampled_from(sorted(DEMANDED)))
    runs = draw(st.integers(1, DEMANDED[benchmark] + 2))
    minutes = draw(st.lists(st.sampled_from([*range(3, 60), inf]), min_size=runs, max_size=runs))
    copied = draw(st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=DEMANDED[benchmark]))
    return Submission(benchmark, [float(one) for one in minutes], copied)


# To write many submissions takes as long as to write one.
@settings(max_examples=2, deadline=None)
@given(st.lists(submissions(), min_size=24, max_size=32))
def test_a_score_needs_as_many_runs_of_unlike_bytes_as_the_suite_demands(drawn: list[Submission]) -> None:
    home = Path(tempfile.mkdtemp())
    try:
        for number, submission in enumerate(drawn):
            submission.write(home / "results" / f"s{number}")
        ingest(home / "results", db=home / "bench.duckdb")
        rows = {row["campaign"]: row for row in report_submissions(db=home / "bench.duckdb").cells.to_dicts()}
        table = "select campaign, value, status from speed_table where rule = 'mlperf.score'"
        shown = {campaign: rest for campaign, *rest in ask(home / "bench.duckdb", table)}
    finally:
        shutil.rmtree(home)

    assert len(rows) == len(drawn)
    for number, submission in enumerate(drawn):
        row, is_short = rows[f"results/s{number}"], len(submission.minutes) < DEMANDED[submission.benchmark]
        assert row["score"] == (None if submission.score is None else pytest.approx(submission.score, rel=1e-9))
        assert (row["runs"], row["copies"]) == (len(submission.minutes), len(submission.copied))
        assert (row["status"] == "too_few_runs") == is_short
        assert (row["status"] == "ok") == (submission.score is not None)
        assert shown[f"results/s{number}"] == [row["score"], row["status"]]


@pytest.fixture(scope="module")
def four_copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the three that GPT-3 needs, four times, and a submission that has its three."""
    home = tmp_path_factory.mktemp("copies")
    Submission("gpt3", [7.0], [(0, False)] * 3).write(home / "results" / "copied")
    Submission("gpt3", [7.0, 9.0, 8.0], []).write(home / "results" / "whole")
    ingest(home / "results", db=home / "bench.duckdb")
    return home / "bench.duckdb"


def printed(db: Path, *arguments: str) -> str:
    result = run_bench("--db", str(db), *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_four_files_of_equal_bytes_are_one_run_and_every_form_says_so(four_copies: Path) -> None:
    report = ("report", "submissions", "--campaign", "copied")
    (row,) = csv.DictReader(io.StringIO(printed(four_copies, *report, "--format", "csv")))
    (cell,) = json.loads(printed(four_copies, *report, "--format", "json"))["cells"]
    text = printed(four_copies, *report)

    assert [row[name] for name in ("runs", "runs_demanded", "copies", "score", "status")] == [
        "1", "3", "3", "", "too_few_runs",
    ]  # fmt: skip
    assert (cell["score"], cell["status"], cell["passed"]) == (None, "too_few_runs", None)
    assert "TOO FEW RUNS" in text
    assert "files with the same bytes count once; copies: 3" in text
    assert "1 of 3 demanded runs" in text


def test_no_other_table_and_no_recomputation_has_the_score(four_copies: Path) -> None:
    query = "select cell from speed_table where campaign = 'results/copied' and rule = 'mlperf.score'"
    ((cell,),) = ask(four_copies, query)
    explained = printed(four_copies, "explain", cell)

    assert "TOO FEW RUNS" in printed(four_copies, "report", "speed", "--campaign", "copied")
    assert "at least 3 runs; there are 1, so it has no score" in explained
    assert "no number either" in explained
    table = "select campaign, status, value from speed_table where rule = 'mlperf.score' order by campaign"
    assert ask(four_copies, table) == [
        ("results/copied", "too_few_runs", None),
        ("results/whole", "ok", pytest.approx(8.0)),
    ]


def test_a_suite_that_demands_more_counts_from_the_next_ingest_on(four_copies: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(four_copies, tmp_path / "bench.duckdb"))
    shutil.copy(f"{four_copies}.key", f"{db}.key")
    folder = tmp_path / "own" / "queries" / "submissions"
    folder.mkdir(parents=True)
    shipped = Path(__file__).resolve().parent.parent.parent / "queries" / "submissions" / "mlperf.toml"
    (folder / "mlperf.toml").write_text(shipped.read_text().replace("gpt3 = 3", "gpt3 = 4"))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "result_0.txt").write_text(run_of(0, 5, 60))
    own = ("--definitions", str(tmp_path / "own"))
    printed(db, *own, "ingest", str(tmp_path / "more"))

    table = "select status, value from speed_table where rule = 'mlperf.score' and campaign = 'results/whole'"
    assert ask(db, table) == [("too_few_runs", None)]
