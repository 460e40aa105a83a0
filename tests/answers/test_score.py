"""`bench score`: speeds of many runs by the rule of a score, and what its function makes of them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchledger import score, scores
from benchledger.answers.score import FUNCTIONS
from benchledger.definitions import folders
from benchledger.definitions.scores import load_scores
from benchledger.errors import DefinitionError, NothingFoundError, UsageError
from tests.ledger_rows import ledger_rows


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three machines of one case, of which one failed; another case; and another campaign."""
    path = tmp_path_factory.mktemp("score") / "bench.duckdb"
    with ledger_rows(path) as ledger:
        ledger.rule("milabench.rate", kind="summary", statistic="last")
        ledger.rule("superbench.throughput", kind="summary", statistic="last")
        ledger.run(100.0, campaign="a")
        ledger.run(98.0, campaign="a")
        ledger.run(campaign="a", status="failed")
        ledger.run(7.0, campaign="a", batch_size_per_gpu=8, model="gpt")
        ledger.run(50.0, campaign="b")
    return path


def test_milabenchs_score_has_a_row_a_case_and_one_for_all_of_a_campaign(db: Path) -> None:
    rows = score("milabench.score", db=db, campaign="a").select("name", "n", "fail", "perf", "score").rows()

    assert rows == [
        ("bert_base_bs32_fp32_1", 3, 1, 99.0, pytest.approx(66.0)),
        ("bert_base_bs8_fp32_1", 1, 0, 7.0, 7.0),
        ("all", 4, 1, None, pytest.approx(math.sqrt(67 * 8))),
    ]
    assert score("milabench.score", db=db)["campaign"].to_list() == ["a", "a", "a", "b", "b"]


def test_superbenchs_baseline_is_of_a_case_over_all_campaigns(db: Path) -> None:
    frame = score("superbench.baseline", db=db).select("name", "count", "used", "baseline", "violations", "missing")

    assert frame.rows() == [("bert_base_bs32_fp32_1", 3, 2, 99.0, 1, 1), ("bert_base_bs8_fp32_1", 1, 1, 7.0, 0, 0)]


def test_rows_of_one_name_are_of_one_case_and_say_what_splits_them(tmp_path: Path) -> None:
    path = tmp_path / "bench.duckdb"
    with ledger_rows(path) as ledger:
        ledger.rule("milabench.rate", kind="summary", statistic="last")
        ledger.rule("superbench.throughput", kind="summary", statistic="last")
        ledger.run(140.0, gradient_accumulation=1, environment={"framework_version": "2.0"})
        ledger.run(16432.0, gradient_accumulation=88)
        ledger.run(150.0, gradient_accumulation=1, environment={"framework_version": "2.1"})
        ledger.run(7.0, gradient_accumulation=1, batch_size_per_gpu=8)

    columns = ("name", "gradient_accumulation", "framework_version", "baseline")
    frame = score("superbench.baseline", db=path)
    of_all = score("milabench.score", db=path)

    assert frame.select(columns).sort(columns).rows() == [
        ("bert_base_bs32_fp32_1", 1, "2.0", 140.0),
        ("bert_base_bs32_fp32_1", 1, "2.1", 150.0),
        ("bert_base_bs32_fp32_1", 88, None, 16432.0),
        ("bert_base_bs8_fp32_1", 1, None, 7.0),
    ]
    assert [name for name in frame.columns if name in ("task", "seq_len", "model", "gpu_memory_mib")] == []
    assert of_all.select(columns[:3]).rows()[-1] == ("all", None, None)


def test_an_unknown_score_lists_the_known_ones(db: Path) -> None:
    with pytest.raises(UsageError, match=r"no score 'mine'; known: milabench\.score, superbench\.baseline"):
        score("mine", db=db)


def test_without_a_number_by_its_rule_there_is_no_score(db: Path) -> None:
    with pytest.raises(NothingFoundError):
        score("milabench.score", db=db, campaign="c")


def test_every_score_names_its_source_and_every_function_is_some_scores() -> None:
    assert scores()["source"].str.len_chars().min() > 10
    assert {one.function for one in load_scores(FUNCTIONS).values()} == set(FUNCTIONS)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            '"summary"',
            '"sum"',
            7,
            "no function 'sum'; did you mean 'summary'?; known: baseline, fences, milabench_score, summary",
        ),
        ('"steps.median_skip0"', '"steps.first"', 8, "no rule 'steps.first'"),
        ('"runs"', '"nodes"', 9, "among must be one of cases, runs"),
        ("mild = 2", 'mild = "2"', 10, "numbers are numbers by name"),
        ("source ", "sauce ", 5, "unknown key 'sauce'"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, line: int, words: str
) -> None:
    text = """family = "mine"

[[score]]
method = "spread"
source = "our wiki"
description = "How far apart."
function = "summary"
rule = "steps.median_skip0"
among = "runs"
numbers = { mild = 2 }
"""
    file = tmp_path / "queries" / "scores" / "mine.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text.replace(old, new, 1))
    monkeypatch.setattr(folders, "_extra_roots", [tmp_path])

    with pytest.raises(DefinitionError) as error:
        load_scores(FUNCTIONS)

    assert f"mine.toml:{line}: " in str(error.value)
    assert words in str(error.value)


@pytest.mark.parametrize(("method", "mean"), [("round_exact", 2.67), ("round_even", 2.68), ("truncate", 2.67)])
def test_a_score_rounds_as_its_owners_script_does(tmp_path: Path, method: str, mean: float) -> None:
    # 2.675 is less than it looks: Python's round gives 2.67, numpy's 2.68.
    with ledger_rows(tmp_path / "ties.duckdb") as ledger:
        ledger.rule("superbench.throughput", kind="summary", statistic="last")
        ledger.run(2.675, campaign="a")
    (tmp_path / "queries" / "scores").mkdir(parents=True)
    (tmp_path / "queries" / "scores" / "own.toml").write_text(
        f"""family = "own"
        [[score]]
        method = "summary"
        source = "own.py"
        description = "as own.py prints it"
        function = "summary"
        rule = "superbench.throughput"
        among = "runs"
        rounding = "{method}"
        rounding_digits = 2
        """
    )
    folders.use_definitions(tmp_path)
    try:
        rows = score("own.summary", db=tmp_path / "ties.duckdb").select("count", "mean", "std").rows()
    finally:
        folders.use_definitions()

    assert rows == [(1, mean, None)]
