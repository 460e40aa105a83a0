"""The lines of a report that is a page instead of a table: headings, items, links, quoted notes, blocks of text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote, urlsplit

from benchledger.errors import UsageError

# Characters that stay as they are in a link. All others are percent-encoded, so that no path can end its link.
_SAFE_IN_PATH = "/~!$&'*+,;=:@"
_SAFE_IN_ADDRESS = _SAFE_IN_PATH + "?#%"
_SCHEMES = ("", "http", "https")


class Kind(Enum):
    HEADING = "heading"
    ITEM = "item"
    TEXT = "text"
    QUOTE = "quote"
    BLOCK = "block"


@dataclass(frozen=True)
class Line:
    """One line of a page, or a block of text; `depth` is the level of a heading, or of an item in its list.

    `before` and `after` are the layout's own words and Markdown; `text` comes from the ledger and is never markup.
    """

    kind: Kind
    text: str
    before: str = ""
    after: str = ""
    depth: int = 0
    code: bool = False
    link: str | None = None


def said(kind: Kind, template: str, text: str = "", *, depth: int = 0, link: str | None = None) -> Line:
    """Returns a line from a layout's template with {} for the text, or `{}` for code."""
    code = "`{}`" in template
    before, _, after = template.partition("`{}`" if code else "{}")
    return Line(kind, text, before, after, depth, code, link)


def link_to(base: str, path: str) -> str:
    """Returns the address of a file below a base: a URL, or a folder relative to the page."""
    return f"{checked_address(base).rstrip('/')}/{quote(path, safe=_SAFE_IN_PATH)}"


def checked_address(address: str) -> str:
    """Returns an address for a link: a path or a web address. Raises UsageError for others, such as javascript:."""
    address = address.strip()
    try:
        scheme = urlsplit(address).scheme.lower()
    except ValueError as error:
        raise UsageError(f"{address!r} is not a valid address ({error}). Give a path or a URL") from None
    if scheme not in _SCHEMES or not address:
        raise UsageError(f"{address!r} cannot be linked from a page. Give a path, or a URL with https://")
    return quote(address, safe=_SAFE_IN_ADDRESS)
