"""Definitions are read in an editor: no line of a shipped TOML file is longer than 120 characters, but for log lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchledger.definitions.folders import KINDS, shipped_root

LONGEST = 120
FILES = sorted(path for kind in KINDS for path in (shipped_root() / kind).rglob("*.toml"))


def too_long(text: str) -> Iterator[int]:
    """The numbers of lines that are too long. The `text` of a sample is exempt: its lines are those of a log."""
    end = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if end:
            end = "" if end in line else end
        elif line.startswith("text"):
            quotes = line.partition("=")[2].strip()[:3]
            end = quotes if quotes in ('"""', "'''") and quotes not in line.partition(quotes)[2] else ""
        elif len(line) > LONGEST:
            yield number


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(shipped_root()).as_posix())
def test_no_line_is_too_long(path: Path) -> None:
    assert list(too_long(path.read_text(encoding="utf-8"))) == [], (
        f'lines of {path} have more than {LONGEST} characters: break lists, break texts with """ and a backslash, and'
        " write a long table of a list as several in brackets (docs/formats-reference.md, Short files)"
    )


def test_only_the_text_of_a_sample_may_be_long() -> None:
    long = "x" * 121

    assert list(too_long(f'# {long}\ntext = """\n{long}\n"""\ntext = "{long}"\nexpect = ["{long}"]\n')) == [1, 6]
