"""Markdown as its renderer reads it: as many cells as columns, and text that is only text."""

from __future__ import annotations

from html.parser import HTMLParser

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from benchledger.exports.markdown import markdown_line, markdown_text
from benchledger.exports.output_forms import frame_text
from benchledger.exports.values import escaped
from tests.exports.hostile import HOSTILE


class Rendered(HTMLParser):
    """The cells of a rendered page row by row, and every kind of element in it."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.kinds: set[str] = set()
        self.styles: list[str] = []
        self.text = ""
        self.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.kinds.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.styles.append(dict(attrs).get("style") or "")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.rstrip("\n")


TABLE = {"table", "thead", "tbody", "tr", "th", "td"}


def test_hostile_text_stays_in_its_cell_as_it_is() -> None:
    frame = pl.DataFrame({"text|head": HOSTILE, "number": range(len(HOSTILE))})

    page = Rendered(frame_text(frame, "markdown"))

    assert page.rows[0] == ["text|head", "number"]
    assert page.rows[1:] == [[escaped(text).strip(), str(number)] for number, text in enumerate(HOSTILE)]
    assert page.kinds == TABLE


@given(st.lists(st.text(alphabet=st.sampled_from("ab1 |\\`*_~[]()<>&!#-+=:/.w$@\n\x1b")), min_size=2, max_size=2))
def test_no_text_is_markup(texts: list[str]) -> None:
    page = Rendered(frame_text(pl.DataFrame([texts], schema=["a", "b"], orient="row"), "markdown"))

    assert page.rows == [["a", "b"], [escaped(text).strip() for text in texts]]
    assert page.kinds == TABLE


def test_a_line_beside_a_table_is_a_paragraph_whatever_it_begins_with() -> None:
    for text in (
        "# no heading",
        "- no list",
        "+ no list",
        "1. no list",
        "1) no list",
        "> no quotation",
        "---",
        "===",
        "* no",
        "    no code",
    ):
        page = Rendered("before\n\n" + markdown_line(text))

        assert page.kinds == {"p"}, text
        assert page.text.split("\n")[1] == text.strip()


def test_a_mail_address_is_no_link_and_dollars_are_no_maths() -> None:
    line = markdown_line("$x^2$ of a@b.example and @crim, not README.md@454a0608 or p+q@454a0608/a.log")

    assert line == "&#36;x^2&#36; of a&#64;b.example and &#64;crim, not README.md@454a0608 or p+q@454a0608/a.log"
    assert Rendered(line).text == "$x^2$ of a@b.example and @crim, not README.md@454a0608 or p+q@454a0608/a.log\n"


def test_addresses_are_no_links() -> None:
    assert markdown_line("https://a.example www.b.example") == r"https:\/\/a.example www\.b.example"


def test_numbers_stand_to_the_right() -> None:
    page = Rendered(frame_text(pl.DataFrame({"name": ["a"], "value": [1.5]}), "markdown"))

    assert page.styles == ["", "text-align:right"] * 2


def test_an_ampersand_is_one_unless_it_would_begin_a_sign() -> None:
    assert markdown_text("FP32 & W/O XLA, R&D; a&b") == "FP32 & W/O XLA, R&amp;D; a&b"
    assert markdown_text("&lt; &#60; &#x3c;") == "&amp;lt; &amp;#60; &amp;#x3c;"
