"""Reads the files of trackers: TensorBoard, Weights & Biases, MLflow, Lightning. docs/trackers.md says which.

`base.py` has what they share: the record and the names of values. `tensorboard.py` and `wandb.py` read binary files,
which `frames.py` cuts into records, with `protobuf.py`. `yaml_files.py` reads settings, `run_files.py` metrics,
parameters and summaries. `named_files.py` tells which files are described by their path.
"""
