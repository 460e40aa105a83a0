"""docs/facts.md: every facts.toml on it loads, and no fact of the vocabulary is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.vocabulary import vocabulary
from benchledger.ingestion.facts_file import FactsFiles
from tests.docs.pages import TOP, Block, blocks, run, write_file

PAGE = TOP / "docs" / "facts.md"


@pytest.mark.parametrize("block", blocks(PAGE, "toml"), ids=str)
def test_a_facts_file_on_the_page_loads(block: Block, tmp_path: Path) -> None:
    path = write_file(block, tmp_path)
    files = FactsFiles()

    assert path.name == "facts.toml"
    assert files.bodies(str(path.parent))
    assert files.problems == {}


def test_the_example_says_of_a_log_what_the_page_says(tmp_path: Path) -> None:
    folder = write_file(blocks(PAGE, "toml")[0], tmp_path).parent

    all_files = FactsFiles().declared(str(folder / "a.log"))
    some = FactsFiles().declared(str(folder / "x" / "a_gpu32.log"))

    assert (all_files.campaign, some.campaign) == ("autumn-2026", "autumn-2026-cluster")
    assert [fact.value for fact in some.facts if fact.name == "nodes"] == ["4"]
    assert [fact.source for fact in all_files.facts if fact.name == "batch_size_per_gpu"] == ["correct"]


@pytest.mark.parametrize("name", vocabulary().facts)
def test_every_fact_is_listed(name: str) -> None:
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]

    assert any(f" {name.removeprefix('options.')}" in line.replace(",", "").replace("`", "") for line in listed)


def test_a_facts_file_with_a_mistake_is_named_and_its_logs_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "facts.toml").write_text('[case]\nprecision = "fp12"\n')
    log = next((TOP / "data" / "made" / "run1").glob("*fp32_bs32_gpu1.log"))
    (tmp_path / log.name).write_bytes(log.read_bytes())

    done = run(("bench", "ingest", "."), tmp_path)

    assert done.returncode == 1
    assert "1 loaded + 1 unreadable" in done.stdout
    assert (
        "1 facts.toml refused: their earlier facts stay valid, new logs below were loaded without them" in done.stderr
    )
    assert "facts.toml:2: 'fp12' is no value of precision" in done.stderr
