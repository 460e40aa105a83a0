"""What a report prints as lines of a page instead of a table: headings, items, links, quoted notes, blocks of text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote, urlsplit

from benchledger.errors import UsageError

# What may stand in a link as it is; all else is percent-encoded, so that no path ends its link.
_SAFE_IN_PATH = "/~!$&'*+,;=:@"
_SAFE_IN_ADDRESS = _SAFE_IN_PATH + "?#%"
_SCHEMES = ("", "http", "https")


class Kind(Enum):
    """What a line is in a page."""

    HEADING = "heading"
    ITEM = "item"
    TEXT = "text"
    QUOTE = "quote"
    BLOCK = "block"


@dataclass(frozen=True)
class Line:
    """One line of a page, or a block of text; `depth` is the level of a heading, or of an item in its list.

    `before` and `after` are the layout's own words, Markdown as they stand; `text` comes from the ledger and is
    nothing but text.
    """

    kind: Kind
    text: str
    before: str = ""
    after: str = ""
    depth: int = 0
    code: bool = False
    link: str | None = None


def said(kind: Kind, template: str, text: str = "", *, depth: int = 0, link: str | None = None) -> Line:
    """A line by a template of a layout with {} for the text, in `back quotes` where it is code."""
    code = "`{}`" in template
    before, _, after = template.partition("`{}`" if code else "{}")
    return Line(kind, text, before, after, depth, code, link)


def link_to(base: str, path: str) -> str:
    """The address of a file below a base, which is an address itself or a folder as seen from the page."""
    return f"{checked_address(base).rstrip('/')}/{quote(path, safe=_SAFE_IN_PATH)}"


def checked_address(address: str) -> str:
    """An address for a link: a path, or one of the web. Raises UsageError for any other, such as javascript:."""
    address = address.strip()
    try:
        scheme = urlsplit(address).scheme.lower()
    except ValueError as error:
        raise UsageError(f"{address!r} is no address ({error}). Give a path or a URL") from None
    if scheme not in _SCHEMES or not address:
        raise UsageError(f"{address!r} is no address that a page may link to. Give a path, or a URL with https://")
    return quote(address, safe=_SAFE_IN_ADDRESS)
