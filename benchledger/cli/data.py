"""`bench data`: makes training data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

import benchledger
from benchledger.cli.commands import KnownGroup
from benchledger.cli.options import FOLDER
from benchledger.cli.settings import Settings


@click.group(cls=KnownGroup)
def data() -> None:
    """Make training data."""


@data.command()
@click.argument("kind", type=click.Choice(["hdf5", "npz", "squad", "tokens"]))
@click.option("--output", type=FOLDER, required=True, help="Output folder.")
@click.option(
    "--rows", type=click.IntRange(min=1), default=20000, show_default=True, help="Number of sequences or questions."
)
@click.option("--files", type=click.IntRange(min=1), default=4, show_default=True, help="Number of files.")
@click.option("--seq-len", type=click.IntRange(min=8), default=128, show_default=True, help="Tokens per sequence.")
@click.option(
    "--masked", type=click.IntRange(min=1), help="Masked tokens per sequence; default 20 for 128, 80 for 512."
)
@click.option("--seed", type=click.IntRange(min=0), default=12345, show_default=True, help="Random seed.")
@click.option("--vocab-size", type=click.IntRange(min=128), help="Vocabulary size; default: that of BERT or GPT.")
@click.option(
    "--text", type=click.Path(exists=True, dir_okay=False, path_type=Path), multiple=True,
    help="Your own text: one sentence per line, a blank line between documents (repeatable).",
)  # fmt: skip
@click.option(
    "--vocab",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="vocab.txt for --text; learned from the text if omitted.",
)
@click.option(
    "--dupe-factor",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Number of different maskings of the text.",
)
@click.option(
    "--python",
    default=sys.executable,
    metavar="PATH",
    help="Python that has the runners' libraries; default: this one.",
)
@click.pass_obj
def make(settings: Settings, /, kind: str, output: Path, **words: Any) -> None:
    """Make training data of KIND: hdf5 (BERT, NGC columns), npz (gluon-nlp), squad, tokens (GPT)."""
    made = benchledger.data_make(kind, output=output, **words)
    size = sum(path.stat().st_size for path in made)
    settings.say(f"{output}: {len(made)} files, {size / 1e6:.1f} MB")
