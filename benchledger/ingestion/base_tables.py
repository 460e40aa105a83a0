"""The base tables of a ledger as Arrow tables, which leave the process: what logs hold, and where they were seen.

They are keyed by content or place: the union of two has one owner for each log. No file, connection or key is in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchledger.definitions.log_format import LogFormat
from benchledger.ingestion.outcomes import DOCUMENT, copy_of, status_of
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.columns import record_schema
from benchledger.scanning.log_reader import ReadLog
from benchledger.scanning.values import decode

if TYPE_CHECKING:
    import pyarrow as pa

# The tables that a log gives, except its records. Column: Arrow type. The other columns of table segment are computed
# from the records.
_OF_READING: dict[str, dict[str, str]] = {
    "log": {
        "log_id": "int64", "content_hash": "string", "bytes": "int64", "lines": "int64", "format": "string",
        "format_version": "int32", "definitions_hash": "string", "pieces": "int64", "records": "int64",
        "ignored": "int64", "rejects": "int64", "unread": "int64", "notes": "int64", "evidence": "string",
    },
    "reject": {
        "log_id": "int64", "line": "int64", "byte_offset": "int64", "record": "string", "reason": "string",
        "text": "string",
    },
    "ignored_piece": {"log_id": "int64", "reason": "string", "pieces": "int64"},
    "unread": {"log_id": "int64", "line": "int64", "lines": "int64", "text": "string"},
    "log_fact": {
        "log_id": "int64", "segment": "int32", "name": "string", "value": "string", "value_logged": "string",
        "line": "int64", "trust": "int32", "strength": "string",
    },
    "segment": {
        "log_id": "int64", "segment": "int32", "role": "string", "closing": "string", "expects_closing": "bool",
        "first_line": "int64", "last_line": "int64", "first_record_line": "int64", "last_record_line": "int64",
        "event_status": "string", "event_line": "int64", "event_text": "string",
    },
}  # fmt: skip
# Tables by the column that identifies what their rows belong to.
_OF_LOGS = ("log", "record", "reject", "ignored_piece", "unread", "log_fact", "segment")
_OF_SIGHTINGS = ("sighting", "sighting_fact", "sighting_file")
_OTHERS: dict[str, dict[str, str]] = {
    "segment": {
        "log_id": "int64", "segment": "int32", "role": "string", "first_line": "int64", "last_line": "int64",
        "first_record_line": "int64", "last_record_line": "int64", "started_at": "timestamp[us]",
        "ended_at": "timestamp[us]", "records": "int64", "step_records": "int64", "steps_done": "int64",
        "step_gap": "int64", "restart_line": "int64", "rival_lines": "int64[]", "last_step_line": "int64",
        "first_epoch": "int64", "last_epoch": "int64", "epoch_step": "int64", "closing_line": "int64",
        "closing_speed": "double", "expects_closing": "bool", "final_loss_nan": "bool", "event_status": "string",
        "event_line": "int64", "event_text": "string", "stream": "int64[]", "losses": "double[]", "beginning": "double",
        "devices": "string[]",
    },
    "shape": {
        "shape_id": "int64", "ordinal": "int32", "format": "string", "record": "string", "kind": "string",
        "phase": "string", "name": "string", "quantity": "string", "unit": "string", "unit_logged": "string",
        "scope": "string",
    },
    "root": {"root_id": "string", "name": "string"},
    "sighting": {
        "sighting_id": "int64", "log_id": "int64", "path": "string", "archive": "string", "member": "string",
        "campaign": "string", "campaign_source": "string", "root_id": "string", "campaign_path": "string",
        "place": "string", "folder": "string", "folders": "string[]", "words": "string[]", "folder_path": "string",
        "job": "string", "job_rank": "int64",
        "stem": "string", "name_rule": "string", "modified_at": "timestamp[us]", "ingested_at": "timestamp[us]",
        "definitions_hash": "string", "status": "string", "reason": "string",
    },
    "sighting_fact": {
        "sighting_id": "int64", "name": "string", "value": "string", "value_logged": "string", "source": "string",
        "place": "string",
    },
    "sighting_file": {"sighting_id": "int64", "file": "string", "place": "string"},
}  # fmt: skip
_KEYS = dict.fromkeys(_OF_LOGS, "log_id") | dict.fromkeys(_OF_SIGHTINGS, "sighting_id")
_KEYS |= {"shape": "shape_id", "root": "root_id"}
BASE_TABLES = tuple(_KEYS)
# People read these; the others stand in schema kept.
_IN_MAIN = {"log", "reject", "sighting"}


def in_ledger(name: str) -> str:
    return name if name in _IN_MAIN else f"kept.{name}"


@dataclass(frozen=True)
class BaseTables:
    """One Arrow table for each name of BASE_TABLES, with the ledger's columns but for `load_number`."""

    tables: dict[str, pa.Table]

    @classmethod
    def made_of(cls, tables: dict[str, pa.Table]) -> BaseTables:
        """Base tables of some tables in any order of columns; those that are missing are empty."""
        return cls({name: _conformed(name, tables.get(name)) for name in BASE_TABLES})

    @classmethod
    def union(cls, parts: Iterable[BaseTables]) -> BaseTables:
        """All that some base tables hold. What several hold, a log, a place, a layout or a root, is taken once.

        A content that was seen at several places is loaded at the place with the least id, a duplicate at all others,
        so that the order of the parts does not matter.
        """
        import pyarrow as pa

        found: dict[str, list[pa.Table]] = {name: [_schema(name).empty_table()] for name in BASE_TABLES}
        owned: dict[str, set[Any]] = {key: set() for key in _KEYS.values()}
        for part in parts:
            for name, key in _KEYS.items():
                found[name].append(without(part.tables[name], owned[key], key))
            for owner in ("log", "sighting", "shape", "root"):
                owned[_KEYS[owner]].update(part.tables[owner].column(_KEYS[owner]).to_pylist())
        tables = {name: pa.concat_tables(some) for name, some in found.items()}
        return cls({**tables, "sighting": _one_owner(tables["sighting"], tables["log"])})

    def of_logs(self, log_ids: set[int]) -> BaseTables:
        """What belongs to these logs, and to the places where they were seen. Layouts and roots stay whole."""
        tables = {name: only(self.tables[name], log_ids) for name in (*_OF_LOGS, "sighting")}
        seen = set(tables["sighting"].column("sighting_id").to_pylist())
        of_places = {name: only(self.tables[name], seen, "sighting_id") for name in ("sighting_fact", "sighting_file")}
        return BaseTables({**self.tables, **tables, **of_places})


