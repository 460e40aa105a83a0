"""Makes training data; `bench data make` starts this with the runners' Python.

python -m runners.make_data.make hdf5 --output data/training/hdf5_seq128 --seq-len 128 --rows 20000 --files 4
python -m runners.make_data.make hdf5 --output DIR --text wiki.txt --vocab-size 8000 --dupe-factor 5
python -m runners.make_data.make npz --output DIR        as gluon-nlp reads it
python -m runners.make_data.make squad --output DIR      questions, and the vocabulary of their words
python -m runners.make_data.make tokens --output DIR     for GPT
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from runners.make_data.examples import Vocabulary
from runners.make_data.made_up import Chain, questions, shards

KINDS = ("hdf5", "npz", "squad", "tokens")
# How many places are hidden in the papers' two phases; else the part that is hidden, and a few more.
_MASKED = {128: 20, 512: 80}


def main() -> None:
    """Writes one kind of data into a folder, with a bar on a terminal."""
    options = _options()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.kind == "squad":
        questions(options.output, options.rows, options.seed)
    elif options.kind == "tokens":
        _tokens(options)
    else:
        write = _write_hdf5 if options.kind == "hdf5" else _write_npz
        for number, columns in enumerate(_shards(options)):
            write(options.output, number, columns)
            _progress(number + 1, options.files)
    said = {name: value for name, value in vars(options).items() if name not in ("output", "text", "vocab")}
    (options.output / "made.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _shards(options: argparse.Namespace) -> Iterator[dict[str, np.ndarray]]:
    masked = options.masked or _MASKED.get(options.seq_len, max(1, round(options.seq_len * 0.15)))
    if not options.text:
        chain = Chain(Vocabulary(options.vocab_size or 30522), options.seed)
        yield from shards(chain, options.rows, options.files, options.seq_len, masked, options.seed)
        return
    from runners.make_data.own_text import Text, learn_vocabulary, read_documents

    documents = read_documents(options.text)
    words = options.vocab or learn_vocabulary(documents, options.vocab_size or 8000, options.output)
    columns = Text(documents, words).columns(options.seq_len, masked, options.dupe_factor, options.seed)
    rows = len(columns["input_ids"])
    if rows < options.files:
        sys.exit(f"the text makes {rows} rows, fewer than --files {options.files}. Cure: more text, or fewer files")
    for number in range(options.files):
        yield {name: column[number :: options.files] for name, column in columns.items()}


def _write_hdf5(folder: Path, number: int, columns: dict[str, np.ndarray]) -> None:
    import h5py

    with h5py.File(folder / f"part_{number:04d}.hdf5", "w") as file:
        for name, column in columns.items():
            # No times in it: the same seed gives the same bytes.
            file.create_dataset(name, data=column, track_times=False)


def _write_npz(folder: Path, number: int, columns: dict[str, np.ndarray]) -> None:
    weights = (columns["masked_lm_positions"] > 0).astype("f4")
    kept = {name: column.astype("i4") for name, column in columns.items() if name != "input_mask"}
    lengths = columns["input_mask"].sum(1).astype("i4")
    np.savez(folder / f"part_{number:04d}.npz", **kept, masked_lm_weights=weights, valid_lengths=lengths)  # type: ignore[arg-type]


def _tokens(options: argparse.Namespace) -> None:
    chain = Chain(Vocabulary(options.vocab_size or 50257, first=0), options.seed)
    for number in range(options.files):
        text = chain.stream(
            options.rows * options.seq_len // options.files + 1, np.random.default_rng([options.seed, 4, number])
        )
        # NumPy tells no full disk at the end of a file that it writes itself.
        np.save(array := io.BytesIO(), text.astype("u2"))
        (options.output / f"part_{number:04d}.npy").write_bytes(array.getbuffer())
        _progress(number + 1, options.files)


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        width = 30 * done // of
        print(
            f"\r[{'#' * width}{'.' * (30 - width)}] {done} of {of} files",
            end="\n" if done == of else "",
            file=sys.stderr,
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make training data.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=20000, help="sequences, or questions")
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--seq-len", type=int, default=128)
    parser.add_argument("--masked", type=int, help="hidden places in a row at most")
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--vocab-size", type=int)
    parser.add_argument(
        "--text", type=Path, nargs="+", help="own text: a sentence a line, blank lines between documents"
    )
    parser.add_argument("--vocab", type=Path, help="vocab.txt for it; learned from the text if not given")
    parser.add_argument("--dupe-factor", type=int, default=5)
    options = parser.parse_args()
    _check(options, parser.error)
    return options


def _check(options: argparse.Namespace, wrong: Callable[[str], object]) -> None:
    if options.text and options.kind not in ("hdf5", "npz"):
        wrong("--text makes hdf5 or npz")
    if options.text and (absent := [file.name for file in options.text if not file.is_file()]):
        wrong(f"no such text: {', '.join(absent)}")
    if options.rows < options.files or options.files < 1 or options.dupe_factor < 1:
        wrong("needs at least one file, one row in each, and a dupe factor of 1")
    if options.seq_len < 8:
        wrong("--seq-len must be 8 at least")
    if options.kind != "tokens" and options.vocab_size is not None and options.vocab_size < 128:
        wrong("--vocab-size must be 128 at least: the first 104 ids are no words")


if __name__ == "__main__":
    main()
