"""Writes one number, or the reason why it is missing, as the text of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NOT_RUN = "-"
UNKNOWN = "unknown"
VARIOUS = "various"
# Status of a cell whose trials are not alike and lie apart: no average is made of them.
MIXED = "mixed"


def number_text(value: float) -> str:
    """Returns a number with two decimals, rounded as numpy does (README 001); below 1 with up to four digits."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value).upper()
    if abs(value) >= 1e15:
        # A double of this size has no decimals.
        return f"{value:.6g}"
    two_decimals = f"{round(value * 100) / 100:.2f}"
    if value == 0 or abs(value) >= 1:
        return two_decimals
    return max(f"{value:.4g}", two_decimals, key=len)


def python_number_text(value: float) -> str:
    """Returns a number as Python prints it after rounding to two decimals: 7.3, where others print 7.30."""
    text = number_text(value)
    return str(float(text)) if text.endswith("0") and abs(value) >= 1 else text


def status_text(status: str) -> str:
    """Returns the text of a cell without a number: OOM, NAN, TOO FEW STEPS, ..."""
    return status.replace("_", " ").upper()


def fact_text(value: Any) -> str:
    return UNKNOWN if value is None else str(value)


def cell_text(value: float | None, status: str) -> str:
    return status_text(status) if value is None else number_text(value)


def value_text(row: Mapping[str, Any]) -> str:
    """Returns the value of a row of speed_table, or why it has none; of trials that are not alike their range."""
    if row["value"] is None and row["status"] == MIXED and row["lowest"] is not None:
        return f"{status_text(MIXED)} {number_text(row['lowest'])}-{number_text(row['highest'])}"
    return cell_text(row["value"], row["status"])


def rank_text(rank: int | None, last: int | None) -> str:
    """Returns a rank, or the ranks that a tie shares: 1, 2-3; "-" without a rank."""
    if rank is None or last is None:
        return NOT_RUN
    return str(rank) if rank == last else f"{rank}-{last}"


def named(text: str, row: Mapping[str, Any], shown: bool) -> str:
    """Returns the cell with the name of its number behind it, if names are shown and it has one."""
    return f"{text} {row['cell']}" if shown and row.get("cell") else text
