"""`bench ingest --watch`: one line per batch, until Ctrl-C or SIGTERM."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from benchledger.cli.commands import is_interrupt
from benchledger.cli.settings import Settings
from benchledger.cli.signals import stopped_by
from benchledger.exports.safe_text import escaped

if TYPE_CHECKING:
    from benchledger.ingestion.batch_process import WatchBatch


def print_batches(settings: Settings, batches: Iterable[WatchBatch], form: str) -> None:
    """Prints a line for each batch as it is written. A stop is the usual end of a watch: exit code 0."""
    from benchledger.cli.ingest_summary import batch_line

    try:
        for batch in batches:
            if batch.result is None:
                settings.say(f"not written, tried again: {escaped(batch.problem)}")
            else:
                now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
                click.echo(batch_line(batch.result, form, now))
    except (KeyboardInterrupt, Exception) as error:
        if not is_interrupt(error):
            raise
        settings.say(f"stopped by {stopped_by()[0]}; what was read is in {settings.db}")
