"""The printed lines behind a number, from the kept contents of logs (`bench ingest --keep-logs`)."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import NothingFoundError
from benchledger.explaining.explained import ExplainedCell
from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import load_redaction
from benchledger.store.key_file import KEY_BYTES
from benchledger.store.log_contents import LogContents, kept_contents
from benchledger.store.private_file import key_of

if TYPE_CHECKING:
    import duckdb
    import polars as pl

# A progress bar can print megabytes without a line end.
_MOST = 2000
_HASHES = "select log_id, content_hash from log where log_id in (select unnest($logs))"


def with_lines(con: duckdb.DuckDBPyConnection, cell: ExplainedCell, db: Path | str) -> ExplainedCell:
    """Returns an explained cell whose readings have column `text`: the printed line of each that is used.

    Private names are replaced in it, in whichever form the contents are kept. It is NULL where the content of the log
    is not kept. Raises NothingFoundError if the ledger keeps none at all.
    """
    with kept_contents(db) as contents:
        if contents is None:
            raise NothingFoundError(f"{db} keeps no contents of logs: read them once more with --keep-logs --refresh")
        redactor = Redactor(load_redaction(), key_of(db) or secrets.token_bytes(KEY_BYTES))
        return _with_lines(con, cell, contents, redactor)


def _with_lines(
    con: duckdb.DuckDBPyConnection, cell: ExplainedCell, contents: LogContents, redactor: Redactor
) -> ExplainedCell:
    sides = tuple(_with_lines(con, side, contents, redactor) for side in cell.sides)
    return replace(cell, sides=sides, readings=_readings(con, cell.readings, contents, redactor))


def _readings(
    con: duckdb.DuckDBPyConnection, readings: pl.DataFrame, contents: LogContents, redactor: Redactor
) -> pl.DataFrame:
    import polars as pl

    used = readings.filter(use="kept").select("log_id", "line").drop_nulls().unique(maintain_order=True)
    logs = used["log_id"].unique().to_list()
    hashes = dict(con.execute(_HASHES, {"logs": logs}).fetchall())
    there, texts = contents.forms(), list[tuple[int, int, str]]()
    for log_id, content_hash in hashes.items():
        if content_hash in there:
            numbers = used.filter(log_id=log_id)["line"].to_list()
            # The first line, too: the head of a CSV table says which cells are private.
            found = contents.lines(content_hash, [1, *numbers], LineRedactor(redactor).redact)
            texts += [(log_id, number, _shown(found[number])) for number in numbers if number in found]
    frame = pl.DataFrame(
        texts, schema={"log_id": pl.Int64, "line": readings.schema["line"], "text": pl.String}, orient="row"
    )
    return readings.join(frame, on=["log_id", "line"], how="left", maintain_order="left")


def _shown(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace").rstrip("\r")[:_MOST]
