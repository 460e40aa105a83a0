"""What was found in logs, as rows of the tables log, reject, ignored_piece, log_fact and segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.definitions.log_format import LogFormat
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.log_reader import ReadLog

if TYPE_CHECKING:
    import pyarrow as pa

# Column: Arrow type. `segment` is what the log itself says; the rest of table segment is computed from its records.
COLUMNS: dict[str, dict[str, str]] = {
    "log": {
        "log_id": "int64", "content_hash": "string", "bytes": "int64", "lines": "int64", "format": "string",
        "format_version": "int32", "definitions_hash": "string", "pieces": "int64", "records": "int64",
        "ignored": "int64", "rejects": "int64", "notes": "int64", "evidence": "string",
    },
    "reject": {
        "log_id": "int64", "line": "int64", "byte_offset": "int64", "record": "string", "reason": "string",
        "text": "string",
    },
    "ignored_piece": {"log_id": "int64", "reason": "string", "pieces": "int64"},
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


class LogRows:
    """Collects the rows of any number of logs, with every text redacted."""

    def __init__(self, formats: dict[str, LogFormat], unread_hash: str, redactor: Redactor) -> None:
        self._formats = formats
        self._redactor = redactor
        self._unread_hash = unread_hash
        self._rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in COLUMNS}
        self._known: dict[tuple[str, str, str], tuple[str, str]] = {}

    def add(self, log: ReadLog) -> None:
        """Adds one log with all that was found in it beside its records."""
        log_format = self._formats.get(log.format or "")
        found, log_id = log.scanned, log.log_id
        self._rows["log"].append(
            (log_id, log.content_hash, log.bytes, log.lines, log.format, log_format.version if log_format else None,
             log_format.definitions_hash if log_format else self._unread_hash, found.pieces, found.records,
             sum(found.ignored.values()), len(found.rejects), found.notes, self._redactor.text(log.evidence))
        )  # fmt: skip
        self._rows["reject"] += [
            (log_id, reject.line, reject.byte_offset, reject.record, reject.reason, self._redactor.text(reject.text))
            for reject in found.rejects
        ]
        self._rows["ignored_piece"] += [(log_id, reason, count) for reason, count in sorted(found.ignored.items())]
        if log_format is not None:
            self._add_segments(log, log_format)

    def _add_segments(self, log: ReadLog, log_format: LogFormat) -> None:
        segments, log_id, redactor = log.scanned.segments.segments, log.log_id, self._redactor
        for number, segment in enumerate(segments, start=1):
            # A mere extract of a log, without what stands before the steps, has lost its end with its beginning.
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
                    said.name,
                    *self._redacted(said.name, said.value, said.value_logged),
                    said.line,
                    said.trust,
                    said.strength,
                )
                for said in segment.statements
            ]

    def _redacted(self, name: str, value: str, logged: str) -> tuple[str, str]:
        # Logs of one program say much alike.
        key = (name, value, logged)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._redactor.value(name, value), self._redactor.value(name, logged)
        return found

    def to_arrow(self) -> dict[str, pa.Table]:
        """One Arrow table for each of the tables."""
        import pyarrow as pa

        tables = {}
        for table, columns in COLUMNS.items():
            rows = self._rows[table]
            values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
            arrays = [
                pa.array(column, pa.type_for_alias(kind)) for column, kind in zip(values, columns.values(), strict=True)
            ]
            tables[table] = pa.Table.from_arrays(arrays, names=list(columns))
        return tables


def _redacted_event(event: tuple[str, int, str] | None, redactor: Redactor) -> tuple[object, ...]:
    return (None, None, None) if event is None else (*event[:2], redactor.text(event[2]))
