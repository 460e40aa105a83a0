"""The option --wait of every command that writes."""

from __future__ import annotations

import click

wait_option = click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait this long for another process to release the ledger.",
)
