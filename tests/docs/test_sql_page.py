"""docs/sql.md and the README: every query runs over the demo's logs, and answers."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

import benchledger
from benchledger.store.database import open_for_reading
from benchledger.store.key_file import key_path
from tests.docs.pages import PAGES, TOP, Block, blocks

PAGE = TOP / "docs" / "sql.md"
# A block that names a file is a definition, not a question.
QUERIES = [block for page in PAGES for block in blocks(page, "sql") if block.file is None]


@pytest.mark.parametrize("block", QUERIES, ids=str)
def test_a_query_on_a_page_answers(block: Block, demo_ledger: Path) -> None:
    with closing(open_for_reading(demo_ledger)) as con:
        answers = [con.execute(statement).fetchall() for statement in block.text.split(";\n") if statement.strip()]

    assert answers
    if "-- no rows in the demo" in block.text:
        assert answers == [[]]
    else:
        assert all(answers)


def test_the_sum_of_the_pieces_adds_up_as_the_page_says(demo_ledger: Path) -> None:
    query = next(block for block in blocks(PAGE, "sql") if "adds_up" in block.text)
    with closing(open_for_reading(demo_ledger)) as con:
        rows = con.execute(query.text).fetchall()

    assert [row[-1] for row in rows] == [True] * 3


PROGRAMS = [block for page in PAGES for block in blocks(page, "python") if block.file is None]


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_a_program_on_a_page_runs(
    block: Block,
    demo_ledger: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(demo_ledger, tmp_path)
    monkeypatch.chdir(tmp_path)
    if "lake/" in block.text:
        _make_lake(demo_ledger)
    # In this process: what they import takes seconds to start.
    exec(compile(block.text, str(block), "exec"), {"__name__": "__main__"})

    assert capsys.readouterr().out.strip()


def _make_lake(demo_ledger: Path) -> None:
    pytest.importorskip("obstore")
    pytest.importorskip("deltalake")
    benchledger.lake_ingest(TOP / "data" / "made", lake="lake", key_file=key_path(demo_ledger))
    benchledger.lake_publish(lake="lake")


def test_every_status_of_a_run_is_explained(demo_ledger: Path) -> None:
    with closing(open_for_reading(demo_ledger)) as con:
        (check,) = con.execute(
            """select constraint_text from duckdb_constraints()
               where table_name = 'run' and constraint_type = 'CHECK' and constraint_text like '%status%'"""
        ).fetchone() or ("",)
    rows = PAGE.read_text(encoding="utf-8").partition("| status | means |\n|---|---|\n")[2].partition("\n\n")[0]
    explained = {word for row in rows.splitlines() for word in re.findall(r"\w+", row.split("|")[1])}

    assert explained == set(re.findall(r"'(\w+)'", check))


def test_the_page_says_truly_what_is_empty_so_far(demo_ledger: Path) -> None:
    with closing(open_for_reading(demo_ledger)) as con:
        counts = con.execute(
            """select (select count(*) from kept.profile_table),
               (select count(*) from run_log where role in ('manifest', 'sidecar')),
               (select count(*) from kept.exclusion)"""
        ).fetchone()

    assert counts == (0, 0, 0)


def test_the_query_from_a_cell_to_its_lines_says_how_many_of_them_the_rule_used(demo_ledger: Path) -> None:
    query = next(block for block in blocks(PAGE, "sql") if "as cell" in block.text)
    with closing(open_for_reading(demo_ledger)) as con:
        rows = con.execute(query.text).fetchall()

    listed: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for name, _, run_key, *_, used, skipped in rows:
        listed.setdefault((name, run_key), []).append((used, skipped))
    assert listed
    for counts in listed.values():
        ((used, skipped),) = set(counts)
        assert 0 < used <= used + skipped == len(counts)
