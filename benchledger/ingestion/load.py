"""Writes what was read into the database: columns from Arrow, never row by row."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.layout import Layout
from benchledger.scanning.log_reader import ReadLog

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_TABLES_OF_A_LOG = ("record", "reject", "segment", "log_fact", "ignored_piece", "stream_only", "log")


def sql_text(name: str) -> str:
    """One of the statements beside this module."""
    return resources.files("benchledger.ingestion").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, Any]], on_conflict: str = "") -> None:
    """Inserts rows given as dicts of one and the same set of columns."""
    if not rows:
        return
    import pyarrow as pa

    names = list(rows[0])
    insert_arrow(con, table, pa.Table.from_pydict({name: [row[name] for row in rows] for name in names}), on_conflict)


def insert_arrow(con: duckdb.DuckDBPyConnection, table: str, rows: pa.Table, on_conflict: str = "") -> None:
    """Inserts an Arrow table into the columns of the same names."""
    names = ", ".join(f'"{name}"' for name in rows.column_names)
    con.register("arriving", rows)
    con.execute(f"insert into {table} ({names}) select {names} from arriving {on_conflict}")  # noqa: S608
    con.unregister("arriving")


def remove_logs(con: duckdb.DuckDBPyConnection, log_ids: list[int]) -> None:
    """Removes everything that was read from these logs; their sightings stay."""
    for table in _TABLES_OF_A_LOG:
        con.execute(f"delete from {table} where log_id in (select unnest(?))", [log_ids])  # noqa: S608


def load_formats_table(con: duckdb.DuckDBPyConnection, formats: dict[str, LogFormat]) -> None:
    """Keeps what the views need of each format."""
    rows = [
        (f.name, f.version, f.framework, f.implementation, f.default_rule, f.role) for f in formats.values() if f.detectable
    ]
    stored = con.execute("select format, version, framework, implementation, default_rule, role from format").fetchall()
    for row in rows:
        if row not in stored:
            con.execute(
                """insert into format (format, version, framework, implementation, default_rule, role)
                   values (?, ?, ?, ?, ?, ?) on conflict (format) do update set version = excluded.version,
                   framework = excluded.framework, implementation = excluded.implementation,
                   default_rule = excluded.default_rule, role = excluded.role""",
                row,
            )


def load_shapes(con: duckdb.DuckDBPyConnection, layouts: dict[int, Layout]) -> None:
    """Adds the line layouts that are not there yet."""
    rows = [
        {
            "shape_id": shape_id, "ordinal": ordinal, "format": layout.format, "record": layout.record.name,
            "kind": layout.record.kind, "phase": value.phase, "name": value.name, "quantity": value.quantity,
            "unit": value.unit, "unit_logged": value.unit_logged, "scope": value.scope,
        }
        for shape_id, layout in layouts.items()
        for ordinal, value in enumerate(layout.values, start=1)
    ]  # fmt: skip
    insert(con, "shape", rows, "on conflict do nothing")


def load_logs(con: duckdb.DuckDBPyConnection, logs: list[ReadLog], records: list[pa.Table], unread_hash: str) -> None:
    """Adds logs that are not there yet, with all that was found in them. Raises on any broken key of the record rows."""
    import pyarrow as pa

    insert(con, "log", [_log_row(log, unread_hash) for log in logs])
    for table in ("reject", "ignored_piece", "log_fact"):
        insert(con, table, [row for log in logs for row in _ROWS[table](log)])
    arriving = pa.concat_tables(records) if records else None
    segments = [row for log in logs for row in _segment_rows(log)]
    if arriving is None or not segments:
        return
    insert_arrow(con, "record", arriving)
    con.register("arriving_record", arriving)
    con.register("arriving_segment", pa.Table.from_pydict({name: [row[name] for row in segments] for name in segments[0]}))
    con.execute(sql_text("segments"))
    broken = con.execute(sql_text("verify_records")).fetchone()
    if broken is not None:
        raise AssertionError(f"records of log {broken[0]} broke a key: {broken[1]}")
    con.unregister("arriving_record")
    con.unregister("arriving_segment")


def _log_row(log: ReadLog, unread_hash: str) -> dict[str, Any]:
    found = log.scanned
    return {
        "log_id": log.log_id, "content_hash": log.content_hash, "bytes": log.bytes, "lines": log.lines,
        "format": log.format.name if log.format else None, "format_version": log.format.version if log.format else None,
        "definitions_hash": log.format.definitions_hash if log.format else unread_hash,
        "pieces": found.pieces, "records": found.records, "ignored": sum(found.ignored.values()),
        "rejects": len(found.rejects), "notes": found.notes, "evidence": log.evidence,
    }  # fmt: skip


def _reject_rows(log: ReadLog) -> list[dict[str, Any]]:
    return [
        {"log_id": log.log_id, "line": reject.line, "byte_offset": reject.byte_offset, "record": reject.record,
         "reason": reject.reason, "text": reject.text}
        for reject in log.scanned.rejects
    ]  # fmt: skip


def _ignored_rows(log: ReadLog) -> list[dict[str, Any]]:
    return [{"log_id": log.log_id, "reason": reason, "pieces": n} for reason, n in sorted(log.scanned.ignored.items())]


def _fact_rows(log: ReadLog) -> list[dict[str, Any]]:
    return [
        {"log_id": log.log_id, "segment": number, "name": fact.name, "value": fact.value,
         "value_logged": fact.value_logged, "line": fact.line, "trust": fact.trust}
        for number, segment in enumerate(log.scanned.segments.segments, start=1)
        for fact in segment.statements
    ]  # fmt: skip


def _segment_rows(log: ReadLog) -> list[dict[str, Any]]:
    rows = []
    segments = log.scanned.segments.segments
    for number, segment in enumerate(segments, start=1):
        following = segments[number].first_line if number < len(segments) else log.lines + 1
        event = segment.event or (None, None, None)
        assert log.format is not None
        rows.append(
            {"log_id": log.log_id, "segment": number, "role": log.format.role, "closing": log.format.closing or "",
             "first_line": segment.first_line, "last_line": max(following - 1, segment.last_record_line),
             "first_record_line": segment.first_record_line, "last_record_line": segment.last_record_line,
             "event_status": event[0], "event_line": event[1], "event_text": event[2]}
        )  # fmt: skip
    return rows


_ROWS = {"reject": _reject_rows, "ignored_piece": _ignored_rows, "log_fact": _fact_rows}
