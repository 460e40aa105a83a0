"""ARCHITECTURE.md and the other pages name only files that exist, and no floor that the contracts do not have."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, TOP

ALL_PAGES = [*PAGES, TOP / "ARCHITECTURE.md", TOP / "CONTRIBUTING.md"]
_PATH = re.compile(r"`((?:benchledger|ingest|schema|queries|data|runners|tests|benchmarks|docs)/[\w./*-]*)`")
_PAGE_NAME = re.compile(r"docs/\w+\.md")
# Made by other commands, not part of a checkout.
_MADE = {"benchledger/_definitions/", "docs/performance.md"}


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = {*_PATH.findall(text), *_PAGE_NAME.findall(text)} - _MADE
    placeholders = {name for name in named if re.search(r"[A-Z]{4}", name)}

    assert [name for name in sorted(named - placeholders) if not list(TOP.glob(name.rstrip("/")))] == []


def test_the_floors_are_those_of_the_contracts() -> None:
    contracts = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    # In brackets: a part that need not be there.
    floors = [
        re.sub("[()]", "", layer)
        for contract in contracts
        if contract["id"] == "floors"
        for layer in contract["layers"]
    ]
    text = (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = text.partition("```text\n")[2].partition("```")[0].splitlines()

    assert [line.split("  ")[0] for line in drawn] == floors
