"""The progress bar of an ingest: on stderr, and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from benchledger.cli.settings import Settings
from benchledger.store.lock_wait import set_wait_listener

if TYPE_CHECKING:
    from benchledger.ingestion.reading import Progress


@contextmanager
def progress_line(settings: Settings) -> Iterator[Callable[[Progress], None] | None]:
    """Yields a function that shows the progress of the ingest, or None without a terminal."""
    if settings.verbosity < 0 or not sys.stderr.isatty():
        yield None
        return
    # On a line of its own, not behind the bar.
    set_wait_listener(lambda message: settings.say(f"\n{message}"))
    try:
        with click.progressbar(length=0, file=sys.stderr, width=0, item_show_func=lambda item: item) as bar:

            def show(progress: Progress) -> None:
                bar.length = max(progress.bytes_total, 1)
                size = f"{progress.bytes_done / 1e6:,.0f} of {progress.bytes_total / 1e6:,.0f} MB"
                files = f"{progress.doing}: {size}, {progress.files_done} of {progress.files_total} files"
                bar.update(progress.bytes_done - bar.pos, files)

            yield show
    finally:
        # What is printed next tells all: the bar's line goes, which click has ended.
        click.echo("\x1b[1A\r\x1b[2K", nl=False, err=True)
