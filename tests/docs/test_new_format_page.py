"""docs/new-format.md: the path that it shows leads from an unknown log to the table that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import draft_format
from tests.docs.pages import TOP, blocks, run, write_file

PAGE = TOP / "docs" / "new-format.md"
LOG = "logs/nano/gpt2_124m_1gpu.log"
FORMAT = "my-bench/ingest/formats/ourgpt.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for block in blocks(PAGE):
        if block.file is not None:
            write_file(block, tmp_path)
    return tmp_path


def test_the_page_leads_to_the_table_that_it_prints(folder: Path) -> None:
    done = run(("bench", "--definitions", "my-bench", "ingest", "logs"), folder)
    table = run(("bench", "report", "speed"), folder)
    printed = next(block.text for block in blocks(PAGE, "text") if block.text.startswith("| gpus"))

    assert "pieces: 24 = 24 records + 0 ignored + 0 rejects + 0 unread" in done.stdout
    # 491,520 tokens of 1,024 each are 480 sequences, over the mean of 2.5112, 2.50875, 2.50955 and 2.5105 s, and of
    # 3.1112, 3.10875, 3.10955 and 3.1105 s: on 8 GPUs it is no more of them.
    assert printed in table.stdout


def test_the_questions_that_the_page_quotes_are_those_of_the_draft(folder: Path) -> None:
    draft = draft_format(folder / LOG, name="ourgpt")
    quoted = next(block.text for block in blocks(PAGE, "text") if "# ?" in block.text)

    assert [line for line in quoted.splitlines() if line not in draft.text.splitlines()] == []


def test_the_edited_format_keeps_the_records_of_the_draft(folder: Path) -> None:
    draft = draft_format(folder / LOG, name="ourgpt")
    edited = (folder / FORMAT).read_text()

    for line in ('templates = ["update {step:int}: {pairs}"]', 'pairs = { assign = " ", between = [", "] }'):
        assert line in draft.text
        assert line in edited
