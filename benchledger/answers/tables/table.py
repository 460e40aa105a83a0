"""The parts of a report: tables whose numbers share facts, unit and rule, or the lines of a page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from urllib.parse import quote, urlsplit

import polars as pl

from benchledger.answers.notebook import OfNumbers, html_table, html_text
from benchledger.errors import UsageError, counted, some_of

MISSING_SHOWN = 8
# Characters that stay as they are in a link. All others are percent-encoded, so that no path can end its link.
_SAFE_IN_PATH = "/~!$&'*+,;=:@"
_SAFE_IN_ADDRESS = _SAFE_IN_PATH + "?#%"
_SCHEMES = ("", "http", "https")


@dataclass(frozen=True)
class Coverage:
    """How many of a table's cells have a number, and the reason of each gap; `said` is the layout's text of it."""

    present: int
    total: int
    missing: tuple[str, ...] = ()
    said: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        text = f"{self.present} of {self.total} cells filled"
        if self.missing:
            text += f"; missing: {some_of(self.missing, MISSING_SHOWN)}"
        return text


@dataclass(frozen=True)
class Above:
    """The lines that a layout prints above a table in place of its facts: two levels of headings, and the unit.

    `align` is the alignment of cells: left, center or right. `lang` is the language of the words around the table,
    `depth` the level of its first heading, and `says` the facts that its title names.
    """

    section: str | None = None
    title: str | None = None
    unit: str | None = None
    align: str | None = None
    lang: str | None = None
    depth: int = 3
    says: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Above()


@dataclass(frozen=True)
class Table:
    """One table as it is printed.

    `facts` holds the facts that all its numbers share (campaign, framework, ..., unit, rule). `rows_split_by` are the
    columns added so that no two series share a cell. `frame` holds the cells as text, `trials` every trial behind them.
    `remarks` are quoted under it: a heading, and remarks about its cells. `texts` are the headings of columns of words,
    in `frame` or `trials`: a version 2.10 is not a number, and neither is a campaign called 2026. `usual` are those of
    the notes that say what is as expected: a terminal shows them with -v only.
    """

    facts: dict[str, str | None]
    coverage: Coverage | None
    frame: pl.DataFrame
    rows_split_by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trials: pl.DataFrame | None = None
    above: Above = Above()
    remarks: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    usual: frozenset[str] = frozenset()


@dataclass(frozen=True, repr=False)
class Report(OfNumbers):
    """An answer of one or more tables, and all its numbers in one unrounded frame, one row each.

    `notes` concern no single table, such as which tables are left out. `prose` replaces the tables where a layout
    prints a page. A `bare` report is printed without notes.
    """

    name: str
    tables: tuple[Table, ...]
    cells: pl.DataFrame
    notes: tuple[str, ...] = ()
    prose: tuple[Line, ...] = ()
    bare: bool = False

    def __repr__(self) -> str:
        return (
            f"<Report {self.name}: {counted(len(self.tables), 'table')}, {counted(self.cells.height, 'row')} in .cells>"
        )

    def _repr_html_(self) -> str:
        parts = []
        for table in self.tables:
            facts = "; ".join(f"{name} {value}" for name, value in table.facts.items() if value is not None)
            parts.append(f"<p><b>{html_text(self.name)}</b>: {html_text(facts)}</p>")
            parts.append(html_table(table.frame.columns, table.frame.iter_rows(), table.frame.height))
            parts += [f"<p>{html_text(note)}</p>" for note in table.notes if note not in table.usual]
        return "\n".join([*parts, *(f"<p>{html_text(note)}</p>" for note in self.notes)])

    def without_notes(self, bare: bool = True) -> Report:
        return replace(self, bare=bare)

    def noted(self, notes: tuple[str, ...]) -> Report:
        return replace(self, notes=(*self.notes, *notes))

    @cached_property
    def split_by(self) -> tuple[str, ...]:
        """Returns the facts in which the report's tables differ from each other; every table must have them."""
        names = dict.fromkeys(name for table in self.tables for name in table.facts)
        return tuple(name for name in names if len({table.facts.get(name) for table in self.tables}) > 1)


def text_frame(columns: list[str], rows: list[list[str]]) -> pl.DataFrame:
    """Returns a frame of text columns. Raises UsageError if two columns have the same heading."""
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise UsageError(
            f"two columns of this table would have the heading {twice!r}: select one, or rename one in a layout"
        )

    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


class Kind(Enum):
    HEADING = "heading"
    ITEM = "item"
    TEXT = "text"
    QUOTE = "quote"
    BLOCK = "block"


@dataclass(frozen=True)
class Line:
    """One line of a page, or a block of text; `depth` is the level of a heading, or of an item in its list.

    `before` and `after` are the layout's own words and Markdown. `text`, and the `framework` that replaces
    [framework] in them, come from the ledger and are never markup.
    """

    kind: Kind
    text: str
    before: str = ""
    after: str = ""
    depth: int = 0
    code: bool = False
    link: str | None = None
    framework: str = ""


def template_line(
    kind: Kind, template: str, text: str = "", *, depth: int = 0, link: str | None = None, framework: str = ""
) -> Line:
    """Returns a line from a layout's template with {} for the text, or `{}` for code."""
    code = "`{}`" in template
    before, _, after = template.partition("`{}`" if code else "{}")
    return Line(kind, text, before, after, depth, code, link, framework)


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
