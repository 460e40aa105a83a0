"""Links of the pages lead to pages, headings and pictures that exist; docs/README.md lists every page."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from docs import make_site
from tests.docs.pages import TOP

PAGES = make_site.pages_of_the_site()
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_ELSEWHERE = ("https://", "mailto:")


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", (TOP / page).read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors of its headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", _LINK.sub("", heading)).lower().replace(" ", "-") for heading in headings}


def dead_links(page: Path, text: str) -> list[str]:
    """The links of a text on a page that lead nowhere."""
    dead = []
    for link in _LINK.findall(_CODE.sub("", text)):
        target, _, anchor = link.partition("#")
        path = Path(os.path.normpath(page.parent / target)) if target else page
        exists = link.startswith(_ELSEWHERE) or ((TOP / path).is_file() and (not anchor or anchor in anchors(path)))
        dead += [] if exists else [link]
    return dead


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert dead_links(page, prose(page)) == []


def test_a_dead_page_picture_or_heading_is_found() -> None:
    text = "[a](sql.md#no-such-heading) [b](nothing.md) ![c](pictures/none.png) [d](#tables) [e](sql.md) `[f](g.md)`"

    assert dead_links(Path("docs/plots.md"), text) == [
        "sql.md#no-such-heading", "nothing.md", "pictures/none.png", "#tables",
    ]  # fmt: skip


def test_the_navigation_of_the_site_holds_every_page_once() -> None:
    named = re.findall(r'"([\w./-]+\.md)"', json.dumps(make_site.navigation()))

    assert sorted(named) == sorted(map(str, [*PAGES, *make_site.MADE]))


def test_pages_that_prose_names_are_links_on_the_site() -> None:
    text = "See docs/sql.md (docs/nothing.md, ARCHITECTURE.md).\n\n```toml my/x.toml\n# docs/sql.md\n```\n"

    assert make_site.site_page(Path("docs/plots.md"), text) == (
        "See [docs/sql.md](sql.md) (docs/nothing.md, [ARCHITECTURE.md](../ARCHITECTURE.md)).\n\n"
        '```toml title="my/x.toml"\n# docs/sql.md\n```\n'
    )


def test_each_command_and_query_has_a_section_of_its_own() -> None:
    commands, queries = (page() for page in make_site.MADE.values())

    assert "\n### bench ingest\n\nRead all logs under PATHS into the ledger." in commands
    assert "\n#### bench plot scaling\n" in commands
    assert "| `--db FILE` |" in commands
    assert "\n## rejects\n" in queries
    assert "```sh\nbench query failures -p status=oom\n```" in queries
