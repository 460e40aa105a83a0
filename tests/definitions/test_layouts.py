"""Layouts are definitions: each is said in every language, and what it says is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchledger.definitions.folders import shipped_root
from benchledger.definitions.layouts import LANGUAGES, load_layouts, read_layout
from benchledger.errors import DefinitionError

LAYOUTS = load_layouts()
GOOD = """source = "x"
description = "x"

[[report]]
name = "speed"
title = { en = "Speed", zh = "速度结果" }
"""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_text_of_a_layout_is_said_in_every_language(name: str) -> None:
    layout = LAYOUTS[name]
    texts = [*layout.headings.values(), *(text for report in layout.reports.values() for text in report.texts.values())]

    assert texts
    assert all(set(text) == set(LANGUAGES) and all(text.values()) for text in texts)


def test_every_heading_is_asked_for_by_some_report() -> None:
    code = "".join(
        path.read_text(encoding="utf-8") for path in (shipped_root() / "benchledger" / "answers").rglob("*.py")
    )
    unused = [key for key in LAYOUTS["plain"].headings if not re.search(rf'"{key}"', code)]

    assert unused == []


@pytest.mark.parametrize("name", LAYOUTS)
def test_headings_of_one_table_differ(name: str) -> None:
    for lang in LANGUAGES:
        headings = {**LAYOUTS["plain"].headings, **LAYOUTS[name].headings}
        # Of these a table has one or the other.
        heads = [text[lang] for key, text in headings.items() if key not in ("gpus", "nodes")]

        assert len(set(heads)) == len(heads)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace(', zh = "速度结果"', ""), ":6: title is stated in each language: en, zh; here in: en"),
        (GOOD.replace('"Speed"', '"Speed of {nobody}"'), ":6: title can't name 'nobody'; it can: model, "),
        (GOOD.replace('"Speed"', '"{model:>9999999999}"'), ":6: title can't name 'model:>9999999999'; it can: model, "),
        (GOOD.replace('"Speed"', '"{model!r}"'), ":6: title can't name 'model!r'; it can: model, "),
        (GOOD.replace('"Speed"', '"Speed of {"'), ":6: 'Speed of {' is no text with names in braces"),
        (GOOD + '[headings]\nunused = { en = "a", zh = "b" }\n', ":8: unknown key 'unused'"),
        (
            GOOD.replace('name = "speed"', 'name = "speed"\nnumbers = { speedup = "odd" }'),
            "no way to write a number 'odd'",
        ),
        ('source = "x"\ndescription = "x"\n', ":1: a layout has at least one [[report]]"),
    ],
)
def test_a_wrong_layout_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DefinitionError) as error:
        read_layout(written(tmp_path / "mine.toml", text))

    assert str(tmp_path / "mine.toml") in str(error.value)
    assert said in str(error.value)


def test_plain_has_every_heading(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="plain must have every heading; it lacks: case, "):
        read_layout(written(tmp_path / "plain.toml", GOOD))
