"""What a page claims: each printed number of its tables with the case that heads, row, note and texts above state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from benchledger.reproducing.page import Page, PageTable, Row
from benchledger.reproducing.words import (
    NOTHING,
    Facts,
    Unit,
    facts_of,
    key_of,
    key_value,
    plain,
    printed_number,
    quantity_of,
    unit_of,
)


@dataclass(frozen=True)
class Claim:
    """One printed number: where it stands, what it says of its case, its unit, and the step of its last digit."""

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
    unit: Unit
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
    keys = {at: key for at, head in enumerate(table.heads) if (key := key_of(head)) and not _is_measured(table, at)}
    if _first_is_key(table, keys):
        keys[0] = "case"
    texts = (*table.paragraphs, *table.headings)
    above = _nearest_first(map(facts_of, texts), outer)
    columns = list(_value_columns(page, table, keys, found))
    if not columns:
        if not any(line == table.line for line, _ in found.unread):
            found.unread.append((table.line, "no column of measured numbers is recognised"))
        return
    for row in table.rows:
        _read_row(page, number, table, row, keys, columns, above, found)


def _is_measured(table: PageTable, at: int) -> bool:
    """Tells whether a column whose head names a fact states a unit as well: `GPU samples/s`."""
    return unit_of(table.heads[at]) is not None


def _first_is_key(table: PageTable, keys: dict[int, str]) -> bool:
    """Tells whether the first column holds names of rows, though its head names no fact."""
    if 0 in keys or not table.heads or unit_of(table.heads[0]) is not None:
        return False
    numbers = [printed_number(row.cells[0]) for row in table.rows if row.cells and row.cells[0]]
    words = sum(number is None or bool(number.note) for number in numbers)
    return not keys or words > len(numbers) / 2


def _value_columns(page: Page, table: PageTable, keys: dict[int, str], found: Claims) -> Iterable[_Column]:
    shared = _unit_above(page, table)
    for at, head in enumerate(table.heads):
        if at in keys:
            continue
        unit = unit_of(head)
        if unit is None and quantity_of(head) == "other":
            found.unread.append((table.line, f"column {plain(head)!r}: a quantity that is not compared"))
            continue
        unit = unit or shared
        if not any(printed_number(row.cells[at]) for row in table.rows if at < len(row.cells)):
            continue
        if unit is None:
            found.unread.append(
                (table.line, f"column {plain(head)!r}: no unit in its head, above the table or in the page's name")
            )
            continue
        yield _Column(at, plain(head), unit, facts_of(head))


def _unit_above(page: Page, table: PageTable) -> Unit | None:
    """Returns the unit that the texts above a table state, nearest first; without one, whether they speak of speed."""
    texts = (*table.paragraphs, *table.headings, page.name.replace("_", " ").replace("-", " "))
    for text in texts:
        if (unit := unit_of(text)) is not None:
            return unit
    return Unit("speed") if any(quantity_of(text) == "speed" for text in texts) else None


def _read_row(
    page: Page, number: int, table: PageTable, row: Row, keys: dict[int, str], columns: list[_Column],
    above: Facts, found: Claims,
) -> None:  # fmt: skip
    stated: Facts = {}
    for at, key in keys.items():
        if at < len(row.cells):
            stated |= key_value(key, row.cells[at])
    if isinstance(cards := stated.pop("gpus_per_node", None), int):
        stated["gpus"] = cards * int(str(stated.get("nodes", 1)))
    title = ", ".join(plain(row.cells[at]) for at in keys if at < len(row.cells) and row.cells[at])
    for column in columns:
        cell = row.cells[column.number] if column.number < len(row.cells) else ""
        printed = printed_number(cell)
        if printed is None:
            if not NOTHING.fullmatch(plain(cell)):
                found.unread.append((row.line, f"cell {plain(cell)[:40]!r} under {column.head!r} is no number"))
            continue
        unit = unit_of(printed.note) or column.unit
        said = {name: value for name, value in above.items() if name != "nodes" or "gpus" not in stated}
        facts = said | _merged(stated, column.facts) | facts_of(printed.note)
        if facts.get("precision") != "fp16":
            facts.pop("mode", None)
        found.claims.append(
            Claim(
                page=page.name, table=number, table_line=table.line, line=row.line, row=title, column=column.head,
                column_number=column.number, printed=printed.text, value=printed.value, step=printed.step, unit=unit,
                facts=dict(sorted(facts.items())), title=plain(table.headings[0]) if table.headings else "",
            )
        )  # fmt: skip


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
