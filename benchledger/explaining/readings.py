"""The readings that a rule uses or drops, from the statements of the kept numbers, with their printed lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import frame_asked, rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.errors import NothingFoundError
from benchledger.explaining.explained import ExplainedCell
from benchledger.kept import uses
from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.store.log_contents import LogContents, kept_contents
from benchledger.store.real_names import redactor_of

if TYPE_CHECKING:
    import duckdb

FOLDER = Path(__file__).with_name("sql")
_TIMED = ("interval", "round", "span")
# Readings of any table, in their order.
COLUMNS = (
    "run_key", "run_id", "rule", "phase", "unit", "log", "log_id", "line", "byte_offset", "ordinal", "step", "rank",
    "name", "quantity", "value", "rate", "use", "unit_logged", "from_line",
)  # fmt: skip
# A progress bar can print megabytes without a line end.
_MOST = 2000
_HASHES = "select log_id, content_hash from log where log_id in (select unnest($logs))"


def sql_of(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def readings_of_rule(
    con: duckdb.DuckDBPyConnection, rule: Row, unit: str | None, runs: list[int]
) -> tuple[dict[int, Row], pl.DataFrame]:
    """Returns what a rule reads of each run and the speed that comes of it, and every value that it could have read.

    Of each run it is the speed in this unit, else its first speed. Column `use` of a value says why it was not used.
    """
    with uses(con, runs, rule["rule"]):
        for name, value in {"unit": unit, "runs": runs}.items():
            con.execute(f"set variable {name} = $value", {"value": value})
        con.execute(sql_of("chosen"))
        chosen = rows_asked(con, "from chosen")
        used = frame_asked(con, sql_of("uses"))
        used = used.sort("place")
        rows = _printed(con, used)
        if any(read["quantity"] in _TIMED for read in chosen):
            rows = _in_order(pl.concat([rows, _timed(con, used)], how="diagonal_relaxed"))
    rows = rows.with_columns(use=pl.coalesce("use", pl.format("not read: {}", "unread")))
    return {read["run_id"]: read for read in chosen}, rows


def _printed(con: duckdb.DuckDBPyConnection, used: pl.DataFrame) -> pl.DataFrame:
    rows = _in_order(frame_asked(con, sql_of("printed")))
    rows = _with_uses(rows, used.drop("value"))
    # The texts of a shape are joined to all its values here: so many texts cost DuckDB more than all the rest.
    shapes = frame_asked(con, sql_of("printed_shapes"))
    rows = rows.join(shapes, on=["run_id", "shape_id", "ordinal"], how="left", maintain_order="left")
    return rows.with_columns(from_line=pl.lit(None, pl.Int64))


def _timed(con: duckdb.DuckDBPyConnection, used: pl.DataFrame) -> pl.DataFrame:
    rows = frame_asked(con, sql_of("timed"))
    rows = _with_uses(_in_order(rows), used)
    # A round, or a span, is no value where the rule does not read it.
    return rows.filter(pl.col("use").is_not_null() | pl.col("unread").is_not_null())


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    # A long run stands in its order, and another copy of it takes memory.
    is_sorted = rows["nth_run"].n_unique() < 2 and rows["place"].is_sorted()
    # It takes DuckDB longer to sort what is all but in this order.
    return rows if is_sorted else rows.sort("nth_run", "place", maintain_order=True)


def _with_uses(rows: pl.DataFrame, used: pl.DataFrame) -> pl.DataFrame:
    # Both are in their order: a join by a table of hashes takes three times the memory.
    return rows.join_asof(used, on="place", by="run_id", tolerance=0, check_sortedness=False)


def placed(rows: pl.DataFrame, runs: dict[int, str], logs: pl.DataFrame, *more: str) -> pl.DataFrame:
    """Returns readings with the keys of their runs and the places of their logs, in the columns of all tables."""
    places = logs.select("run_key", "log_id", "log").unique(["run_key", "log_id"], keep="last")
    keys = pl.DataFrame({"run_id": list(runs), "run_key": list(runs.values())}, schema_overrides={"run_id": pl.Int64()})
    found = rows.join(keys.join(places, on="run_key"), on=["run_id", "log_id"], how="left", maintain_order="left")
    return found.select(*COLUMNS, *more)


def with_lines(con: duckdb.DuckDBPyConnection, cell: ExplainedCell, db: Path | str) -> ExplainedCell:
    """Returns an explained cell whose readings have column `text`: the printed line of each that is used.

    Private names are replaced in it, in whichever form the contents are kept. It is NULL where the content of the log
    is not kept. Raises NothingFoundError if the ledger keeps none at all.
    """
    with kept_contents(db) as contents:
        if contents is None:
            raise NothingFoundError(f"{db} keeps no contents of logs: read them once more with --keep-logs --refresh")
        return _with_lines(con, cell, contents, redactor_of(db))


def _with_lines(
    con: duckdb.DuckDBPyConnection, cell: ExplainedCell, contents: LogContents, redactor: Redactor
) -> ExplainedCell:
    sides = tuple(_with_lines(con, side, contents, redactor) for side in cell.sides)
    return replace(cell, sides=sides, readings=_readings(con, cell.readings, contents, redactor))


def _readings(
    con: duckdb.DuckDBPyConnection, readings: pl.DataFrame, contents: LogContents, redactor: Redactor
) -> pl.DataFrame:
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
