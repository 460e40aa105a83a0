"""Tells whether the ledger has the logs that published numbers were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_COUNT = """
select
    count(distinct (source, revision, section, cell, quantity)) filter (own_logs),
    count(distinct (source, revision, section, cell, quantity))
from kept.published_table
where source glob $source
"""


def missing_logs_note(con: duckdb.DuckDBPyConnection, source: str = "*") -> str | None:
    """Returns a sentence if no published number of `source` leads to logs of its own, else None.

    None also if nothing is published there.
    """
    own, published = con.execute(_COUNT, {"source": source}).fetchall()[0]
    if own or not published:
        return None
    found = f"0 of {published} published numbers lead to logs of their own here"
    return f"{found}: no folder matches published.logs"
