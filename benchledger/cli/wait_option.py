"""The option of every command that writes: how long to wait for another program."""

from __future__ import annotations

import click

wait_option = click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another program that holds the ledger.",
)
