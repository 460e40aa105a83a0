"""Which reader reads the files of a format."""

from __future__ import annotations

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.csv_rows import CsvReader
from benchledger.scanning.file_reader import FileReader
from benchledger.scanning.json_documents import JsonReader
from benchledger.scanning.manifests import ManifestReader


def reader_of(log_format: LogFormat) -> FileReader | None:
    """The reader of a format's files; None for a format of lines, which the scanner reads."""
    match log_format.kind:
        case "csv":
            return CsvReader(log_format)
        case "json":
            return ManifestReader(log_format) if log_format.role == "manifest" else JsonReader(log_format)
    return None
