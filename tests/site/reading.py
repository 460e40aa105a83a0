"""Reads the data files of a site as its pages do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HEAD = "bench.receive("


def read_data(folder: Path, name: str) -> Any:
    """What a data file hands to the page."""
    text = (folder / "data" / f"{name}.js").read_text(encoding="ascii")
    assert text.startswith(HEAD)
    told, content = json.loads(f"[{text[len(HEAD) :].rstrip().removesuffix(');')}]")
    assert told == name
    return json.loads(content)


def rows_of_table(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table, each by its columns."""
    data = read_data(folder, name)
    columns = {}
    for column in data["columns"]:
        codes = column.get("codes")
        columns[column["name"]] = (
            column["numbers"] if codes is None else [None if code < 0 else column["values"][code] for code in codes]
        )
    return [{name: values[row] for name, values in columns.items()} for row in range(data["rows"])]


def case_file(folder: Path, key: str) -> Any:
    """The explanations and runs of a case."""
    return read_data(folder, f"case/{key[:2]}/{key}")
