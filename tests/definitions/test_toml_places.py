"""The line of a key, a table or an element of a list, which an error about it states."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import places

TEXT = '''# a comment with [brackets] and "quotes
top = 1
dates = [2026-11-21 10:00:00, 2026-11-22]
fact = [
    # Of one fact, the first.
    { name = "gpus", from = "n", values = { "a, b" = "c" } },
    { name = "nodes" },
]

[detect]  # why
proof = [
    ["[x]", "# no comment"],
    [
        "y",
    ],
]
[[record]]
name = "one"
"lm loss" = 5
[record.json]
has = ["a"]
[[record]]
text = """
[[record]]
name = no key
"""
tail."a b" = 1
'''


@pytest.mark.parametrize(
    ("place", "line"),
    {
        "top": 2, "dates.1": 3, "fact": 4, "fact.0": 6, "fact.0.values": 6, "fact.0.values.a, b": 6, "fact.1": 7,
        "detect": 10, "detect.proof": 11, "detect.proof.0.1": 12, "detect.proof.1": 13, "detect.proof.1.0": 14,
        "record.0.name": 18, "record.0.lm loss": 19, "record.0.json.has.0": 21, "record.1": 22, "record.1.text": 23,
        "record.1.tail.a b": 27,
    }.items(),
)  # fmt: skip
def test_a_place_has_its_line(place: str, line: int) -> None:
    assert places(TEXT)[place] == line


def test_what_stands_in_a_text_is_no_place() -> None:
    assert "record.2" not in places(TEXT)
    assert "record.1.name" not in places(TEXT)


def test_each_value_of_every_shipped_format_has_a_line() -> None:
    for path in definition_files("ingest/formats", ".toml"):
        text = path.read_text(encoding="utf-8")

        assert set(leaves(tomllib.loads(text))) <= set(places(text)), path


def leaves(value: Any, place: str = "") -> list[str]:
    if not isinstance(value, dict | list):
        return [place]
    below = value.items() if isinstance(value, dict) else enumerate(value)
    return [leaf for key, inner in below for leaf in leaves(inner, f"{place}.{key}" if place else str(key))]
