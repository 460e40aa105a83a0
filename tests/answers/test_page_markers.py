"""Markers in a Markdown page: what is a block, what only shows how one looks, and what is wrong with the rest."""

from __future__ import annotations

import pytest

from benchledger.answers.page_blocks import find_blocks, lines_of, with_answers
from benchledger.errors import UsageError


def written(text: str, *answers: str) -> str:
    lines = lines_of(text)
    return with_answers(lines, find_blocks(lines, "page.md"), answers)


def test_only_what_stands_between_the_markers_is_replaced() -> None:
    page = "before\n<!-- bench report speed -->\nold\n<!-- /bench -->\nafter\n"

    assert written(page, "new") == "before\n<!-- bench report speed -->\n\nnew\n\n<!-- /bench -->\nafter\n"


def test_two_blocks_keep_their_order_and_the_text_between() -> None:
    page = "<!-- bench query a -->\n<!-- /bench -->\nbetween\n<!-- bench query b -->\nold\n<!-- /bench -->"

    assert written(page, "1", "2") == (
        "<!-- bench query a -->\n\n1\n\n<!-- /bench -->\nbetween\n<!-- bench query b -->\n\n2\n\n<!-- /bench -->"
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_did(line_end: str) -> None:
    page = "x\n<!-- bench query a -->\nold\n<!-- /bench -->".replace("\n", line_end)

    assert written(page, "1\n2") == "x\n<!-- bench query a -->\n\n1\n2\n\n<!-- /bench -->".replace("\n", line_end)


def test_a_file_of_mixed_line_ends_keeps_each_of_them() -> None:
    page = "x\r\ny\n<!-- bench query a -->\r\n<!-- /bench -->\nz\r"

    assert written(page, "1") == "x\r\ny\n<!-- bench query a -->\r\n\r\n1\r\n\r\n<!-- /bench -->\nz\r"


def test_a_byte_order_mark_before_the_first_marker_stays() -> None:
    assert written("\ufeff<!-- bench query a -->\n<!-- /bench -->\n", "1").startswith(
        "\ufeff<!-- bench query a -->\n\n1"
    )


def test_a_long_command_may_take_several_lines() -> None:
    page = "<!-- bench report speed\r\n     --campaign 'a  b' -->\r\n<!-- /bench -->\r\n"

    assert [block.command for block in find_blocks(lines_of(page), "p")] == ["bench report speed --campaign 'a  b'"]
    assert written(page, "1").startswith("<!-- bench report speed\r\n     --campaign 'a  b' -->\r\n\r\n1\r\n")


@pytest.mark.parametrize(
    "shown",
    [
        "```\n{}\n```",
        "```text\n```not the end\n{}\n```",
        "~~~~\n~~~\n{}\n~~~~",
        "````\n```\n{}\n````",
        "  ```\n{}\n  ```",
        "    <!-- bench query a -->\n    <!-- /bench -->",
        "Write `<!-- bench query a -->` and `<!-- /bench -->`.",
    ],
)
def test_code_that_shows_a_marker_is_no_block(shown: str) -> None:
    page = shown.format("<!-- bench query a -->\n<!-- /bench -->") + "\n"

    assert find_blocks(lines_of(page), "page.md") == []


def test_an_end_in_a_fence_does_not_end_a_block() -> None:
    with pytest.raises(UsageError, match=r"^page.md:1: this block is not closed"):
        find_blocks(lines_of("<!-- bench query a -->\nkeep me\n```\n<!-- /bench -->\n```\n"), "page.md")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("x\n<!-- bench query a -->\ntext", r"page.md:2: this block is not closed. End it with a line <!-- /bench -->"),
        ("<!-- bench query a -->\n<!-- bench query b -->\n<!-- /bench -->", r"page.md:1: .* starts, in line 2"),
        ("x\n<!-- /bench -->", r"page.md:2: <!-- /bench --> has no start marker"),
        ("<!-- bench query a", r"page.md:1: this marker has no end: close it with -->"),
        ("<!-- bench query a --> x\n<!-- /bench -->", r"page.md:1: nothing may follow --> on the marker's line"),
        ("<!-- bench query a --> <!-- /bench -->", r"page.md:1: nothing may follow -->"),
        ("x <!-- bench query a -->\n<!-- /bench -->", r"page.md:1: a marker needs its own line"),
        ("> <!-- bench query a -->\n> <!-- /bench -->", r"page.md:1: a marker needs its own line"),
    ],
)
def test_a_marker_that_is_amiss_is_named_with_its_line_and_cure(page: str, message: str) -> None:
    with pytest.raises(UsageError, match="^" + message):
        find_blocks(lines_of(page), "page.md")


@pytest.mark.parametrize("hostile", ["<!-- /bench -->", "<!-- bench query b -->", "  <!--  /bench  -->", "<!--"])
def test_a_text_that_reads_like_a_marker_neither_ends_nor_begins_a_block(hostile: str) -> None:
    page = "<!-- bench query a -->\n<!-- /bench -->\nafter\n"
    once = written(page, f"text\n{hostile}\nmore")

    assert len(find_blocks(lines_of(once), "page.md")) == 1
    assert written(once, f"text\n{hostile}\nmore") == once
    assert once.endswith("\n\n<!-- /bench -->\nafter\n")
