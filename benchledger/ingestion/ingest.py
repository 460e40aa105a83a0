"""`bench ingest`: every file seen is accounted for, and what a log holds is in the ledger whole or not at all."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from benchledger.definitions.format_file import all_formats_hash
from benchledger.definitions.names import load_names
from benchledger.errors import DatabaseError
from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.discover import FoundFile, discover
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.outcome import IngestResult, Progress
from benchledger.ingestion.plan import Plan, Work
from benchledger.ingestion.pool import read_all
from benchledger.ingestion.sightings import SightingMaker
from benchledger.ingestion.take_up import take_up
from benchledger.ingestion.write import Writer
from benchledger.scanning.samples import known_formats, load_formats
from benchledger.store.database import open_for_writing
from benchledger.store.private import PrivateFile, private_path

# What was read is written when this much of it waits in memory.
BATCH_RECORDS = 3_000_000
BATCH_FILES = 30_000
STDIN_NAME = "stdin"


def ingest(
    *paths: Path | str,
    db: Path | str = "bench.duckdb",
    jobs: int = 1,
    refresh: bool = False,
    dry_run: bool = False,
    campaign_name: str | None = None,
    wait_s: float = 30.0,
    stdin: BinaryIO | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IngestResult:
    """Reads every log under the paths into the ledger and returns what became of each file.

    `refresh` reads again what was read before; without paths, every log of the ledger whose definitions have changed.
    `dry_run` reads and accounts, and writes nothing. Raises UsageError for a path that does not exist, DatabaseError
    and DatabaseHeldError (after `wait_s` seconds) for a database that cannot be used, DefinitionError for a definition
    that is wrong.
    """
    if dry_run:
        with tempfile.TemporaryDirectory() as folder:
            target = _copy_for_trial(Path(db), Path(folder))
            return _ingest(paths, target, jobs, refresh, campaign_name, wait_s, stdin, progress, Path(db))
    return _ingest(paths, Path(db), jobs, refresh, campaign_name, wait_s, stdin, progress, Path(db))


def _ingest(
    paths: tuple[Path | str, ...], db: Path, jobs: int, refresh: bool, campaign_name: str | None, wait_s: float,
    stdin: BinaryIO | None, progress: Callable[[Progress], None] | None, real_db: Path,
) -> IngestResult:  # fmt: skip
    began = time.monotonic()
    formats, names = known_formats(), load_names()
    result = IngestResult()
    # A ledger that is there may be held: that is found out before anything is read.
    is_new = db.parent.is_dir() and not db.exists()
    plan = Plan(names, all_formats_hash(formats), refresh, campaign_name)
    if not is_new:
        with closing(open_for_writing(db, wait_s)) as con, closing(PrivateFile(db)) as private:
            plan.know(con, private, formats)
    given = list(discover(paths, _own_files(real_db)))
    if refresh and not paths and stdin is None:
        given = plan.stale_files()
    content: bytes | None = None
    if stdin is not None:
        content = stdin.read()
        given.append(FoundFile(STDIN_NAME, STDIN_NAME, STDIN_NAME, len(content), 0))
    work = plan.sort_out(given, content)
    report = _Reporter(progress, work.sizes)
    reading = read_all(work.to_read, work.sizes, plan.known, jobs)
    # While other processes read: the formats have to prove themselves, and a new ledger is made.
    load_formats()
    writer = Writer(db, wait_s, formats, plan)
    if is_new:
        writer.prepare()
    with closing(PrivateFile(db)) as private:
        key = private.key
    facts = FactsFiles()
    sightings = SightingMaker(key, names, facts, campaign_name)
    accounts = Accounts(plan, sightings)
    for count, batch in reading:
        accounts.add(work.take(count), batch)
        report.advance(count)
        if accounts.pending.records >= BATCH_RECORDS or len(accounts.pending.sightings) >= BATCH_FILES:
            writer.write(accounts.take())
    for file in work.unreadable:
        accounts.unreadable(file, file.problem or "cannot be read")
    retold = take_up(work, plan, facts, accounts, db)
    writer.write(accounts.take())
    if retold:
        writer.retell(retold, sightings)
    writer.complete(result, _account_for_unchanged(work, plan, accounts))
    result.outcomes = [accounts.outcomes[file.place] for file in work.order]
    result.bytes_read, result.lost_private = accounts.bytes_read, plan.lost_private
    result.foreign = tuple(plan.foreign)
    result.seconds = time.monotonic() - began
    return result


def _account_for_unchanged(work: Work, plan: Plan, accounts: Accounts) -> set[int]:
    logs: set[int] = set()
    for file in work.unchanged:
        seen = plan.seen[file.place]
        log = plan.logs.get(seen.log_id) if seen.log_id is not None else None
        accounts.unchanged(file, log.format if log else None, log.status if log else seen.status)
        if seen.log_id is not None:
            logs.add(seen.log_id)
    return logs


class _Reporter:
    def __init__(self, progress: Callable[[Progress], None] | None, sizes: list[int]) -> None:
        self._progress = progress
        self._sizes = sizes
        self._files = 0
        self._bytes = 0
        self._total = sum(sizes)
        self._tell("reading")

    def advance(self, files: int) -> None:
        self._bytes += sum(self._sizes[self._files : self._files + files])
        self._files += files
        self._tell("reading" if self._files < len(self._sizes) else "loading")

    def _tell(self, doing: str) -> None:
        if self._progress is not None:
            self._progress(Progress(doing, self._files, len(self._sizes), self._bytes, self._total))


def _own_files(db: Path) -> set[str]:
    # The ledger may lie in the folder that is ingested.
    place = os.path.realpath(db)
    return {
        place,
        f"{place}.wal",
        str(private_path(place)),
        f"{private_path(place)}-journal",
        f"{private_path(place)}-wal",
    }


def _copy_for_trial(db: Path, folder: Path) -> Path:
    import shutil

    target = folder / "trial.duckdb"
    for source, copy in ((db, target), (private_path(db), private_path(target))):
        if source.exists():
            try:
                shutil.copy(source, copy)
            except OSError as error:
                raise DatabaseError(
                    f"{source}: cannot be copied for a dry run: {error.strerror}. Free some disk space"
                ) from error
    return target
