"""A published page as tables and links, each with its line and the texts above it."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_ROWS = 20_000


@dataclass(frozen=True)
class Row:
    line: int
    cells: tuple[str, ...]

    def cell(self, place: int) -> str:
        return self.cells[place] if place < len(self.cells) else ""


@dataclass(frozen=True)
class PageTable:
    """A table: heads, rows, and the texts above it, nearest first: paragraphs of its section, then its headings."""

    line: int
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    paragraphs: tuple[str, ...]
    headings: tuple[str, ...]


@dataclass(frozen=True)
class Link:
    """A link: its label, what it leads to, and the headings above it, nearest first."""

    line: int
    label: str
    target: str
    headings: tuple[str, ...]


@dataclass
class Page:
    """A page's tables and links, added in its order with the headings and paragraphs between them.

    `unreadable` holds the line and reason of each table that cannot be read.
    """

    name: str
    tables: list[PageTable] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    unreadable: list[tuple[int, str]] = field(default_factory=list)
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _paragraphs: list[str] = field(default_factory=list)
    _title: str | None = None

    def add_heading(self, level: int, text: str) -> None:
        self._title = self._title or text
        self._headings = [(above, said) for above, said in self._headings if above < level] + [(level, text)]
        self._paragraphs = []

    def add_paragraph(self, text: str) -> None:
        if text.strip():
            self._paragraphs.append(text.strip())

    def add_link(self, line: int, label: str, target: str) -> None:
        self.links.append(Link(line, label, target, self._headings_above()))

    def add_table(self, rows: list[Row], heads: int = 1) -> None:
        """Adds a table, whose first rows are `heads` rows of headings, or the reason why it cannot be read."""
        if len(rows) > MOST_ROWS:
            self.unreadable.append((rows[0].line, f"the table has more than {MOST_ROWS} rows"))
        elif rows and len(rows) <= heads:
            self.unreadable.append((rows[0].line, "the table has heads and no rows"))
        elif rows:
            width = max(len(row.cells) for row in rows)
            texts = [" ".join(dict.fromkeys(row.cell(place) for row in rows[:heads])).strip() for place in range(width)]
            paragraphs, headings = tuple(reversed(self._paragraphs)), self._headings_above()
            self.tables.append(PageTable(rows[0].line, tuple(texts), tuple(rows[heads:]), paragraphs, headings))

    def _headings_above(self) -> tuple[str, ...]:
        """Returns the headings above, nearest first, and the page's first, whatever level the others have."""
        said = [text for _, text in reversed(self._headings)]
        return tuple(said if self._title is None or self._title in said else [*said, self._title])
