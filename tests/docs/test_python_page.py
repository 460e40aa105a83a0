"""docs/python.md: its cells run in order, as in a notebook, and it names every call that is not named by its command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import benchledger
from tests.cli.test_commands import EQUALS
from tests.docs.pages import TOP, blocks, reader_s_folder

PAGE = TOP / "docs" / "python.md"
_ROW = re.compile(r"^\| `bench ([\w -]+)` \| `(\w+)` \|$", re.MULTILINE)


def test_the_cells_run_in_order(tmp_path: Path) -> None:
    cells = [block for block in blocks(PAGE, "python") if block.file == "notebook"]
    told = [f"print('cell at line {block.line}')\n{block.text}" for block in cells]

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(told)],
        cwd=reader_s_folder(tmp_path), env={"PYTHONPATH": str(TOP)}, capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    printed = re.split(r"cell at line \d+\n", done.stdout)[1:]
    assert [block.line for block, text in zip(cells, printed, strict=True) if not text.strip()] == []
    assert "{'loaded': 21" in printed[0]
    assert "no series with campaign 'summer'" in printed[-1]


def test_every_call_is_named_by_its_command_or_in_the_table() -> None:
    otherwise = dict(_ROW.findall(PAGE.read_text(encoding="utf-8")))

    named = {words: otherwise.get(words, re.sub(r"[ -]", "_", words)) for words, equal in EQUALS.items() if equal}
    assert named == {words: equal for words, equal in EQUALS.items() if equal}
    assert set(otherwise.values()) <= set(benchledger.__all__)


def test_the_calls_that_the_page_names_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert set(re.findall(r"\bbl\.(\w+)", text)) <= set(benchledger.__all__)
    assert set(re.findall(r"`(\w+)`", text.partition("| call | gives |")[2].partition("|---|---|")[2])) >= {
        "runs",
        "sql",
    }