@dataclass(frozen=True)
class DerivedTables:
    """All that follows from base tables, by name: run, run_log, fact, cases, kept numbers, series, cells.

    `sighting` is that of the base tables, with campaigns that nobody states named over all roots.
    """

    tables: dict[str, pa.Table]


def rows_table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa

    schema = _schema(name)
    return pa.table({field.name: pa.array([row[field.name] for row in rows], field.type) for field in schema}, schema)


def only(table: pa.Table, ids: set[Any], key: str = "log_id") -> pa.Table:
    return table.filter(_is_of(table, ids, key)) if ids else table.slice(0, 0)


def without(table: pa.Table, ids: set[Any], key: str = "log_id") -> pa.Table:
    if not ids:
        return table
    # Its import takes as long as a small ingest.
    import pyarrow.compute as pc

    return table.filter(pc.invert(_is_of(table, ids, key)))


def _is_of(table: pa.Table, ids: set[Any], key: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.column(key)
    return pc.is_in(column, value_set=pa.array(sorted(ids), column.type))


def _conformed(name: str, table: pa.Table | None) -> pa.Table:
    schema = _schema(name)
    if table is None or not table.num_rows:
        return schema.empty_table()
    return table.select(schema.names).cast(schema)


def _schema(name: str) -> pa.Schema:
    import pyarrow as pa

    if name == "record":
        return record_schema()
    return pa.schema([(column, _type(kind)) for column, kind in {**_OF_READING, **_OTHERS}[name].items()])


def _type(kind: str) -> pa.DataType:
    import pyarrow as pa

    return pa.list_(_type(kind[:-2])) if kind.endswith("[]") else pa.type_for_alias(kind)


def _one_owner(sightings: pa.Table, logs: pa.Table) -> pa.Table:
    import pyarrow as pa

    statuses = sightings.column("status").to_pylist()
    log_ids: list[Any] = [
        None if status == DOCUMENT else log_id
        for log_id, status in zip(sightings.column("log_id").to_pylist(), statuses, strict=True)
    ]
    several = {log_id for log_id, count in Counter(log_ids).items() if count > 1 and log_id is not None}
    if not several:
        return sightings
    ids, reasons = (sightings.column(name).to_pylist() for name in ("sighting_id", "reason"))
    owners: dict[int, int] = {}
    for log_id, sighting_id in zip(log_ids, ids, strict=True):
        if log_id in several:
            owners[log_id] = min(sighting_id, owners.get(log_id, sighting_id))
    asked = only(logs, several).select(["log_id", "format", "evidence"]).to_pylist()
    first = {row["log_id"]: (status_of(row["format"], row["evidence"]), row["evidence"]) for row in asked}
    for at, log_id in enumerate(log_ids):
        if log_id in several:
            statuses[at], reasons[at] = first[log_id] if owners[log_id] == ids[at] else copy_of(*first[log_id])
    columns = {"status": pa.array(statuses, pa.string()), "reason": pa.array(reasons, pa.string())}
    for name, column in columns.items():
        sightings = sightings.set_column(sightings.schema.get_field_index(name), name, column)
    return sightings


class LogRows:
    def __init__(self, formats: dict[str, LogFormat], unread_hash: str, redactor: Redactor) -> None:
        self._formats = formats
        self._redactor = redactor
        self._unread_hash = unread_hash
        self._rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in _OF_READING}
        self._known: dict[tuple[str, str, str], tuple[str, str]] = {}

    def add(self, log: ReadLog) -> None:
        log_format = self._formats.get(log.format or "")
        found, log_id, redact = log.scanned, log.log_id, self._redactor.text
        self._rows["log"].append(
            (log_id, log.content_hash, log.bytes, log.lines, log.format, log_format.version if log_format else None,
             log_format.definitions_hash if log_format else self._unread_hash, found.pieces, found.records,
             sum(found.ignored.values()), len(found.rejects), found.unread.lines, found.notes,
             redact(log.evidence))
        )  # fmt: skip
        self._rows["reject"] += [
            (log_id, reject.line, reject.byte_offset, reject.record, redact(reject.reason), redact(reject.text))
            for reject in found.rejects
        ]
        self._rows["ignored_piece"] += [(log_id, reason, count) for reason, count in sorted(found.ignored.items())]
        self._rows["unread"] += [
            (log_id, layout.line, layout.lines, redact(decode(layout.text))) for layout in found.unread.layouts.values()
        ]
        if log_format is not None:
            self._add_segments(log, log_format)

    def _add_segments(self, log: ReadLog, log_format: LogFormat) -> None:
        segments, log_id, redactor = log.scanned.segments.segments, log.log_id, self._redactor
        for number, segment in enumerate(segments, start=1):
            # An extract of a log that has lost its beginning has lost its end, too.
            expected = log_format.closing_after is None or log_format.closing_after in segment.kinds
            following = segments[number].first_line if number < len(segments) else log.lines + 1
            self._rows["segment"].append(
                (log_id, number, log_format.role, "\n".join(log_format.closing), bool(log_format.closing) and expected,
                 segment.first_line, max(following - 1, segment.last_record_line), segment.first_record_line,
                 segment.last_record_line, *(_redacted_event(segment.event, redactor)))
            )  # fmt: skip
            self._rows["log_fact"] += [
                (
                    log_id,
                    number,
                    fact.name,
                    *self._redacted(fact.name, fact.value, fact.value_logged),
                    fact.line,
                    fact.trust,
                    fact.strength,
                )
                for fact in segment.statements
            ]

    def _redacted(self, name: str, value: str, logged: str) -> tuple[str, str]:
        # Logs of one program repeat the same facts.
        key = (name, value, logged)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._redactor.value(name, value), self._redactor.value(name, logged)
        return found

    def to_arrow(self) -> dict[str, pa.Table]:
        import pyarrow as pa

        tables = {}
        for table, columns in _OF_READING.items():
            rows = self._rows[table]
            values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
            arrays = [
                pa.array(column, pa.type_for_alias(kind)) for column, kind in zip(values, columns.values(), strict=True)
            ]
            tables[table] = pa.Table.from_arrays(arrays, names=list(columns))
        return tables


def _redacted_event(event: tuple[str, int, str] | None, redactor: Redactor) -> tuple[object, ...]:
    return (None, None, None) if event is None else (*event[:2], redactor.text(event[2]))
