"""`bench ingest`: reads logs into the ledger and accounts for every file and every piece."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import benchledger
from benchledger.cli.commands import is_interrupt, stop
from benchledger.cli.options import FiniteRange, form_option, wait_option
from benchledger.cli.settings import Settings
from benchledger.cli.signals import stopped_by
from benchledger.errors import BenchledgerError
from benchledger.exports.values import escaped

if TYPE_CHECKING:
    from benchledger.ingestion.watch import WatchBatch


_UNITS: dict[str, int] = {"": 1, "B": 1, **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", start=1)},
          **{f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", start=1)}}  # fmt: skip


class ByteCount(click.ParamType[int]):
    """A number of bytes, with an optional unit."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+)\s*([A-Za-z]*)", str(value))
        if found is None or found[2].upper() not in _UNITS or not int(found[1]):
            self.fail(f"{value!r} is not a size; write for example 500MB or 256GiB", param, ctx)
        unit: int = _UNITS[found[2].upper()]
        return int(found[1]) * unit


STDIN = "-"
# More than OWN_WAIT_S of the ledger.
_COUNTED_S = 3.0


class _PathOrAddress(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns an address as it is: a path would lose one of its slashes."""
        is_address = isinstance(value, str) and "://" in value and not os.path.exists(value)  # noqa: PTH110 - as given
        return value if is_address else super().convert(value, param, ctx)


@click.command()
@click.argument("paths", nargs=-1, type=_PathOrAddress(exists=True, allow_dash=True, path_type=Path))
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="number of CPUs",
    help="Read with this many processes.",
)
@click.option("--dry-run", is_flag=True, help="Read and report, but write nothing.")
@click.option("--refresh", is_flag=True, help="Read files again that were read before.")
@click.option("--strict", is_flag=True, help="Exit 1 on any reject, unrecognised or unreadable file.")
@click.option("--documents", is_flag=True, help="Treat pages and scripts that quote log lines as logs.")
@click.option("--keep-logs", is_flag=True, help="Keep the contents of logs beside the ledger, compressed and private.")
@click.option("--keep-redacted", is_flag=True, help="As --keep-logs, with private names replaced.")
@click.option("--campaign-name", metavar="NAME", help="Campaign name for everything read by this command.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with the pseudonym key for a new ledger, to share pseudonyms between ledgers.",
)
@click.option(
    "--archive-ratio",
    type=click.IntRange(min=1),
    default=250,
    show_default=True,
    metavar="TIMES",
    help="Abort if a member expands more than TIMES-fold (after its first 64 MiB).",
)
@click.option(
    "--archive-bytes",
    type=ByteCount(),
    default="256GiB",
    show_default=True,
    metavar="SIZE",
    help="Abort if an archive expands to more than SIZE, nested archives included.",
)
@click.option(
    "--archive-depth",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="LAYERS",
    help="Skip members nested more than LAYERS archives or compressions deep.",
)
@click.option("--watch", is_flag=True, help="Go on reading logs as they come, until Ctrl-C or SIGTERM.")
@click.option(
    "--quiet-for",
    "quiet_s",
    type=FiniteRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="With --watch: read a file that has not changed for SECONDS, or that a manifest lists.",
)
@click.option("--lake", metavar="LAKE", help="Read into a lake, a folder or an address, instead of the ledger.")
@click.option(
    "--cluster",
    metavar="CLUSTER",
    default="local:1",
    show_default=True,
    help="With --lake: local:N processes, or the address of a dask scheduler.",
)
@wait_option
@form_option
@click.pass_obj
def ingest(
    settings: Settings,
    /,
    paths: tuple[Path | str, ...],
    dry_run: bool,
    refresh: bool,
    strict: bool,
    archive_ratio: int,
    archive_bytes: int,
    archive_depth: int,
    watch: bool,
    quiet_s: float,
    lake: str | None,
    cluster: str,
    form: str,
    **words: Any,
) -> None:
    """Read all logs under PATHS into the ledger.

    PATHS are files, folders, archives, or - for stdin; or addresses: s3://BUCKET/FOLDER, gs://, az://, https://HOST/FILE.
    With --refresh and no PATHS, every log of the ledger whose definitions have changed is read again.
    """
    if words["keep_logs"] and words["keep_redacted"]:
        raise click.UsageError("--keep-logs and --keep-redacted cannot be combined")
    if not paths and not refresh:
        raise click.UsageError("give PATHS: files, folders, or - for stdin; --refresh needs none")
    words["key_file"] = words["key_file"] or settings.key_file
    if lake is not None:
        from benchledger.cli.lake import ingest_into_lake

        ingest_into_lake(settings, paths, lake, cluster, words["key_file"], words["campaign_name"], form)
        return
    from benchledger.archives.limits import Limits
    from benchledger.cli.ingest_summary import print_summary, progress_line, summary_exit_code
    from benchledger.scanning.native_scanner import missing_reason

    if why := missing_reason():
        settings.say(f"logs are read many times slower, with the same result: {why}")
    stdin = sys.stdin.buffer if Path(STDIN) in paths else None
    words |= {"db": settings.db, "limits": Limits(archive_ratio, archive_bytes, archive_depth)}
    if watch:
        _refuse_with_watch(dry_run=dry_run, refresh=refresh, strict=strict, stdin=stdin is not None)
        print_batches(settings, benchledger.watch(*paths, quiet_s=quiet_s, **words), form)
        return
    try:
        with progress_line(settings) as progress:
            files = (path for path in paths if path != Path(STDIN))
            result = benchledger.ingest(
                *files, refresh=refresh, dry_run=dry_run, stdin=stdin, progress=progress, **words
            )
    except (KeyboardInterrupt, Exception) as error:
        if not is_interrupt(error):
            raise
        stop(click.get_current_context(), "; nothing was written" if dry_run else _what_is_kept(settings.db))
    only_stale = refresh and not paths
    print_summary(settings, result, form, dry_run, only_stale)
    click.get_current_context().exit(summary_exit_code(result, strict, only_stale))


def _refuse_with_watch(**given: bool) -> None:
    for name, is_given in given.items():
        if is_given:
            option = "standard input" if name == "stdin" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"--watch and {option} cannot be combined")


def _what_is_kept(db: Path) -> str:
    goes_on = "the same command goes on from there"
    if not db.exists():
        return f"; 0 logs are kept: {db} was not made yet"
    found: list[int] = []
    # A stop can leave a part of DuckDB's connection behind, and DuckDB waits for its end for ever.
    counting = threading.Thread(target=_count_logs, args=(db, found), daemon=True)
    counting.start()
    counting.join(_COUNTED_S)
    if not found:
        return f"; what was committed is kept in {db}, {goes_on}"
    return f"; {found[0]} log{' is' if found[0] == 1 else 's are'} kept in {db}, {goes_on}"


def _count_logs(db: Path, found: list[int]) -> None:
    from benchledger.store.database import OWN_WAIT_S, open_for_reading

    # Another program may have locked it meanwhile.
    with suppress(BenchledgerError), closing(open_for_reading(db, OWN_WAIT_S)) as con:
        found.append(con.execute("select count(*) from log").fetchall()[0][0])


def print_batches(settings: Settings, batches: Iterable[WatchBatch], form: str) -> None:
    """Prints a line for each batch as it is written. A stop is the usual end of a watch: exit code 0."""
    from benchledger.cli.ingest_summary import batch_line

    try:
        for batch in batches:
            if batch.result is None:
                settings.say(f"waiting: {escaped(batch.problem)}")
            else:
                now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
                click.echo(batch_line(batch.result, form, now))
    except (KeyboardInterrupt, Exception) as error:
        if not is_interrupt(error):
            raise
        settings.say(f"stopped by {stopped_by()[0]}; what was read is in {settings.db}")
