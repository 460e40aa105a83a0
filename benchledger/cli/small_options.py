"""The options --wait of every command that writes, and --format of those whose answer is no single table."""

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
form_option = click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True, help="Output format."
)
