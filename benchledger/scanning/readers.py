"""Selects the reader of a format's files; reads run manifests itself, one record per key."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import replace

from benchledger.definitions.log_format import FactDefinition, LogFormat
from benchledger.definitions.manifest import facts_of_manifests, read_manifest
from benchledger.scanning.csv_rows import CsvReader
from benchledger.scanning.file_reader import FileReader
from benchledger.scanning.json_documents import JsonReader
from benchledger.scanning.layout import Layouts
from benchledger.scanning.mixed_csv import MixedCsvReader
from benchledger.scanning.rows import REJECT_TEXT_LIMIT, Pieces, RejectedPiece, make_row
from benchledger.scanning.self_describing import SelfDescribingReader
from benchledger.scanning.sqlite_rows import SqliteReader
from benchledger.scanning.table_rows import ColumnsReader, TableReader
from benchledger.scanning.trackers.run_files import LightningMetricsReader, MlflowValueReader, WandbSummaryReader
from benchledger.scanning.trackers.tensorboard import TensorBoardReader
from benchledger.scanning.trackers.wandb import WandbReader
from benchledger.scanning.trackers.yaml_files import HparamsReader, MlflowMetaReader, WandbConfigReader
from benchledger.scanning.values import decode

_READERS: dict[str, type[FileReader]] = {
    "tensorboard": TensorBoardReader,
    "wandb": WandbReader,
    "wandb-summary": WandbSummaryReader,
    "wandb-config": WandbConfigReader,
    "mlflow-run": MlflowMetaReader,
    "mlflow-experiment": MlflowMetaReader,
    "mlflow-value": MlflowValueReader,
    "lightning-metrics": LightningMetricsReader,
    "lightning-hparams": HparamsReader,
}


class ManifestReader(JsonReader):
    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        facts = tuple(FactDefinition(fact, key) for key, fact in facts_of_manifests().items())
        self.layouts = Layouts(replace(log_format, facts=facts))

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        start = len(BOM_UTF8) if buffer.startswith(BOM_UTF8) else 0
        text = decode(buffer[start:])
        manifest = read_manifest(text)
        pieces.pieces += len(manifest.problems) + len(manifest.stated)
        pieces.files += manifest.files
        record = self.format.records[0]
        for stated in manifest.stated:
            place = _place(text, stated.offset, line, base + start)
            pairs = [(stated.key, None, stated.value, None)]
            pieces.rows.append(make_row(self.layouts, record, pairs, {}, place))
        for offset, problem in manifest.problems:
            shown = text[offset:].partition("\n")[0][:REJECT_TEXT_LIMIT]
            place = _place(text, offset, line, base + start)
            pieces.rejects.append(RejectedPiece(*place, record.name, problem[:REJECT_TEXT_LIMIT], shown))
        return line + buffer.count(b"\n")


def _place(text: str, offset: int, line: int, base: int) -> tuple[int, int]:
    return line + text.count("\n", 0, offset), base + len(text[:offset].encode())


def reader_of(log_format: LogFormat) -> FileReader | None:
    """Returns the reader of a format's files; None for a format of lines, which the scanner reads."""
    match log_format.kind:
        case "csv":
            mixed = log_format.csv is not None and log_format.csv.search
            return MixedCsvReader(log_format) if mixed else CsvReader(log_format)
        case "columns":
            return ColumnsReader(log_format)
        case "table":
            return TableReader(log_format)
        case "json":
            return ManifestReader(log_format) if log_format.role == "manifest" else JsonReader(log_format)
        case "self_describing":
            return SelfDescribingReader(log_format)
        case "sqlite":
            return SqliteReader(log_format)
        case "tracker":
            return _READERS[log_format.tracker or ""](log_format)
    return None
