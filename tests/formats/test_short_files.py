"""A format is a page: who has a log beside it must be able to read it from top to bottom."""

from __future__ import annotations

import pytest

from benchledger.definitions.folders import definition_files

MOST = 180
FORMATS = definition_files("ingest/formats", ".toml")


@pytest.mark.parametrize("name", [path.name for path in FORMATS])
def test_a_format_file_is_a_page(name: str) -> None:
    (path,) = [path for path in FORMATS if path.name == name]
    lines = len(path.read_text(encoding="utf-8").splitlines())

    assert lines <= MOST, (
        f"{path} has {lines} lines, {MOST} are the most: give it a base for what it says before or after its steps,"
        " `names` for templates that differ in a name, lists for fields, facts and short records, and `each` in samples"
        " (docs/formats-reference.md, Short files)"
    )
