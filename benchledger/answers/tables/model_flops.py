"""Speeds as a share of the GPU's peak, by the rule model_flops of queries/model_flops.sql."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.series import rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.definitions.queries import find_query
from benchledger.errors import NothingFoundError

if TYPE_CHECKING:
    import duckdb

UNIT = "% of peak"
NOTE = (
    "MFU: (6 x parameters x tokens + attention) x samples/s over the GPU's dense peak; "
    "the parts: bench query model_flops"
)


def as_mfu(con: duckdb.DuckDBPyConnection, rows: list[Row], rule: str | None) -> list[Row]:
    """Returns the rows with MFU in place of speed; a speed of an unknown model or GPU is left out.

    Raises NothingFoundError if no row has an MFU.
    """
    question = find_query("model_flops")
    asked = question.bind({"rule": rule} if rule else {})
    shares = {
        (row["series_id"], row["rule"]): row["mfu_percent"]
        for row in rows_asked(con, question.sql, **asked)
        if row["mfu_percent"] is not None
    }
    found = [row for row in rows if row["value"] is None or (row["series_id"], row["rule"]) in shares]
    if not any(row["value"] is not None for row in found):
        raise NothingFoundError(
            "no speed of a transformer and GPU that queries/model_flops.sql knows; see: bench query model_flops"
        )
    for row in found:
        # What was measured in the unit of the speed.
        row |= {"unit": UNIT, "lowest": None, "highest": None, "stdev": None}
        if row["value"] is not None:
            row["value"] = shares[row["series_id"], row["rule"]]
    return found
