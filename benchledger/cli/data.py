"""`bench data`: training data."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import benchledger
from benchledger.cli.commands import KnownGroup
from benchledger.cli.settings import Settings


@click.group(cls=KnownGroup)
def data() -> None:
    """Make training data."""


@data.command()
@click.argument("kind", type=click.Choice(["hdf5", "npz", "squad", "tokens"]))
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to fill.")
@click.option("--rows", type=click.IntRange(min=1), default=20000, show_default=True, help="Sequences, or questions.")
@click.option("--files", type=click.IntRange(min=1), default=4, show_default=True, help="Files to spread them over.")
@click.option("--seq-len", type=click.IntRange(min=8), default=128, show_default=True, help="Words of a sequence.")
@click.option("--masked", type=click.IntRange(min=1), help="Hidden words of a sequence; 20 of 128, 80 of 512.")
@click.option("--seed", type=click.IntRange(min=0), default=12345, show_default=True, help="The same gives the same.")
@click.option("--vocab-size", type=click.IntRange(min=128), help="Words there are; BERT's or GPT's if not given.")
@click.option(
    "--text", type=click.Path(exists=True, dir_okay=False, path_type=Path), multiple=True,
    help="Own text, a sentence a line, a blank line between documents; can be given several times.",
)  # fmt: skip
@click.option(
    "--vocab", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Its vocab.txt; else learned."
)
@click.option(
    "--dupe-factor", type=click.IntRange(min=1), default=5, show_default=True, help="How often text is masked anew."
)
@click.option(
    "--python", default=sys.executable, metavar="PATH", help="A Python with the runners' libraries; else this one."
)
@click.pass_obj
def make(
    settings: Settings,
    /,
    kind: str,
    output: Path,
    rows: int,
    files: int,
    seq_len: int,
    masked: int | None,
    seed: int,
    vocab_size: int | None,
    text: tuple[Path, ...],
    vocab: Path | None,
    dupe_factor: int,
    python: str,
) -> None:
    """Make training data of a KIND: hdf5 (BERT, NGC's columns), npz (gluon-nlp's), squad, tokens (GPT)."""
    made = benchledger.data_make(
        kind, output=output, rows=rows, files=files, seq_len=seq_len, masked=masked, seed=seed, vocab_size=vocab_size,
        text=text, vocab=vocab, dupe_factor=dupe_factor, python=python,
    )  # fmt: skip
    size = sum(path.stat().st_size for path in made)
    settings.say(f"{output}: {len(made)} files, {size / 1e6:.1f} MB")
