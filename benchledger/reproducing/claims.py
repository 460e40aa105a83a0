"""What a page claims: each printed number of its tables with the case that heads, row, note and texts above state."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchledger.reproducing.page_parts import Page, PageTable, Row
from benchledger.reproducing.words import (
    NOTHING,
    Facts,
    any_case,
    facts_of,
    frameworks_in,
    has_decimal_comma,
    is_like_number,
    key_of,
    key_value,
    plain,
    precisions_in,
    printed_number,
)

_NOUNS = {
    "samples/s": "sample|sequence|seq|sentence|sent|image|img|example|record|clip|picture|图片|张|样本|句",
    "tokens/s": "token|tok|tk|word|词",
    "items/s": "item|frame|mel|wav",
    "steps/s": "step|iteration|iter|it|batch",
}
_RATE = any_case(
    rf"(?:(?<![A-Za-z])([km])\s*)?({'|'.join(_NOUNS.values())})(?:s|es)?\s*(?:/|per|每)\s*\(?(?:s|sec|second|秒)(?![a-z])"
)
_SECOND = r"(ms|msec|milliseconds?|s|sec|seconds?|毫秒|秒)"
_SECONDS = tuple(
    any_case(pattern)
    for pattern in (
        rf"(?<![a-z/]){_SECOND}\s*(?:/|per)\s*(?:step|iter(?:ation)?|it|batch)(?:es|s)?\b",
        rf"(?:step|iteration|iter|batch)\s*(?:time|latency|耗时)\W*{_SECOND}\b",
        rf"(?:time|latency)\s*(?:/|per)\s*(?:step|iteration|iter|batch)\W*{_SECOND}\b",
    )
)
_MEMORY = any_case(r"(?:memory|显存|mem)\W*(?:\w+\W+)*?(MiB|GiB|MB|GB)|(?<![A-Za-z0-9])(MiB|GiB)(?![A-Za-z])")
_MEMORY_SCALE = {"mib": 1.0, "gib": 1024.0, "mb": 1.0, "gb": 1024.0}
_SPEEDUP = any_case(r"speed[\s_-]*up|加速比|(?:weak|strong)\s*scaling|scaling\s*factor")
# A ratio of precisions, frameworks or releases is no speed-up over GPUs.
_RATIO = any_case(r"speed[\s_-]*up.*(?:tf32|fp\s*16|fp\s*32|amp|mixed|precision| vs\.? | over (?!1|one))|相对|提升")
_SPEED = any_case(r"throughput|\bfps\b|\bqps\b|吞吐|speed(?![\s_-]*up)|性能(?!测试$)|ips\b|速度|performance")
_PER_GPU = any_case(r"(?:per|/|每)\s*(?:card|gpu|device|卡)|单卡吞吐|per[\s_-](?:card|gpu)")
# Quantities that no number of the ledger is compared with.
_OTHER = any_case(
    r"accuracy|acc(?:\b|@)|准确率|loss|f1\b|bleu|rouge|wer\b|auc\b|efficiency|利用率|util|top-?[15]|map\b|miou|"
    r"price|cost|power|watt|flop|mfu|版本|time|latency|耗时|minutes|小时|hours|ratio|比值|提升|差|\bvs\b|diff|delta|Δ|%|batch|steps?\b|epochs?\b"
)
# A head of these words that states no fact counts something else than speed.
_COUNTED = any_case(r"gpu|card|node|batch|device|rank|seq|卡|节点|机器")
_SETTING = any_case(
    r"batch[\s_-]*size[^。.;；]*(?:选用|选择如下|如下[:：]?$|are as follows|settings?)|超参|hyper-?param|参数设置|"
    r"command|命令行参数"
)
_NAMES_CASE = {"model", "framework", "precision", "gpus", "batch_size_per_gpu"}


@dataclass(frozen=True)
class Unit:
    """What the numbers of a column count: a quantity of the ledger, its unit, the factor to it; per GPU or in all."""

    quantity: str
    unit: str | None = None
    scale: float = 1.0
    per_gpu: bool = False
    # Nothing says so: the numbers stand only if most of them are those of logs.
    assumed: bool = False


def unit_of(text: str) -> Unit | None:
    """Returns the unit that a text states, None if it states none."""
    bare = plain(text).replace("_", " ")
    if rate := _RATE.search(bare):
        noun = rate[2].lower()
        unit = next(unit for unit, nouns in _NOUNS.items() if noun in nouns.split("|"))
        scale = {"k": 1e3, "m": 1e6}.get((rate[1] or "").lower(), 1.0)
        return Unit("speed", unit, scale, bool(_PER_GPU.search(bare)))
    for pattern in _SECONDS:
        if seconds := pattern.search(bare):
            said = seconds[1].lower()
            return Unit("speed", "s", 1e-3 if said.startswith("m") or said == "毫秒" else 1.0)
    if _SPEEDUP.search(bare) and not _RATIO.search(bare):
        return Unit("speedup", "1")
    if memory := _MEMORY.search(bare):
        return Unit("memory", "MiB", _MEMORY_SCALE[(memory[1] or memory[2]).lower()])
    return None


def quantity_of(text: str) -> str | None:
    """Returns `speed`, `setting` or `other` as the words of a text say, None if they say nothing."""
    bare = plain(text).replace("_", " ")
    kinds = (("setting", _SETTING), ("other", _RATIO), ("speed", _SPEED), ("other", _OTHER))
    return next((name for name, pattern in kinds if pattern.search(bare)), None)


def is_no_speed(head: str) -> bool:
    """Tells whether a head without unit names another quantity, GPUs or batches (`gpu num in use`), or a ratio."""
    if quantity_of(head) in ("other", "setting") or len(frameworks_in(plain(head))) > 1:
        return True
    return bool(_COUNTED.search(plain(head))) and quantity_of(head) != "speed" and not facts_of(head)


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
    texts = (*table.paragraphs, *table.headings)
    above = _nearest_first(map(facts_of, texts), outer)
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
            said = f"column {plain(head)!r}: {{!r}} is read as no number; write 2909.16 or 2,909.16"
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
                self._say_unitless(column, row, title)
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
        if stated is None and quantity_of(column.head) == "speed":
            return Unit("speed")
        # `bert_base,resnet50` over numbers may be throughputs: their logs tell.
        return stated or (Unit("speed", assumed=True) if _NAMES_CASE & column.facts.keys() else None)

    def _say_unitless(self, column: _Column, row: Row, title: str) -> None:
        if quantity_of(title) == "other":
            self.found.unread.append((row.line, f"row {title!r}: a quantity that is not compared"))
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
