"""Numbers that others published, beside what their own logs give. Needs the real logs."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from benchledger import ingest, query

README_000 = "PaddlePaddle/benchmark*"
README_001 = "Oneflow-Inc/DLPerf MxNet/BERT*"
# As docs/rules.md lists them: cut off, not rounded.
TRUNCATED = {"543.76", "995.88", "4208.12", "5055.56", "1542.296"}


@pytest.fixture(scope="module")
def answer(corpus: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    folder = tmp_path_factory.mktemp("published")
    db = folder / "bench.duckdb"
    for bert in corpus.glob("PaddlePaddle+Perf@*/Bert"):
        shutil.copytree(bert, folder / "logs" / bert.parent.name / "Bert")
    ingest(folder / "logs", shared / "seeds", db=db)
    return query("against-published", db=db)


def of(answer: pl.DataFrame, source: str) -> pl.DataFrame:
    return answer.filter(pl.col("source").str.starts_with(source.removesuffix("*")))


def test_readme_000_is_equal_cell_by_cell(answer: pl.DataFrame) -> None:
    rows = of(answer, README_000)

    assert rows.select("printed", "equal", "own_logs", "rule_is").rows() == [
        (printed, "rounded", True, "claimed")
        for printed in ("511.13", "4063.19", "532.24", "4207.36", "127.09", "1018.40", "126.48", "1012.80")
    ]


def test_readme_001_is_equal_at_batch_size_32_and_not_known_at_24(answer: pl.DataFrame) -> None:
    rows = of(answer, README_001)

    assert Counter(rows.select("section", "equal").rows()) == {
        ("4, average_speed", "rounded"): 4,
        ("results, batch size 32", "rounded"): 8,
        ("results, batch size 24", "nothing of ours"): 8,
    }


def test_the_digits_that_were_cut_off_are_found(answer: pl.DataFrame) -> None:
    rows = answer.filter(pl.col("equal") == "truncated")

    assert set(rows["printed"]) == TRUNCATED


def test_the_column_that_was_pasted_wrongly_is_nowhere_near_its_own_logs(answer: pl.DataFrame) -> None:
    rows = answer.filter(pl.col("section") == "results, Paddle's column")

    assert rows.select("own_logs", "equal").rows() == [(True, "other")] * 6


def test_the_digit_too_many_is_found(answer: pl.DataFrame) -> None:
    (row,) = answer.filter(pl.col("printed") == "112061.6").rows(named=True)

    assert (row["equal"], round(row["our_value"], 2)) == ("other", 12061.62)
