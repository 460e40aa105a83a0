"""What an ingest shows: its progress bar on a terminal, then conservation sums on stdout and problems on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from benchledger.cli.settings import Settings
from benchledger.errors import counted, known
from benchledger.exports.values import escaped, json_text, plain
from benchledger.ingestion.outcomes import FAULTY, LEFT_OUT
from benchledger.store.lock_wait import set_wait_listener

if TYPE_CHECKING:
    from benchledger.ingestion.ingest import IngestResult
    from benchledger.ingestion.outcomes import FileOutcome
    from benchledger.ingestion.reading import Progress


SHOWN = 5
REJECT_SHOWN = 240
RECOGNISED = ("loaded", "duplicate", "unchanged", "superseded", "document", "facts")
NO_FILES = "nothing to read: PATHS contain no files except the ledger itself. Name the folder with the logs"
NOTHING_STALE = "nothing to refresh: no definition used for a log of this ledger has changed"


def summary_exit_code(result: IngestResult, strict: bool, only_stale: bool) -> int:
    """Returns 0 for success; 1 if nothing was recognised, a facts.toml was refused, or under --strict any file failed.

    `only_stale`: a refresh without paths, which succeeds if nothing is stale.
    """
    if only_stale and not result.outcomes:
        return 0
    files = result.files
    if not any(files[status] for status in RECOGNISED) or any(map(is_refused_facts, result.outcomes)):
        return 1
    faulty = any(one.status in FAULTY or one.kept in FAULTY for one in result.outcomes)
    return int(strict and (result.rejects > 0 or faulty))


def print_summary(settings: Settings, result: IngestResult, form: str, dry_run: bool, only_stale: bool) -> None:
    """Prints the sums on stdout, with -q only as JSON; and on stderr the files that were left out."""
    if form == "json":
        click.echo(json_text(_as_json(result, dry_run)))
    elif settings.verbosity >= 0:
        for line in _sums(result):
            click.echo(line)
    if not result.outcomes:
        settings.say(NOTHING_STALE if only_stale else NO_FILES)
    _say_left_out(settings, result)
    if dry_run:
        settings.say("dry run: nothing was written")


def batch_line(result: IngestResult, form: str, now: str) -> str:
    """Returns the sums of one batch of a watch in one line: as text or JSON."""
    if form == "json":
        import json

        return json.dumps({"at": now, **plain(_as_json(result, dry_run=False))}, ensure_ascii=True, allow_nan=False)
    files = " + ".join(f"{count} {status}" for status, count in _by_status(result).items() if count)
    faults = f"; {counted(result.rejects, 'reject')}" if result.rejects else ""
    read = f"{result.bytes_read / 1e6:.1f} MB in {result.seconds:.1f} s"
    return f"{now} files: {len(result.outcomes)} = {files or '0'}; runs: {result.runs}; {read}{faults}"


def _sums(result: IngestResult) -> list[str]:
    files = " + ".join(f"{count} {status}" for status, count in _by_status(result).items() if count)
    parts = f"{result.records} records + {result.ignored} ignored + {result.rejects} rejects + {result.unread} unread"
    return [
        f"files: {len(result.outcomes)} = {files or '0'}",
        *_archives(result),
        f"pieces: {result.pieces} = {parts}",
        f"runs of these logs: {result.runs}",
        f"read: {result.bytes_read / 1e6:.1f} MB in {result.seconds:.1f} s",
    ]


def _archives(result: IngestResult) -> list[str]:
    if not result.archives:
        return []
    damaged = f"; {result.damaged_archives} damaged, read in part" if result.damaged_archives else ""
    within = f" and {result.nested_archives} nested" if result.nested_archives else ""
    return [f"archives: {result.archives}{within} contained {result.archived_files} of these files{damaged}"]


def _by_status(result: IngestResult) -> dict[str, int]:
    from benchledger.ingestion.outcomes import FILE_STATUSES

    files = result.files
    return {status: files[status] for status in FILE_STATUSES}


def _say_left_out(settings: Settings, result: IngestResult) -> None:
    _say_not_read(settings, result)
    rejecting = [one for one in result.outcomes if one.rejects]
    if rejecting:
        rejects, files = counted(result.rejects, "reject"), counted(len(rejecting), "file")
        settings.say(f"{rejects} in {files}; list with: bench query rejects")
        for line in _first_rejects(rejecting):
            settings.say(f"  {line}")
    unread = sum(one.unread > 0 for one in result.outcomes)
    if unread:
        lines, files = counted(result.unread, "line"), counted(unread, "file")
        settings.say(f"{lines} with a measurement unread in {files}; list with: bench query unread")
    if documents := result.files["document"]:
        quotes = "document quotes" if documents == 1 else "documents quote"
        settings.say(
            f"{documents} {quotes} log lines; list with: bench query documents. Read as logs with: --documents"
        )
    if result.unpaired:
        logs = counted(result.unpaired, "telemetry, profile or sidecar log")
        settings.say(f"{logs} without a run; list with: bench query unpaired")
    if result.foreign:
        names = known(result.foreign)
        settings.say(f"logs of unknown formats are left unchanged: {names}. Name their folder with --definitions")
    if result.lost_private:
        settings.say(
            "a private file of the ledger was missing, so all files were read again. They will be skipped while"
        )
        settings.say("unchanged, and --refresh will find them")
    if result.stale:
        logs = counted(result.stale, "log")
        settings.say(f"{logs} read with older definitions. Read again with: bench ingest --refresh")
    for one in result.outcomes if settings.verbosity else ():
        settings.say(f"{_place(one)}: {one.status}{', ' + one.reason if one.reason else ''}", at=1)


def _say_not_read(settings: Settings, result: IngestResult) -> None:
    refused = [one for one in result.outcomes if is_refused_facts(one)]
    if refused:
        # Its facts are missing from every log below it, which is worse than an unrecognised file.
        settings.say(
            f"{len(refused)} facts.toml refused: their earlier facts stay valid, new logs below were loaded "
            "without them. Correct the file and ingest again:"
        )
        _say_first(settings, refused, "bench query unrecognised -p path='*facts.toml'")
    if result.retold_runs:
        runs = "1 run was" if result.retold_runs == 1 else f"{result.retold_runs} runs were"
        settings.say(f"facts.toml has changed: {runs} derived again")
    if result.moved_runs:
        runs = "1 known run lies" if result.moved_runs == 1 else f"{result.moved_runs} known runs lie"
        settings.say(f"{runs} below a folder that is named now: their campaigns begin with its name")
    settings.say_first(result.unfitting, SHOWN, "and {} more matches that fit no log; list with: bench -v ingest")
    others = [one for one in result.outcomes if not is_refused_facts(one)]
    say_left_out_files(settings, others, "bench query unrecognised")
    for status in FAULTY:
        kept = sum(one.kept == status for one in result.outcomes if one.status in ("unchanged", "duplicate"))
        if kept:
            settings.say(f"{kept} {status} among unchanged and duplicate files; list with: bench query unrecognised")


def _place(outcome: FileOutcome) -> str:
    # Escaped: a name may hold line breaks, and the text after one would look like another message.
    return escaped(outcome.place or outcome.path)


def is_refused_facts(outcome: FileOutcome) -> bool:
    return outcome.status == "unreadable" and outcome.path.rpartition("/")[2] == "facts.toml"


def _first_rejects(rejecting: list[FileOutcome]) -> list[str]:
    """Returns the first rejects as path:line, reason and text; long or multi-line texts are cut."""
    return [
        f"{_place(one)}:{first[:REJECT_SHOWN]}" + (" ..." if rest or len(first) > REJECT_SHOWN else "")
        for one in rejecting
        for first, _, rest in (reject.partition("\n") for reject in one.first_rejects)
    ][:SHOWN]


def say_left_out_files(settings: Settings, outcomes: Iterable[FileOutcome], all_by: str) -> None:
    """Says which files are in no table, and why; of many the first ones, and the command `all_by` that lists all."""
    by_status: dict[str, list[FileOutcome]] = {status: [] for status in LEFT_OUT}
    for one in outcomes:
        if one.status in by_status:
            by_status[one.status].append(one)
    for status, left in by_status.items():
        if left:
            settings.say(f"{len(left)} {status}:")
        _say_first(settings, left, all_by)


def _say_first(settings: Settings, left: list[FileOutcome], all_by: str) -> None:
    lines = [f"  {_place(one)}{': ' + one.reason if one.reason else ''}" for one in left]
    settings.say_first(lines, SHOWN, f"  and {{}} more; list with: {all_by}")


def _as_json(result: IngestResult, dry_run: bool) -> dict[str, object]:
    names = (
        "archives", "nested_archives", "archived_files", "damaged_archives", "pieces", "records", "ignored", "rejects",
        "unread", "runs", "retold_runs", "moved_runs", "unpaired", "stale", "bytes_read", "seconds", "outcomes",
    )  # fmt: skip
    sums = {name: getattr(result, name) for name in names}
    return {"dry_run": dry_run, "files": _by_status(result), **sums}


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
