"""A page as tables and links: Markdown (with HTML tables in it), HTML or CSV, each row with its line in the page."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

from benchledger.definitions.regular_file import need_regular
from benchledger.errors import UsageError
from benchledger.reproducing.page_parts import MOST_ROWS, Page, Row

_MOST_BYTES = 20_000_000
_LONGEST_LINE = 20_000
_WIDEST = 200
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_LINK = re.compile(r"\[([^\]]*)\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_CELL = re.compile(r"(?<!\\)\|")


def read_page(path: Path) -> Page:
    """Returns the tables and links of a page. Raises UsageError if it cannot be read or is no text."""
    need_regular(path)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path}: a page of more than {_MOST_BYTES // 1_000_000} MB is no page of tables")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}; name a Markdown, HTML or CSV file") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text; convert it first: iconv -f GBK -t UTF-8") from None
    page = Page(path.name)
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        _read_csv(text, page, "\t" if ending == ".tsv" else ",")
    elif ending in (".html", ".htm", ".xhtml"):
        _read_html(text, page)
    else:
        _read_markdown(text, page)
    return page


def _read_csv(text: str, page: Page, delimiter: str) -> None:
    first = text.lstrip().partition("\n")[0]
    # Where numbers have decimal commas, semicolons stand between cells.
    reader = csv.reader(io.StringIO(text), delimiter=max(delimiter, ";", key=first.count))
    rows: list[Row] = []
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                row = Row(begins, tuple(cell.strip() for cell in cells))
                # The comma of 208,58 without quotes makes two cells of a number, and moves those behind it.
                if rows and _width(row) > _width(rows[0]) > 1:
                    page.unreadable.append((begins, f"the row has {_width(row)} cells, the head has {_width(rows[0])}"))
                else:
                    rows.append(row)
            begins = reader.line_num + 1
    except csv.Error as error:
        page.unreadable.append((reader.line_num, f"no CSV: {error}"))
        return
    page.add_table(rows)


def _width(row: Row) -> int:
    return max((place for place, cell in enumerate(row.cells, start=1) if cell), default=0)


def _read_markdown(text: str, page: Page) -> None:
    lines = text.splitlines()
    fence, at = "", 0
    while at < len(lines):
        line = lines[at]
        if len(line) > _LONGEST_LINE:
            page.unreadable.append((at + 1, f"the line has more than {_LONGEST_LINE} characters"))
            at += 1
            continue
        opened = _FENCE.match(line)
        if fence or opened:
            if opened and (not fence or opened[1].startswith(fence)):
                fence = "" if fence else opened[1]
            at += 1
        elif heading := _HEADING.fullmatch(line):
            page.add_heading(len(heading[1]), heading[2])
            at += 1
        elif "<table" in line.lower():
            end = next((n for n in range(at, len(lines)) if "</table" in lines[n].lower()), None)
            if end is None:
                page.unreadable.append((at + 1, "the HTML table has no end"))
                return
            _HtmlTables(page, at).feed("\n".join(lines[at : end + 1]))
            at = end + 1
        elif "|" in line and at + 1 < len(lines) and "|" in lines[at + 1] and _DELIMITER.fullmatch(lines[at + 1]):
            at = _markdown_table(lines, at, page)
        else:
            for link in _LINK.finditer(line):
                page.add_link(at + 1, link[1], link[2])
            page.add_paragraph(line)
            at += 1


def _markdown_table(lines: list[str], at: int, page: Page) -> int:
    rows = [Row(at + 1, _cells_of(lines[at]))]
    below = at + 2
    while below < len(lines) and "|" in lines[below]:
        rows.append(Row(below + 1, _cells_of(lines[below])))
        below += 1
    for row in rows:
        for cell in row.cells:
            for link in _LINK.finditer(cell):
                page.add_link(row.line, f"{row.cells[0]} {link[1]}", link[2])
    page.add_table(rows)
    return below


def _cells_of(line: str) -> tuple[str, ...]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELL.split(bare))


def _read_html(text: str, page: Page) -> None:
    parser = _HtmlTables(page)
    parser.feed(text)
    parser.close()
    if parser.is_open:
        page.unreadable.append((parser.table_line, "the HTML table has no end"))


class _HtmlTables(HTMLParser):
    """Adds the tables of HTML to a page; a cell over several rows or columns stands in each of them."""

    def __init__(self, page: Page, lines_above: int = 0) -> None:
        super().__init__()
        self.page, self.above = page, lines_above
        self.is_open, self.table_line = False, 0
        self._text: list[str] | None = None
        self._rows: list[tuple[int, bool, dict[int, str]]] = []
        self._spans: dict[int, tuple[int, str]] = {}
        self._cell: tuple[int, int] = (1, 1)
        self._heading = 0
        self._href: tuple[str, list[str], int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        line = self.above + self.getpos()[0]
        if tag == "table":
            if self.is_open:
                self.page.unreadable.append((line, "a table within a table"))
            self.is_open, self.table_line, self._rows, self._spans = True, line, [], {}
        elif tag == "tr" and self.is_open:
            self._rows.append((line, True, {}))
            self._fill()
        elif tag in ("td", "th") and self.is_open:
            if not self._rows:
                self._rows.append((line, True, {}))
            if tag == "td":
                self._rows[-1] = (self._rows[-1][0], False, self._rows[-1][2])
            self._cell = (_span(given.get("colspan")), _span(given.get("rowspan")))
            self._text = []
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self._heading, self._text = int(tag[1]), []
        elif tag in ("p", "li", "caption") and self._text is None:
            self._text = []
        elif tag == "a" and given.get("href"):
            self._href = (str(given["href"]), [], line)

    def handle_endtag(self, tag: str) -> None:
        text = " ".join("".join(self._text or ()).split())
        if tag in ("td", "th") and self.is_open and self._rows and self._text is not None:
            self._place(text)
            self._text = None
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6") and self._heading:
            self.page.add_heading(self._heading, text)
            self._heading, self._text = 0, None
        elif tag in ("p", "li", "caption"):
            if not self.is_open or tag == "caption":
                self.page.add_paragraph(text)
                self._text = None
        elif tag == "a" and self._href is not None:
            target, label, line = self._href
            self.page.add_link(line, "".join(label), target)
            self._href = None
        elif tag == "table" and self.is_open:
            self._end()

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)
        elif not self.is_open:
            self.page.add_paragraph(data)
        if self._href is not None:
            self._href[1].append(data)

    def _fill(self) -> None:
        """Puts the cells of rows above that reach down into the new row."""
        self._rows[-1][2].update({place: text for place, (_, text) in self._spans.items()})
        self._spans = {place: (more - 1, text) for place, (more, text) in self._spans.items() if more > 1}

    def _place(self, text: str) -> None:
        cells = self._rows[-1][2]
        columns, rows = self._cell
        for _ in range(columns):
            place = next(place for place in range(len(cells) + 1) if place not in cells)
            if place >= _WIDEST or len(self._rows) > MOST_ROWS:
                return
            cells[place] = text
            if rows > 1:
                self._spans[place] = (rows - 1, text)

    def _end(self) -> None:
        self.is_open = False
        rows = [Row(line, tuple(cells[place] for place in sorted(cells))) for line, _, cells in self._rows if cells]
        kinds = [is_head for _, is_head, cells in self._rows if cells]
        heads = kinds.index(False) if False in kinds else len(kinds)
        self.page.add_table(rows, max(1, heads))


def _span(said: str | None) -> int:
    return min(int(said), _WIDEST) if said and said.isdigit() and int(said) > 0 else 1
