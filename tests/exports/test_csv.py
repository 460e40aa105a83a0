"""CSV as pandas, polars and DuckDB read it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest

from benchledger.exports.output_forms import frame_text
from benchledger.exports.values import escaped
from tests.exports.hostile import HOSTILE

SIGNS = tuple("=+-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−")
FRAME = pl.DataFrame(
    {
        "=text": HOSTILE,
        "value": [-1.5 * number for number in range(len(HOSTILE))],
        "list": [[number] for number in range(len(HOSTILE))],
    }
)
# What a spreadsheet would run has an apostrophe before it, and what a terminal would act on is escaped.
TAME = [f"'{escaped(text)}" if text.lstrip(" \u3000\xa0")[:1] in SIGNS else escaped(text) for text in HOSTILE]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("csv") / "frame.csv"
    path.write_bytes((frame_text(FRAME, "csv") + "\n").encode())
    return path


def test_pandas_reads_it(path: Path) -> None:
    read = pd.read_csv(path, keep_default_na=False, lineterminator="\n")

    assert list(read.columns) == ["'=text", "value", "list"]
    assert list(read["'=text"]) == TAME
    assert list(read["value"]) == FRAME["value"].to_list()


def test_polars_reads_it(path: Path) -> None:
    read = pl.read_csv(path).with_columns(pl.col(pl.String).fill_null(""))

    assert read["'=text"].to_list() == TAME
    assert read["value"].to_list() == FRAME["value"].to_list()


def test_duckdb_reads_it(path: Path) -> None:
    read = duckdb.sql(
        "select * from read_csv($path, header = true, new_line = '\\n', all_varchar = true)", params={"path": str(path)}
    )

    assert [row[0] or "" for row in read.fetchall()] == TAME


def test_a_negative_number_is_a_number_and_a_text_like_it_is_text() -> None:
    frame = pl.DataFrame({"number": [-1.5], "text": ["-1.5"]})

    assert frame_text(frame, "csv") == "number,text\n-1.5,'-1.5"


def test_a_text_of_any_kind_is_tamed() -> None:
    kinds = {"enum": pl.Enum(["=1"]), "category": pl.Categorical}
    frame = pl.DataFrame({name: pl.Series(["=1"], dtype=kind) for name, kind in kinds.items()})
    took = pl.DataFrame({"took": [timedelta(seconds=90)], "at": [datetime(2026, 1, 1)]})
    blob = pl.DataFrame({"blob": [b"=1"], "struct": [{"a": "=1"}], "none": [None]})

    assert frame_text(frame, "csv") == "enum,category\n'=1,'=1"
    assert frame_text(took, "csv") == "took,at\n0:01:30,2026-01-01T00:00:00.000000"
    assert frame_text(blob, "csv") == 'blob,struct,none\nb\'=1\',"{""a"": ""=1""}",'
