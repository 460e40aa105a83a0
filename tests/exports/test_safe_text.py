"""Text from a log on a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchledger.exports.values import escaped, escaped_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 127.09 samples/s", "plain 127.09 samples/s"),
        ("卡数 é", "卡数 é"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b2J", r"\x9b2J"),
        ("a\rb\nc\td", r"a\rb\nc\td"),
        ("\u202egnp", r"\u202egnp"),
        ("\u2028", r"\u2028"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\U000e0041"),
        ("\uffff\U0001fffe", r"\uffff\U0001fffe"),
    ],
)
def test_control_characters_are_shown_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@given(st.text())
def test_nothing_that_a_terminal_acts_on_is_left(text: str) -> None:
    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & {unicodedata.category(char) for char in escaped(text)}


def test_a_message_keeps_its_lines() -> None:
    assert escaped_lines("a\n\x1bb") == "a\n\\x1bb"
