"""Each question's answer, to the last digit, over the demo's logs and over a small frozen ledger.

A golden file is a command and its answer as CSV. After a change that is meant: BENCH_WRITE_GOLDEN=1 pytest tests/views/test_golden.py
"""

from __future__ import annotations

import csv
import io
import os
import shlex
import shutil
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from benchledger import query
from benchledger.definitions.queries import load_queries, pairs
from benchledger.store.database import open_for_writing
from tests.views.conftest import Ledger
from tests.views.frozen import fill

HERE = Path(__file__).parent / "golden"
GOLDEN = sorted(HERE.glob("*/*.csv"))


@pytest.fixture(scope="module")
def ledgers(defined_ledger: Path, demo_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    frozen = Path(shutil.copy(defined_ledger, tmp_path_factory.mktemp("golden") / "frozen.duckdb"))
    with closing(open_for_writing(frozen, records=0)) as con:
        con.begin()
        ledger = Ledger(con)
        fill(ledger)
        ledger.keep()
        con.commit()
    return {"made": demo_ledger, "frozen": frozen}


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_question_gives_the_answer_that_is_on_file(golden: Path, ledgers: dict[str, Path]) -> None:
    command, _, expected = golden.read_text(encoding="utf-8").partition("\n")
    _, _, name, *options = shlex.split(command)

    answer = text(query(name, db=ledgers[golden.parent.name], **pairs(options[1::2])))

    if os.environ.get("BENCH_WRITE_GOLDEN"):
        golden.write_text(f"{command}\n{answer}", encoding="utf-8")
    else:
        assert answer == expected


def test_every_question_has_an_answer_on_file_that_is_not_empty() -> None:
    answered = {path.stem for path in GOLDEN if path.read_text(encoding="utf-8").count("\n") > 2}

    assert answered == set(load_queries())


def test_the_example_of_every_question_is_on_file() -> None:
    first_lines = {path.read_text(encoding="utf-8").partition("\n")[0] for path in GOLDEN if path.parent.name == "made"}

    assert first_lines == {query.example for query in load_queries().values()}


def text(frame: pl.DataFrame) -> str:
    """A frame as CSV, its numbers to nine digits: the tenth is the computer's."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(frame.columns)
    for row in frame.rows():
        writer.writerow(f"{value:.9g}" if isinstance(value, float) else value for value in row)
    return lines.getvalue()
