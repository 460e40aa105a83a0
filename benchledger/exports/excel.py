"""Writes Excel workbooks: one sheet per table, numbers as numbers, and no text as a formula or link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.exports.answer_files import write_whole
from benchledger.exports.values import escaped, is_formula, value_text

if TYPE_CHECKING:
    import polars as pl
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

_SHEET_NAME = 31
_CELL_TEXT = 32_767
# A double holds integers exactly up to this size. Larger ones (ids) are written as text.
_EXACT = 2**53
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?")
_WIDEST = 60


@dataclass(frozen=True)
class Sheet:
    """One sheet. `numbers` names the text columns whose numeric cells become numbers in Excel."""

    name: str
    frame: pl.DataFrame
    numbers: frozenset[str] = frozenset()
    filtered: bool = False


def write_workbook(path: Path, sheets: Sequence[Sheet], created: datetime) -> None:
    """Writes a workbook. Its bytes depend only on its content: `created` comes from the ledger, not the clock."""
    from xlsxwriter import Workbook

    # In memory first: write_whole then raises the same error as every other form if the file cannot be written.
    content = BytesIO()
    # Each cell is written by its own type, so that no text becomes a formula, a link or a number.
    workbook = Workbook(content, {"in_memory": True})
    workbook.set_properties({"created": created})
    formats = _Formats(workbook)
    for sheet, name in zip(sheets, sheet_names([sheet.name for sheet in sheets]), strict=True):
        _fill(workbook.add_worksheet(name), sheet, formats)
    workbook.close()
    write_whole(path, content.getvalue())


class _Formats:
    def __init__(self, workbook: Workbook) -> None:
        self._workbook = workbook
        self._made: dict[str, Format] = {}
        head = {"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"}
        self.head: Format = workbook.add_format(head)
        # Excel's own apostrophe, which it does not show: the text stays text when a reader edits the cell.
        self.quoted: Format = workbook.add_format({"quote_prefix": True})
        self.quoted_head: Format = workbook.add_format({**head, "quote_prefix": True})

    def number(self, pattern: str) -> Format:
        if pattern not in self._made:
            self._made[pattern] = self._workbook.add_format({"num_format": pattern})
        return self._made[pattern]


def _fill(worksheet: Worksheet, sheet: Sheet, formats: _Formats) -> None:
    frame = sheet.frame
    worksheet.freeze_panes(1, 0)
    if sheet.filtered and frame.width:
        worksheet.autofilter(0, 0, frame.height, frame.width - 1)
    for place, name in enumerate(frame.columns):
        worksheet.write_string(0, place, _text(name), formats.quoted_head if is_formula(name) else formats.head)
        values = frame[name].to_list()
        if name in sheet.numbers:
            values = [_parsed(value) for value in values]
        small = all(abs(value) < 10 for value in values if isinstance(value, float))
        for row, value in enumerate(values, start=1):
            _write(worksheet, row, place, value, "0.0000" if small else "0.00", formats)
        widest = max(len(name), *(min(len(value_text(value)), _WIDEST) for value in values), 6) if values else len(name)
        worksheet.set_column(place, place, min(widest, _WIDEST) + 2)


def _write(worksheet: Worksheet, row: int, place: int, value: Any, decimals: str, formats: _Formats) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        worksheet.write_boolean(row, place, value)
    elif isinstance(value, _Shown):
        worksheet.write_number(row, place, float(value), formats.number(value.pattern))
    elif isinstance(value, int) and abs(value) <= _EXACT:
        worksheet.write_number(row, place, value, formats.number("0"))
    elif isinstance(value, float) and abs(value) < float("inf"):
        worksheet.write_number(row, place, value, formats.number(decimals))
    elif isinstance(value, datetime):
        worksheet.write_datetime(row, place, value.replace(tzinfo=None), formats.number("yyyy-mm-dd hh:mm:ss"))
    elif isinstance(value, date):
        worksheet.write_datetime(row, place, value, formats.number("yyyy-mm-dd"))
    else:
        text = _text(value_text(value))
        worksheet.write_string(row, place, text, formats.quoted if is_formula(text) else None)


class _Shown(float):
    """A number with the decimals that the report shows."""

    pattern = "0"


def _parsed(cell: str) -> str | _Shown:
    if not _NUMBER.fullmatch(cell):
        return cell
    number = _Shown(cell)
    _, point, decimals = cell.partition(".")
    number.pattern = "0" + point + "0" * len(decimals)
    return number


def _text(text: str) -> str:
    shown = escaped(text)
    return shown if len(shown) <= _CELL_TEXT else shown[: _CELL_TEXT - 1] + "…"


def sheet_names(wanted: Sequence[str]) -> list[str]:
    """Returns names that Excel accepts: at most 31 characters, no forbidden characters, no name twice."""
    names: list[str] = []
    for one in wanted:
        name = re.sub(r"[\[\]:*?/\\']", " ", escaped(one)).strip()[:_SHEET_NAME].strip() or "sheet"
        taken = {name.lower() for name in names}
        number = 2
        unique = name
        while unique.lower() in taken:
            unique = f"{name[: _SHEET_NAME - len(str(number)) - 1]} {number}"
            number += 1
        names.append(unique)
    return names
