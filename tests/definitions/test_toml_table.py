"""A long table of a list is written as several tables in brackets, which are read as one."""

from __future__ import annotations

from pathlib import Path

from benchledger.definitions.toml_file import parse_toml
from benchledger.definitions.toml_table import Table


def only_table(text: str) -> dict[str, object]:
    file = parse_toml(Path("made.toml"), text.encode())
    (table,) = Table(file, "", file.data, {"fact"}).tables("fact", {"name", "values", "from"})
    return table.data


def test_a_table_in_parts_is_the_table_on_one_line() -> None:
    whole = 'fact = [{ name = "a", from = ["b", "c"], values = { x = "1", y = { z = 2 } } }]'
    parts = 'fact = [[{ name = "a", from = ["b", "c"] }, { values = { x = "1" } }, { values = { y = { z = 2 } } }]]'

    assert only_table(parts) == only_table(whole)


def test_reading_a_table_in_parts_changes_no_part() -> None:
    file = parse_toml(Path("made.toml"), b"fact = [[{ values = { x = 1 } }, { values = { y = 2 } }]]")

    for _ in range(2):
        (table,) = Table(file, "", file.data, {"fact"}).tables("fact", {"values"})
        assert table.data == {"values": {"x": 1, "y": 2}}
