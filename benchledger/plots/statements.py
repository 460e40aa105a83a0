"""The statements of plots: a query of `sql/`, conditions on its columns, and an order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_FOLDER = Path(__file__).with_name("sql")


def query_of(name: str) -> str:
    return (_FOLDER / f"{name}.sql").read_text(encoding="utf-8").rstrip()


def statement(query: str, conditions: Sequence[str], order: str) -> str:
    """Returns the statement that any DuckDB shell runs: the query, with conditions on its columns, and an order."""
    lines = query.splitlines()
    body = next(number for number, line in enumerate(lines) if not line.startswith("--"))
    inner = ["select *", "from (", *(f"    {line}" for line in lines[body:]), ")"]
    where = ["where", "    " + "\n    and ".join(conditions)] if conditions else []
    return "\n".join([*lines[:body], *inner, *where, f"order by {order};\n"])


def equals(column: str, value: object) -> str:
    return f"{column} is null" if value is None else f"{column} = {literal(value)}"


def one_of(column: str, values: Sequence[object]) -> str:
    return f"{column} in ({', '.join(map(literal, values))})"


def literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
