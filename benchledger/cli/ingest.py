"""`bench ingest`: reads logs into the ledger and accounts for every file and every piece."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

import benchledger
from benchledger.cli.byte_count import ByteCount
from benchledger.cli.settings import Settings
from benchledger.cli.wait_option import wait_option

STDIN = "-"


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="number of CPUs",
    help="Read with this many processes.",
)
@click.option("--dry-run", is_flag=True, help="Read and account, write nothing.")
@click.option("--refresh", is_flag=True, help="Read again what was read before.")
@click.option("--strict", is_flag=True, help="Exit 1 on any reject, unrecognised or unreadable file.")
@click.option("--campaign-name", metavar="NAME", help="The campaign of all that is read now.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The key of a new ledger's pseudonyms, to share it with others.",
)
@click.option(
    "--archive-ratio",
    type=click.IntRange(min=1),
    default=250,
    show_default=True,
    metavar="TIMES",
    help="Stop at what grows more than so many times, beyond its first 64 MiB.",
)
@click.option(
    "--archive-bytes",
    type=ByteCount(),
    default="256GiB",
    show_default=True,
    metavar="SIZE",
    help="Stop an archive out of which more than this comes, archives in it counted too.",
)
@click.option(
    "--archive-depth",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="LAYERS",
    help="Leave out what lies deeper than so many archives or compressions within one another.",
)
@wait_option
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True, help="Form of output."
)
@click.pass_obj
def ingest(
    settings: Settings,
    /,
    paths: tuple[Path, ...],
    jobs: int,
    dry_run: bool,
    refresh: bool,
    strict: bool,
    campaign_name: str | None,
    key_file: Path | None,
    archive_ratio: int,
    archive_bytes: int,
    archive_depth: int,
    wait_s: float,
    form: str,
) -> None:
    """Read every log under PATHS into the ledger.

    PATHS are files, folders, archives, or - for stdin. With --refresh and no PATHS, every log of the ledger whose
    definitions have changed is read again.
    """
    if not paths and not refresh:
        raise click.UsageError("give PATHS: files, folders, or - for stdin; --refresh needs none")
    from benchledger.archives.limits import Limits
    from benchledger.cli.ingest_summary import print_summary, summary_exit_code
    from benchledger.cli.progress import progress_line
    from benchledger.scanning.native_scanner import slower_because

    if why := slower_because():
        settings.say(f"lines are read by the scanner in Python, which finds the same, slower: {why}")
    stdin = sys.stdin.buffer if Path(STDIN) in paths else None
    with progress_line(settings) as progress:
        result = benchledger.ingest(
            *(path for path in paths if path != Path(STDIN)),
            db=settings.db,
            jobs=jobs,
            refresh=refresh,
            dry_run=dry_run,
            campaign_name=campaign_name,
            key_file=key_file or settings.key_file,
            wait_s=wait_s,
            stdin=stdin,
            limits=Limits(archive_ratio, archive_bytes, archive_depth),
            progress=progress,
        )
    only_stale = refresh and not paths
    print_summary(settings, result, form, dry_run, only_stale)
    click.get_current_context().exit(summary_exit_code(result, strict, only_stale))
