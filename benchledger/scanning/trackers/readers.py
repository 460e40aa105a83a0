"""Selects the reader of a tracker's files."""

from __future__ import annotations

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.file_reader import FileReader
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


def tracker_reader(log_format: LogFormat) -> FileReader:
    return _READERS[log_format.tracker or ""](log_format)
