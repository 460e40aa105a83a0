"""The values of a run that a rule does not read, each with why."""

from __future__ import annotations

from benchledger.answers.explaining.read_values import Read
from benchledger.answers.explaining.run_values import RunValues
from benchledger.answers.grouping import Row


def not_read(rule: Row, run: RunValues, read: Read, phase: str | None) -> list[Row]:
    """The values of the run that the rule does not read, with why; of those without a value no line is listed twice."""
    taken = {(row["log_id"], row["byte_offset"], row["ordinal"]) for row in read.rows}
    rest = [row for row in run.printed if (row["log_id"], row["byte_offset"], row["ordinal"]) not in taken]
    found = [{**row, "rate": None, "use": f"not read: {_why_not_read(row, rule, read, phase)}"} for row in rest]
    if read.quantity == "interval":
        lost = [row for row in run.intervals if row["unread"]]
        found += [{**row, "rate": None, "use": f"not read: {row['unread']}"} for row in lost]
    return found


def _why_not_read(row: Row, rule: Row, read: Read, phase: str | None) -> str:
    if row["phase"] != phase:
        return f"another phase, {row['phase']}"
    if row["kind"] != rule["kind"]:
        return f"of a {row['kind']} record"
    if row["quantity"] != read.quantity:
        return f"another quantity, {row['quantity']}"
    if row["name"] != read.name:
        return f"another name, {row['name']}"
    return f"another unit, {row['unit']}" if row["unit"] != read.unit else f"another scope, {row['scope']}"
