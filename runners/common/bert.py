"""What the BERT programs of all frameworks but PyTorch share, in plain numpy: sizes and batches.

Reads NGC's HDF5 shards and gluon-nlp's npz parts. Runs on Python 3.8, which gluon-nlp needs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import numpy as np

SIZES = {
    "bert_tiny": {"layers": 2, "width": 64, "heads": 2, "vocabulary": 512},
    "bert_base": {"layers": 12, "width": 768, "heads": 12, "vocabulary": 30522},
    "bert_large": {"layers": 24, "width": 1024, "heads": 16, "vocabulary": 30522},
}
DEFAULTS = {"model": "bert_base", "seq_len": 128, "masked": 20, "dropout": 0.1}
MASK, FIRST = 103, 110


class Batch(NamedTuple):
    """Columns of BERT's rows. Masked slots that a row does not use point at position 0 and weigh nothing."""

    ids: np.ndarray
    segments: np.ndarray
    mask: np.ndarray
    positions: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    is_next: np.ndarray


def batches(args: argparse.Namespace, reader: int = 0, readers: int = 1, rows: int | None = None) -> Iterator[Batch]:
    """Batches for ever, of `rows` each, else one GPU's. Of several readers each has files, or an order, of its own."""
    rows, random = rows or args.batch_size, np.random.default_rng([args.seed, reader])
    if not args.data:
        # A few, round and round, so that making them takes no time.
        yield from cycle([made(args, rows, random) for _ in range(8)])
    files = sorted(file for kind in ("*.hdf5", "*.h5", "*.npz") for file in args.data.glob(kind))
    if not files:
        sys.exit(f"no *.hdf5 in {args.data.name}, nor *.npz. Cure: `bench data make`, or --data with NGC's shards")
    turn = reader
    while True:
        file = files[turn % len(files)]
        columns = read(file)
        check(file, columns, args, rows)
        order = random.permutation(len(columns.ids))
        for start in range(0, len(order) - rows + 1, rows):
            chosen = order[start : start + rows]
            yield Batch(*(column[chosen] for column in columns))
        turn += readers


def read(file: Path) -> Batch:
    """All rows of one file; one that is none of these ends the run."""
    try:
        if file.suffix == ".npz":
            with np.load(file) as part:
                column = {name: part[name] for name in part.files}
            length = column["input_ids"].shape[1]
            column["input_mask"] = np.arange(length) < column["valid_lengths"].reshape(-1, 1)
        else:
            import h5py

            with h5py.File(file) as shard:
                column = {name: shard[name][:] for name in shard}
        positions = column["masked_lm_positions"]
        column["weights"], column["is_next"] = positions > 0, column["next_sentence_labels"].reshape(-1)
        names = ("input_ids", "segment_ids", "input_mask", "masked_lm_positions", "masked_lm_ids", "weights", "is_next")
        return typed(*(column[name] for name in names))
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{file.name} is no shard of BERT's pre-training data: {error}. Cure: `bench data make`")


def check(file: Path, columns: Batch, args: argparse.Namespace, rows: int) -> None:
    """Ends the run where a file is not what the log says of it."""
    shape, asked = (columns.ids.shape[1], columns.positions.shape[1]), (args.seq_len, args.masked)
    if shape != asked:
        sys.exit(f"{file.name} is no shard of {asked}, but of {shape}. Cure: --seq-len {shape[0]} --masked {shape[1]}")
    vocabulary, most = SIZES[args.model]["vocabulary"], int(columns.ids.max())
    if most >= vocabulary:
        known = f"its ids reach {most}, the model knows {vocabulary}"
        sys.exit(f"{file.name} is no shard of this vocabulary: {known}. Cure: data of a smaller --vocab-size")
    if len(columns.ids) < rows:
        sys.exit(f"{file.name} has {len(columns.ids)} rows, no batch of {rows}. Cure: a smaller --batch-size")


def made(args: argparse.Namespace, rows: int, random: np.random.Generator) -> Batch:
    """A batch of ids that count up by one, some hidden: their neighbours tell them."""
    length, masked = args.seq_len, args.masked
    span = min(SIZES[args.model]["vocabulary"] - FIRST, 200)
    ids = FIRST + (random.integers(0, span, (rows, 1)) + np.arange(length)) % span
    is_next = random.integers(0, 2, rows)
    # The second half of a row that does not follow is said by its first id.
    ids[:, 0] = FIRST - 2 + is_next
    positions = np.sort(1 + random.random((rows, length - 1)).argsort(1)[:, :masked], axis=1)
    labels = np.take_along_axis(ids, positions, 1)
    np.put_along_axis(ids, positions, MASK, 1)
    segments = np.broadcast_to(np.arange(length) >= length // 2, ids.shape)
    return typed(ids, segments, np.ones_like(ids), positions, labels, np.ones_like(labels), is_next)


def typed(*columns: np.ndarray) -> Batch:
    """Columns in the types that the frameworks take."""
    batch = Batch._make(column.astype("int32") for column in columns)
    return batch._replace(weights=batch.weights.astype("float32"))
