"""Selects the reader of a format's files."""

from __future__ import annotations

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.column_rows import ColumnsReader
from benchledger.scanning.csv_rows import CsvReader
from benchledger.scanning.file_reader import FileReader
from benchledger.scanning.json_documents import JsonReader
from benchledger.scanning.manifests import ManifestReader
from benchledger.scanning.mixed_csv import MixedCsvReader
from benchledger.scanning.self_describing import SelfDescribingReader
from benchledger.scanning.sqlite_rows import SqliteReader
from benchledger.scanning.table_rows import TableReader
from benchledger.scanning.trackers.run_files import LightningMetricsReader, MlflowValueReader, WandbSummaryReader
from benchledger.scanning.trackers.tensorboard import TensorBoardReader
from benchledger.scanning.trackers.wandb import WandbReader
from benchledger.scanning.trackers.yaml_files import HparamsReader, MlflowMetaReader, WandbConfigReader

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
