"""What a page claims: each printed number of its tables with the case that heads, row, note and texts above state."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchledger.reproducing.page_parts import Page, PageTable, Row
from benchledger.reproducing.units import Unit, is_no_rate, is_no_speed, quantity_of, unit_of
from benchledger.reproducing.words import (
    NOTHING,
    Facts,
    facts_of,
    has_decimal_comma,
    is_like_number,
    key_of,
    key_value,
    plain,
    precisions_in,
    printed_number,
)

_NAMES_CASE = {"model", "framework", "precision", "gpus", "batch_size_per_gpu"}


@dataclass(frozen=True)
class Claim:
    page: str
    table: int
    table_line: int
    line: int
    row: str
    column: str
    column_number: int
    printed: str
    value: float
    step: float
    unit: Unit
    facts: Facts
    title: str


@dataclass
class Claims:
    """The claims of a page, and by line what was not read: cells, columns or tables, each with its reason."""

    claims: list[Claim] = field(default_factory=list)
    unread: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class _Column:
    number: int
    head: str
    own: Unit | None
    facts: Facts


def claims_of(page: Page) -> Claims:
    """Returns what the tables of a page claim; a table without a unit or quantity is said to be unread, not guessed."""
    found = Claims(unread=list(page.unreadable))
    outer = facts_of(page.name.rsplit(".", 1)[0].replace("_", " ").replace("-", " "))
    for number, table in enumerate(page.tables, start=1):
        _read_table(page, number, table, outer, found)
    found.unread.sort()
    return found


def _read_table(page: Page, number: int, table: PageTable, outer: Facts, found: Claims) -> None:
    if table.paragraphs and quantity_of(table.paragraphs[0]) == "setting" and unit_of(table.paragraphs[0]) is None:
        found.unread.append((table.line, f"states settings, not results: {plain(table.paragraphs[0])[:60]}"))
        return
    # The head `GPU samples/s` names a fact and states a unit.
    keys = {at: key for at, head in enumerate(table.heads) if unit_of(head) is None and (key := key_of(head))}
    if _first_is_key(table, keys):
        keys[0] = "case"
    values = ((row.line, cell) for row in table.rows for at, cell in enumerate(row.cells) if at not in keys)
    if (comma := next((value for value in values if has_decimal_comma(value[1])), None)) is not None:
        said = f"cell {plain(comma[1])[:40]!r} has a decimal comma, so its table is not read; write 208.58 for 208,58"
        found.unread.append((comma[0], said))
        return  # 1.234 and 1,234 in other cells are of unknown size, too
    above = _nearest_first(map(facts_of, (*table.paragraphs, *table.headings)), outer)
    columns = list(_value_columns(table, keys, found))
    if not columns and not any(line == table.line for line, _ in found.unread):
        found.unread.append((table.line, "no column of measured numbers is recognised"))
    reading = _Reading(page, number, table, keys, above, _unit_above(page, table), found)
    for row in table.rows:
        reading.row(row, columns)


def _first_is_key(table: PageTable, keys: dict[int, str]) -> bool:
    """Tells whether the first column holds names of rows, though its head names no fact."""
    if 0 in keys or not table.heads or unit_of(table.heads[0]) is not None:
        return False
    numbers = [printed_number(row.cells[0]) for row in table.rows if row.cells and row.cells[0]]
    words = sum(number is None or bool(number.note) for number in numbers)
    return not keys or words > len(numbers) / 2


def _value_columns(table: PageTable, keys: dict[int, str], found: Claims) -> Iterable[_Column]:
    for at, head in enumerate(table.heads):
        if at in keys:
            continue
        cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
        if not any(map(printed_number, cells)):
            said = f"column {plain(head)!r}: {{!r}} cannot be read as a number; write 2909.16 or 2,909.16"
            found.unread += [(table.line, said.format(plain(cell)[:40])) for cell in cells if is_like_number(cell)][:1]
            continue
        unit = unit_of(head)
        if unit is None and is_no_speed(head):
            found.unread.append((table.line, f"column {plain(head)!r}: a quantity that is not compared"))
            continue
        yield _Column(at, plain(head), unit, facts_of(head))


def _unit_above(page: Page, table: PageTable) -> Unit | None:
    """Returns the unit that the texts above a table state, nearest first; without one, whether they speak of speed."""
    texts = (*table.paragraphs, *table.headings, page.name.replace("_", " ").replace("-", " "))
    for text in texts:
        # A section on speed-ups has tables of speeds as well.
        if (unit := unit_of(text)) is not None and unit.quantity != "speedup":
            return unit
    return Unit("speed") if any(quantity_of(text) == "speed" for text in texts) else None


@dataclass
class _Reading:
    """One table as it is read: what it says above, and the unit of columns that state none."""

    page: Page
    number: int
    table: PageTable
    keys: dict[int, str]
    above: Facts
    shared: Unit | None
    found: Claims
    unitless: set[int] = field(default_factory=set)

    def row(self, row: Row, columns: list[_Column]) -> None:
        stated: Facts = {}
        cells = {at: row.cells[at] for at in self.keys if at < len(row.cells) and row.cells[at]}
        for at, cell in cells.items():
            stated |= key_value(self.keys[at], cell)
        if isinstance(cards := stated.pop("gpus_per_node", None), int):
            stated["gpus"] = cards * int(str(stated.get("nodes", 1)))
        title = ", ".join(map(plain, cells.values()))
        for column in columns:
            text = row.cells[column.number] if column.number < len(row.cells) else ""
            printed = printed_number(text)
            if printed is None:
                if not NOTHING.fullmatch(plain(text)):
                    said = f"cell {plain(text)[:40]!r} under {column.head!r} is no number"
                    self.found.unread.append((row.line, said))
                continue
            unit = self._unit(printed.note, column, title)
            if unit is None:
                self._say_unitless(column, row, title, printed.note)
                continue
            facts = self._facts(stated, column, printed.note, cells)
            self.found.claims.append(
                Claim(
                    page=self.page.name, table=self.number, table_line=self.table.line, line=row.line, row=title,
                    column=column.head, column_number=column.number, printed=printed.text, value=printed.value,
                    step=printed.step, unit=unit, facts=facts,
                    title=plain(self.table.headings[0]) if self.table.headings else "",
                )
            )  # fmt: skip

    def _unit(self, note: str, column: _Column, title: str) -> Unit | None:
        of_row = unit_of(title)
        if of_row is None and column.own is None and quantity_of(title) == "other":
            return unit_of(note)
        stated = unit_of(note) or column.own or of_row or self.shared
        if is_no_rate(note) and (stated is None or stated.unit not in ("s", "MiB")):
            return None
        if stated is None and quantity_of(column.head) == "speed":
            return Unit("speed")
        # `bert_base,resnet50` over numbers may be throughputs: their logs tell.
        return stated or (Unit("speed", assumed=True) if _NAMES_CASE & column.facts.keys() else None)

    def _say_unitless(self, column: _Column, row: Row, title: str, note: str) -> None:
        if quantity_of(title) == "other" or is_no_rate(note):
            said = f"row {title!r}: a quantity that is not compared{f': {note}' * is_no_rate(note)}"
            self.found.unread.append((row.line, said))
        elif column.number not in self.unitless:
            self.unitless.add(column.number)
            said = f"column {column.head!r}: no unit in its head, above the table or in the page's name"
            self.found.unread.append((self.table.line, said))

    def _facts(self, stated: Facts, column: _Column, note: str, cells: dict[int, str]) -> Facts:
        said = {name: value for name, value in self.above.items() if name != "nodes" or "gpus" not in stated}
        facts = said | _merged(stated, column.facts) | facts_of(note)
        # `Batch size (TF32 and FP16)` over `128 and 256`: one for each precision of the columns.
        for at, cell in cells.items():
            if self.keys[at] == "batch_size_per_gpu" and "batch_size_per_gpu" not in stated:
                sizes = dict(zip(precisions_in(self.table.heads[at]), re.findall(r"\d+", plain(cell)), strict=False))
                if facts.get("precision") in sizes:
                    facts["batch_size_per_gpu"] = int(sizes[str(facts["precision"])])
        if facts.get("precision") != "fp16":
            facts.pop("mode", None)
        return dict(sorted(facts.items()))


def _merged(row: Facts, column: Facts) -> Facts:
    """Returns what row and column state: of a model the one that says more, as `bert_base` beside `bert`."""
    both = row | column
    if "model" in row and "model" in column:
        both["model"] = max(str(row["model"]), str(column["model"]), key=len)
    return both


def _nearest_first(stated: Iterable[Facts], outer: Facts) -> Facts:
    merged: Facts = {}
    for facts in (*stated, outer):
        for name, value in facts.items():
            # `bert_base` in the page's title says more than `bert` in a heading.
            if name not in merged or (name == "model" and str(value).startswith(f"{merged[name]}_")):
                merged[name] = value
    return merged
